/*
 * spargio/socket.h - bytes through a connected socket
 *
 * For TCP and Unix stream sockets. A socket is a plain descriptor: it belongs
 * to no shard, any fiber may use it, and descriptors of other libraries can be
 * used as well, blocking or not.
 *
 * Blocking	Calls marked "yields" wait and let other fibers run. Outside a
 *		fiber they return -EPERM. A send for which there is room is done
 *		at once; of many in a row some let others run.
 * Two fibers	One may receive while another sends. Two that receive, or two
 *		that send, get or give pieces in no order.
 * Closing	close(2) it when no fiber waits in it any more. A wait of
 *		another fiber is ended by sp_shutdown(), or by cancelling it.
 * Errors	A negative errno: -ECONNRESET, -EPIPE (sending to who has
 *		closed; there is no signal), -ETIMEDOUT (the deadline, never
 *		the connection: after it one may try again), -ECONNABORTED (the
 *		peer did not answer for as long as the options below allow,
 *		which the kernel calls ETIMEDOUT too), -ECANCELED, -EBADF.
 *		-EINTR never.
 */
#ifndef SPARGIO_SOCKET_H
#define SPARGIO_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_addr;

/* Some bytes */

/* What is there, at most @len. 0: the peer sends no more. Yields. */
int sp_recv(int fd, void *data, size_t len);
int sp_recv_until(int fd, void *data, size_t len, int64_t deadline);

/* As much as there is room for, at least one byte. Yields. */
int sp_send(int fd, const void *data, size_t len);
int sp_send_until(int fd, const void *data, size_t len, int64_t deadline);

/*
 * All bytes, in one operation where the kernel can do it. Yield.
 *
 * Receiving: 1 when all have come, 0 if the peer ended before the first one,
 * -EPIPE if it ended later. Sending: 0. After an error it is unknown how many
 * went through; the connection is good for closing only.
 */
int sp_recv_exact(int fd, void *data, size_t len);
int sp_recv_exact_until(int fd, void *data, size_t len, int64_t deadline);
int sp_recvv_exact(int fd, const struct iovec *iov, size_t count);
int sp_recvv_exact_until(int fd, const struct iovec *iov, size_t count,
			 int64_t deadline);

int sp_send_all(int fd, const void *data, size_t len);
int sp_send_all_until(int fd, const void *data, size_t len, int64_t deadline);
int sp_sendv_all(int fd, const struct iovec *iov, size_t count);
int sp_sendv_all_until(int fd, const struct iovec *iov, size_t count,
		       int64_t deadline);

/*
 * End one direction, or both: @how is SHUT_RD, SHUT_WR or SHUT_RDWR. The peer
 * sees the end of the stream; whoever waits here in that direction returns. A
 * listener is ended by SHUT_RD. Does not wait.
 */
int sp_shutdown(int fd, int how);

/* Options */

/* What is zero is left as it is. */
struct sp_tcp_opts {
	int no_delay;	     /* 1: send small pieces at once; -1: gather */
	int keepalive_s;     /* probe after so many seconds of silence */
	int keepalive_every; /* seconds between probes */
	int keepalive_count; /* unanswered probes that end the connection */
	int user_timeout_ms; /* unacknowledged data that ends it */
	int send_buffer;     /* bytes; the kernel doubles them */
	int recv_buffer;
};
/* -EINVAL, -EOPNOTSUPP (buffers apart, not a TCP socket), ... */
int sp_tcp_set(int fd, const struct sp_tcp_opts *opts);

/*
 * Sign segments to and from @peer (its port is ignored) as RFC 2385 wants it;
 * on a listener for connections to come, once for each peer. No key: stop it.
 * -EINVAL for a key above 80 bytes, -ENOPROTOOPT if the kernel has none of it.
 */
int sp_tcp_md5(int fd, const struct sp_addr *peer, const void *key, size_t len);

/* Who is at the other end of a Unix stream socket. */
struct sp_cred {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};
int sp_unix_cred(int fd, struct sp_cred *out);

#ifdef __cplusplus
}
#endif

#endif
