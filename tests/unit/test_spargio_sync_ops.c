/*
 * Every operation that the epoll back end can execute: the same SQE has the
 * same result on the ring and on epoll, on each of which tests/unit/meson.build
 * runs this file. A case is a row of sync_ops.c; an operation that waits is run
 * first until a deadline, then with another fiber that makes its descriptors
 * ready.
 */
#include "runtime.h"
#include "spargio/io/sync_ops.h"
#include "spargio/sim/backend.h"
#include "tempdir.h"

#include <spargio/op.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define ANY_FD	(-1000) /* the result is a new descriptor */
#define PIPE_SZ 4096

/* One run of a case, in an empty folder that has the file "file". */
struct scene {
	struct io_uring_sqe sqe;
	int fds[4]; /* closed afterwards; -1 = none */
	int want;   /* result */
	char text[PATH_MAX];
	struct iovec iov[2];
	struct msghdr msg;
	struct statx status;
	struct open_how how;
	struct sockaddr_in address;
};

struct row_case {
	const char *name;
	uint8_t opcode;
	void (*set_up)(struct scene *s);
	/* Make the descriptors ready; NULL = the operation does not wait. */
	void (*make_ready)(struct scene *s);
	bool (*check)(const struct scene *s); /* NULL = only the result */
};

/* Scenes */

static void open_pair(struct scene *s)
{
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, s->fds), 0);
}

static void open_pipe(int fds[2])
{
	EXPECT_EQ(pipe(fds), 0);
	EXPECT_EQ(fcntl(fds[1], F_SETPIPE_SZ, PIPE_SZ), PIPE_SZ);
}

static void open_file(struct scene *s)
{
	s->fds[0] = open("file", O_RDWR);
	EXPECT(s->fds[0] >= 0);
}

/* A non-blocking write until nothing fits. */
static void fill_up(int fd)
{
	static const char zeros[4096];
	int mode = fcntl(fd, F_GETFL);

	EXPECT_EQ(fcntl(fd, F_SETFL, mode | O_NONBLOCK), 0);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	EXPECT_EQ(fcntl(fd, F_SETFL, mode), 0);
}

/* Read what is there until nothing is left. */
static void drain_fd(int fd)
{
	char data[4096];
	int mode = fcntl(fd, F_GETFL);

	EXPECT_EQ(fcntl(fd, F_SETFL, mode | O_NONBLOCK), 0);
	while (read(fd, data, sizeof(data)) > 0)
		;
	EXPECT_EQ(fcntl(fd, F_SETFL, mode), 0);
}

/* Read what fill_up() wrote, and not what is written after it. */
static void drain_pipe(int fd)
{
	char data[PIPE_SZ];

	EXPECT_EQ(read(fd, data, sizeof(data)), sizeof(data));
}

/* True if @fd, a pipe, has the three bytes of @text now. */
static bool pipe_has(int fd, const char *text)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char data[8];

	return poll(&p, 1, 0) == 1 && read(fd, data, sizeof(data)) == 3 &&
	       memcmp(data, text, 3) == 0;
}

static void write_other(struct scene *s)
{
	EXPECT_EQ(write(s->fds[1], "abc", 3), 3);
}

static void drain_other(struct scene *s)
{
	drain_fd(s->fds[1]);
}

static bool has_abc(const struct scene *s)
{
	return memcmp(s->text, "abc", 3) == 0;
}

/* Nothing, readiness, reads and writes */

static void nop_set_up(struct scene *s)
{
	io_uring_prep_nop(&s->sqe);
}

static void poll_set_up(struct scene *s)
{
	open_pair(s);
	io_uring_prep_poll_add(&s->sqe, s->fds[0], POLLIN);
	s->want = POLLIN;
}

static void read_set_up(struct scene *s)
{
	open_pair(s);
	io_uring_prep_read(&s->sqe, s->fds[0], s->text, 10, 0);
	s->want = 3;
}

static void readv_set_up(struct scene *s)
{
	open_pair(s);
	s->iov[0] = (struct iovec){ s->text, 2 };
	s->iov[1] = (struct iovec){ s->text + 2, 2 };
	io_uring_prep_readv(&s->sqe, s->fds[0], s->iov, 2, 0);
	s->want = 3;
}

static void write_set_up(struct scene *s)
{
	open_pair(s);
	fill_up(s->fds[0]);
	io_uring_prep_write(&s->sqe, s->fds[0], "abc", 3, 0);
	s->want = 3;
}

