/*
 * Stacks: what happens at their end, and how many there can be. Built without
 * -fstack-clash-protection, as the code of a user may be: what is caught here
 * is caught by the guards alone.
 */
#include "runtime.h"

#include <spargio/stats.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GUARD_INSTALL 102 /* of Linux 6.13 */

static int sleep_forever(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

#ifndef SANITIZED /* there the sanitizer reports in its own words */

/* What a child process wrote to standard error, and how it ended. */
struct child {
	char said[512];
	int status;
};

static struct sp_opts child_opts(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 1;
	return opts;
}

static struct child run_child(int (*body)(void))
{
	struct child child = { .status = 0 };
	char *qemu;
	size_t len = 0;
	ssize_t n;
	int out[2];
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDERR_FILENO);
		/* cmocka's handler would carry on in the test's frame. */
		signal(SIGSEGV, SIG_DFL);
		alarm(60);
		_exit(body());
	}
	close(out[1]);
	while ((n = read(out[0], child.said + len,
			 sizeof(child.said) - 1 - len)) > 0)
		len += (size_t)n;
	close(out[0]);
	waitpid(pid, &child.status, 0);
	/* What qemu's user emulation adds. */
	qemu = strstr(child.said, "qemu: uncaught target signal");
	if (qemu != NULL)
		*qemu = '\0';
	return child;
}

static void assert_died_of_segv(const struct child *child)
{
	assert_true(WIFSIGNALED(child->status));
	assert_int_equal(WTERMSIG(child->status), SIGSEGV);
}

static void assert_exited(const struct child *child, int status)
{
	assert_true(WIFEXITED(child->status));
	assert_int_equal(WEXITSTATUS(child->status), status);
}

/* Fibers that overrun their stacks */

static int recurse(void *arg)
{
	volatile char frame[1024];
	int depth = (int)(intptr_t)arg;

	frame[0] = (char)depth;
	if (depth > 1000000)
		return 0;
	return recurse((void *)(intptr_t)(depth + 1)) + frame[0];
}

/* Writes only the far end of a buffer that is larger than the stack. */
static int write_large_buffer(void *arg)
{
	volatile char buffer[80 * 1024];

	(void)arg;
	for (size_t i = 0; i < 1500; i++)
		buffer[i] = (char)0xff;
	return buffer[1] == 0;
}

static int spawn_glutton(void *arg)
{
	struct sp_attr attr = { .name = "glutton" };
	int (*fn)(void *) = *(int (**)(void *))arg;
	struct sp_task neighbour, task;

	(void)sp_go_on(NULL, 0, sleep_forever, NULL, &neighbour);
	(void)sp_go_attr(NULL, &attr, fn, NULL, &task);
	return sp_join(task, NULL);
}

static int run_glutton(const struct sp_opts *opts, int (*fn)(void *))
{
	return sp_run(opts, spawn_glutton, &fn);
}

static int recursion_child(void)
{
	struct sp_opts opts = child_opts();

	return run_glutton(&opts, recurse);
}

static int large_buffer_child(void)
{
	struct sp_opts opts = child_opts();

	return run_glutton(&opts, write_large_buffer);
}

static void test_overflow_names_the_fiber(void **state)
{
	struct child child = run_child(recursion_child);

	(void)state;
	assert_died_of_segv(&child);
	assert_non_null(strstr(child.said,
			       "fiber 1000000000003 'glutton' overran its "
			       "stack of 6"));
	assert_int_equal(strcspn(child.said, "\n"), strlen(child.said) - 1);
}

static void test_large_frame_does_not_reach_the_neighbour(void **state)
{
	struct child child = run_child(large_buffer_child);

	(void)state;
	assert_died_of_segv(&child);
	assert_non_null(strstr(child.said, "'glutton' overran its stack"));
}

/* The program's own way with SIGSEGV */

static void exit_with_seven(int sig)
{
	(void)sig;
	_exit(7);
}

static int own_handler_child(void)
{
	struct sp_opts opts = child_opts();

	signal(SIGSEGV, exit_with_seven);
	return run_glutton(&opts, recurse);
}

static void test_previous_handler_is_called(void **state)
{
	struct child child = run_child(own_handler_child);

	(void)state;
	assert_exited(&child, 7);
	assert_non_null(strstr(child.said, "'glutton' overran its stack"));
}

static int switched_off_child(void)
{
	struct sp_opts opts = child_opts();

	opts.no_overflow_handler = true;
	return run_glutton(&opts, recurse);
}

