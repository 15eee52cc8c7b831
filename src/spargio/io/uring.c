/*
 * The io_uring back end of a shard.
 *
 * user_data is a pointer with a tag in its three low bits, so that a
 * completion needs no look-up.
 */
#include "spargio/io/backend.h"
#include "spargio/io/recv_buffers.h"
#include "spargio/sched/offload.h"
#include "spargio/io/op.h"
#include "spargio/io/ring.h"
#include "spargio/sched/runtime.h"

#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	TAG_OP,
	TAG_BELL,    /* somebody wants us awake */
	TAG_BELL_FD, /* the same, by the eventfd of an older kernel */
	TAG_IGNORE,
	TAG_MASK = 7,
};

struct uring {
	struct sp__ring ring;
	int bell_fd; /* -1 where any thread can send to a ring */
};

static struct uring *uring_of(struct sp_shard *shard)
{
	return shard->io;
}

static void complete(struct sp_shard *shard, const struct io_uring_cqe *cqe);

/*
 * Bounded by what was there at the start: others want their turn. What a
 * completion leads to may submit, find no room, and come here again; so where
 * we are is read anew each time.
 */
static void reap(struct sp_shard *shard)
{
	struct sp__ring *ring = &uring_of(shard)->ring;
	/* Pairs with the kernel's release: the entries are filled. */
	unsigned int tail =
		atomic_load_explicit(ring->cq_tail, memory_order_acquire);

	for (;;) {
		unsigned int head = atomic_load_explicit(ring->cq_head,
							 memory_order_relaxed);
		struct io_uring_cqe cqe;

		if ((int)(tail - head) <= 0)
			return;
		cqe = ring->cqes[head & ring->cq_mask];
		/* Pairs with the kernel's acquire: the entry was read. */
		atomic_store_explicit(ring->cq_head, head + 1,
				      memory_order_release);
		complete(shard, &cqe);
	}
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
			reap(shard);
		}
	}
	return sqe;
}

static void arm_bell_fd(struct sp_shard *shard)
{
	struct uring *u = uring_of(shard);
	struct io_uring_sqe *sqe = get_sqe(shard);

	io_uring_prep_poll_add(sqe, u->bell_fd, POLLIN);
	sqe->user_data = TAG_BELL_FD;
}

static void answer_bell_fd(struct sp_shard *shard)
{
	uint64_t count;

	if (shard->stopping)
		return;
	(void)!read(uring_of(shard)->bell_fd, &count, sizeof(count));
	arm_bell_fd(shard);
}

static void complete(struct sp_shard *shard, const struct io_uring_cqe *cqe)
{
	uint64_t data = cqe->user_data;

	switch (data & TAG_MASK) {
	case TAG_OP:
		sp__op_complete(shard, (struct sp__op *)(uintptr_t)data,
				cqe->res, cqe->flags);
		break;
	case TAG_BELL_FD:
		answer_bell_fd(shard);
		break;
	default: /* being awake is all a bell asks for */
		break;
	}
}

static void prep_bell(struct io_uring_sqe *sqe, struct sp_shard *target)
{
	io_uring_prep_msg_ring(sqe, uring_of(target)->ring.fd, 0, TAG_BELL, 0);
	sqe->user_data = TAG_IGNORE;
}

/* Ring a bell with no ring of our own: Linux 6.13. */
static int send_bell(struct sp_shard *target)
{
	struct io_uring_sqe sqe = { 0 };

	prep_bell(&sqe, target);
	if (syscall(__NR_io_uring_register, -1, SP__REGISTER_SEND_MSG_RING,
		    &sqe, 1) < 0)
		return -errno;
	return 0;
}

static int open_bell(struct sp_shard *shard)
{
	struct uring *u = uring_of(shard);

	u->bell_fd = -1;
	if (send_bell(shard) == 0)
		return 0;
	u->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->bell_fd < 0)
		return -errno;
	arm_bell_fd(shard);
	return 0;
}

