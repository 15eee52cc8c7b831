/*
 * To be loaded in front of libc (LD_PRELOAD): the system calls that spargio
 * makes, as an older Linux has them. KERNEL_PROFILE names a row of profiles[];
 * the tables behind it say which version brought what, so a new profile is
 * a new row. tests/kernels/kernel_facts.c prints what can be asked of a kernel,
 * and "make check-kernels" compares that of a real one with its profile.
 *
 * spargio makes its system calls for io_uring by syscall(2), so that function
 * is replaced. What the older kernel does not know is refused as it would do
 * it: flags of setup and enter and numbers of register by an error, opcodes
 * and flags of a submission entry by a completion with -EINVAL. For the latter
 * each enter maps the submission queue for a moment and overwrites such
 * entries. A mapping kept for longer would keep the ring alive after its
 * descriptor was closed.
 *
 * Versions are those of the kernel's git history and of liburing's manual
 * pages. Not covered: rings with IORING_SETUP_SQPOLL, whose entries are read by
 * a thread of the kernel before anybody enters.
 */
#include "kernel_version.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define MAX_FDS		   65536
#define MAX_REGISTERED	   16 /* rings of a thread, IO_RINGFD_REG_MAX */
#define NO_OPCODE	   255
#define SETUP_NO_SQARRAY   (1U << 16)
#define REGISTER_SEND_MSG  31
#define REGISTER_BY_INDEX  (1U << 31)
#define LANDLOCK_RULESET   444
#define LANDLOCK_VERSION   1U
#define ENDS_AFTER_A_PART  LINUX(5, 19)
#define BOUNDS_A_MULTISHOT LINUX(6, 17)
#define PIPE_NOWAIT	   LINUX(6, 4)
#define NOP_INJECT_RESULT  1U

#define LINUX(major, minor) ((major) << 8 | (minor))
#define OLDEST		    LINUX(5, 10)
#define NEWEST		    LINUX(255, 0)

/*
 * The long-term kernels of 5.10 have had the io_uring of 5.15 since 5.10.162;
 * the rest of them stayed.
 */
static const struct profile {
	const char *name;
	uint16_t uring;	     /* the version whose io_uring it has, or 0 */
	uint16_t system;     /* and the rest */
	int no_syscall;	     /* how a system call is refused */
	bool msg_ring_fails; /* known, but each one ends with an error */
	bool cancel_misses;  /* the first of two finds nothing */
	bool gives_up;	     /* the first of two that need a thread */
} profiles[] = {
	{ "5.10", LINUX(5, 10), LINUX(5, 10), ENOSYS, false, false, false },
	{ "5.10.162", LINUX(5, 15), LINUX(5, 10), ENOSYS, false, false, false },
	{ "5.15", LINUX(5, 15), LINUX(5, 15), ENOSYS, false, false, false },
	{ "6.1", LINUX(6, 1), LINUX(6, 1), ENOSYS, false, false, false },
	{ "6.6", LINUX(6, 6), LINUX(6, 6), ENOSYS, false, false, false },
	{ "6.12", LINUX(6, 12), LINUX(6, 12), ENOSYS, false, false, false },
	/* A container whose filter knows the calls of 5.10, not io_uring's. */
	{ "seccomp", 0, LINUX(5, 10), EPERM, false, false, false },
	/* This kernel, without the memory to wake another ring. */
	{ "msg-ring-fails", NEWEST, NEWEST, ENOSYS, true, false, false },
	/* And with operations between two places where a cancel looks. */
	{ "cancel-misses", NEWEST, NEWEST, ENOSYS, false, true, false },
	/* And with signals whenever it makes a thread for an operation. */
	{ "gives-up", NEWEST, NEWEST, ENOSYS, false, false, true },
};

/* From @first on, until the next row, numbers came with version @since. */
struct number_row {
	uint32_t first;
	uint16_t since;
};

