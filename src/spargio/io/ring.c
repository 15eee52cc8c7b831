#include "spargio/io/ring.h"
#include "spargio/sched/memcheck.h"
#include "spargio/sched/spin.h"

#include <spargio/time.h>

#include <errno.h>
#include <linux/time_types.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sys_setup(unsigned int entries, struct io_uring_params *p)
{
	int fd = (int)syscall(__NR_io_uring_setup, entries, p);

	return fd < 0 ? -errno : fd;
}

static int sys_register(int fd, unsigned int op, void *arg, unsigned int n)
{
	int ret = (int)syscall(__NR_io_uring_register, fd, op, arg, n);

	return ret < 0 ? -errno : ret;
}

/* Set the idle time and the CPU of the kernel thread of SP_RING_SQPOLL. */
static void set_sqpoll(const struct sp_opts *opts, uint32_t shard,
		       struct io_uring_params *p)
{
	int cpu = opts->sqpoll_affinity == NULL ? -1
						: opts->sqpoll_affinity[shard];

	p->sq_thread_idle = opts->sqpoll_idle_ms; /* 0 = the kernel's default */
	if (cpu < 0)
		return;
	p->flags |= IORING_SETUP_SQ_AFF;
	p->sq_thread_cpu = (uint32_t)cpu;
}

/*
 * Set up with the best flags that the kernel accepts; each row of the table is
 * for older kernels than the row before.
 */
static int setup_ring(const struct sp_opts *opts, uint32_t shard,
		      struct io_uring_params *out)
{
	static const unsigned int defer[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
			IORING_SETUP_SUBMIT_ALL | SP__SETUP_NO_SQARRAY,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
			IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
			IORING_SETUP_SUBMIT_ALL,
		0,
	};
	static const unsigned int sqpoll[] = {
		IORING_SETUP_SQPOLL | IORING_SETUP_SUBMIT_ALL |
			SP__SETUP_NO_SQARRAY,
		IORING_SETUP_SQPOLL,
	};
	const unsigned int *flags = defer;
	size_t rows = sizeof(defer) / sizeof(defer[0]);
	int fd = -EINVAL;

	if (opts->ring_mode == SP_RING_SQPOLL) {
		flags = sqpoll;
		rows = sizeof(sqpoll) / sizeof(sqpoll[0]);
	}
	for (size_t i = 0; i < rows && fd == -EINVAL; i++) {
		unsigned int f = flags[i];

		if (opts->ring_mode == SP_RING_COOP)
			f &= ~IORING_SETUP_DEFER_TASKRUN;
		*out = (struct io_uring_params){
			.flags = f | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
			.cq_entries = opts->cq_entries,
		};
		if (opts->ring_mode == SP_RING_SQPOLL)
			set_sqpoll(opts, shard, out);
		fd = sys_setup(opts->ring_entries, out);
	}
	return fd;
}

