/*
 * How shards wake each other. Run on several kernels, as kernel_profile.c
 * makes them from this one.
 */
#include "kernel_version.h"
#include "waiting.h"

#include <spargio/channel.h>
#include <spargio/file.h>
#include <spargio/op.h>
#include <spargio/probe.h>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define ROUNDS 2000

static struct sp_opts two_shards(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	opts.spin_us =
		0; /* each wait is a sleep, and each wake needs a wake-up */
	return opts;
}

struct pingpong {
	struct sp_chan *ping, *pong;
};

static int answer(void *arg)
{
	struct pingpong *p = arg;
	int n;

	while (sp_chan_recv(p->ping, &n) == 0)
		EXPECT_EQ(sp_chan_send(p->pong, &n), 0);
	return 0;
}

static void play(int rounds)
{
	struct pingpong p = { 0 };
	struct sp_task task;

	EXPECT_EQ(sp_chan_new(sizeof(int), 1, &p.ping), 0);
	EXPECT_EQ(sp_chan_new(sizeof(int), 1, &p.pong), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, answer, &p, &task), 0);
	for (int i = 0; i < rounds; i++) {
		int n = -1;

		EXPECT_EQ(sp_chan_send(p.ping, &i), 0);
		EXPECT_EQ(sp_chan_recv_until(p.pong, &n, sp_in(60 * SP_S)), 0);
		EXPECT_EQ(n, i);
		if (n != i)
			break; /* a lost wake-up: one is enough to see */
	}
	sp_chan_close(p.ping);
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_chan_free(p.ping);
	sp_chan_free(p.pong);
}

static int wake_body(void *arg)
{
	struct sp_shard_stats stats;

	(void)arg;
	play(ROUNDS);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT(stats.shard_wakeups > 0 && stats.parks > 0);
	return 0;
}

static void test_shards_wake_each_other(void **state)
{
	struct sp_opts opts = two_shards();

	(void)state;
	run_with(&opts, wake_body, NULL);
}

/*
 * A fiber that wakes another shard and then computes: whether the wake-up can
 * be sent has to be known before it goes on.
 */

static int set_flag(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
	return 0;
}

static int wake_and_compute(void *arg)
{
	int64_t give_up = sp_in(30 * SP_S);
	bool all = true;

	(void)arg;
	for (int i = 0; i < 20 && all; i++) {
		atomic_bool ran = false;
		struct sp_task task;

		/* The other shard goes to sleep; too short, this says less. */
		EXPECT_EQ(sp_sleep(SP_MS), 0);
		EXPECT_EQ(sp_go_on(NULL, 1, set_flag, &ran, &task), 0);
		while (!atomic_load(&ran) && sp_now() < give_up)
			;
		all = atomic_load(&ran);
		EXPECT_EQ(sp_join(task, NULL), 0);
	}
	EXPECT(all);
	return 0;
}

static void test_a_wakeup_is_sent_before_the_sender_computes(void **state)
{
	struct sp_opts opts = two_shards();

	(void)state;
	run_with(&opts, wake_and_compute, NULL);
	opts.ring_mode = SP_RING_SQPOLL;
	run_with(&opts, wake_and_compute, NULL);
}

static int post(void *arg)
{
	return sem_post(arg);
}

static void test_a_thread_wakes_a_shard(void **state)
{
	struct sp_opts opts = two_shards();
	struct sp_rt *rt;
	sem_t done;

	(void)state;
	sem_init(&done, 0, 0);
	assert_int_equal(sp_start(&opts, &rt), 0);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		assert_int_equal(sp_go_on(rt, i % 2, post, &done, NULL), 0);
		while (sem_wait(&done) < 0)
			assert_int_equal(errno, EINTR);
	}
	assert_int_equal(sp_stop(rt, sp_in(60 * SP_S)), 0);
	sem_destroy(&done);
}

static int64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * SP_S + t.tv_nsec;
}

/* Of two shards that have been woken before, and are not any more. */
static int idle_body(void *arg)
{
	int64_t before;

	(void)arg;
	play(10);
	before = cpu_time();
	EXPECT_EQ(sp_sleep(400 * SP_MS), 0);
	EXPECT(cpu_time() - before < 100 * SP_MS);
	return 0;
}

