#include "runtime.h"

#include <spargio/group.h>
#include <spargio/op.h>
#include <spargio/process.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARDS 2

/* Like system(3): a script for the shell. */
static int shell(const char *script, struct sp_process_opts opts,
		 struct sp_process **out)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	opts.argv = argv;
	return sp_process_spawn(&opts, out);
}

/* All it writes to @fd, which is closed. */
static void read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		EXPECT(sp_wait_fd_until(fd, POLLIN, sp_in(10 * SP_S)) > 0);
		n = read(fd, text + len, size - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	EXPECT_EQ(n, 0);
	text[len] = '\0';
	close(fd);
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* Nobody is left behind: neither running nor dead and not taken. */
static void expect_no_children(void)
{
	EXPECT_EQ(waitpid(-1, NULL, WNOHANG), -1);
	EXPECT_EQ(sp_errno(), ECHILD);
}

/* How it ends */

static int ends_body(void *arg)
{
	const struct {
		const char *script;
		struct sp_exit want;
	} cases[] = {
		{ "exit 0", { 0, 0 } },
		{ "exit 7", { 7, 0 } },
		{ "exit 255", { 255, 0 } },
		{ "kill -TERM $$", { 0, SIGTERM } },
		{ "kill -KILL $$", { 0, SIGKILL } },
	};
	struct sp_process *child;
	struct sp_exit how;

	(void)arg;
	for (size_t i = 0; i < COUNT(cases); i++) {
		how = (struct sp_exit){ -1, -1 };
		EXPECT_EQ(shell(cases[i].script, (struct sp_process_opts){ 0 },
				&child),
			  0);
		EXPECT_EQ(sp_process_wait(child, &how), 0);
		EXPECT_EQ(how.status, cases[i].want.status);
		EXPECT_EQ(how.signal, cases[i].want.signal);
		/* Asked again it says the same. */
		how = (struct sp_exit){ -1, -1 };
		EXPECT_EQ(sp_process_wait(child, &how), 0);
		EXPECT_EQ(how.status, cases[i].want.status);
		EXPECT_EQ(sp_process_kill(child, SIGTERM), -ESRCH);
		sp_process_free(child);
	}
	expect_no_children();
	return 0;
}

static void test_how_a_child_ended(void **state)
{
	(void)state;
	run_on(SHARDS, ends_body, NULL);
}

/* Descriptors */

static const struct sp_process_opts piped = {
	.io = { { .kind = SP_IO_PIPE },
		{ .kind = SP_IO_PIPE },
		{ .kind = SP_IO_PIPE } },
};

static int pipes_body(void *arg)
{
	struct sp_process *child;
	struct sp_exit how;
	char out[64], err[64];
	int in;

	(void)arg;
	EXPECT_EQ(shell("read line; echo \"got $line\"; echo oops >&2", piped,
			&child),
		  0);
	in = sp_process_take_fd(child, 0);
	EXPECT(in > 2);
	EXPECT_EQ(write(in, "hello\n", 6), 6);
	close(in);
	read_all(sp_process_take_fd(child, 1), out, sizeof(out));
	read_all(sp_process_take_fd(child, 2), err, sizeof(err));
	EXPECT(strcmp(out, "got hello\n") == 0);
	EXPECT(strcmp(err, "oops\n") == 0);
	EXPECT_EQ(sp_process_take_fd(child, 1), -EBADF);
	EXPECT_EQ(sp_process_take_fd(child, 3), -EBADF);
	EXPECT_EQ(sp_process_take_fd(child, -1), -EBADF);
	EXPECT_EQ(sp_process_wait(child, &how), 0);
	EXPECT_EQ(how.status, 0);
	sp_process_free(child);
	return 0;
}

static void test_pipes_to_all_three(void **state)
{
	int before = descriptors();

	(void)state;
	run_on(SHARDS, pipes_body, NULL);
	assert_int_equal(descriptors(), before);
}

static int one_pipe_body(void *arg)
{
	struct sp_process_opts opts = {
		.io = { { .kind = SP_IO_NULL },
			{ .kind = SP_IO_PIPE },
			{ .kind = SP_IO_STDOUT } },
	};
	struct sp_process *child;
	char out[64];

	(void)arg;
	EXPECT_EQ(shell("cat; echo one; echo two >&2", opts, &child), 0);
	read_all(sp_process_take_fd(child, 1), out, sizeof(out));
	EXPECT(strcmp(out, "one\ntwo\n") == 0);
	sp_process_free(child);
	return 0;
}

static void test_error_goes_where_output_goes(void **state)
{
	(void)state;
	run_on(1, one_pipe_body, NULL);
}

static int swap_body(void *arg)
{
	int *ends = arg;
	struct sp_process_opts opts = {
		.io = { [1] = { .kind = SP_IO_FD, .fd = ends[0] },
			[2] = { .kind = SP_IO_FD, .fd = ends[1] } },
	};
	struct sp_process *child;
	struct sp_exit how;

	EXPECT_EQ(shell("echo out; echo err >&2", opts, &child), 0);
	EXPECT_EQ(sp_process_wait(child, &how), 0);
	sp_process_free(child);
	return 0;
}

/*
 * Descriptors of ours may have the very numbers that the child's get: here
 * its 1 is a copy of our 2 and the other way round.
 */
static void test_descriptors_below_three_can_be_swapped(void **state)
{
	int out[2], err[2];
	int swapped[2] = { 2, 1 };
	char text[16];
	int saved[2] = { dup(1), dup(2) };

	(void)state;
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(err), 0);
	dup2(out[1], 1);
	dup2(err[1], 2);
	run_on(1, swap_body, swapped);
	dup2(saved[0], 1);
	dup2(saved[1], 2);
	assert_int_equal(read(err[0], text, sizeof(text)), 4);
	assert_memory_equal(text, "out\n", 4);
	assert_int_equal(read(out[0], text, sizeof(text)), 4);
	assert_memory_equal(text, "err\n", 4);
	for (int i = 0; i < 2; i++) {
		close(out[i]);
		close(err[i]);
		close(saved[i]);
	}
}