static void test_handler_can_be_switched_off(void **state)
{
	struct child child = run_child(switched_off_child);

	(void)state;
	assert_died_of_segv(&child);
	assert_string_equal(child.said, "");
}

static int raise_segv(void *arg)
{
	(void)arg;
	/* To this thread, which is a shard. */
	return raise(SIGSEGV);
}

static int ignored_signal_child(void)
{
	struct sp_opts opts = child_opts();

	signal(SIGSEGV, SIG_IGN);
	return sp_run(&opts, raise_segv, NULL);
}

static int sent_signal_child(void)
{
	struct sp_opts opts = child_opts();

	return sp_run(&opts, raise_segv, NULL);
}

static void test_signal_that_is_sent_is_not_swallowed(void **state)
{
	struct child ignored = run_child(ignored_signal_child);
	struct child sent = run_child(sent_signal_child);

	(void)state;
	assert_exited(&ignored, 0);
	assert_died_of_segv(&sent);
}

static int set_own_handler(void *arg)
{
	struct sigaction action = { .sa_handler = exit_with_seven,
				    .sa_flags = SA_ONSTACK };

	(void)arg;
	return sigaction(SIGSEGV, &action, NULL);
}

/* One that the program sets while a runtime runs stays in its place. */
static int later_handler_child(void)
{
	struct sp_opts opts = child_opts();

	if (sp_run(&opts, set_own_handler, NULL) != 0)
		return 1;
	return run_glutton(&opts, recurse);
}

static void test_later_handler_stays(void **state)
{
	struct child child = run_child(later_handler_child);

	(void)state;
	assert_exited(&child, 7);
	assert_string_equal(child.said, "");
}

static int do_nothing(void *arg)
{
	(void)arg;
	return 0;
}

static void test_handler_goes_with_the_runtime(void **state)
{
	struct sigaction before, after;

	(void)state;
	sigaction(SIGSEGV, NULL, &before);
	run_on(2, do_nothing, NULL);
	sigaction(SIGSEGV, NULL, &after);
	assert_true(before.sa_handler == after.sa_handler);
	assert_int_equal(before.sa_flags, after.sa_flags);
}

#endif

/* How many */

/* More than the default of vm.max_map_count allows by two mappings each. */
#ifdef SANITIZED
#define MANY 200 /* TSan takes milliseconds for each */
#else
#define MANY 40000
#endif

static bool has_guard_install(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* qemu's user emulation says yes to anything. */
	bool has = madvise(NULL, 0, -1) < 0 &&
		   madvise(at, page, GUARD_INSTALL) == 0;

	munmap(at, page);
	return has;
}

/* How many mprotect() makes: two mappings each, half of all. */
static unsigned long mapped_guards_max(void)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
	char text[24] = "65530";

	if (f != NULL) {
		(void)!fgets(text, sizeof(text), f);
		fclose(f);
	}
	return strtoul(text, NULL, 10) / 4;
}

static int spawn_many(void *arg)
{
	unsigned long guarded = mapped_guards_max();
	struct sp_stats stats;
	int err = 0;

	(void)arg;
	for (int i = 0; i < MANY && err == 0; i++)
		err = sp_go_on(NULL, (uint32_t)i % 2, sleep_forever, NULL,
			       NULL);
	EXPECT_EQ(err, 0);
	sp_stats_get(sp_runtime(), &stats);
	EXPECT(stats.stacks >= MANY);
	EXPECT(stats.stack_bytes / stats.stacks >= 128 * 1024);
	if (has_guard_install() || stats.stacks <= guarded)
		EXPECT_EQ(stats.unguarded_stacks, 0);
	else
		EXPECT_EQ(stats.unguarded_stacks, stats.stacks - guarded);
	return 0;
}

static void test_more_fibers_than_guards(void **state)
{
	(void)state;
	/* The second has as many guards as the first. */
	run_on(2, spawn_many, NULL);
	run_on(2, spawn_many, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifndef SANITIZED
		cmocka_unit_test(test_overflow_names_the_fiber),
		cmocka_unit_test(test_large_frame_does_not_reach_the_neighbour),
		cmocka_unit_test(test_previous_handler_is_called),
		cmocka_unit_test(test_handler_can_be_switched_off),
		cmocka_unit_test(test_signal_that_is_sent_is_not_swallowed),
		cmocka_unit_test(test_later_handler_stays),
		cmocka_unit_test(test_handler_goes_with_the_runtime),
#endif
		cmocka_unit_test(test_more_fibers_than_guards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
