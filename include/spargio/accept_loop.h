/*
 * spargio/accept_loop.h - accept connections in a loop
 *
 *	one listener			one listener for each shard
 *
 *	     +--> shard 0		port --> shard 0
 *	port +--> shard 1		port --> shard 1
 *	     +--> shard 2		port --> shard 2
 *	sp_accept_loop(SP_HOME_NEXT)	sp_listen_many(),
 *					sp_accept_loop_shards()
 *
 * With one listener the shards get connections strictly in turn. With several
 * listeners the kernel chooses the listener by a hash of the addresses, and
 * each shard accepts its own connections: faster if connections are short.
 *
 * Exhaustion	If descriptors or memory run out, new connections wait in the
 *		listener's queue; the accept is repeated after a pause that
 *		grows from 10 ms to a second. Existing connections are not
 *		affected. sp_shard_stats.accept_pauses counts the pauses.
 * Blocking	All functions yield unless they say "does not wait".
 * Errors	-EINVAL when the listener has been shut down, -ECANCELED,
 *		-ETIMEDOUT, or another error after which accepting cannot
 *		continue.
 */
#ifndef SPARGIO_ACCEPT_LOOP_H
#define SPARGIO_ACCEPT_LOOP_H

#include <spargio/net.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_acceptor;

/*
 * Accept connections from @listener until an accept fails or the caller is
 * cancelled. For each connection run @fn(conn, @arg) in a fiber, as
 * sp_conn_go() does. @attr has the attributes of the fibers (SP_PINNED or
 * SP_PREFER, name, group, ...), @home is their shard. Returns the error that
 * ended the loop; fibers that serve connections keep running.
 */
int sp_accept_loop(int listener, uint32_t home, const struct sp_attr *attr,
		   int (*fn)(struct sp_conn *conn, void *arg), void *arg);

/*
 * Open @count listeners on one address (SO_REUSEPORT). After an error no
 * listener stays open. Does not wait.
 */
int sp_listen_many(const struct sp_addr *at, const struct sp_listen_opts *opts,
		   size_t count, int *out);

/*
 * Run sp_accept_loop() on every shard. Shard n accepts from @listeners[n] and
 * serves its connections itself. Returns the first error of any loop; the other
 * loops are cancelled.
 */
int sp_accept_loop_shards(const int *listeners, const struct sp_attr *attr,
			  int (*fn)(struct sp_conn *conn, void *arg),
			  void *arg);

/* Accepting without sp_accept_loop() */

/* Accept from @listener on the caller's shard. Does not wait. */
int sp_acceptor_open(int listener, struct sp_acceptor **out);

/*
 * Close accepted connections that sp_acceptor_next() has not returned, and free
 * @acceptor. NULL is fine.
 */
void sp_acceptor_close(struct sp_acceptor *acceptor);

/*
 * Wait for the next connection. Yields. Does not return -EMFILE, -ENFILE,
 * -ENOMEM or -ENOBUFS: the accept is repeated after a pause (see above).
 */
int sp_acceptor_next(struct sp_acceptor *acceptor, uint32_t home,
		     struct sp_conn *out);
int sp_acceptor_next_until(struct sp_acceptor *acceptor, uint32_t home,
			   int64_t deadline, struct sp_conn *out);

#ifdef __cplusplus
}
#endif

#endif