static void writev_set_up(struct scene *s)
{
	open_pair(s);
	fill_up(s->fds[0]);
	s->iov[0] = (struct iovec){ strcpy(s->text, "abc"), 2 };
	s->iov[1] = (struct iovec){ s->text + 2, 1 };
	io_uring_prep_writev(&s->sqe, s->fds[0], s->iov, 2, 0);
	s->want = 3;
}

/* Sockets */

static void recv_set_up(struct scene *s)
{
	open_pair(s);
	io_uring_prep_recv(&s->sqe, s->fds[0], s->text, 10, 0);
	s->want = 3;
}

static void send_set_up(struct scene *s)
{
	open_pair(s);
	fill_up(s->fds[0]);
	io_uring_prep_send(&s->sqe, s->fds[0], "abc", 3, 0);
	s->want = 3;
}

static void make_message(struct scene *s)
{
	s->iov[0] = (struct iovec){ s->text, 3 };
	s->msg = (struct msghdr){ .msg_iov = s->iov, .msg_iovlen = 1 };
	s->want = 3;
}

static void recvmsg_set_up(struct scene *s)
{
	open_pair(s);
	make_message(s);
	io_uring_prep_recvmsg(&s->sqe, s->fds[0], &s->msg, 0);
}

static void sendmsg_set_up(struct scene *s)
{
	open_pair(s);
	fill_up(s->fds[0]);
	make_message(s);
	io_uring_prep_sendmsg(&s->sqe, s->fds[0], &s->msg, 0);
}

static void open_listener(struct scene *s)
{
	socklen_t len = sizeof(s->address);

	s->address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	s->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	s->fds[1] = socket(AF_INET, SOCK_STREAM, 0);
	EXPECT_EQ(bind(s->fds[0], (struct sockaddr *)&s->address, len), 0);
	EXPECT_EQ(listen(s->fds[0], 1), 0);
	EXPECT_EQ(getsockname(s->fds[0], (struct sockaddr *)&s->address, &len),
		  0);
}

static void accept_set_up(struct scene *s)
{
	open_listener(s);
	io_uring_prep_accept(&s->sqe, s->fds[0], NULL, NULL, SOCK_CLOEXEC);
	s->want = ANY_FD;
}

static void connect_other(struct scene *s)
{
	EXPECT_EQ(connect(s->fds[1], (struct sockaddr *)&s->address,
			  sizeof(s->address)),
		  0);
}

static void connect_set_up(struct scene *s)
{
	open_listener(s);
	io_uring_prep_connect(&s->sqe, s->fds[1],
			      (struct sockaddr *)&s->address,
			      sizeof(s->address));
}

/* Two descriptors */

static void splice_set_up(struct scene *s)
{
	open_pipe(s->fds);
	open_pipe(s->fds + 2);
	fill_up(s->fds[3]);
	io_uring_prep_splice(&s->sqe, s->fds[0], -1, s->fds[3], -1, 10, 0);
	s->want = 3;
}

/* First the source, then, while the fiber waits again, the target. */
static void splice_make_ready(struct scene *s)
{
	write_other(s);
	sp_sleep(2 * SP_MS);
	drain_pipe(s->fds[2]);
}

static bool splice_check(const struct scene *s)
{
	return pipe_has(s->fds[2], "abc");
}

/* More than the socket takes: it must not wait for the rest. */
static void splice_to_socket_set_up(struct scene *s)
{
	open_pair(s);
	open_pipe(s->fds + 2);
	EXPECT_EQ(write(s->fds[3], "abc", 3), 3);
	fill_up(s->fds[0]);
	io_uring_prep_splice(&s->sqe, s->fds[2], -1, s->fds[0], -1, 10, 0);
	s->want = 3;
}

static void splice_from_socket_set_up(struct scene *s)
{
	open_pair(s);
	open_pipe(s->fds + 2);
	io_uring_prep_splice(&s->sqe, s->fds[0], -1, s->fds[3], -1, 10, 0);
	s->want = 3;
}

static void splice_file_set_up(struct scene *s)
{
	open_file(s);
	open_pipe(s->fds + 2);
	fill_up(s->fds[3]);
	io_uring_prep_splice(&s->sqe, s->fds[0], 1, s->fds[3], -1, 3, 0);
	s->want = 3;
}

static void drain_target(struct scene *s)
{
	drain_pipe(s->fds[2]);
}

