/*
 * spargio/net/socket.h - operations on a socket that may not be ready
 */
#ifndef SPARGIO_NET_SOCKET_H
#define SPARGIO_NET_SOCKET_H

#include "spargio/io/op.h"

#include <errno.h>

/*
 * Translate the kernel's -ETIMEDOUT, which means a broken connection, because
 * -ETIMEDOUT is our code for a deadline. A caller with a deadline tries again
 * after -ETIMEDOUT and would do so forever on a broken connection.
 */
static inline int sp__socket_error(int res)
{
	return res == -ETIMEDOUT ? -ECONNABORTED : res;
}

/*
 * Call sp__op_run(), and repeat it after -EINTR. After -EAGAIN, which a ring
 * returns for a non-blocking descriptor, wait for @events, as of poll(2),
 * before the repetition. -ETIMEDOUT means the deadline only. Yields.
 */
int sp__socket_run(struct sp__op *op, uint32_t events, int64_t deadline,
		   const char *why);

/*
 * As sp__socket_run() for a send, but tries a system call first: if the socket
 * buffer has space, that saves a submission, a completion and two switches
 * (decision 0099). May yield.
 */
int sp__socket_send(struct sp__op *op, int64_t deadline);

#endif