/* clang-format off */
static const struct number_row opcodes[] = {
	{  0, OLDEST },	       /* NOP to TEE */
	{ 34, LINUX(5, 11) },  /* SHUTDOWN, RENAMEAT, UNLINKAT */
	{ 37, LINUX(5, 15) },  /* MKDIRAT, SYMLINKAT, LINKAT */
	{ 40, LINUX(5, 18) },  /* MSG_RING */
	{ 41, LINUX(5, 19) },  /* FSETXATTR to URING_CMD */
	{ 47, LINUX(6, 0) },   /* SEND_ZC */
	{ 48, LINUX(6, 1) },   /* SENDMSG_ZC */
	{ 49, LINUX(6, 7) },   /* READ_MULTISHOT, WAITID, FUTEX_* */
	{ 54, LINUX(6, 8) },   /* FIXED_FD_INSTALL */
	{ 55, LINUX(6, 9) },   /* FTRUNCATE */
	{ 56, LINUX(6, 11) },  /* BIND, LISTEN */
	{ 58, LINUX(6, 15) },  /* RECV_ZC to WRITEV_FIXED */
	{ 62, LINUX(6, 16) },  /* PIPE */
	{ 63, LINUX(6, 19) },  /* NOP128, URING_CMD128 */
	{ 0, 0 },
};

static const struct number_row register_ops[] = {
	{  0, OLDEST },	       /* to ENABLE_RINGS */
	{ 13, LINUX(5, 13) },  /* FILES2 to BUFFERS_UPDATE */
	{ 17, LINUX(5, 14) },  /* IOWQ_AFF */
	{ 19, LINUX(5, 15) },  /* IOWQ_MAX_WORKERS */
	{ 20, LINUX(5, 18) },  /* RING_FDS */
	{ 22, LINUX(5, 19) },  /* PBUF_RING */
	{ 24, LINUX(6, 0) },   /* SYNC_CANCEL, FILE_ALLOC_RANGE */
	{ 26, LINUX(6, 8) },   /* PBUF_STATUS */
	{ 27, LINUX(6, 9) },   /* NAPI */
	{ 29, LINUX(6, 12) },  /* CLOCK, CLONE_BUFFERS */
	{ 31, LINUX(6, 13) },  /* SEND_MSG_RING */
	{ 32, LINUX(6, 15) },  /* ZCRX_IFQ */
	{ 33, LINUX(6, 13) },  /* RESIZE_RINGS, MEM_REGION */
	{ 35, LINUX(6, 18) },  /* QUERY */
	{ 0, 0 },
};

/* Bits from the lowest on; those of one version in one row, by their count. */
struct bit_row {
	uint32_t count;
	uint16_t since;
};

static const struct bit_row setup_flags[] = {
	{  7, OLDEST },	       /* IOPOLL to R_DISABLED */
	{  1, LINUX(5, 18) },  /* SUBMIT_ALL */
	{  4, LINUX(5, 19) },  /* COOP_TASKRUN, TASKRUN_FLAG, SQE128, CQE32 */
	{  1, LINUX(6, 0) },   /* SINGLE_ISSUER */
	{  1, LINUX(6, 1) },   /* DEFER_TASKRUN */
	{  2, LINUX(6, 5) },   /* NO_MMAP, REGISTERED_FD_ONLY */
	{  1, LINUX(6, 6) },   /* NO_SQARRAY */
	{  1, LINUX(6, 13) },  /* HYBRID_IOPOLL */
	{  1, LINUX(6, 18) },  /* CQE_MIXED */
	{  0, 0 },
};

static const struct bit_row features[] = {
	{  7, OLDEST },	       /* SINGLE_MMAP to POLL_32BITS */
	{  2, LINUX(5, 11) },  /* SQPOLL_NONFIXED, EXT_ARG */
	{  1, LINUX(5, 12) },  /* NATIVE_WORKERS */
	{  1, LINUX(5, 13) },  /* RSRC_TAGS */
	{  1, LINUX(5, 17) },  /* CQE_SKIP */
	{  1, LINUX(5, 18) },  /* LINKED_FILE */
	{  1, LINUX(6, 3) },   /* REG_REG_RING */
	{  1, LINUX(6, 10) },  /* RECVSEND_BUNDLE */
	{  1, LINUX(6, 12) },  /* MIN_TIMEOUT */
	{  1, LINUX(6, 14) },  /* RW_ATTR */
	{  1, LINUX(6, 15) },  /* NO_IOWAIT */
	{  0, 0 },
};