static void test_idle_shards_take_no_time(void **state)
{
	struct sp_opts opts = two_shards();

	(void)state;
	run_with(&opts, idle_body, NULL);
}

static bool submits(const char *thread)
{
	char path[300], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", thread);
	file = fopen(path, "re");
	if (file == NULL)
		return false; /* it has ended */
	(void)!fgets(name, sizeof(name), file);
	fclose(file);
	return strncmp(name, "iou-sqp", 7) == 0;
}

/* True if a kernel thread that submits for a ring of ours runs on @cpu alone. */
static bool has_submitter_on(int cpu)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	bool found = false;

	while (!found && (entry = readdir(tasks)) != NULL) {
		pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		cpu_set_t cpus;

		found = thread > 0 && submits(entry->d_name) &&
			sched_getaffinity(thread, sizeof(cpus), &cpus) == 0 &&
			CPU_COUNT(&cpus) == 1 && CPU_ISSET((size_t)cpu, &cpus);
	}
	closedir(tasks);
	return found;
}

/* True if every kernel thread that submits for a ring of ours sleeps. */
static bool submitters_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	bool sleep = true;

	while (sleep && (entry = readdir(tasks)) != NULL) {
		char path[300], line[256] = "", *state;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/stat",
			 entry->d_name);
		file = submits(entry->d_name) ? fopen(path, "re") : NULL;
		if (file == NULL)
			continue;
		(void)!fgets(line, sizeof(line), file);
		fclose(file);
		state = strrchr(line, ')');
		sleep = state == NULL || strncmp(state, ") S", 3) == 0;
	}
	closedir(tasks);
	return sleep;
}

/* Left alone, the thread would sleep after a second. */
static int idle_submitter_body(void *arg)
{
	int64_t give_up = sp_in(800 * SP_MS);
	bool *slept = arg;

	play(1);
	while (!(*slept = submitters_sleep()) && sp_now() < give_up)
		sp_sleep(SP_MS);
	return 0;
}

/* On a busy machine a thread may not run for so long, but not always. */
static void test_an_idle_kernel_thread_sleeps(void **state)
{
	struct sp_opts opts = two_shards();
	bool slept = false;

	(void)state;
	opts.ring_mode = SP_RING_SQPOLL;
	opts.sqpoll_idle_ms = 1;
	for (int i = 0; i < 10 && !slept; i++)
		run_with(&opts, idle_submitter_body, &slept);
	assert_true(slept);
}

static int submitter_body(void *arg)
{
	int cpu = *(int *)arg;
	int64_t give_up = sp_in(10 * SP_S);
	bool found;

	if (strcmp(sp_backend_name(sp_runtime()), "io_uring") != 0)
		return 0;
	/* It binds itself when it runs for the first time. */
	while (!(found = has_submitter_on(cpu)) && sp_now() < give_up)
		sp_sleep(SP_MS);
	EXPECT(found);
	return 0;
}

static void test_the_kernel_thread_runs_on_its_cpu(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	cpu_set_t cpus;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	/* Not the first one, if there are more. */
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &cpus))
			cpu = i;
	if (CPU_COUNT(&cpus) == 1)
		return;
	opts.shards = 1;
	opts.ring_mode = SP_RING_SQPOLL;
	opts.sqpoll_affinity = &cpu;
	run_with(&opts, submitter_body, &cpu);
	/* No CPU has this number: there is no such ring. */
	opts.backend = SP_BACKEND_URING;
	cpu = 1 << 20;
	if (getenv("SP_BACKEND") == NULL)
		assert_true(sp_run(&opts, submitter_body, &cpu) < 0);
}

/* Closing: on one descriptor, not on another */

#define WAITING 20

static int wait_readable(void *arg)
{
	return sp_wait_fd(*(int *)arg, POLLIN);
}

