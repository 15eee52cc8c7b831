/*
 * The io_uring back end of a shard.
 *
 * user_data is a pointer with a tag in its three low bits, so that a
 * completion needs no look-up.
 */
#include "spargio/io/uring.h"
#include "spargio/io/offload.h"
#include "spargio/io/op.h"
#include "spargio/io/recv_buffers.h"
#include "spargio/io/ring.h"
#include "spargio/io/uring_abi.h"
#include "spargio/sched/runtime.h"

#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALL_FDS (-1)

enum {
	TAG_OP,
	TAG_WAKEUP,	 /* a MSG_RING of another ring or thread woke us */
	TAG_WAKEUP_FD,	 /* our eventfd was written, to the same end */
	TAG_WAKEUP_SENT, /* our MSG_RING to the shard in the other bits */
	TAG_IGNORE,
	TAG_MASK = 7,
};

/*
 * A ring is woken by MSG_RING where the kernel has it (Linux 5.18 from
 * a ring, 6.13 from any thread) and otherwise an eventfd that the ring polls.
 * MSG_RING can fail, for want of memory or room in the other's completion
 * queue; so every ring has the eventfd, which cannot.
 *
 * Polled, not read by the ring: a read in flight would hold a pointer to
 * memory of ours while the kernel, after close(2), takes the ring apart.
 */
struct uring {
	struct sp__ring ring;
	int wakeup_fd;
	bool has_msg_ring;
	bool has_send_msg_ring; /* MSG_RING by any thread, without a ring */
	bool lists_ops;		/* no cancel by descriptor, or of all */
	struct sp__op *ops;	/* in flight, if lists_ops */
};

static struct uring *uring_of(struct sp_shard *shard)
{
	return shard->io;
}

static void complete_cqe(struct sp_shard *shard,
			 const struct io_uring_cqe *cqe);

/*
 * Bounded by what was there at the start: others want their turn. What a
 * completion leads to may submit, find no room, and come here again; so where
 * we are is read anew each time.
 */
static void reap_cqes(struct sp_shard *shard)
{
	struct sp__ring *ring = &uring_of(shard)->ring;
	unsigned int tail = sp__ring_cq_tail(ring);
	struct io_uring_cqe cqe;

	while (sp__ring_take_cqe(ring, tail, &cqe))
		complete_cqe(shard, &cqe);
}

/*
 * Submission entries never run out: submit what there is, and if the kernel
 * will not take it because completions have piled up, take those first.
 */
static struct io_uring_sqe *get_sqe(struct sp_shard *shard)
{
	struct sp__ring *ring = &uring_of(shard)->ring;
	struct io_uring_sqe *sqe;

	while ((sqe = sp__ring_sqe(ring)) == NULL) {
		int err = sp__ring_submit(ring);

		if (err < 0 && err != -EINTR) {
			(void)sp__ring_enter(ring, 0, 0);
			reap_cqes(shard);
		}
	}
	return sqe;
}

static void arm_wakeup_fd(struct sp_shard *shard)
{
	struct uring *u = uring_of(shard);
	struct io_uring_sqe *sqe = get_sqe(shard);

	io_uring_prep_poll_add(sqe, u->wakeup_fd, POLLIN);
	sqe->user_data = TAG_WAKEUP_FD;
}

/* Fails only at a count of 2^64 - 2, and then the ring is awake or will be. */
static void write_wakeup_fd(struct sp_shard *target)
{
	uint64_t one = 1;

	(void)!write(uring_of(target)->wakeup_fd, &one, sizeof(one));
}

static void handle_wakeup_fd(struct sp_shard *shard)
{
	uint64_t count;

	if (shard->stopping)
		return;
	(void)!read(uring_of(shard)->wakeup_fd, &count, sizeof(count));
	arm_wakeup_fd(shard);
}

static struct sp_shard *shard_of(uint64_t data)
{
	return (struct sp_shard *)(uintptr_t)(data & ~(uint64_t)TAG_MASK);
}

static void complete_op(struct sp_shard *shard, struct sp__op *op,
			const struct io_uring_cqe *cqe)
{
	if (uring_of(shard)->lists_ops && !(cqe->flags & IORING_CQE_F_MORE))
		sp__op_detach(op);
	sp__op_complete(shard, op, cqe->res, cqe->flags);
}

