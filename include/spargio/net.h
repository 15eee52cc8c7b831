/*
 * spargio/net.h - listen, accept, connect
 *
 * For TCP and Unix stream sockets: the family is the address's.
 *
 * A connection is a descriptor and the shard that is its home: where the fiber
 * that serves it is to run. Nothing breaks when it is used elsewhere, unless a
 * receive stream is open on it (rstream.h).
 *
 * Blocking	Calls marked "yields" wait and let other fibers run. Outside a
 *		fiber they return -EPERM.
 * Ownership	A connection is yours to close(2).
 * Errors	A negative errno, such as -ECONNREFUSED, -EMFILE, -ETIMEDOUT: the
 *		deadline, or the kernel's own patience with an attempt.
 */
#ifndef SPARGIO_NET_H
#define SPARGIO_NET_H

#include <spargio/address.h>
#include <spargio/fiber.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_msg;

struct sp_conn {
	int fd;
	uint32_t home;
};

/* Homes other than a shard's number. */
#define SP_HOME_HERE (UINT32_MAX - 1) /* where the caller runs */
#define SP_HOME_NEXT (UINT32_MAX - 2) /* the shards in turn */

/* Listening */

struct sp_listen_opts {
	int backlog;	 /* default 1024, bounded by net.core.somaxconn */
	bool reuse_port; /* several may listen at one address */
	bool only_ip6;	 /* an IPv6 wildcard takes IPv6 only */
};

/*
 * Listen at @at; port 0 takes a free one, which sp_addr_local() tells. @opts
 * may be NULL. The address of a listener that has gone can be taken at once;
 * a Unix path that is left over cannot: unlink(2) it first. Does not wait.
 */
int sp_listen(const struct sp_addr *at, const struct sp_listen_opts *opts,
	      int *out);

/*
 * Take one connection; see accept_loop.h for many. Yields.
 *
 * -EINVAL if the listener was shut down; -EMFILE, -ENFILE, -ENOMEM and
 * -ENOBUFS leave the connection where it is: try again later.
 */
int sp_accept(int listener, uint32_t home, struct sp_conn *out);
int sp_accept_until(int listener, uint32_t home, int64_t deadline,
		    struct sp_conn *out);

/* Connecting */

/* Yields. */
int sp_connect(const struct sp_addr *to, uint32_t home, struct sp_conn *out);
int sp_connect_until(const struct sp_addr *to, uint32_t home, int64_t deadline,
		     struct sp_conn *out);

/*
 * Connect a socket of your own, which has been given its options or bound to
 * an address. After an error it is good for closing only. Yields.
 */
int sp_connect_fd(int fd, const struct sp_addr *to);
int sp_connect_fd_until(int fd, const struct sp_addr *to, int64_t deadline);

/*
 * Connect to all of @to at the same time. @out has room for @count; where one
 * failed, its fd is the negative errno. Returns how many are connected, or
 * -EINVAL, -ENOMEM, -EPERM: then there are none. Yields.
 */
int sp_connect_many(const struct sp_addr *to, size_t count, uint32_t home,
		    int64_t deadline, struct sp_conn *out);

/* Connections and shards */

/* Give a descriptor a home, however it came to be. -EINVAL: no such shard. */
int sp_adopt(int fd, uint32_t home, struct sp_conn *out);

/*
 * Spawn a fiber at the connection's home that runs @fn(conn, @arg):
 * @attr->place is SP_PINNED, or SP_PREFER for one that others may take over,
 * and @attr->shard is ignored; NULL: SP_PINNED and nothing else. The connection
 * is closed when @fn returns, unless it has set conn->fd to -1 to keep it.
 * Errors as sp_go_attr(): it is still yours.
 */
int sp_conn_go(const struct sp_conn *conn, const struct sp_attr *attr,
	       int (*fn)(struct sp_conn *conn, void *arg), void *arg,
	       struct sp_task *out);

/*
 * Hand it to the fiber that receives the messages of @shard, which becomes its
 * home. 0: it is no longer yours. Errors as sp_msg_send(): it still is.
 */
int sp_conn_send(const struct sp_conn *conn, uint32_t shard, uint16_t tag);
/* What such a message carries. -EBADMSG if it was not sent by the above. */
int sp_conn_take(const struct sp_msg *msg, struct sp_conn *out);

#ifdef __cplusplus
}
#endif

#endif