static int close_body(void *arg)
{
	struct sp_task closed[WAITING], other;
	int fds[2], others[2];
	int ret;

	(void)arg;
	EXPECT_EQ(pipe(fds), 0);
	EXPECT_EQ(pipe(others), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, wait_readable, &others[0], &other), 0);
	for (int i = 0; i < WAITING; i++)
		EXPECT_EQ(sp_go_on(NULL, 0, wait_readable, &fds[0], &closed[i]),
			  0);
	until_waiting(sp_runtime(), "readiness", WAITING + 1);
	EXPECT_EQ(sp_close(-1), -EBADF);
	EXPECT_EQ(sp_close(fds[0]), 0);
	for (int i = 0; i < WAITING; i++) {
		EXPECT_EQ(sp_join(closed[i], &ret), 0);
		EXPECT_EQ(ret, -ECANCELED);
	}
	EXPECT_EQ(write(others[1], "x", 1), 1);
	EXPECT_EQ(sp_join(other, &ret), 0);
	EXPECT_EQ(ret, POLLIN);
	close(fds[1]);
	sp_close(others[0]);
	close(others[1]);
	return 0;
}

static void test_closing_ends_the_waits_on_a_descriptor(void **state)
{
	struct sp_opts opts = two_shards();

	(void)state;
	opts.ring_entries = 8; /* fewer than are cancelled at once */
	run_with(&opts, close_body, NULL);
}

static int wait_shielded(void *arg)
{
	sp_shield_begin();
	return wait_readable(arg);
}

/* A fiber that does not end is dropped, and what it waits for cancelled. */
static void test_stop_ends_the_waits_of_dropped_fibers(void **state)
{
	struct sp_opts opts = two_shards();
	struct sp_rt *rt;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(sp_start(&opts, &rt), 0);
	for (uint32_t i = 0; i < WAITING; i++)
		assert_int_equal(sp_go_on(rt, i % 2, wait_shielded, &fds[0],
					  NULL),
				 0);
	until_waiting(rt, "readiness", WAITING);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_MS)), -ETIMEDOUT);
	close(fds[0]);
	close(fds[1]);
}

static int nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* The shard whose fiber ends last wakes the others and leaves. */
static void test_the_end_wakes_every_shard(void **state)
{
	struct sp_opts opts = two_shards();

	(void)state;
	opts.shards = 4;
	for (int i = 0; i < 200; i++)
		run_with(&opts, nothing, NULL);
}

/* These tests say nothing of a kernel that is not the one they are named for */

static void check_features(const struct sp_probe *probe, int version)
{
	for (int i = 0; i < SP_FEATURES; i++) {
		enum sp_feature feature = (enum sp_feature)i;
		int since = version_of(sp_feature_since(feature));

		/* A profile only takes away from what this kernel has. */
		if (since <= version && since > kernel_version())
			continue;
		assert_int_equal(sp_probe_has(probe, feature),
				 since <= version);
	}
}

static void test_the_profile_is_what_the_runtime_sees(void **state)
{
	const char *profile = getenv("KERNEL_PROFILE");
	struct sp_probe probe;

	(void)state;
	sp_probe_get(&probe);
	if (profile == NULL)
		return;
	if (strcmp(profile, "5.10") == 0) /* no EXT_ARG */
		assert_int_equal(probe.error, -ENOSYS);
	if (strcmp(profile, "seccomp") == 0)
		assert_int_equal(probe.error, -EPERM);
	if (probe.error == -ENOSYS || probe.error == -EPERM)
		return;
	assert_int_equal(probe.error, 0);
	if (version_of(profile) == 0) /* this kernel, with a fault */
		assert_true(sp_probe_has(&probe, SP_FEATURE_MSG_RING));
	else if (strcmp(profile, "5.10.162") == 0) /* has 5.15's */
		check_features(&probe, version_of("5.15"));
	else
		check_features(&probe, version_of(profile));
}

static int sleep_body(void *arg)
{
	(void)arg;
	for (int i = 0; i < 50; i++)
		EXPECT_EQ(sp_sleep(SP_MS), 0);
	return 0;
}

/* What the kernel does not have is asked for once by each shard. */
static void test_a_missing_call_is_not_repeated(void **state)
{
	unsigned int (*refusals)(void) =
		(unsigned int (*)(void))dlsym(RTLD_DEFAULT,
					      "kernel_profile_refusals");
	struct sp_opts opts = two_shards();
	unsigned int before;

	(void)state;
	if (refusals == NULL)
		return;
	before = refusals();
	run_with(&opts, sleep_body, NULL);
	assert_true(refusals() - before <= opts.shards);
}