static void uring_leave(struct sp_shard *shard)
{
	sp__ring_leave(&uring_of(shard)->ring);
}

static void uring_close(struct sp_shard *shard)
{
	struct uring *u = uring_of(shard);

	if (u == NULL)
		return;
	sp__ring_close(&u->ring);
	if (u->bell_fd >= 0)
		close(u->bell_fd);
	free(u);
	shard->io = NULL;
}

static int uring_open(struct sp_shard *shard)
{
	struct uring *u = calloc(1, sizeof(*u));
	int err;

	if (u == NULL)
		return -ENOMEM;
	u->bell_fd = -1;
	shard->io = u;
	err = sp__ring_open(&u->ring, &shard->rt->opts);
	if (err == 0)
		err = open_bell(shard);
	if (err < 0)
		uring_close(shard);
	return err;
}

static void uring_start(struct sp_shard *shard, struct sp__op *op)
{
	struct io_uring_sqe *sqe;

	if (!sp__ring_knows(&uring_of(shard)->ring, op->sqe.opcode)) {
		sp__offload_start(shard, op);
		return;
	}
	/* Who waits on a descriptor would outlive it: see file.h. */
	if (op->sqe.opcode == IORING_OP_CLOSE && shard->inflight > 1) {
		sqe = get_sqe(shard);
		io_uring_prep_cancel_fd(sqe, op->sqe.fd,
					IORING_ASYNC_CANCEL_ALL);
		sqe->user_data = TAG_IGNORE;
	}
	sqe = get_sqe(shard);
	*sqe = op->sqe;
	sqe->user_data = (uint64_t)(uintptr_t)op | TAG_OP;
}

static void uring_cancel(struct sp_shard *shard, struct sp__op *op)
{
	struct io_uring_sqe *sqe;

	if (op->offloaded) {
		sp__offload_cancel(shard, op);
		return;
	}
	sqe = get_sqe(shard);
	io_uring_prep_cancel64(sqe, (uint64_t)(uintptr_t)op | TAG_OP, 0);
	sqe->user_data = TAG_IGNORE;
}

static void uring_cancel_all(struct sp_shard *shard)
{
	struct io_uring_sqe *sqe = get_sqe(shard);

	io_uring_prep_cancel64(sqe, 0,
			       IORING_ASYNC_CANCEL_ANY |
				       IORING_ASYNC_CANCEL_ALL);
	sqe->user_data = TAG_IGNORE;
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
		reap(shard);
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
	/* Not parked then, so the pool does not ring: look often. */
	if (shard->stopping && shard->offload.running != 0)
		timeout = SP_MS;
	/* Always for one: a bell does not wake a wait for more. */
	if (!sp__ring_has_cqe(ring) && !sp__offload_ready(shard))
		(void)sp__ring_enter(ring, 1, timeout);
	reap(shard);
	sp__offload_poll(shard);
}

static void uring_doorbell(struct sp_shard *from, struct sp_shard *target)
{
	if (from != NULL && from->backend == &sp__backend_uring) {
		struct io_uring_sqe *sqe = get_sqe(from);

		prep_bell(sqe, target);
		sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
		/* At once: the caller may go on computing for long. */
		(void)sp__ring_submit(&uring_of(from)->ring);
		return;
	}
	if (uring_of(target)->bell_fd < 0) {
		(void)send_bell(target);
	} else {
		uint64_t one = 1;

		(void)!write(uring_of(target)->bell_fd, &one, sizeof(one));
	}
}

static int uring_provide(struct sp_shard *shard, void *ring, uint32_t entries)
{
	const struct sp__ring *r = &uring_of(shard)->ring;
	struct io_uring_buf_reg reg = {
		.ring_addr = (uint64_t)(uintptr_t)ring,
		.ring_entries = entries,
		.bgid = SP__BUFFERS_GROUP,
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
	.doorbell = uring_doorbell,
	.provide = uring_provide,
};