static bool splice_file_check(const struct scene *s)
{
	return pipe_has(s->fds[2], "ile");
}

static void splice_now_set_up(struct scene *s)
{
	splice_set_up(s);
	s->sqe.splice_flags = SPLICE_F_NONBLOCK;
	s->want = -EAGAIN;
}

/* Files */

static bool file_check_len(const struct scene *s, off_t len)
{
	struct stat st;

	return fstat(s->fds[0], &st) == 0 && st.st_size == len;
}

static void fsync_set_up(struct scene *s)
{
	open_file(s);
	io_uring_prep_fsync(&s->sqe, s->fds[0], 0);
}

static void openat_set_up(struct scene *s)
{
	io_uring_prep_openat(&s->sqe, AT_FDCWD, "file", O_RDONLY, 0);
	s->want = ANY_FD;
}

static void openat2_set_up(struct scene *s)
{
	s->how.flags = O_RDONLY;
	io_uring_prep_openat2(&s->sqe, AT_FDCWD, "file", &s->how);
	s->want = ANY_FD;
}

static void close_set_up(struct scene *s)
{
	open_file(s);
	io_uring_prep_close(&s->sqe, s->fds[0]);
	s->fds[0] = -1;
}

static void fallocate_set_up(struct scene *s)
{
	open_file(s);
	io_uring_prep_fallocate(&s->sqe, s->fds[0], 0, 0, 100);
}

static bool fallocate_check(const struct scene *s)
{
	return file_check_len(s, 100);
}

static void ftruncate_set_up(struct scene *s)
{
	open_file(s);
	io_uring_prep_rw(SP__OP_FTRUNCATE, &s->sqe, s->fds[0], NULL, 0, 7);
}

static bool ftruncate_check(const struct scene *s)
{
	return file_check_len(s, 7);
}

static void statx_set_up(struct scene *s)
{
	io_uring_prep_statx(&s->sqe, AT_FDCWD, "file", 0, STATX_SIZE,
			    &s->status);
}

static bool statx_check(const struct scene *s)
{
	return s->status.stx_size == 4;
}

/* Names */

static bool has_name(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0;
}

static bool new_check(const struct scene *s)
{
	(void)s;
	return has_name("new");
}

static bool moved_check(const struct scene *s)
{
	(void)s;
	return has_name("new") && !has_name("file");
}

static bool gone_check(const struct scene *s)
{
	(void)s;
	return !has_name("file");
}

static void renameat_set_up(struct scene *s)
{
	io_uring_prep_renameat(&s->sqe, AT_FDCWD, "file", AT_FDCWD, "new", 0);
}

static void unlinkat_set_up(struct scene *s)
{
	io_uring_prep_unlinkat(&s->sqe, AT_FDCWD, "file", 0);
}

static void mkdirat_set_up(struct scene *s)
{
	io_uring_prep_mkdirat(&s->sqe, AT_FDCWD, "new", 0700);
}

static void linkat_set_up(struct scene *s)
{
	io_uring_prep_linkat(&s->sqe, AT_FDCWD, "file", AT_FDCWD, "new", 0);
}

static void symlinkat_set_up(struct scene *s)
{
	io_uring_prep_symlinkat(&s->sqe, "file", AT_FDCWD, "new");
}

static void fchmod_set_up(struct scene *s)
{
	open_file(s);
	io_uring_prep_rw(SP__OP_FCHMOD, &s->sqe, s->fds[0], NULL, 0400, 0);
}

static void fchmodat_set_up(struct scene *s)
{
	io_uring_prep_rw(SP__OP_FCHMODAT, &s->sqe, AT_FDCWD, "file", 0400, 0);
}

static bool mode_check(const struct scene *s)
{
	struct stat st;

	(void)s;
	return stat("file", &st) == 0 && (st.st_mode & 0777) == 0400;
}

static void readlinkat_set_up(struct scene *s)
{
	EXPECT_EQ(symlink("abc", "link"), 0);
	io_uring_prep_rw(SP__OP_READLINKAT, &s->sqe, AT_FDCWD, "link",
			 sizeof(s->text), (uint64_t)(uintptr_t)s->text);
	s->want = 3;
}

static void realpath_set_up(struct scene *s)
{
	io_uring_prep_rw(SP__OP_REALPATH, &s->sqe, -1, "file", 0,
			 (uint64_t)(uintptr_t)s->text);
}