static int low_numbers_body(void *arg)
{
	struct sp_process_opts opts = {
		.io = { { .kind = SP_IO_NULL },
			{ .kind = SP_IO_NULL },
			{ .kind = SP_IO_PIPE } },
	};
	int saved[2] = { fcntl(0, F_DUPFD_CLOEXEC, 10),
			 fcntl(1, F_DUPFD_CLOEXEC, 10) };
	struct sp_process *child;
	char err[64];

	(void)arg;
	close(0); /* so that the pipe gets 0 and 1, and later others do */
	close(1);
	EXPECT_EQ(shell("echo oops >&2", opts, &child), 0);
	read_all(sp_process_take_fd(child, 2), err, sizeof(err));
	sp_process_free(child);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	EXPECT(strcmp(err, "oops\n") == 0);
	return 0;
}

static void test_pipe_that_got_low_numbers(void **state)
{
	(void)state;
	run_on(1, low_numbers_body, NULL);
}

static int inherits_body(void *arg)
{
	/* What somebody forgot to close on exec. */
	int leak = open("/dev/null", O_RDONLY);
	struct sp_process *child;
	char out[256];

	(void)arg;
	EXPECT_EQ(fcntl(leak, F_SETFD, 0), 0);
	EXPECT_EQ(shell("for fd in /proc/self/fd/*; do "
			"[ -e $fd ] && echo ${fd##*/}; done",
			piped, &child),
		  0);
	read_all(sp_process_take_fd(child, 1), out, sizeof(out));
	EXPECT(strcmp(out, "0\n1\n2\n") == 0);
	sp_process_free(child);
	close(leak);
	return 0;
}

static void test_child_gets_three_descriptors_and_no_other(void **state)
{
	(void)state;
	run_on(SHARDS, inherits_body, NULL);
}

/* Surroundings */

static int surroundings_body(void *arg)
{
	static const char *const envp[] = { "PATH=/bin:/usr/bin", "WORD=yes",
					    NULL };
	struct sp_process_opts opts = piped;
	struct sp_process *child;
	char out[64];

	(void)arg;
	opts.envp = envp;
	opts.cwd = "/proc";
	EXPECT_EQ(shell("echo $WORD $HOME; pwd", opts, &child), 0);
	read_all(sp_process_take_fd(child, 1), out, sizeof(out));
	EXPECT(strcmp(out, "yes\n/proc\n") == 0);
	sp_process_free(child);
	return 0;
}