static const struct bit_row enter_flags[] = {
	{  3, OLDEST },	       /* GETEVENTS, SQ_WAKEUP, SQ_WAIT */
	{  1, LINUX(5, 11) },  /* EXT_ARG */
	{  1, LINUX(5, 18) },  /* REGISTERED_RING */
	{  1, LINUX(6, 12) },  /* ABS_TIMER */
	{  1, LINUX(6, 13) },  /* EXT_ARG_REG */
	{  1, LINUX(6, 15) },  /* NO_IOWAIT */
	{  0, 0 },
};

static const struct bit_row sqe_flags[] = {
	{  6, OLDEST },	       /* FIXED_FILE to BUFFER_SELECT */
	{  1, LINUX(5, 17) },  /* CQE_SKIP_SUCCESS */
	{  0, 0 },
};

static const struct bit_row cancel_flags[] = {
	{  3, LINUX(5, 19) },  /* ALL, FD, ANY */
	{  1, LINUX(6, 0) },   /* FD_FIXED */
	{  2, LINUX(6, 6) },   /* USERDATA, OP */
	{  0, 0 },
};

/* In ioprio. */
static const struct bit_row accept_flags[] = {
	{  1, LINUX(5, 19) },  /* MULTISHOT */
	{  2, LINUX(6, 10) },  /* DONTWAIT, POLL_FIRST */
	{  0, 0 },
};

static const struct bit_row recv_flags[] = {
	{  1, LINUX(5, 19) },  /* POLL_FIRST */
	{  2, LINUX(6, 0) },   /* MULTISHOT, FIXED_BUF */
	{  1, LINUX(6, 2) },   /* SEND_ZC_REPORT_USAGE */
	{  1, LINUX(6, 10) },  /* BUNDLE */
	{  0, 0 },
};

static const struct bit_row msg_ring_flags[] = {
	{  1, LINUX(6, 2) },   /* CQE_SKIP */
	{  1, LINUX(6, 3) },   /* FLAGS_PASS */
	{  0, 0 },
};

/* System calls made by number; an older kernel says ENOSYS. */
static const struct {
	long number;
	uint16_t since;
} syscalls[] = {
	{ 441, LINUX(5, 11) }, /* epoll_pwait2 */
	{ 444, LINUX(5, 13) }, /* landlock_create_ruleset */
	{ 445, LINUX(5, 13) }, /* landlock_add_rule */
	{ 446, LINUX(5, 13) }, /* landlock_restrict_self */
	{ 447, LINUX(5, 14) }, /* memfd_secret */
	{ 449, LINUX(5, 16) }, /* futex_waitv */
	{ 451, LINUX(6, 5) },  /* cachestat */
	{ 452, LINUX(6, 6) },  /* fchmodat2 */
	{ 454, LINUX(6, 7) },  /* futex_wake */
	{ 455, LINUX(6, 7) },  /* futex_wait */
	{ 456, LINUX(6, 7) },  /* futex_requeue */
};

/* Landlock counts the versions of its interface: row n is version n + 1. */
static const uint16_t landlock_versions[] = {
	LINUX(5, 13), LINUX(5, 19), LINUX(6, 2),  LINUX(6, 7),
	LINUX(6, 10), LINUX(6, 12), LINUX(6, 15),
};

/* Advice for madvise(); an older kernel says EINVAL. */
static const struct {
	int advice;
	uint16_t since;
} advices[] = {
	{ 22, LINUX(5, 14) },  /* POPULATE_READ */
	{ 23, LINUX(5, 14) },  /* POPULATE_WRITE */
	{ 24, LINUX(5, 18) },  /* DONTNEED_LOCKED */
	{ 25, LINUX(6, 1) },   /* COLLAPSE */
	{ 102, LINUX(6, 13) }, /* GUARD_INSTALL */
	{ 103, LINUX(6, 13) }, /* GUARD_REMOVE */
};
/* clang-format on */

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Of a ring, by its descriptor; written by its thread before it enters. */
static struct ring {
	uint32_t head, tail, mask, array; /* offsets */
	uint32_t entries;
	bool has_array;
	atomic_bool was_sent_to;
} rings[MAX_FDS];

static long next_syscall(long number, long a, long b, long c, long d, long e,
			 long f)
{
	static long (*_Atomic next)(long number, ...);

	if (next == NULL)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next(number, a, b, c, d, e, f);
}

