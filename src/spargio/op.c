#include "spargio/op.h"
#include "spargio/backend.h"
#include "spargio/runtime.h"

#include <spargio/op.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>

void sp__op_start(struct sp_shard *shard, struct sp__op *op)
{
	op->done = false;
	op->shard = shard;
	shard->inflight++;
	atomic_store_explicit(&shard->counts.pending_ops, shard->inflight,
			      memory_order_relaxed);
	sp__count(&shard->counts.ops, 1);
	shard->backend->start(shard, op);
}

void sp__op_complete(struct sp_shard *shard, struct sp__op *op, int32_t res,
		     uint32_t flags)
{
	op->res = res;
	op->flags = flags;
	op->done = true;
	shard->inflight--;
	atomic_store_explicit(&shard->counts.pending_ops, shard->inflight,
			      memory_order_relaxed);
	/* Fails if its fiber was woken by a deadline or a cancel before. */
	sp__wake(op->fiber, op->epoch, op->code);
}

void sp__op_finish(struct sp__op *op)
{
	struct sp_fiber *self = op->fiber;

	if (!op->done)
		op->shard->backend->cancel(op->shard, op);
	while (!op->done) {
		op->epoch = sp__wait_begin_shielded(self);
		op->code = SP__EVENT;
		sp__wait_end(self, op->epoch, SP_NEVER, "cancel", op);
	}
}

int sp__op_run(struct sp__op *op, int64_t deadline, const char *why)
{
	struct sp_fiber *self = sp__fiber_self();
	int err;

	if (self == NULL)
		return -EPERM;
	/* Not even begun: it might have effects that nobody asks for. */
	err = sp__wait_refused(self);
	if (err < 0)
		return err;
	self->pins++;
	op->fiber = self;
	op->code = SP__EVENT;
	op->epoch = sp__wait_begin(self);
	sp__op_start(self->shard, op);
	err = sp__code_error(sp__wait_end(self, op->epoch, deadline, why, op));
	sp__op_finish(op);
	self->pins--;
	/* The result is what happened, whoever asked for an early end. */
	if (op->res == -ECANCELED && err < 0)
		return err;
	return op->res;
}

int sp_op_raw(void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
	      uint32_t *flags)
{
	return sp_op_raw_until(fill, arg, SP_NEVER, flags);
}

int sp_op_raw_until(void (*fill)(struct io_uring_sqe *sqe, void *arg),
		    void *arg, int64_t deadline, uint32_t *flags)
{
	struct sp__op op = { 0 };
	struct sp_shard *shard = sp__shard_self();
	int res;

	if (shard == NULL)
		return -EPERM;
	sp__count(&shard->counts.local_ops, 1);
	fill(&op.sqe, arg);
	res = sp__op_run(&op, deadline, "operation");
	if (flags != NULL)
		*flags = op.flags;
	return res;
}

/* Go to @shard, do it there, come back; a pinned fiber stays pinned here. */
int sp_op_raw_on(uint32_t shard,
		 void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
		 int64_t deadline, uint32_t *flags)
{
	uint32_t home = sp_shard();
	int err, res;

	if (home == shard)
		return sp_op_raw_until(fill, arg, deadline, flags);
	err = sp_hop(shard);
	if (err < 0)
		return err;
	sp__count(&sp__shard_self()->counts.remote_ops, 1);
	res = sp_op_raw_until(fill, arg, deadline, flags);
	sp_hop(home);
	return res;
}

int sp__wait_fd(int fd, uint32_t events, int64_t deadline, const char *why)
{
	struct sp__op op = { 0 };

	io_uring_prep_poll_add(&op.sqe, fd, events);
	return sp__op_run(&op, deadline, why);
}

int sp_wait_fd(int fd, uint32_t events)
{
	return sp_wait_fd_until(fd, events, SP_NEVER);
}

int sp_wait_fd_until(int fd, uint32_t events, int64_t deadline)
{
	return sp__wait_fd(fd, events, deadline, "readiness");
}
