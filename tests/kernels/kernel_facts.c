/*
 * What can be asked of a kernel of what the runtime uses, one fact a line.
 * "make check-kernels" compares what it prints on a real kernel with what it
 * prints behind the profile of that version (tests/unit/kernel_profile.c): a
 * profile is then what that kernel is, and not what somebody remembers of it.
 *
 * System calls are made by syscall(2), which the profile replaces.
 */
#include <errno.h>
#include <liburing.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ENTRIES		 8
#define PAGE		 4096
#define KNOWN_FEATURES	 ((1U << 18) - 1)
#define NO_SQARRAY	 (1U << 16)
#define RECV_BUNDLE	 (1U << 4)
#define ENTER_ABS_TIMER	 (1U << 5)
#define ENTER_NO_IOWAIT	 (1U << 7)
#define SEND_MSG_RING	 31
#define GUARD_INSTALL	 102
#define OURS		 7 /* user_data */
#define LANDLOCK_RULESET 444

static struct {
	int fd;
	struct io_uring_params params;
	char *rings;
	struct io_uring_sqe *sqes;
} ring = { .fd = -1 };

static void print_error(const char *name, long ret)
{
	printf("%s %s\n", name, ret < 0 ? strerrorname_np(errno) : "yes");
}

static int setup_with(uint32_t flags, struct io_uring_params *params)
{
	*params = (struct io_uring_params){ .flags = flags };
	return (int)syscall(__NR_io_uring_setup, ENTRIES, params);
}

static void print_setup(const char *name, uint32_t flags)
{
	struct io_uring_params params;
	int fd = setup_with(flags, &params);

	print_error(name, fd);
	if (fd >= 0)
		close(fd);
}