static const struct profile *profile(void)
{
	static const struct profile *_Atomic found;
	const char *name = getenv("KERNEL_PROFILE");

	if (found != NULL)
		return found;
	for (size_t i = 0; i < LENGTH(profiles); i++)
		if (name != NULL && strcmp(profiles[i].name, name) == 0)
			found = &profiles[i];
	if (found == NULL) {
		fprintf(stderr, "KERNEL_PROFILE=%s is none\n",
			name == NULL ? "" : name);
		abort();
	}
	return found;
}

static long refuse(int error)
{
	errno = error;
	return -1;
}

static bool knows_number(const struct number_row *rows, uint32_t number)
{
	uint16_t since = OLDEST;

	for (; rows->since != 0; rows++)
		if (number >= rows->first)
			since = rows->since;
	return since <= profile()->uring;
}

/* A bit behind the last row is newer than this file: it is left alone. */
static uint32_t unknown_bits(const struct bit_row *rows)
{
	uint32_t unknown = 0;
	uint32_t bit = 0;

	for (; rows->since != 0; bit += rows->count, rows++)
		for (uint32_t i = 0; i < rows->count; i++)
			if (rows->since > profile()->uring)
				unknown |= UINT32_C(1) << (bit + i);
	if (profile()->uring != NEWEST)
		unknown |= ~((UINT32_C(1) << bit) - 1);
	return unknown;
}

static long do_setup(long entries, struct io_uring_params *params)
{
	long fd;

	if (profile()->uring == 0)
		return refuse(profile()->no_syscall);
	if (params->flags & unknown_bits(setup_flags))
		return refuse(EINVAL);
	fd = next_syscall(__NR_io_uring_setup, entries, (long)params, 0, 0, 0,
			  0);
	if (fd < 0)
		return fd;
	if (fd >= MAX_FDS)
		abort();
	params->features &= ~unknown_bits(features);
	rings[fd] = (struct ring){
		.head = params->sq_off.head,
		.tail = params->sq_off.tail,
		.mask = params->sq_off.ring_mask,
		.array = params->sq_off.array,
		.entries = params->sq_entries,
		.has_array = !(params->flags & SETUP_NO_SQARRAY),
	};
	return fd;
}

static void hide_opcodes(struct io_uring_probe *probe)
{
	uint8_t known = 0;

	for (uint32_t i = 0; i < probe->ops_len; i++) {
		if (knows_number(opcodes, i))
			known = (uint8_t)(i + 1);
		else
			probe->ops[i].flags = 0;
	}
	probe->ops_len = known;
	if (probe->last_op >= known)
		probe->last_op = (uint8_t)(known - 1);
}

/* The first to each ring is the runtime's own, to see whether it can be. */
static bool send_fails(const struct io_uring_sqe *sqe)
{
	return profile()->msg_ring_fails &&
	       atomic_exchange(&rings[sqe->fd].was_sent_to, true);
}

/* The descriptors of rings that this thread has registered, plus one. */
static _Thread_local int registered[MAX_REGISTERED];

static void note_registered(const struct io_uring_rsrc_update *up, long n,
			    bool there)
{
	for (long i = 0; i < n; i++)
		if (up[i].offset < MAX_REGISTERED)
			registered[up[i].offset] =
				there ? (int)up[i].data + 1 : 0;
}

static long do_register(long fd, long op, void *arg, long n)
{
	long ret;

	/* A ring by its index is not used by the runtime. */
	if (op & REGISTER_BY_INDEX || !knows_number(register_ops, (uint32_t)op))
		return refuse(fd < 0 ? EBADF : EINVAL);
	if (op == REGISTER_SEND_MSG && send_fails(arg))
		return refuse(ENOMEM);
	ret = next_syscall(__NR_io_uring_register, fd, op, (long)arg, n, 0, 0);
	if (ret >= 0 && op == IORING_REGISTER_PROBE)
		hide_opcodes(arg);
	if (ret > 0 && op == IORING_REGISTER_RING_FDS)
		note_registered(arg, ret, true);
	if (ret > 0 && op == IORING_UNREGISTER_RING_FDS)
		note_registered(arg, ret, false);
	return ret;
}

static bool knows_recv(const struct io_uring_sqe *sqe)
{
	if (sqe->ioprio & unknown_bits(recv_flags))
		return false;
	/* Here a later kernel reads the most bytes of a multishot receive. */
	return sqe->file_index == 0 || profile()->uring >= BOUNDS_A_MULTISHOT;
}