static bool realpath_check(const struct scene *s)
{
	return s->text[0] == '/' && strstr(s->text, "/file") != NULL;
}

static void getdents_set_up(struct scene *s)
{
	s->fds[0] = open(".", O_RDONLY | O_DIRECTORY);
	io_uring_prep_rw(SP__OP_GETDENTS, &s->sqe, s->fds[0], s->text,
			 sizeof(s->text), 0);
	s->want = 72; /* ".", ".." and "file", 24 bytes each */
}

/* clang-format off */
static const struct row_case cases[] = {
	{ "nop", IORING_OP_NOP, nop_set_up, NULL, NULL },
	{ "poll", IORING_OP_POLL_ADD, poll_set_up, write_other, NULL },
	{ "read", IORING_OP_READ, read_set_up, write_other, has_abc },
	{ "readv", IORING_OP_READV, readv_set_up, write_other, has_abc },
	{ "write", IORING_OP_WRITE, write_set_up, drain_other, NULL },
	{ "writev", IORING_OP_WRITEV, writev_set_up, drain_other, NULL },
	{ "recv", IORING_OP_RECV, recv_set_up, write_other, has_abc },
	{ "send", IORING_OP_SEND, send_set_up, drain_other, NULL },
	{ "recvmsg", IORING_OP_RECVMSG, recvmsg_set_up, write_other, has_abc },
	{ "sendmsg", IORING_OP_SENDMSG, sendmsg_set_up, drain_other, NULL },
	{ "accept", IORING_OP_ACCEPT, accept_set_up, connect_other, NULL },
	{ "connect", IORING_OP_CONNECT, connect_set_up, NULL, NULL },
	{ "splice between pipes", IORING_OP_SPLICE, splice_set_up,
	  splice_make_ready, splice_check },
	{ "splice to a socket", IORING_OP_SPLICE, splice_to_socket_set_up,
	  drain_other, NULL },
	{ "splice from a socket", IORING_OP_SPLICE, splice_from_socket_set_up,
	  write_other, splice_check },
	{ "splice from a file", IORING_OP_SPLICE, splice_file_set_up,
	  drain_target, splice_file_check },
	{ "splice without waiting", IORING_OP_SPLICE, splice_now_set_up, NULL,
	  NULL },
	{ "fsync", IORING_OP_FSYNC, fsync_set_up, NULL, NULL },
	{ "openat", IORING_OP_OPENAT, openat_set_up, NULL, NULL },
	{ "openat2", IORING_OP_OPENAT2, openat2_set_up, NULL, NULL },
	{ "close", IORING_OP_CLOSE, close_set_up, NULL, NULL },
	{ "fallocate", IORING_OP_FALLOCATE, fallocate_set_up, NULL,
	  fallocate_check },
	{ "ftruncate", SP__OP_FTRUNCATE, ftruncate_set_up, NULL,
	  ftruncate_check },
	{ "statx", IORING_OP_STATX, statx_set_up, NULL, statx_check },
	{ "renameat", IORING_OP_RENAMEAT, renameat_set_up, NULL, moved_check },
	{ "unlinkat", IORING_OP_UNLINKAT, unlinkat_set_up, NULL, gone_check },
	{ "mkdirat", IORING_OP_MKDIRAT, mkdirat_set_up, NULL, new_check },
	{ "linkat", IORING_OP_LINKAT, linkat_set_up, NULL, new_check },
	{ "symlinkat", IORING_OP_SYMLINKAT, symlinkat_set_up, NULL, new_check },
	{ "fchmod", SP__OP_FCHMOD, fchmod_set_up, NULL, mode_check },
	{ "fchmodat", SP__OP_FCHMODAT, fchmodat_set_up, NULL, mode_check },
	{ "readlinkat", SP__OP_READLINKAT, readlinkat_set_up, NULL, has_abc },
	{ "realpath", SP__OP_REALPATH, realpath_set_up, NULL, realpath_check },
	{ "getdents", SP__OP_GETDENTS, getdents_set_up, NULL, NULL },
};
/* clang-format on */

/* Running them */

static void scene_init(struct scene *s, const struct row_case *c)
{
	int fd;

	*s = (struct scene){ .fds = { -1, -1, -1, -1 } };
	unlink("file");
	unlink("link");
	remove("new");
	fd = open("file", O_WRONLY | O_CREAT, 0600);
	EXPECT_EQ(write(fd, "file", 4), 4);
	close(fd);
	c->set_up(s);
}

