/*
 * collector/ingest/listener.h - where routers come in
 *
 * Every worker listens at every address, and the kernel spreads connections
 * over them. Who may come in is decided before a byte is read. Then the router
 * gets its identity, and with it the shard that owns it:
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
	struct worker *worker;	  /* NULL: left out, see listener_open() */
	int fd;			  /* -1: shut, and to be opened again */
	struct config_address at; /* with the port that was got */
};

/*
 * Listen. Errors as sp_listen(), and they are logged. Of the default addresses
 * the one of IPv6 is left out on a host that has none.
 */
int listener_open(struct worker *w, const struct config_address *at,
		  struct listener *out);
void listener_close(struct listener *listener);

/*
 * Sign what goes to and comes from routers that have a key, before @fd listens
 * or connects. 0 or as sp_tcp_md5().
 */
int listener_set_md5(struct worker *w, int fd);

/*
 * The fiber that takes connections, until it is cancelled. A listener that
 * fails is opened again, as often as it takes, and counts as shut until then.
 */
int listener_main(void *listener);

/*
 * Admit the router at the other end of @fd, which connected or was connected
 * to; in the latter case @ended, unless NULL, is posted when the connection is
 * over. The socket is no longer the caller's. 0 if the connection is on its
 * way, -EPERM if it was refused.
 */
int listener_admit(struct worker *w, int fd, struct sp_sem *ended);

#endif