static void complete_cqe(struct sp_shard *shard, const struct io_uring_cqe *cqe)
{
	uint64_t data = cqe->user_data;

	switch (data & TAG_MASK) {
	case TAG_OP:
		complete_op(shard, (struct sp__op *)(uintptr_t)data, cqe);
		break;
	case TAG_WAKEUP_FD:
		handle_wakeup_fd(shard);
		break;
	case TAG_WAKEUP_SENT:
		if (cqe->res < 0)
			write_wakeup_fd(shard_of(data));
		break;
	default: /* a wake-up asks for nothing else */
		break;
	}
}

static void prep_cancel_all(struct io_uring_sqe *sqe)
{
	io_uring_prep_cancel64(sqe, 0,
			       IORING_ASYNC_CANCEL_ANY |
				       IORING_ASYNC_CANCEL_ALL);
	sqe->user_data = TAG_IGNORE;
}

static void prep_wakeup(struct io_uring_sqe *sqe, struct sp_shard *target)
{
	io_uring_prep_msg_ring(sqe, uring_of(target)->ring.fd, 0, TAG_WAKEUP,
			       0);
	sqe->user_data = TAG_IGNORE;
}

/* Send a wake-up without a ring of our own: Linux 6.13. */
static int send_wakeup(struct sp_shard *target)
{
	struct io_uring_sqe sqe = { 0 };

	prep_wakeup(&sqe, target);
	if (syscall(__NR_io_uring_register, -1, SP__REGISTER_SEND_MSG_RING,
		    &sqe, 1) < 0)
		return -errno;
	return 0;
}

static int open_wakeup(struct sp_shard *shard)
{
	struct uring *u = uring_of(shard);

	u->wakeup_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->wakeup_fd < 0)
		return -errno;
	arm_wakeup_fd(shard);
	u->has_msg_ring = sp__ring_knows(&u->ring, IORING_OP_MSG_RING);
	u->has_send_msg_ring = u->has_msg_ring && send_wakeup(shard) == 0;
	return 0;
}

/*
 * Whether the kernel can cancel by descriptor, or everything: Linux 5.19. Tried
 * while nothing is in flight.
 */
static bool cancels_many(struct sp__ring *ring)
{
	struct io_uring_sqe *sqe = sp__ring_sqe(ring);
	struct io_uring_cqe cqe;

	if (sqe == NULL)
		return false;
	prep_cancel_all(sqe);
	(void)sp__ring_enter(ring, 1, SP_S);
	return sp__ring_take_cqe(ring, sp__ring_cq_tail(ring), &cqe) &&
	       cqe.res != -EINVAL;
}

/*
 * A thread of the kernel carries out a MSG_RING of a ring with SQPOLL, and one
 * that found the target busy. If it fails after this shard has left, nobody
 * sees that, and the target, marked as notified, would sleep for ever. The
 * runtime is ending, so wake every shard.
 */
static void wake_all(struct sp_shard *shard)
{
	struct sp_rt *rt = shard->rt;

	for (uint32_t i = 0; i < rt->nshards; i++)
		if (rt->shards[i].backend == &sp__backend_uring)
			write_wakeup_fd(&rt->shards[i]);
}

static void uring_leave(struct sp_shard *shard)
{
	if (shard->stopping && uring_of(shard)->has_msg_ring)
		wake_all(shard);
	sp__ring_leave(&uring_of(shard)->ring);
}

static void uring_close(struct sp_shard *shard)
{
	struct uring *u = uring_of(shard);

	if (u == NULL)
		return;
	sp__ring_close(&u->ring);
	if (u->wakeup_fd >= 0)
		close(u->wakeup_fd);
	free(u);
	shard->io = NULL;
}

static int uring_open(struct sp_shard *shard)
{
	struct uring *u = calloc(1, sizeof(*u));
	int err;

	if (u == NULL)
		return -ENOMEM;
	u->wakeup_fd = -1;
	shard->io = u;
	err = sp__ring_open(&u->ring, &shard->rt->opts);
	if (err == 0) {
		u->lists_ops = !cancels_many(&u->ring);
		err = open_wakeup(shard);
	}
	if (err < 0)
		uring_close(shard);
	return err;
}

