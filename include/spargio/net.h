/*
 * spargio/net.h - listen, accept, connect
 *
 * For TCP and Unix stream sockets, depending on the address.
 *
 * A connection is a descriptor and its home shard, where the fiber that serves
 * it runs. It can also be used on other shards, unless a receive stream is open
 * on it (rstream.h).
 *
 * Blocking	Calls marked "yields" wait and let other fibers run. Outside a
 *		fiber they return -EPERM.
 * Ownership	The caller closes a connection with close(2).
 * Errors	A negative errno, such as -ECONNREFUSED, -EMFILE, -ETIMEDOUT
 *		(the deadline, or the kernel's own limit for a connect).
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

/* Values of @home other than the number of a shard */
#define SP_HOME_HERE (UINT32_MAX - 1) /* the caller's shard */
#define SP_HOME_NEXT (UINT32_MAX - 2) /* each shard in turn */

/* Listening */

struct sp_listen_opts {
	int backlog; /* default 1024, bounded by net.core.somaxconn */
	/* several listeners may share one address (SO_REUSEPORT) */
	bool reuse_port;
	bool only_ip6; /* an IPv6 wildcard address accepts IPv6 only */
};

/*
 * Listen on @at; port 0 takes a free port, which sp_addr_local() returns. @opts
 * may be NULL. The address of a closed listener can be used again immediately,
 * but a Unix path must be removed with unlink(2) first. Does not wait.
 */
int sp_listen(const struct sp_addr *at, const struct sp_listen_opts *opts,
	      int *out);

/*
 * Set SO_REUSEPORT on @listener, which was opened without reuse_port: from now
 * on other listeners with reuse_port may share its address. 0 or a negative
 * errno. Any thread.
 */
int sp_listener_share(int listener);

/*
 * Accept one connection; see accept_loop.h for many. Yields.
 *
 * -EINVAL if the listener was shut down. After -EMFILE, -ENFILE, -ENOMEM or
 * -ENOBUFS the connection is still in the listener's queue: try again later.
 */
int sp_accept(int listener, uint32_t home, struct sp_conn *out);
int sp_accept_until(int listener, uint32_t home, int64_t deadline,
		    struct sp_conn *out);

/* Connecting */

/* Create a socket and connect it. Yields. */
int sp_connect(const struct sp_addr *to, uint32_t home, struct sp_conn *out);
int sp_connect_until(const struct sp_addr *to, uint32_t home, int64_t deadline,
		     struct sp_conn *out);

/*
 * Create an unconnected stream socket of the address family of @to, for
 * sp_connect_fd(). Returns the descriptor or a negative errno. Any thread.
 */
int sp_connect_socket(const struct sp_addr *to);

/*
 * Connect a socket that the caller created, for instance to set options or to
 * bind it. After an error the socket can only be closed. Yields.
 */
int sp_connect_fd(int fd, const struct sp_addr *to);
int sp_connect_fd_until(int fd, const struct sp_addr *to, int64_t deadline);

/*
 * Connect to all addresses of @to at the same time. @out has @count elements;
 * the fd of a failed connection is the negative errno. Returns the number of
 * connections, or -EINVAL, -ENOMEM or -EPERM, in which case @out is not filled.
 * Yields.
 */
int sp_connect_many(const struct sp_addr *to, size_t count, uint32_t home,
		    int64_t deadline, struct sp_conn *out);

/* Connections and shards */

/*
 * Fill *@out with the descriptor @fd and the shard @home. -EINVAL if there is
 * no such shard.
 */
int sp_adopt(int fd, uint32_t home, struct sp_conn *out);

/*
 * Spawn a fiber on the connection's home shard that runs @fn(conn, @arg).
 * @attr->place is SP_PINNED, or SP_PREFER for a fiber that other shards may
 * steal; @attr->shard is ignored. @attr NULL means SP_PINNED. The connection is
 * closed when @fn returns, unless @fn has set conn->fd to -1. Errors as
 * sp_go_attr(): the caller then still owns the connection.
 */
int sp_conn_go(const struct sp_conn *conn, const struct sp_attr *attr,
	       int (*fn)(struct sp_conn *conn, void *arg), void *arg,
	       struct sp_task *out);

/*
 * Send the connection to the fiber that receives the messages of @shard; @shard
 * becomes the home of the connection. Returns 0 if the receiver owns the
 * connection. Errors as sp_msg_send(): the caller still owns the connection.
 */
int sp_conn_send(const struct sp_conn *conn, uint32_t shard, uint16_t tag);
/*
 * Get the connection from a message of sp_conn_send(). -EBADMSG if @msg does
 * not have the length of such a message.
 */
int sp_conn_take(const struct sp_msg *msg, struct sp_conn *out);

#ifdef __cplusplus
}
#endif

#endif