static bool is_known(const struct io_uring_sqe *sqe)
{
	if (!knows_number(opcodes, sqe->opcode) ||
	    sqe->flags & unknown_bits(sqe_flags))
		return false;
	switch (sqe->opcode) {
	case IORING_OP_ASYNC_CANCEL:
		return !(sqe->cancel_flags & unknown_bits(cancel_flags));
	case IORING_OP_ACCEPT:
		return !(sqe->ioprio & unknown_bits(accept_flags));
	case IORING_OP_RECV:
		return knows_recv(sqe);
	case IORING_OP_RECVMSG:
	case IORING_OP_SEND:
	case IORING_OP_SENDMSG:
		return !(sqe->ioprio & unknown_bits(recv_flags));
	case IORING_OP_MSG_RING:
		return !profile()->msg_ring_fails &&
		       !(sqe->msg_ring_flags & unknown_bits(msg_ring_flags));
	default:
		return true;
	}
}

static bool is_missed(const struct io_uring_sqe *sqe)
{
	static atomic_uint cancels;

	return profile()->cancel_misses &&
	       sqe->opcode == IORING_OP_ASYNC_CANCEL &&
	       sqe->cancel_flags == 0 && atomic_fetch_add(&cancels, 1) % 2 == 0;
}

/*
 * An operation on a file ends with -ECANCELED although nobody has cancelled it.
 * Since Linux 6.10 a no-op can have a result; before, nothing is done.
 */
static bool is_given_up(const struct io_uring_sqe *sqe)
{
	static atomic_uint operations;

	return profile()->gives_up && kernel_version() >= 6010 &&
	       (sqe->opcode == IORING_OP_OPENAT ||
		sqe->opcode == IORING_OP_FSYNC) &&
	       atomic_fetch_add(&operations, 1) % 2 == 0;
}

static void filter_entry(struct io_uring_sqe *sqe)
{
	if (is_given_up(sqe)) {
		sqe->opcode = IORING_OP_NOP;
		sqe->fsync_flags = NOP_INJECT_RESULT;
		sqe->len = (uint32_t)-ECANCELED;
		return;
	}
	if (is_missed(sqe)) {
		sqe->opcode = IORING_OP_NOP;
		return;
	}
	if (!is_known(sqe)) {
		sqe->opcode = NO_OPCODE;
		return;
	}
	if (profile()->uring < ENDS_AFTER_A_PART &&
	    (sqe->opcode == IORING_OP_RECV || sqe->opcode == IORING_OP_SEND ||
	     sqe->opcode == IORING_OP_RECVMSG ||
	     sqe->opcode == IORING_OP_SENDMSG))
		sqe->msg_flags &= ~(uint32_t)MSG_WAITALL;
}

static void *map(long fd, size_t size, long offset)
{
	long at = next_syscall(__NR_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			       MAP_SHARED, fd, offset);

	if (at == -1)
		abort();
	return (void *)at;
}