static void cancel_op(struct sp_shard *shard, struct sp__op *op)
{
	struct io_uring_sqe *sqe = get_sqe(shard);

	io_uring_prep_cancel64(sqe, (uint64_t)(uintptr_t)op | TAG_OP, 0);
	sqe->user_data = TAG_IGNORE;
}

/*
 * Those on @fd, or all, one by one. get_sqe() may complete operations, of which
 * some are in the list, so each is moved out of @todo before its turn.
 */
static void cancel_listed(struct sp_shard *shard, int fd)
{
	struct uring *u = uring_of(shard);
	struct sp__op *todo = u->ops;

	u->ops = NULL;
	if (todo != NULL)
		todo->link = &todo;
	while (todo != NULL) {
		struct sp__op *op = todo;

		sp__op_detach(op);
		sp__op_push(&u->ops, op);
		if (fd == ALL_FDS || op->sqe.fd == fd)
			cancel_op(shard, op);
	}
}

static void cancel_fd(struct sp_shard *shard, int fd)
{
	struct io_uring_sqe *sqe;

	if (fd < 0)
		return; /* close(2) says what is wrong with it */
	if (uring_of(shard)->lists_ops) {
		cancel_listed(shard, fd);
		return;
	}
	sqe = get_sqe(shard);
	io_uring_prep_cancel_fd(sqe, fd, IORING_ASYNC_CANCEL_ALL);
	sqe->user_data = TAG_IGNORE;
}

static void uring_start(struct sp_shard *shard, struct sp__op *op)
{
	struct io_uring_sqe *sqe;

	if (!sp__ring_knows(&uring_of(shard)->ring, op->sqe.opcode)) {
		sp__offload_start(shard, op);
		return;
	}
	/* Who waits on a descriptor would outlive it: see file.h. */
	if (op->sqe.opcode == IORING_OP_CLOSE && shard->inflight > 1)
		cancel_fd(shard, op->sqe.fd);
	sqe = get_sqe(shard);
	*sqe = op->sqe;
	sqe->user_data = (uint64_t)(uintptr_t)op | TAG_OP;
	if (uring_of(shard)->lists_ops)
		sp__op_push(&uring_of(shard)->ops, op);
}

static void uring_cancel(struct sp_shard *shard, struct sp__op *op)
{
	if (op->offloaded)
		sp__offload_cancel(shard, op);
	else
		cancel_op(shard, op);
}

static void uring_cancel_all(struct sp_shard *shard)
{
	if (uring_of(shard)->lists_ops)
		cancel_listed(shard, ALL_FDS);
	else
		prep_cancel_all(get_sqe(shard));
}

static bool uring_ready(struct sp_shard *shard)
{
	const struct sp__ring *ring = &uring_of(shard)->ring;

	/* What a completion has started may not have been submitted yet. */
	return sp__ring_has_cqe(ring) || sp__ring_has_deferred(ring) ||
	       sp__ring_pending(ring) != 0 || sp__offload_ready(shard);
}

static void note_overflow(struct sp_shard *shard)
{
	const struct sp__ring *ring = &uring_of(shard)->ring;

	if (atomic_load_explicit(ring->kflags, memory_order_relaxed) &
	    IORING_SQ_CQ_OVERFLOW)
		sp__count(&shard->counts.cq_overflows, 1);
}

static void uring_poll(struct sp_shard *shard)
{
	struct sp__ring *ring = &uring_of(shard)->ring;

	sp__offload_poll(shard);
	/*
	 * The kernel runs deferred work in portions of about twenty; a few
	 * rounds catch up, more would let the ring starve the fibers.
	 */
	for (int round = 0; round < 4; round++) {
		if (sp__ring_pending(ring) != 0 ||
		    sp__ring_has_deferred(ring)) {
			note_overflow(shard);
			/* -EBUSY or -EAGAIN: reaping makes room. */
			(void)sp__ring_enter(ring, 0, 0);
		}
		if (!sp__ring_has_cqe(ring))
			return;
		reap_cqes(shard);
	}
}

