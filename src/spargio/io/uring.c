/*
 * The io_uring back end of a shard.
 *
 * user_data is a pointer with a tag in its three low bits, so a completion
 * needs no lookup.
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
	TAG_WAKEUP_FD,	 /* our eventfd was written to wake us */
	TAG_WAKEUP_SENT, /* our own MSG_RING to the shard in the other bits */
	TAG_IGNORE,
	TAG_MASK = 7,
};

/*
 * A shard is woken by MSG_RING where the kernel supports it (Linux 5.18 from a
 * ring, 6.13 from any thread), otherwise by an eventfd that the ring polls.
 * MSG_RING can fail for lack of memory or because the target's completion queue
 * is full. The eventfd cannot fail, so every ring has one.
 *
 * The ring polls the eventfd and does not read it: a read in flight would hold
 * a pointer to our memory while the kernel destroys the ring after close(2).
 */
struct uring {
	struct sp__ring ring;
	int wakeup_fd;
	bool has_msg_ring;
	/* any thread can send MSG_RING, without a ring */
	bool has_send_msg_ring;
	/*
	 * the kernel cannot cancel many operations at once, see cancels_many()
	 */
	bool lists_ops;
	struct sp__op *ops; /* operations in flight, if lists_ops */
};

static struct uring *uring_of(struct sp_shard *shard)
{
	return shard->io;
}

static void complete_cqe(struct sp_shard *shard,
			 const struct io_uring_cqe *cqe);

/*
 * Handle the completions that are in the queue at the start, and no later
 * ones, so that fibers get to run. A handler may start an operation, find the
 * submission queue full and call this function again; so sp__ring_take_cqe()
 * reads the position in the queue each time.
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
 * Get a free submission entry; never fails. If the queue is full, submit it;
 * if the kernel refuses that because completions have piled up, reap them
 * first.
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

/*
 * The write fails only if the count is 2^64 - 2. Then an earlier write has
 * already woken the ring.
 */
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
	default: /* a wake-up needs no other action */
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

/* Send a wake-up from a thread without a ring: Linux 6.13. */
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
 * True if one entry can cancel all operations, or all operations on a
 * descriptor: since Linux 5.19. Called while no operation is in flight.
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
 * With SQPOLL, or if the target was busy, a kernel thread executes the
 * MSG_RING. If it fails after this shard has left, no shard sees the failure,
 * and the target would sleep forever, because it is marked as notified. So
 * wake every shard; the runtime is ending anyway.
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
	err = sp__ring_open(&u->ring, &shard->rt->opts, shard->index);
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
 * Cancel the listed operations on @fd, or all, one by one. get_sqe() may
 * complete operations of the list, so each is moved out of @todo before it is
 * cancelled.
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
		return; /* close(2) returns the error */
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
	/*
	 * Cancel the operations that wait on the descriptor; see sp_close() in
	 * file.h.
	 */
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

	/* Operations that a completion has started may not be submitted yet. */
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
	 * The kernel runs deferred work in portions of about twenty. A few
	 * rounds catch up; more would starve the fibers.
	 */
	for (int round = 0; round < 4; round++) {
		if (sp__ring_pending(ring) != 0 ||
		    sp__ring_has_deferred(ring)) {
			note_overflow(shard);
			/* After -EBUSY or -EAGAIN, reap_cqes() makes space. */
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
	/*
	 * A shard that is stopping is not parked, so the pool does not wake
	 * it: poll often.
	 */
	if (shard->stopping && shard->offload.running != 0)
		timeout = SP_MS;
	/*
	 * Always wait for one completion: a wake-up does not end a wait for
	 * more.
	 */
	if (!sp__ring_has_cqe(ring) && !sp__offload_ready(shard))
		(void)sp__ring_enter(ring, 1, timeout);
	reap_cqes(shard);
	sp__offload_poll(shard);
}

/*
 * True if the MSG_RING with @data, submitted when the completion queue ended
 * at @tail, has failed. The kernel executes the MSG_RING during the
 * submission, and only a failure has a completion, which is then marked to
 * need no action. If completions did not fit into the queue, assume a failure.
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
 * Submit the wake-up and handle a failure here: the caller may compute for a
 * long time without looking at its completions.
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
	 * Use our ring only for a target of the same runtime: complete_cqe()
	 * may see a failure later, and then the target still exists. Do not
	 * use it with SQPOLL: there a kernel thread submits, so every failure
	 * would be seen later.
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
