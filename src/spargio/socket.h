/*
 * spargio/socket.h - an operation on a socket that may not be ready
 */
#ifndef SPARGIO_PRIVATE_SOCKET_H
#define SPARGIO_PRIVATE_SOCKET_H

#include "spargio/op.h"

/*
 * sp__op_run(), again after -EINTR, and again when ready after -EAGAIN: a ring
 * does not wait for a descriptor that is set not to block. @events are what
 * poll(2) calls ready. Yields.
 */
int sp__socket_run(struct sp__op *op, uint32_t events, int64_t deadline,
		   const char *why);

#endif