static void unmap(void *at, size_t size)
{
	next_syscall(__NR_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

static void filter_queue(long fd)
{
	const struct ring *r = &rings[fd];
	size_t queue_size = r->array + r->entries * sizeof(uint32_t);
	size_t sqes_size = r->entries * sizeof(struct io_uring_sqe);
	char *queue;
	struct io_uring_sqe *sqes = map(fd, sqes_size, IORING_OFF_SQES);
	uint32_t mask, tail;

	/* Without an array the fields are the first bytes. */
	if (!r->has_array)
		queue_size = 4096;
	queue = map(fd, queue_size, IORING_OFF_SQ_RING);
	mask = *(uint32_t *)(queue + r->mask);
	tail = atomic_load((_Atomic uint32_t *)(queue + r->tail));
	for (uint32_t i = atomic_load((_Atomic uint32_t *)(queue + r->head));
	     i != tail; i++) {
		uint32_t at = i & mask;

		if (r->has_array)
			at = ((uint32_t *)(queue + r->array))[at];
		filter_entry(&sqes[at]);
	}
	unmap(queue, queue_size);
	unmap(sqes, sqes_size);
}

static long ring_of(long fd, long flags)
{
	if (!(flags & IORING_ENTER_REGISTERED_RING))
		return fd;
	return fd >= 0 && fd < MAX_REGISTERED ? registered[fd] - 1 : -1;
}

static long do_enter(long fd, long submit, long want, long flags, long arg,
		     long size)
{
	long ring = ring_of(fd, flags);

	if (flags & unknown_bits(enter_flags))
		return refuse(EINVAL);
	if (submit > 0 && ring >= 0 && ring < MAX_FDS &&
	    rings[ring].entries != 0)
		filter_queue(ring);
	return next_syscall(__NR_io_uring_enter, fd, submit, want, flags, arg,
			    size);
}

static bool knows_syscall(long number)
{
	for (size_t i = 0; i < LENGTH(syscalls); i++)
		if (syscalls[i].number == number)
			return syscalls[i].since <= profile()->system;
	return true;
}

/* What landlock_create_ruleset(NULL, 0, VERSION) says, at most. */
static long landlock_version(long newest)
{
	long known = 0;

	while (known < (long)LENGTH(landlock_versions) &&
	       landlock_versions[known] <= profile()->system)
		known++;
	return newest < known || profile()->system == NEWEST ? newest : known;
}

static long do_other(long number, const long a[6])
{
	long ret;

	if (!knows_syscall(number))
		return refuse(profile()->no_syscall);
	ret = next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == LANDLOCK_RULESET && a[2] == LANDLOCK_VERSION && ret > 0)
		return landlock_version(ret);
	return ret;
}

long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	switch (number) {
	case __NR_io_uring_setup:
		return do_setup((uint32_t)a[0], (struct io_uring_params *)a[1]);
	case __NR_io_uring_register:
		return do_register((int)a[0], (uint32_t)a[1], (void *)a[2],
				   (uint32_t)a[3]);
	case __NR_io_uring_enter:
		return do_enter((int)a[0], (uint32_t)a[1], (uint32_t)a[2],
				(uint32_t)a[3], a[4], a[5]);
	default:
		return do_other(number, a);
	}
}

/* Those that the runtime calls by their functions in libc */

/* How often a call was refused that will be again: for the tests. */
static atomic_uint refusals;

unsigned int kernel_profile_refusals(void);

unsigned int kernel_profile_refusals(void)
{
	return refusals;
}

int epoll_pwait2(int fd, struct epoll_event *events, int max,
		 const struct timespec *timeout, const sigset_t *mask)
{
	if (!knows_syscall(__NR_epoll_pwait2)) {
		refusals++;
		return (int)refuse(profile()->no_syscall);
	}
	return (int)next_syscall(__NR_epoll_pwait2, fd, (long)events, max,
				 (long)timeout, (long)mask, 8);
}

int madvise(void *at, size_t size, int advice)
{
	for (size_t i = 0; i < LENGTH(advices); i++)
		if (advices[i].advice == advice &&
		    advices[i].since > profile()->system)
			return (int)refuse(EINVAL);
	return (int)next_syscall(__NR_madvise, (long)at, (long)size, advice, 0,
				 0, 0);
}

/*
 * A pipe could not be asked for what it can do without waiting. Before that it
 * is refused for its mode (EBADF) and for an offset (ESPIPE).
 */
static bool refuses_nowait(int fd, int mode, off_t offset, int flags)
{
	struct stat st;
	int opened = fcntl(fd, F_GETFL) & O_ACCMODE;

	return flags & RWF_NOWAIT && profile()->system < PIPE_NOWAIT &&
	       offset == -1 && (opened == mode || opened == O_RDWR) &&
	       fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* 64-bit: an offset is one argument, and the next is not used. */
ssize_t preadv2(int fd, const struct iovec *iov, int n, off_t offset, int flags)
{
	if (refuses_nowait(fd, O_RDONLY, offset, flags))
		return refuse(EOPNOTSUPP);
	return next_syscall(__NR_preadv2, fd, (long)iov, n, offset, 0, flags);
}

ssize_t pwritev2(int fd, const struct iovec *iov, int n, off_t offset,
		 int flags)
{
	if (refuses_nowait(fd, O_WRONLY, offset, flags))
		return refuse(EOPNOTSUPP);
	return next_syscall(__NR_pwritev2, fd, (long)iov, n, offset, 0, flags);
}