static void uring_wait(struct sp_shard *shard, int64_t deadline)
{
	struct sp__ring *ring = &uring_of(shard)->ring;
	int64_t timeout = deadline;

	if (deadline != SP_NEVER) {
		timeout = deadline - sp_now();
		if (timeout < 0)
			timeout = 0;
	}
	/* Not parked then, so the pool does not wake it: poll often. */
	if (shard->stopping && shard->offload.running != 0)
		timeout = SP_MS;
	/* Always for one: a wake-up does not end a wait for more. */
	if (!sp__ring_has_cqe(ring) && !sp__offload_ready(shard))
		(void)sp__ring_enter(ring, 1, timeout);
	reap_cqes(shard);
	sp__offload_poll(shard);
}

/*
 * Whether the MSG_RING with @data, submitted since the completion queue ended
 * at @tail, has failed: the kernel carries it out while it takes the entry, and
 * a success has no completion. The completion is turned into one that asks for
 * nothing. One that found no room in the queue counts as a failure.
 */
static bool wakeup_failed(struct sp__ring *ring, unsigned int tail,
			  uint64_t data)
{
	unsigned int end = sp__ring_cq_tail(ring);

	for (; tail != end; tail++) {
		struct io_uring_cqe *cqe = &ring->cqes[tail & ring->cq_mask];

		if (cqe->user_data != data)
			continue;
		cqe->user_data = TAG_IGNORE;
		return cqe->res < 0;
	}
	return atomic_load_explicit(ring->kflags, memory_order_relaxed) &
	       IORING_SQ_CQ_OVERFLOW;
}

/*
 * All of it at once, the failure as well: the caller may go on computing for
 * long, and does not look at its completions then.
 */
static void send_wakeup_from_ring(struct sp_shard *from,
				  struct sp_shard *target)
{
	struct sp__ring *ring = &uring_of(from)->ring;
	struct io_uring_sqe *sqe = get_sqe(from);
	unsigned int tail = sp__ring_cq_tail(ring);
	uint64_t data = (uint64_t)(uintptr_t)target | TAG_WAKEUP_SENT;

	prep_wakeup(sqe, target);
	sqe->user_data = data;
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	if (sp__ring_submit(ring) < 0 || sp__ring_pending(ring) != 0 ||
	    wakeup_failed(ring, tail, data))
		write_wakeup_fd(target);
}

static void uring_wakeup(struct sp_shard *from, struct sp_shard *target)
{
	/*
	 * By a ring of the same runtime: a failure that is seen later (see
	 * complete_cqe()) finds the target still there. Not with SQPOLL: there
	 * another thread submits, and every failure is seen later.
	 */
	if (from != NULL && from->rt == target->rt &&
	    from->backend == &sp__backend_uring &&
	    uring_of(from)->has_msg_ring &&
	    !(uring_of(from)->ring.setup & IORING_SETUP_SQPOLL))
		send_wakeup_from_ring(from, target);
	else if (!uring_of(target)->has_send_msg_ring ||
		 send_wakeup(target) < 0)
		write_wakeup_fd(target);
}

static int uring_provide(struct sp_shard *shard, void *ring, uint32_t entries)
{
	const struct sp__ring *r = &uring_of(shard)->ring;
	struct io_uring_buf_reg reg = {
		.ring_addr = (uint64_t)(uintptr_t)ring,
		.ring_entries = entries,
		.bgid = SP__RECV_BUFFERS_GROUP,
	};

	if (syscall(__NR_io_uring_register, r->fd, IORING_REGISTER_PBUF_RING,
		    &reg, 1) < 0)
		return -errno;
	return r->features & SP__FEAT_RECVSEND_BUNDLE ? SP__PROVIDE_BUNDLES : 0;
}

const struct sp__backend sp__backend_uring = {
	.name = "io_uring",
	.open = uring_open,
	.leave = uring_leave,
	.close = uring_close,
	.start = uring_start,
	.cancel = uring_cancel,
	.cancel_all = uring_cancel_all,
	.poll = uring_poll,
	.ready = uring_ready,
	.wait = uring_wait,
	.wakeup = uring_wakeup,
	.provide = uring_provide,
};
