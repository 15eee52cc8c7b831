/*
 * collector/ingest/listener.h - accept connections of routers
 *
 * Every worker listens at every address, and the kernel distributes connections
 * over them. Admission is decided before a byte is read, but for connections of
 * a load balancer (proxy.h). Then the identity of the router is found, and with
 * it the shard that owns it:
 *
 *	--router-id address, or an alias	immediately
 *	sysname, bgp-id				when a message with it was read;
 *						the bytes read are passed along
 *
 * Threads	The worker's shard.
 */
#ifndef COLLECTOR_INGEST_LISTENER_H
#define COLLECTOR_INGEST_LISTENER_H

#include "collector/ingest/connection.h"
#include "collector/config/value.h"

struct sp_sem;
struct worker;

struct listener {
	/* NULL if the listener was left out: see listener_open() */
	struct worker *worker;
	int fd; /* -1 = closed, will be opened again */
	/* address, with the port that it really has */
	struct config_address at;
};

/*
 * Open a listener. Errors as sp_listen(); they are logged. If the host has no
 * IPv6, the default IPv6 address is left out without an error.
 */
int listener_open(struct worker *w, const struct config_address *at,
		  struct listener *out);
void listener_close(struct listener *listener);

/*
 * Set TCP MD5 keys for all routers that have one; call it before @fd listens or
 * connects. Returns 0 or an error of sp_tcp_md5().
 */
int listener_set_md5(struct worker *w, int fd);

/*
 * The main function of the fiber that accepts connections; runs until it is
 * cancelled. If the listener fails, the fiber opens it again, and repeats this
 * until it succeeds; meanwhile the listener counts as down.
 */
int listener_main(void *listener);

/*
 * Admit the router at the other end of @fd, a socket that was accepted, or that
 * we connected. For a connected socket @ended, unless NULL, is posted when the
 * connection ends. Takes the ownership of the socket. Returns 0, or -EPERM if
 * the router was refused.
 */
int listener_admit(struct worker *w, int fd, struct sp_sem *ended);

#endif