static int map_rings(struct sp__ring *ring, const struct io_uring_params *p)
{
	size_t sq = p->sq_off.array + p->sq_entries * sizeof(unsigned int);
	size_t cq =
		p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);

	/*
	 * SINGLE_MMAP is missing before Linux 5.4. These kernels also lack
	 * EXT_ARG, see sp__ring_open().
	 */
	if (!(p->features & IORING_FEAT_SINGLE_MMAP))
		return -ENOSYS;
	if (p->flags & SP__SETUP_NO_SQARRAY)
		sq = 0;
	ring->rings_size = sq > cq ? sq : cq;
	ring->rings =
		mmap(NULL, ring->rings_size, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	if (ring->rings == MAP_FAILED) {
		ring->rings = NULL;
		return -errno;
	}
	ring->sqes_size = p->sq_entries * sizeof(struct io_uring_sqe);
	ring->sqes = mmap(NULL, ring->sqes_size, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	if (ring->sqes == MAP_FAILED) {
		ring->sqes = NULL;
		return -errno;
	}
	return 0;
}

static void find_fields(struct sp__ring *ring, const struct io_uring_params *p)
{
	char *base = ring->rings;

	ring->features = p->features;
	ring->setup = p->flags;
	ring->sq_entries = p->sq_entries;
	ring->sq_mask = p->sq_entries - 1;
	ring->khead = (_Atomic unsigned int *)(base + p->sq_off.head);
	ring->ktail = (_Atomic unsigned int *)(base + p->sq_off.tail);
	ring->kflags = (_Atomic unsigned int *)(base + p->sq_off.flags);
	ring->cq_mask = p->cq_entries - 1;
	ring->cq_head = (_Atomic unsigned int *)(base + p->cq_off.head);
	ring->cq_tail = (_Atomic unsigned int *)(base + p->cq_off.tail);
	ring->cqes = (struct io_uring_cqe *)(base + p->cq_off.cqes);
	if (!(p->flags & SP__SETUP_NO_SQARRAY)) {
		unsigned int *array = (unsigned int *)(base + p->sq_off.array);

		for (unsigned int i = 0; i < p->sq_entries; i++)
			array[i] = i;
	}
}

/*
 * Register the ring's descriptor, which makes each io_uring_enter(2) cheaper.
 */
static void register_fd(struct sp__ring *ring)
{
	struct io_uring_rsrc_update up = {
		.offset = UINT32_MAX,
		.data = (uint64_t)ring->fd,
	};

	ring->enter_fd = ring->fd;
	ring->enter_flags = 0;
	if (sys_register(ring->fd, IORING_REGISTER_RING_FDS, &up, 1) == 1) {
		ring->enter_fd = (int)up.offset;
		ring->enter_flags = IORING_ENTER_REGISTERED_RING;
	}
	if (ring->features & SP__FEAT_NO_IOWAIT)
		ring->enter_flags |= SP__ENTER_NO_IOWAIT;
}

/*
 * Find the supported opcodes. Every kernel with EXT_ARG has the probe, but a
 * seccomp filter may forbid it: then assume the opcodes of Linux 5.11, the
 * oldest supported version.
 */
static void probe_opcodes(struct sp__ring *ring)
{
	/*
	 * The struct ends in a flexible array: reserve space for all entries.
	 */
	_Alignas(struct io_uring_probe)
		uint8_t room[sizeof(struct io_uring_probe) +
			     256 * sizeof(struct io_uring_probe_op)] = { 0 };
	struct io_uring_probe *p = (struct io_uring_probe *)room;
	unsigned int n = IORING_OP_UNLINKAT + 1;
	bool answered =
		sys_register(ring->fd, IORING_REGISTER_PROBE, p, 256) == 0;

	if (answered)
		n = p->ops_len;
	for (unsigned int i = 0; i < n; i++)
		if (!answered || p->ops[i].flags & IO_URING_OP_SUPPORTED)
			ring->opcodes[i / 64] |= UINT64_C(1) << i % 64;
}

/*
 * Test io_uring_enter(2). A seccomp filter can forbid it but allow
 * io_uring_setup(2); then every wait would return immediately.
 */
static int try_enter(struct sp__ring *ring)
{
	int err = sp__ring_enter(ring, 0, 0);

	return err == -EINTR ? 0 : err;
}

int sp__ring_open(struct sp__ring *ring, const struct sp_opts *opts,
		  uint32_t shard)
{
	struct io_uring_params p;
	int err;

	*ring = (struct sp__ring){ .fd = -1 };
	if (sp__on_valgrind())
		return -ENOSYS;
	ring->fd = setup_ring(opts, shard, &p);
	if (ring->fd < 0)
		return ring->fd;
	err = map_rings(ring, &p);
	/* EXT_ARG (Linux 5.11) is needed to sleep with a timeout. */
	if (err == 0 && !(p.features & IORING_FEAT_EXT_ARG))
		err = -ENOSYS;
	if (err < 0) {
		sp__ring_close(ring);
		return err;
	}
	find_fields(ring, &p);
	probe_opcodes(ring);
	register_fd(ring);
	err = try_enter(ring);
	if (err < 0) {
		sp__ring_leave(ring);
		sp__ring_close(ring);
	}
	return err;
}

void sp__ring_leave(struct sp__ring *ring)
{
	struct io_uring_rsrc_update up = {
		.offset = (uint32_t)ring->enter_fd,
	};

	if (!(ring->enter_flags & IORING_ENTER_REGISTERED_RING))
		return;
	/*
	 * The registration belongs to a thread, so this must run on that
	 * thread.
	 */
	(void)sys_register(ring->fd, IORING_UNREGISTER_RING_FDS, &up, 1);
	ring->enter_flags &= ~IORING_ENTER_REGISTERED_RING;
	ring->enter_fd = ring->fd;
}

void sp__ring_close(struct sp__ring *ring)
{
	if (ring->sqes != NULL)
		munmap(ring->sqes, ring->sqes_size);
	if (ring->rings != NULL)
		munmap(ring->rings, ring->rings_size);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct sp__ring){ .fd = -1 };
}

