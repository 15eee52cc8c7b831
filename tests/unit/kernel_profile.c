/*
 * To be loaded in front of libc (LD_PRELOAD): io_uring as an older Linux has
 * it. KERNEL_PROFILE names a row of the table below; a new one is a new row.
 *
 * spargio makes its system calls by syscall(2), so that function is replaced.
 * What the older kernel does not know is refused as it would do it: flags of
 * setup and enter and numbers of register by an error, opcodes and flags of a
 * submission entry by a completion with -EINVAL. For the latter each enter maps
 * the submission queue for a moment and overwrites such entries. A mapping
 * kept for longer would keep the ring alive after its descriptor was closed.
 *
 * Not covered: rings with IORING_SETUP_SQPOLL, whose entries are read by a
 * thread of the kernel before anybody enters.
 *
 * madvise(2) is replaced, too: before 6.13 it has no MADV_GUARD_INSTALL.
 */
#include <dlfcn.h>
#include <errno.h>
#include <liburing.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define MAX_FDS		  65536
#define NO_OPCODE	  255
#define SETUP_NO_SQARRAY  (1U << 16)
#define OP_ALL		  255
#define REGISTER_ALL	  UINT32_MAX
#define REGISTER_SEND_MSG 31
#define GUARD_INSTALL	  102

/* What a kernel knows: masks of flags, and the first number it does not. */
struct profile {
	const char *name;
	uint32_t setup_flags, features, enter_flags;
	uint32_t register_ops, opcodes;
	uint8_t sqe_flags;
	uint32_t cancel_flags;
	uint16_t accept_flags, recv_flags; /* in ioprio */
	bool short_transfers;		   /* MSG_WAITALL ends after a part */
	bool msg_ring_fails; /* known, but each one ends with an error */
	bool guard_install;  /* of madvise(2): since 6.13 */
};

static const struct profile profiles[] = {
	/* Ubuntu 22.04 */
	{
		.name = "5.15",
		.setup_flags = IORING_SETUP_R_DISABLED * 2 - 1,
		.features = IORING_FEAT_RSRC_TAGS * 2 - 1,
		.enter_flags = IORING_ENTER_EXT_ARG * 2 - 1,
		.register_ops = IORING_REGISTER_IOWQ_MAX_WORKERS + 1,
		.opcodes = IORING_OP_LINKAT + 1,
		.sqe_flags = IOSQE_BUFFER_SELECT * 2 - 1,
		.short_transfers = true,
	},
	/* This kernel, without the memory to wake another ring. */
	{
		.name = "msg-ring-fails",
		.setup_flags = UINT32_MAX,
		.features = UINT32_MAX,
		.enter_flags = UINT32_MAX,
		.register_ops = REGISTER_ALL,
		.opcodes = OP_ALL,
		.sqe_flags = UINT8_MAX,
		.cancel_flags = UINT32_MAX,
		.accept_flags = UINT16_MAX,
		.recv_flags = UINT16_MAX,
		.msg_ring_fails = true,
		.guard_install = true,
	},
};

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
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
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

static long do_setup(long entries, struct io_uring_params *params)
{
	long fd;

	if (params->flags & ~profile()->setup_flags)
		return refuse(EINVAL);
	fd = next_syscall(__NR_io_uring_setup, entries, (long)params, 0, 0, 0,
			  0);
	if (fd < 0)
		return fd;
	if (fd >= MAX_FDS)
		abort();
	params->features &= profile()->features;
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
	for (uint32_t i = 0; i < probe->ops_len; i++)
		if (i >= profile()->opcodes)
			probe->ops[i].flags = 0;
	if (probe->ops_len > profile()->opcodes)
		probe->ops_len = (uint8_t)profile()->opcodes;
	probe->last_op = (uint8_t)(probe->ops_len - 1);
}

/* The first to each ring is the runtime's own, to see whether it can be. */
static bool send_fails(const struct io_uring_sqe *sqe)
{
	return profile()->msg_ring_fails &&
	       atomic_exchange(&rings[sqe->fd].was_sent_to, true);
}

static long do_register(long fd, long op, void *arg, long n)
{
	long ret;

	if (op >= (long)profile()->register_ops)
		return refuse(fd < 0 ? EBADF : EINVAL);
	/* Entered by another number the ring would not be found. */
	if (op == IORING_REGISTER_RING_FDS)
		return refuse(EINVAL);
	if (op == REGISTER_SEND_MSG && send_fails(arg))
		return refuse(ENOMEM);
	ret = next_syscall(__NR_io_uring_register, fd, op, (long)arg, n, 0, 0);
	if (ret >= 0 && op == IORING_REGISTER_PROBE)
		hide_opcodes(arg);
	return ret;
}

static bool is_known(const struct io_uring_sqe *sqe)
{
	if (sqe->opcode >= profile()->opcodes ||
	    sqe->flags & ~profile()->sqe_flags)
		return false;
	switch (sqe->opcode) {
	case IORING_OP_ASYNC_CANCEL:
		return !(sqe->cancel_flags & ~profile()->cancel_flags);
	case IORING_OP_ACCEPT:
		return !(sqe->ioprio & ~profile()->accept_flags);
	case IORING_OP_RECV:
	case IORING_OP_RECVMSG:
		return !(sqe->ioprio & ~profile()->recv_flags);
	case IORING_OP_MSG_RING:
		return !profile()->msg_ring_fails;
	default:
		return true;
	}
}

static void filter(struct io_uring_sqe *sqe)
{
	if (!is_known(sqe)) {
		sqe->opcode = NO_OPCODE;
		return;
	}
	if (profile()->short_transfers &&
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
		filter(&sqes[at]);
	}
	unmap(queue, queue_size);
	unmap(sqes, sqes_size);
}

static long do_enter(long fd, long submit, long want, long flags, long arg,
		     long size)
{
	if (flags & ~(long)profile()->enter_flags)
		return refuse(EINVAL);
	if (submit > 0 && fd >= 0 && fd < MAX_FDS && rings[fd].entries != 0)
		filter_queue(fd);
	return next_syscall(__NR_io_uring_enter, fd, submit, want, flags, arg,
			    size);
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
		return next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

int madvise(void *at, size_t size, int advice)
{
	if (advice == GUARD_INSTALL && !profile()->guard_install)
		return (int)refuse(EINVAL);
	return (int)next_syscall(__NR_madvise, (long)at, (long)size, advice, 0,
				 0, 0);
}