static void test_environment_and_directory(void **state)
{
	(void)state;
	run_on(1, surroundings_body, NULL);
}

static int mask_body(void *arg)
{
	struct sp_process *child;
	struct sp_exit how;

	(void)arg;
	EXPECT_EQ(shell("kill -USR1 $$; exit 1", (struct sp_process_opts){ 0 },
			&child),
		  0);
	EXPECT_EQ(sp_process_wait(child, &how), 0);
	EXPECT_EQ(how.signal, SIGUSR1);
	sp_process_free(child);
	EXPECT_EQ(shell("kill -PIPE $$; exit 1", (struct sp_process_opts){ 0 },
			&child),
		  0);
	EXPECT_EQ(sp_process_wait(child, &how), 0);
	EXPECT_EQ(how.signal, SIGPIPE);
	sp_process_free(child);
	return 0;
}

static void test_child_is_not_deaf_to_what_we_block_or_ignore(void **state)
{
	sigset_t set;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	run_on(1, mask_body, NULL);
	signal(SIGPIPE, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Failures */

struct failure {
	struct sp_process_opts opts;
	int want;
};

static void expect_each_fails(const struct failure *cases, size_t count)
{
	int before = descriptors();

	for (size_t i = 0; i < count; i++) {
		struct sp_process *child = NULL;

		EXPECT_EQ(sp_process_spawn(&cases[i].opts, &child),
			  cases[i].want);
		EXPECT(child == NULL);
		sp_process_free(child);
	}
	EXPECT_EQ(descriptors(), before);
	expect_no_children();
}

static int bad_options_body(void *arg)
{
	static const char *const fine[] = { "true", NULL };
	static const char *const none[] = { NULL };
	const struct failure cases[] = {
		{ { .argv = none }, -EINVAL },
		{ { .argv = NULL }, -EINVAL },
		{ { .argv = fine,
		    .io = { [0] = { .kind = SP_IO_PIPE },
			    [1] = { .kind = SP_IO_FD, .fd = 999 } } },
		  -EBADF },
		{ { .argv = fine, .io = { [0] = { .kind = SP_IO_STDOUT } } },
		  -EINVAL },
		{ { .argv = fine, .io = { [2] = { .kind = 99 } } }, -EINVAL },
	};

	(void)arg;
	expect_each_fails(cases, COUNT(cases));
	return 0;
}

static void test_bad_options_are_refused(void **state)
{
	(void)state;
	run_on(1, bad_options_body, NULL);
}

static int no_program_body(void *arg)
{
	static const char *const missing[] = { "/no/such/program", NULL };
	static const char *const nowhere[] = { "no-such-program-in-path",
					       NULL };
	static const char *const folder[] = { "/proc", NULL };
	static const char *const fine[] = { "true", NULL };
	const struct failure cases[] = {
		{ { .argv = missing }, -ENOENT },
		{ { .argv = nowhere }, -ENOENT },
		{ { .argv = folder }, -EACCES },
		{ { .argv = fine, .cwd = "/no/such/folder" }, -ENOENT },
		{ { .argv = missing,
		    .io = { { .kind = SP_IO_PIPE },
			    { .kind = SP_IO_PIPE },
			    { .kind = SP_IO_PIPE } } },
		  -ENOENT },
	};

	(void)arg;
	expect_each_fails(cases, COUNT(cases));
	return 0;
}

/*
 * posix_spawn() tells why a program did not begin through memory it shares
 * with the child. qemu's user emulation forks instead, and then it cannot.
 */
static bool spawn_can_tell(void)
{
	char *argv[] = { "/no/such/program", NULL };
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0)
		return true;
	waitpid(pid, NULL, 0);
	return false;
}

static void test_program_that_cannot_begin_leaves_nothing(void **state)
{
	(void)state;
	if (!spawn_can_tell()) {
		print_message("# not tested here: an emulator forks\n");
		return;
	}
	run_on(1, no_program_body, NULL);
}

static void test_outside_a_fiber_is_refused(void **state)
{
	struct sp_process *child;

	(void)state;
	assert_int_equal(shell("exit 0", (struct sp_process_opts){ 0 }, &child),
			 -EPERM);
	sp_process_free(NULL);
}

/* Deadline, cancel, kill, free */

static int kill_body(void *arg)
{
	struct sp_process *child;
	struct sp_exit how = { -1, -1 };

	(void)arg;
	EXPECT_EQ(shell("exec sleep 100", (struct sp_process_opts){ 0 },
			&child),
		  0);
	EXPECT(sp_process_pid(child) > 0);
	EXPECT_EQ(sp_process_wait_until(child, sp_in(10 * SP_MS), &how),
		  -ETIMEDOUT);
	EXPECT_EQ(how.status, -1);
	EXPECT_EQ(sp_process_kill(child, 9999), -EINVAL);
	EXPECT_EQ(sp_process_kill(child, SIGTERM), 0);
	EXPECT_EQ(sp_process_wait_until(child, sp_in(10 * SP_S), &how), 0);
	EXPECT_EQ(how.signal, SIGTERM);
	EXPECT_EQ(how.status, 0);
	sp_process_free(child);
	return 0;
}

static void test_deadline_then_kill(void **state)
{
	(void)state;
	run_on(SHARDS, kill_body, NULL);
}

static int free_body(void *arg)
{
	int before = descriptors();
	struct sp_process *child;

	(void)arg;
	EXPECT_EQ(shell("exec sleep 100", piped, &child), 0);
	sp_process_free(child);
	expect_no_children();
	EXPECT_EQ(descriptors(), before);
	return 0;
}

static void test_free_ends_a_running_child(void **state)
{
	(void)state;
	run_on(SHARDS, free_body, NULL);
}

static struct sp_process *left_over;

static int leave_body(void *arg)
{
	(void)arg;
	EXPECT_EQ(shell("exec sleep 100", piped, &left_over), 0);
	return 0;
}

static void test_free_works_when_the_runtime_is_gone(void **state)
{
	int before = descriptors();

	(void)state;
	run_on(1, leave_body, NULL);
	sp_process_free(left_over);
	expect_no_children();
	assert_int_equal(descriptors(), before);
}

/* A fiber that has a child and cleans up when it is told to end. */
static int snapshotter(void *arg)
{
	struct sp_process *child;
	struct sp_exit how;
	int err = shell("exec sleep 100", piped, &child);

	(void)arg;
	if (err < 0)
		return err;
	err = sp_process_wait(child, &how);
	sp_process_free(child);
	return err;
}

static int cancel_body(void *arg)
{
	int before = descriptors();

	(void)arg;
	/* Cancelled before, while and after it spawns. */
	for (uint32_t i = 0; i < 20; i++) {
		struct sp_task task;
		int ret = 0;

		EXPECT_EQ(sp_go_on(NULL, i % SHARDS, snapshotter, NULL, &task),
			  0);
		sp_sleep(i * 200 * SP_US);
		EXPECT_EQ(sp_cancel(task), 0);
		EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(ret, -ECANCELED);
	}
	expect_no_children();
	EXPECT_EQ(descriptors(), before);
	return 0;
}

static void test_cancel_at_any_time_leaves_nothing(void **state)
{
	(void)state;
	run_on(SHARDS, cancel_body, NULL);
}

static int keepers_body(void *arg)
{
	(void)arg;
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(sp_go_on(NULL, (uint32_t)i % SHARDS, snapshotter,
				   NULL, NULL),
			  0);
	sp_sleep(5 * SP_MS);
	return 0; /* which ends the runtime and cancels them */
}

static void test_shutdown_with_children_leaves_nothing(void **state)
{
	int before = descriptors();

	(void)state;
	run_on(SHARDS, keepers_body, NULL);
	expect_no_children();
	assert_int_equal(descriptors(), before);
}

/* Many */

static int wait_for_it(void *arg)
{
	struct sp_exit how = { -1, -1 };
	int err = sp_process_wait(arg, &how);

	return err < 0 ? err : how.status;
}

static int many_waiters_body(void *arg)
{
	struct sp_process *child;
	struct sp_task tasks[8];
	int ret;

	(void)arg;
	EXPECT_EQ(shell("read line; exit 3", piped, &child), 0);
	for (size_t i = 0; i < COUNT(tasks); i++)
		EXPECT_EQ(sp_go_on(NULL, i % SHARDS, wait_for_it, child,
				   &tasks[i]),
			  0);
	sp_sleep(5 * SP_MS);
	close(sp_process_take_fd(child, 0));
	for (size_t i = 0; i < COUNT(tasks); i++) {
		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT_EQ(ret, 3);
	}
	sp_process_free(child);
	expect_no_children();
	return 0;
}

static void test_every_waiter_is_told(void **state)
{
	(void)state;
	run_on(SHARDS, many_waiters_body, NULL);
}

static int one_of_many(void *arg)
{
	int number = (int)(intptr_t)arg;
	struct sp_process *child;
	char script[32], out[32], want[32];
	struct sp_exit how;
	int err;

	snprintf(script, sizeof(script), "echo %d; exit %d", number, number);
	snprintf(want, sizeof(want), "%d\n", number);
	err = shell(script, piped, &child);
	if (err < 0)
		return err;
	read_all(sp_process_take_fd(child, 1), out, sizeof(out));
	EXPECT(strcmp(out, want) == 0);
	err = sp_process_wait(child, &how);
	EXPECT_EQ(how.status, number);
	sp_process_free(child);
	return err;
}

static int many_body(void *arg)
{
	struct sp_group *group;

	(void)arg;
	EXPECT_EQ(sp_group_new(&group), 0);
	for (intptr_t i = 0; i < 40; i++)
		EXPECT_EQ(sp_group_go(group, one_of_many, (void *)i), 0);
	EXPECT_EQ(sp_group_wait(group), 0);
	sp_group_free(group);
	expect_no_children();
	return 0;
}

static void test_many_children_at_once(void **state)
{
	int before = descriptors();

	(void)state;
	run_on(SHARDS, many_body, NULL);
	assert_int_equal(descriptors(), before);
}

static int stolen_body(void *arg)
{
	struct sp_process *child;
	struct sp_exit how = { -1, -1 };

	(void)arg;
	EXPECT_EQ(shell("read line; exit 5", piped, &child), 0);
	close(sp_process_take_fd(child, 0));
	EXPECT_EQ(sp_process_wait(child, &how), -ECHILD);
	EXPECT_EQ(how.status, -1);
	sp_process_free(child);
	return 0;
}

static void test_remains_taken_by_another_are_said_to_be(void **state)
{
	(void)state;
	signal(SIGCHLD, SIG_IGN);
	run_on(1, stolen_body, NULL);
	signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_how_a_child_ended),
		cmocka_unit_test(test_pipes_to_all_three),
		cmocka_unit_test(test_error_goes_where_output_goes),
		cmocka_unit_test(test_descriptors_below_three_can_be_swapped),
		cmocka_unit_test(test_pipe_that_got_low_numbers),
		cmocka_unit_test(
			test_child_gets_three_descriptors_and_no_other),
		cmocka_unit_test(test_environment_and_directory),
		cmocka_unit_test(
			test_child_is_not_deaf_to_what_we_block_or_ignore),
		cmocka_unit_test(test_bad_options_are_refused),
		cmocka_unit_test(test_program_that_cannot_begin_leaves_nothing),
		cmocka_unit_test(test_outside_a_fiber_is_refused),
		cmocka_unit_test(test_deadline_then_kill),
		cmocka_unit_test(test_free_ends_a_running_child),
		cmocka_unit_test(test_free_works_when_the_runtime_is_gone),
		cmocka_unit_test(test_cancel_at_any_time_leaves_nothing),
		cmocka_unit_test(test_shutdown_with_children_leaves_nothing),
		cmocka_unit_test(test_every_waiter_is_told),
		cmocka_unit_test(test_many_children_at_once),
		cmocka_unit_test(test_remains_taken_by_another_are_said_to_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