struct io_uring_sqe *sp__ring_sqe(struct sp__ring *ring)
{
	/* Pairs with the kernel's release: the kernel has read the entry. */
	unsigned int head =
		atomic_load_explicit(ring->khead, memory_order_acquire);
	struct io_uring_sqe *sqe;

	if (ring->tail - head >= ring->sq_entries)
		return NULL;
	sqe = &ring->sqes[ring->tail++ & ring->sq_mask];
	memset(sqe, 0, sizeof(*sqe));
	return sqe;
}

bool sp__ring_take_cqe(struct sp__ring *ring, unsigned int tail,
		       struct io_uring_cqe *out)
{
	unsigned int head =
		atomic_load_explicit(ring->cq_head, memory_order_relaxed);

	if ((int)(tail - head) <= 0)
		return false;
	*out = ring->cqes[head & ring->cq_mask];
	/* Pairs with the kernel's acquire: we have read the entry. */
	atomic_store_explicit(ring->cq_head, head + 1, memory_order_release);
	return true;
}

static int enter_ring(struct sp__ring *ring, unsigned int want,
		      unsigned int flags, void *arg, size_t size)
{
	unsigned int n = sp__ring_pending(ring);
	long ret;

	/* Pairs with the kernel's acquire: the entries are filled. */
	atomic_store_explicit(ring->ktail, ring->tail, memory_order_release);
	if (ring->setup & IORING_SETUP_SQPOLL) {
		/*
		 * The kernel's SQPOLL thread takes entries by itself while
		 * awake. The tail must be visible before the flags are read;
		 * otherwise that thread could fall asleep unnoticed.
		 */
		sp__full_fence();
		ring->submitted = ring->tail;
		if (atomic_load_explicit(ring->kflags, memory_order_relaxed) &
		    IORING_SQ_NEED_WAKEUP)
			flags |= IORING_ENTER_SQ_WAKEUP;
		else if (want == 0 && !(flags & IORING_ENTER_GETEVENTS))
			return 0;
	}
	ret = syscall(__NR_io_uring_enter, ring->enter_fd, n, want,
		      flags | ring->enter_flags, arg, size);
	if (ret < 0)
		return -errno;
	if (!(ring->setup & IORING_SETUP_SQPOLL))
		ring->submitted += (unsigned int)ret;
	return 0;
}

int sp__ring_enter(struct sp__ring *ring, unsigned int want, int64_t timeout_ns)
{
	struct __kernel_timespec ts = {
		.tv_sec = timeout_ns / SP_S,
		.tv_nsec = timeout_ns % SP_S,
	};
	struct io_uring_getevents_arg arg = { .ts = (uint64_t)(uintptr_t)&ts };

	if (want == 0 || timeout_ns == SP_NEVER)
		return enter_ring(ring, want, IORING_ENTER_GETEVENTS, NULL, 0);
	return enter_ring(ring, want,
			  IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &arg,
			  sizeof(arg));
}

int sp__ring_submit(struct sp__ring *ring)
{
	return enter_ring(ring, 0, 0, NULL, 0);
}