static void scene_fini(struct scene *s)
{
	for (size_t i = 0; i < COUNT(s->fds); i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
}

static void fill_sqe(struct io_uring_sqe *sqe, void *arg)
{
	*sqe = ((struct scene *)arg)->sqe;
}

struct helper {
	const struct row_case *row;
	struct scene *scene;
};

static int make_ready_later(void *arg)
{
	struct helper *h = arg;

	sp_sleep(2 * SP_MS);
	h->row->make_ready(h->scene);
	return 0;
}

static void expect_result(const struct row_case *c, const struct scene *s,
			  int res)
{
	bool good = s->want == ANY_FD ? res >= 0 : res == s->want;

	if (good && c->check != NULL)
		good = c->check(s);
	if (!good)
		fprintf(stderr, "%s: result %d, not %d, or another effect\n",
			c->name, res, s->want);
	EXPECT(good);
	if (s->want == ANY_FD && res >= 0)
		close(res);
}

static void run_case(const struct row_case *c)
{
	struct sp_task task = { 0 };
	struct scene s;
	struct helper helper = { c, &s };

	if (c->make_ready != NULL) {
		scene_init(&s, c);
		EXPECT_EQ(sp_op_raw_until(fill_sqe, &s, sp_in(2 * SP_MS), NULL),
			  -ETIMEDOUT);
		scene_fini(&s);
	}
	scene_init(&s, c);
	if (c->make_ready != NULL)
		EXPECT_EQ(sp_go(make_ready_later, &helper, &task), 0);
	expect_result(c, &s,
		      sp_op_raw_until(fill_sqe, &s, sp_in(5 * SP_S), NULL));
	if (c->make_ready != NULL)
		EXPECT_EQ(sp_join(task, NULL), 0);
	scene_fini(&s);
}

static int all_cases(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int before = atomic_load(&expect_failures);

		run_case(&cases[i]);
		if (atomic_load(&expect_failures) != before)
			fprintf(stderr, "failed: %s\n", cases[i].name);
	}
	return 0;
}

static void test_every_row_has_the_result_of_the_ring(void **state)
{
	(void)state;
	run_on(1, all_cases, NULL);
}

static void test_every_row_has_a_case(void **state)
{
	(void)state;
	for (unsigned int opcode = 0; opcode <= UINT8_MAX; opcode++) {
		bool found = false;

		for (size_t i = 0; i < COUNT(cases); i++)
			found |= cases[i].opcode == opcode;
		CHECK(found == sp__sqe_known((uint8_t)opcode),
		      "opcode %u: row %d, case %d", opcode,
		      sp__sqe_known((uint8_t)opcode), found);
	}
}

/* A simulated program that calls one of these gets -EOPNOTSUPP. */
static const uint8_t not_simulated[] = {
	IORING_OP_SPLICE,
	IORING_OP_SYMLINKAT,
	SP__OP_READLINKAT,
	SP__OP_REALPATH,
};

static void test_every_row_is_simulated_or_listed(void **state)
{
	(void)state;
	for (unsigned int opcode = 0; opcode <= UINT8_MAX; opcode++) {
		bool simulated = sp__sim_knows((uint8_t)opcode);
		bool listed = memchr(not_simulated, (int)opcode,
				     sizeof(not_simulated)) != NULL;

		if (sp__sqe_known((uint8_t)opcode))
			CHECK(simulated || listed,
			      "opcode %u: neither a row of sim/disk.c nor in "
			      "not_simulated[]",
			      opcode);
		CHECK(!simulated || sp__sqe_known((uint8_t)opcode),
		      "opcode %u is simulated and has no row", opcode);
		CHECK(!simulated || !listed,
		      "opcode %u is simulated and in not_simulated[]", opcode);
	}
}

/* examples/raw_op.c and docs/runtime.md show what to do without a row. */
static void test_the_example_of_the_pool_has_no_row(void **state)
{
	(void)state;
	CHECK(!sp__sqe_known(IORING_OP_FADVISE),
	      "examples/raw_op.c needs an opcode without a row");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TEMPDIR(test_every_row_has_the_result_of_the_ring),
		cmocka_unit_test(test_every_row_has_a_case),
		cmocka_unit_test(test_every_row_is_simulated_or_listed),
		cmocka_unit_test(test_the_example_of_the_pool_has_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