static void print_setups(void)
{
	print_setup("setup SUBMIT_ALL", IORING_SETUP_SUBMIT_ALL);
	print_setup("setup COOP_TASKRUN", IORING_SETUP_COOP_TASKRUN);
	print_setup("setup TASKRUN_FLAG",
		    IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
	print_setup("setup SINGLE_ISSUER", IORING_SETUP_SINGLE_ISSUER);
	print_setup("setup DEFER_TASKRUN",
		    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	print_setup("setup NO_SQARRAY", NO_SQARRAY);
}

static int open_ring(void)
{
	struct io_uring_params *p = &ring.params;

	ring.fd = setup_with(0, p);
	print_error("setup", ring.fd);
	if (ring.fd < 0)
		return -1;
	ring.rings = mmap(NULL,
			  p->cq_off.cqes +
				  p->cq_entries * sizeof(struct io_uring_cqe),
			  PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
			  IORING_OFF_SQ_RING);
	ring.sqes = mmap(NULL, p->sq_entries * sizeof(struct io_uring_sqe),
			 PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
			 IORING_OFF_SQES);
	return ring.rings == MAP_FAILED || ring.sqes == MAP_FAILED ? -1 : 0;
}

static uint32_t *field_at(uint32_t offset)
{
	return (uint32_t *)(void *)(ring.rings + offset);
}

/* Carry out one operation: the result, of completions also for others. */
static int run_sqe(const struct io_uring_sqe *sqe)
{
	const struct io_uring_params *p = &ring.params;
	const struct io_uring_cqe *cqes =
		(struct io_uring_cqe *)(void *)(ring.rings + p->cq_off.cqes);
	uint32_t tail = *field_at(p->sq_off.tail);
	uint32_t head = *field_at(p->cq_off.head);
	int res = -ETIME;

	ring.sqes[0] = *sqe;
	ring.sqes[0].user_data = OURS;
	field_at(p->sq_off.array)[tail & (p->sq_entries - 1)] = 0;
	__atomic_store_n(field_at(p->sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	(void)syscall(__NR_io_uring_enter, ring.fd, 1, 1,
		      IORING_ENTER_GETEVENTS, NULL, 0);
	for (; head !=
	       __atomic_load_n(field_at(p->cq_off.tail), __ATOMIC_ACQUIRE);
	     head++)
		if (cqes[head & (p->cq_entries - 1)].user_data == OURS)
			res = cqes[head & (p->cq_entries - 1)].res;
	__atomic_store_n(field_at(p->cq_off.head), head, __ATOMIC_RELEASE);
	return res;
}

static void print_sqe(const char *name, const struct io_uring_sqe *sqe)
{
	int res = run_sqe(sqe);

	/* Only -EINVAL says that the kernel does not know it. */
	printf("%s %s\n", name, res == -EINVAL ? "EINVAL" : "yes");
}

static void print_opcodes(void)
{
	_Alignas(struct io_uring_probe)
		uint8_t room[sizeof(struct io_uring_probe) +
			     256 * sizeof(struct io_uring_probe_op)] = { 0 };
	struct io_uring_probe *p = (struct io_uring_probe *)room;

	print_error("register PROBE", syscall(__NR_io_uring_register, ring.fd,
					      IORING_REGISTER_PROBE, p, 256));
	printf("opcodes");
	for (unsigned int i = 0; i < p->ops_len; i++)
		if (p->ops[i].flags & IO_URING_OP_SUPPORTED)
			printf(" %u", i);
	printf("\n");
}

static void print_registers(void)
{
	struct io_uring_rsrc_update up = { .offset = UINT32_MAX,
					   .data = (uint64_t)ring.fd };
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct io_uring_buf_reg reg = { .ring_addr = (uint64_t)(uintptr_t)page,
					.ring_entries = ENTRIES };
	struct io_uring_sqe sqe = { 0 };
	long ret;

	ret = syscall(__NR_io_uring_register, ring.fd, IORING_REGISTER_RING_FDS,
		      &up, 1);
	print_error("register RING_FDS", ret);
	print_error("register PBUF_RING",
		    syscall(__NR_io_uring_register, ring.fd,
			    IORING_REGISTER_PBUF_RING, &reg, 1));
	io_uring_prep_msg_ring(&sqe, ring.fd, 0, 1, 0);
	/* Kernels differ in the error, so it is not a fact. */
	ret = syscall(__NR_io_uring_register, -1, SEND_MSG_RING, &sqe, 1);
	printf("register SEND_MSG_RING %s\n", ret < 0 ? "no" : "yes");
}

static void print_enter(const char *name, uint32_t flags)
{
	struct __kernel_timespec ts = { .tv_nsec = 1 };
	struct io_uring_getevents_arg arg = { .ts = (uint64_t)(uintptr_t)&ts };
	long ret = syscall(__NR_io_uring_enter, ring.fd, 0, 0, flags, &arg,
			   flags & IORING_ENTER_EXT_ARG ? sizeof(arg) : 0);

	print_error(name, ret);
}

static void print_enters(void)
{
	print_enter("enter", IORING_ENTER_GETEVENTS);
	print_enter("enter EXT_ARG",
		    IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG);
	print_enter("enter ABS_TIMER", IORING_ENTER_GETEVENTS |
					       IORING_ENTER_EXT_ARG |
					       ENTER_ABS_TIMER);
	print_enter("enter NO_IOWAIT",
		    IORING_ENTER_GETEVENTS | ENTER_NO_IOWAIT);
}

static void print_sqes(void)
{
	struct io_uring_sqe sqe;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return;
	memset(&sqe, 0, sizeof(sqe));
	io_uring_prep_cancel64(&sqe, 0,
			       IORING_ASYNC_CANCEL_ANY |
				       IORING_ASYNC_CANCEL_ALL);
	print_sqe("cancel ANY", &sqe);
	memset(&sqe, 0, sizeof(sqe));
	io_uring_prep_msg_ring(&sqe, ring.fd, 0, 1, 0);
	print_sqe("MSG_RING", &sqe);
	/* On a socket that cannot accept, and one that has nothing to read. */
	io_uring_prep_recv(&sqe, pair[0], NULL, 0, MSG_DONTWAIT);
	sqe.flags = IOSQE_BUFFER_SELECT;
	sqe.ioprio = IORING_RECV_MULTISHOT;
	print_sqe("recv MULTISHOT", &sqe);
	sqe.ioprio |= RECV_BUNDLE;
	print_sqe("recv BUNDLE", &sqe);
	sqe.file_index = PAGE;
	print_sqe("recv BUNDLE with a bound", &sqe);
	close(pair[0]);
	close(pair[1]);
}

static void print_others(void)
{
	struct epoll_event event;
	struct timespec none = { 0 };
	int epoll = epoll_create1(0);
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ends[2];
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	long abi;

	print_error("epoll_pwait2",
		    epoll_pwait2(epoll, &event, 1, &none, NULL));
	print_error("madvise GUARD_INSTALL",
		    madvise(page, PAGE, GUARD_INSTALL));
	if (pipe(ends) == 0)
		print_error("preadv2 NOWAIT of a pipe",
			    preadv2(ends[0], &iov, 1, -1, RWF_NOWAIT));
	abi = syscall(LANDLOCK_RULESET, NULL, 0, 1);
	printf("landlock %ld\n", abi < 0 ? 0 : abi);
}

int main(void)
{
	print_setups();
	if (open_ring() == 0) {
		printf("features %x\n", ring.params.features & KNOWN_FEATURES);
		print_opcodes();
		print_enters();
		print_sqes();
		print_registers();
	}
	print_others();
	return 0;
}
