/*
 * Many transfers are in flight, and the fiber waits once for all of them: the
 * last completion wakes it. So a batch costs one switch and one system call.
 */
#include "spargio/io/op.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/file.h>
#include <spargio/time.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

struct batch {
	struct sp_fiber *fiber;
	uint64_t epoch;
	size_t left; /* transfers that have not completed */
	size_t n;
	struct part {
		struct sp__op op;
		struct batch *batch;
	} parts[];
};

/* Called on the scheduler's stack for each completion. */
static void part_over(struct sp__op *op)
{
	struct batch *b = ((struct part *)(void *)op)->batch;

	if (op->done && --b->left == 0)
		sp__wake(b->fiber, b->epoch, SP__EVENT);
}

/*
 * Start all transfers and wait until all have ended. Returns 0, or -ECANCELED
 * or -ETIMEDOUT if transfers were cancelled for that reason.
 */
static int run_batch(struct batch *b, const char *why)
{
	struct sp_fiber *self = b->fiber;
	struct sp_shard *shard = self->shard;
	int err;

	self->pins++;
	b->left = b->n;
	b->epoch = sp__wait_begin(self);
	for (size_t i = 0; i < b->n; i++)
		sp__op_start(shard, &b->parts[i].op);
	err = sp__code_error(sp__wait_end(self, b->epoch, SP_NEVER, why, b));
	if (b->left > 0)
		for (size_t i = 0; i < b->n; i++)
			if (!b->parts[i].op.done)
				shard->backend->cancel(shard, &b->parts[i].op);
	while (b->left > 0) {
		b->epoch = sp__wait_begin_shielded(self);
		sp__wait_end(self, b->epoch, SP_NEVER, "cancel", b);
	}
	self->pins--;
	return err;
}

static ssize_t transfer_one(const struct sp_transfer *t, uint8_t opcode)
{
	return opcode == IORING_OP_READ
		       ? sp_pread(t->fd, t->data, t->len, t->offset)
		       : sp_pwrite(t->fd, t->data, t->len, t->offset);
}

static void take_results(const struct batch *b, struct sp_transfer *t,
			 uint8_t opcode, int err)
{
	for (size_t i = 0; i < b->n; i++) {
		int res = b->parts[i].op.res;

		t[i].res = res;
		if (err < 0 && (res == -ECANCELED || res == -EINTR))
			t[i].res = err;
		/*
		 * The transfer was interrupted, or the descriptor is
		 * non-blocking: repeat the transfer alone.
		 */
		else if (res == -EINTR || res == -EAGAIN)
			t[i].res = transfer_one(&t[i], opcode);
	}
}

static unsigned int clamp_length(size_t len)
{
	return len < 0x7ffff000U ? (unsigned int)len : 0x7ffff000U;
}

static int transfer_many(struct sp_transfer *t, size_t n, uint8_t opcode,
			 const char *why)
{
	struct sp_fiber *self = sp__fiber_self();
	struct batch *b;
	int err;

	if (self == NULL)
		return -EPERM;
	for (size_t i = 0; i < n; i++)
		if (t[i].offset < 0)
			return -EINVAL;
	err = sp__wait_refused(self);
	if (err < 0 || n == 0)
		return err;
	b = calloc(1, sizeof(*b) + n * sizeof(b->parts[0]));
	if (b == NULL)
		return -ENOMEM;
	b->fiber = self;
	b->n = n;
	for (size_t i = 0; i < n; i++) {
		struct part *p = &b->parts[i];

		p->batch = b;
		p->op.event = part_over;
		io_uring_prep_rw(opcode, &p->op.sqe, t[i].fd, t[i].data,
				 clamp_length(t[i].len), (uint64_t)t[i].offset);
	}
	err = run_batch(b, why);
	take_results(b, t, opcode, err);
	free(b);
	return 0;
}

int sp_pread_many(struct sp_transfer *transfers, size_t n)
{
	return transfer_many(transfers, n, IORING_OP_READ, "reads");
}

int sp_pwrite_many(struct sp_transfer *transfers, size_t n)
{
	return transfer_many(transfers, n, IORING_OP_WRITE, "writes");
}