/* A sandbox that lets a program set up a ring, but not enter it. */

static int forbid_enter(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_enter, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { COUNT(rules), rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0 ? -errno
								       : 0;
}

enum {
	RAN_ON_EPOLL,
	NO_FILTER,
	DID_NOT_START,
	NOT_EPOLL,
	DID_NOT_STOP,
};

static int run_sandboxed(void)
{
	struct sp_opts opts = two_shards();
	struct sp_probe probe;
	struct sp_rt *rt;

	if (forbid_enter() < 0)
		return NO_FILTER;
	sp_probe_get(&probe);
	if (sp_start(&opts, &rt) < 0)
		return DID_NOT_START;
	if (strcmp(sp_backend_name(rt), "epoll") != 0 ||
	    sp_backend_error(rt) != probe.error || probe.error == 0)
		return NOT_EPOLL;
	if (sp_call_on(rt, 1, nothing, NULL, NULL) < 0)
		return DID_NOT_START;
	return sp_stop(rt, sp_in(60 * SP_S)) < 0 ? DID_NOT_STOP : RAN_ON_EPOLL;
}

static void test_a_ring_that_cannot_be_entered_is_not_used(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (getenv("SP_BACKEND") != NULL)
		return; /* it would not have the choice */
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(100);
		_exit(run_sandboxed());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_FILTER)
		return;
	assert_int_equal(WEXITSTATUS(status), RAN_ON_EPOLL);
}

/*
 * The entries that were put into the rings of this process, as the kernel
 * counts them; 0 if there is no ring.
 */
static unsigned long entries_submitted(void)
{
	static const char name[] = "SqTail:";
	unsigned long sum = 0;

	for (int fd = 0; fd < 256; fd++) {
		char path[64], line[256];
		FILE *info;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		info = fopen(path, "re");
		while (info != NULL && fgets(line, sizeof(line), info) != NULL)
			if (strncmp(line, name, sizeof(name) - 1) == 0)
				sum += strtoul(line + sizeof(name) - 1, NULL,
					       10);
		if (info != NULL)
			fclose(info);
	}
	return sum;
}

#define CLOSES 100

static int read_one(void *fd)
{
	char byte;

	EXPECT_EQ(sp_read(*(int *)fd, &byte, 1), 0);
	return 0;
}

/*
 * The kernel compares all operations of a ring to cancel those on a descriptor,
 * so that is not asked for where there are none.
 */
static int close_many(void *arg)
{
	struct sp_task task;
	unsigned long before;
	int pair[2];

	(void)arg;
	EXPECT_EQ(pipe2(pair, O_CLOEXEC), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, read_one, &pair[0], &task), 0);
	EXPECT_EQ(sp_sleep(SP_MS), 0); /* it waits by now, or soon */
	before = entries_submitted();
	for (int i = 0; i < CLOSES; i++)
		EXPECT_EQ(sp_close(open("/dev/null", O_RDONLY | O_CLOEXEC)), 0);
	EXPECT(entries_submitted() - before < CLOSES + CLOSES / 2);
	EXPECT_EQ(sp_close(pair[1]), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(sp_close(pair[0]), 0);
	return 0;
}

static void test_a_close_cancels_only_what_is_there(void **state)
{
	(void)state;
	run_on(1, close_many, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_profile_is_what_the_runtime_sees),
		cmocka_unit_test(test_shards_wake_each_other),
		cmocka_unit_test(
			test_a_wakeup_is_sent_before_the_sender_computes),
		cmocka_unit_test(test_a_thread_wakes_a_shard),
		cmocka_unit_test(test_idle_shards_take_no_time),
		cmocka_unit_test(test_an_idle_kernel_thread_sleeps),
		cmocka_unit_test(test_the_kernel_thread_runs_on_its_cpu),
		cmocka_unit_test(test_closing_ends_the_waits_on_a_descriptor),
		cmocka_unit_test(test_stop_ends_the_waits_of_dropped_fibers),
		cmocka_unit_test(test_the_end_wakes_every_shard),
		cmocka_unit_test(
			test_a_ring_that_cannot_be_entered_is_not_used),
		cmocka_unit_test(test_a_missing_call_is_not_repeated),
		cmocka_unit_test(test_a_close_cancels_only_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
