#include "spargio/io/op.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/fiber.h>
#include <spargio/op.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>

#define CANCEL_AGAIN  (2 * SP_MS)
#define CANCEL_RARELY (100 * SP_MS)
#define GIVEN_UP_MAX  16

void sp__op_start(struct sp_shard *shard, struct sp__op *op)
{
	op->done = false;
	op->let_go = false;
	op->offloaded = false;
	op->shard = shard;
	if (op->sqe.opcode == IORING_OP_CLOSE)
		atomic_fetch_add_explicit(&shard->closes, 1,
					  memory_order_relaxed);
	op->closes = atomic_load_explicit(&shard->closes, memory_order_relaxed);
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
	if (!(flags & IORING_CQE_F_MORE)) {
		op->done = true;
		shard->inflight--;
		atomic_store_explicit(&shard->counts.pending_ops,
				      shard->inflight, memory_order_relaxed);
	}
	if (op->event != NULL) {
		op->event(op);
		return;
	}
	/*
	 * The claim fails if a deadline or a cancel has woken the fiber before.
	 * After the claim no other waker succeeds. Unpin the fiber before it is
	 * queued, because only an unpinned fiber can be stolen.
	 */
	if (!sp__wake_claim(op->fiber, op->epoch, op->code))
		return;
	op->fiber->pins--;
	op->let_go = true;
	sp__wake_deliver(op->fiber);
}

void sp__op_unpin(struct sp__op *op)
{
	if (!op->let_go)
		op->fiber->pins--;
}

/*
 * A cancel has no effect on an operation that the kernel is just executing, or
 * is about to pass to a kernel thread, where the operation may then block. So
 * cancel repeatedly until the operation has ended.
 */
void sp__op_finish(struct sp__op *op)
{
	struct sp_fiber *self = op->fiber;
	int64_t pause = CANCEL_AGAIN;

	while (!op->done) {
		op->shard->backend->cancel(op->shard, op);
		if (op->done)
			break;
		op->epoch = sp__wait_begin_shielded(self);
		op->code = SP__EVENT;
		sp__wait_end(self, op->epoch, sp_in(pause), "cancel", op);
		if (pause < CANCEL_RARELY)
			pause *= 2;
	}
}

/*
 * If a signal ends an operation, a read or write returns -EINTR, but a splice
 * returns a number that user space should never see: -ERESTARTSYS to
 * -ERESTART_RESTARTBLOCK of include/linux/errno.h.
 */
static bool was_interrupted(int res)
{
	return res == -EINTR || (res <= -512 && res >= -516);
}

int sp__op_run(struct sp__op *op, int64_t deadline, const char *why)
{
	struct sp_fiber *self = sp__fiber_self();
	int err;

	if (self == NULL)
		return -EPERM;
	/*
	 * If the fiber is cancelled, do not start the operation: it could have
	 * effects that the caller no longer wants.
	 */
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
	sp__op_unpin(op);
	/*
	 * Return the result of the operation, even after a deadline or cancel,
	 * unless the operation was cancelled. The kernel cancels an operation
	 * that sleeps in a kernel thread by a signal, which gives -EINTR.
	 */
	if (err < 0 && (op->res == -ECANCELED || was_interrupted(op->res)))
		return err;
	return was_interrupted(op->res) ? -EINTR : op->res;
}

/*
 * True if the kernel itself has ended the operation with -ECANCELED: neither
 * was the fiber cancelled nor has a fiber of the shard closed a descriptor. If
 * a signal arrives while the kernel creates a thread for an operation, the
 * creation fails, and after three attempts the kernel gives up (seen on Linux
 * 6.1).
 */
static bool was_given_up(const struct sp__op *op, int res)
{
	return res == -ECANCELED && !sp_cancelled() &&
	       op->closes == atomic_load_explicit(&op->shard->closes,
						  memory_order_relaxed);
}

int sp__op_call(struct sp__op *op, int64_t deadline, const char *why)
{
	int given_up = 0;
	int res;

	do {
		res = sp__op_run(op, deadline, why);
		given_up += res == -ECANCELED;
	} while (res == -EINTR ||
		 (given_up <= GIVEN_UP_MAX && was_given_up(op, res)));
	return res;
}

int sp_op_raw(void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
	      uint32_t *flags)
{
	return sp_op_raw_until(fill, arg, SP_NEVER, flags);
}

int sp__op_raw(void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
	       int64_t deadline, uint32_t *flags)
{
	struct sp__op op = { 0 };
	int res;

	fill(&op.sqe, arg);
	res = sp__op_run(&op, deadline, "operation");
	if (flags != NULL)
		*flags = op.flags;
	return res;
}

int sp_op_raw_until(void (*fill)(struct io_uring_sqe *sqe, void *arg),
		    void *arg, int64_t deadline, uint32_t *flags)
{
	struct sp_shard *shard = sp__shard_self();

	if (shard == NULL)
		return -EPERM;
	sp__count(&shard->counts.local_ops, 1);
	return sp__op_raw(fill, arg, deadline, flags);
}

/*
 * Migrate to @shard and run the operation; a pinned fiber returns to its shard
 * afterwards.
 */
static int raw_there(uint32_t shard,
		     void (*fill)(struct io_uring_sqe *sqe, void *arg),
		     void *arg, int64_t deadline, uint32_t *flags)
{
	struct sp_fiber *self = sp__fiber_self();
	uint32_t home = self->shard->index;
	/*
	 * No other shard may steal the fiber before its operation has started.
	 */
	bool stealable = self->stealable;
	int res;

	self->stealable = false;
	res = sp_migrate(shard);
	if (res < 0) {
		sp__count(&self->shard->counts.refused_ops, 1);
	} else {
		sp__count(&self->shard->counts.remote_ops, 1);
		res = sp__op_raw(fill, arg, deadline, flags);
		if (!stealable)
			sp_migrate(home);
	}
	self->stealable = stealable;
	return res;
}

int sp_op_raw_on(uint32_t shard,
		 void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
		 int64_t deadline, uint32_t *flags)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return -EPERM;
	if (self->shard->index == shard)
		return sp_op_raw_until(fill, arg, deadline, flags);
	return raw_there(shard, fill, arg, deadline, flags);
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
