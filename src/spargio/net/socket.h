/*
 * spargio/net/socket.h - an operation on a socket that may not be ready
 */
#ifndef SPARGIO_NET_SOCKET_H
#define SPARGIO_NET_SOCKET_H

#include "spargio/io/op.h"

#include <errno.h>

/*
 * What the kernel says of a connection it has given up is what we say of a
 * deadline that has passed. Who waits with a deadline tries again after that:
 * for a connection that is gone it would do so for ever, without waiting.
 */
static inline int sp__socket_error(int res)
{
	return res == -ETIMEDOUT ? -ECONNABORTED : res;
}

/*
 * sp__op_run(), again after -EINTR, and again when ready after -EAGAIN: a ring
 * does not wait for a descriptor that is set not to block. @events are what
 * poll(2) calls ready. -ETIMEDOUT is the deadline's alone. Yields.
 */
int sp__socket_run(struct sp__op *op, uint32_t events, int64_t deadline,
		   const char *why);

/*
 * The same for @op that sends, but at once, by a system call, where there is
 * room: that takes no submission, no completion and no switch to and fro
 * (decision 0099). May yield.
 */
int sp__socket_send(struct sp__op *op, int64_t deadline);

#endif
