/*
 * collector/ingest/listener.h - accept connections of routers
 *
 * Every worker listens at every address, and the kernel distributes connections
 * over them. Admission is decided before a byte is read. Then the identity of
 * the router is found, and with it the shard that owns it:
 *
 *	--router-id address, or an alias	at once
 *	sysname, bgp-id				when a message said it: bytes read
 *						until then travel along
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
	struct worker *worker;	  /* NULL if left out: see listener_open() */
	int fd;			  /* -1 if closed, to be opened again */
	struct config_address at; /* with the actual port */
};

/*
 * Listen. Errors as sp_listen(); they are logged. The default IPv6 address is
 * left out on a host without IPv6.
 */
int listener_open(struct worker *w, const struct config_address *at,
		  struct listener *out);
void listener_close(struct listener *listener);

/*
 * Enable TCP MD5 for routers that have a key, before @fd listens or connects. 0
 * or an error of sp_tcp_md5().
 */
int listener_set_md5(struct worker *w, int fd);

/*
 * The fiber that accepts connections, until it is cancelled. A listener that
 * fails is opened again, repeatedly, and counts as down until then.
 */
int listener_main(void *listener);

/*
 * Admit the router at the other end of @fd, which connected or was connected
 * to; in the latter case @ended, unless NULL, is posted when the connection
 * ends. Takes ownership of the socket. 0 if the connection was accepted, -EPERM
 * if it was refused.
 */
int listener_admit(struct worker *w, int fd, struct sp_sem *ended);

#endif
