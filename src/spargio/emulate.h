/*
 * spargio/emulate.h - what an SQE says, done by system calls
 *
 * For the epoll back end. Adding an operation is adding a row.
 */
#ifndef SPARGIO_PRIVATE_EMULATE_H
#define SPARGIO_PRIVATE_EMULATE_H

#include "spargio/uring.h"

#include <stdint.h>

enum sp__attempt {
	SP__DONE,	/* *@res is the result */
	SP__NOT_READY,	/* wait for sp__sqe_events() and try again */
	SP__MUST_BLOCK, /* only sp__sqe_block() can do it */
};

/* Try without blocking. */
enum sp__attempt sp__sqe_try(const struct io_uring_sqe *sqe, int *res);

/* Do it, however long it takes. -EOPNOTSUPP for what we do not know. */
int sp__sqe_block(const struct io_uring_sqe *sqe);

/* What readiness sp__sqe_try() lacks when it says -EAGAIN: poll(2) events. */
uint32_t sp__sqe_events(const struct io_uring_sqe *sqe);

#endif
