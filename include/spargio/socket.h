/*
 * spargio/socket.h - bytes through a connected socket
 *
 * For TCP and Unix stream sockets. A socket is a plain descriptor: it belongs
 * to no shard, any fiber may use it, and descriptors of other libraries can be
 * used as well, blocking or not.
 *
 * Blocking	Calls marked "yields" wait and let other fibers run. Outside a
 *		fiber they return -EPERM. A send that fits into the socket
 *		buffer does not wait, but a fiber that sends many times in a
 *		row yields now and then.
 * Two fibers	One fiber may receive while another sends. If two fibers receive
 *		or two fibers send, the order of their data is not defined.
 * Closing	Call close(2) when no fiber waits for the socket. To end the
 *		wait of another fiber, call sp_shutdown() or cancel the fiber.
 * Errors	A negative errno, never -EINTR. Among them:
 *		-EPIPE		a send after the peer has closed; no SIGPIPE
 *		-ETIMEDOUT	the deadline, never an error of the connection:
 *				the call may be repeated
 *		-ECONNABORTED	the peer did not answer within the limits of
 *				sp_tcp_opts (the kernel returns ETIMEDOUT)
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
 * Transfer all bytes, in one operation if the kernel supports that. Yield.
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
	/* time without acknowledgement after which the connection ends */
	int user_timeout_ms;
	int send_buffer; /* bytes; the kernel doubles the value */
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
