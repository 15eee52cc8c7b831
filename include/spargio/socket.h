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

/*
 * Receive the available bytes, at most @len. 0 at the end of the stream.
 * Yields.
 */
int sp_recv(int fd, void *data, size_t len);
int sp_recv_until(int fd, void *data, size_t len, int64_t deadline);

/* Send as many bytes as the socket accepts, at least one. Yields. */
int sp_send(int fd, const void *data, size_t len);
int sp_send_until(int fd, const void *data, size_t len, int64_t deadline);

/*
 * Transfer all bytes, in one operation where the kernel supports it. Yield.
 *
 * Receiving returns 1 when all bytes have arrived, 0 if the stream ended before
 * the first byte, -EPIPE if it ended later. Sending returns 0. After an error
 * the number of bytes transferred is unknown; the connection can only be
 * closed.
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
 * Shut down one direction or both: @how is SHUT_RD, SHUT_WR or SHUT_RDWR. The
 * peer sees the end of the stream, and local waits in that direction return.
 * SHUT_RD ends a listener. Does not wait.
 */
int sp_shutdown(int fd, int how);

/* Options */

/* A field that is zero leaves the option unchanged. */
struct sp_tcp_opts {
	/* 1 = send small segments immediately; -1 = coalesce */
	int no_delay;
	/* seconds without traffic before the first probe */
	int keepalive_s;
	int keepalive_every; /* seconds between probes */
	/* unanswered probes after which the connection ends */
	int keepalive_count;
	/* time without an acknowledgement after which it ends */
	int user_timeout_ms;
	int send_buffer; /* bytes; the kernel doubles them */
	int recv_buffer;
};
/*
 * -EINVAL; -EOPNOTSUPP for TCP options of a socket that is not TCP; and other
 * errors of setsockopt(2).
 */
int sp_tcp_set(int fd, const struct sp_tcp_opts *opts);

/*
 * Milliseconds since something came from the other end of a TCP connection:
 * data, or the acknowledgement of data or of a keepalive probe. Any thread.
 */
int64_t sp_tcp_heard_ms(int fd);

/*
 * Sign segments to and from @peer with TCP MD5 (RFC 2385); the port of @peer is
 * ignored. On a listener it applies to future connections; call it once for
 * each peer. An empty key removes the option. -EINVAL for a key above 80 bytes,
 * -ENOPROTOOPT if the kernel lacks the option.
 */
int sp_tcp_md5(int fd, const struct sp_addr *peer, const void *key, size_t len);

/* The process at the other end of a Unix stream socket. */
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
