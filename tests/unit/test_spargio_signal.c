#include "runtime.h"

#include <spargio/group.h>
#include <spargio/signal.h>
#include <spargio/stats.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define SHARDS 2

static sigset_t set_of(int a, int b)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, a);
	if (b != 0)
		sigaddset(&set, b);
	return set;
}

static struct sp_signals *make(int a, int b)
{
	struct sp_signals *signals;
	sigset_t set = set_of(a, b);

	assert_int_equal(sp_signals_new(&set, &signals), 0);
	return signals;
}

/* A test that failed must not leave a signal behind for the next one. */
static int nothing_pending(void **state)
{
	sigset_t pending;

	(void)state;
	sigpending(&pending);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(&pending, i) == 1)
			return -1;
	return 0;
}

static int take_what_the_test_sent(void *arg)
{
	struct sp_signal got;

	kill(getpid(), SIGUSR1);
	EXPECT_EQ(sp_signals_wait(arg, &got), 0);
	EXPECT_EQ(got.number, SIGUSR1);
	EXPECT_EQ(got.code, SI_USER);
	EXPECT_EQ(got.pid, getpid());
	EXPECT_EQ(got.uid, getuid());
	return 0;
}

static void test_signal_sent_before_the_wait(void **state)
{
	struct sp_signals *signals = make(SIGUSR1, 0);

	(void)state;
	run_on(SHARDS, take_what_the_test_sent, signals);
	sp_signals_free(signals);
}

static void *send_later(void *arg)
{
	(void)arg;
	usleep(20000);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 42 });
	return NULL;
}

static int take_a_queued_value(void *arg)
{
	struct sp_signal got;
	pthread_t sender;

	pthread_create(&sender, NULL, send_later, NULL);
	EXPECT_EQ(sp_signals_wait(arg, &got), 0);
	EXPECT_EQ(got.number, SIGRTMIN);
	EXPECT_EQ(got.code, SI_QUEUE);
	EXPECT_EQ(got.value, 42);
	pthread_join(sender, NULL);
	return 0;
}

static void test_parked_fiber_gets_a_value_from_a_thread(void **state)
{
	struct sp_signals *signals = make(SIGRTMIN, 0);

	(void)state;
	run_on(SHARDS, take_a_queued_value, signals);
	sp_signals_free(signals);
}

/* Deadline, cancel */

static int wait_in_vain(void *arg)
{
	struct sp_signal got = { .number = -1 };
	int64_t before = sp_now();
	int err = sp_signals_wait_until(arg, sp_in(20 * SP_MS), &got);

	EXPECT_EQ(err, -ETIMEDOUT);
	EXPECT(sp_now() - before >= 20 * SP_MS);
	EXPECT_EQ(got.number, -1);

	/* A deadline that has passed does not hide what is there. */
	kill(getpid(), SIGUSR1);
	EXPECT_EQ(sp_signals_wait_until(arg, sp_now(), &got), 0);
	EXPECT_EQ(got.number, SIGUSR1);
	return 0;
}

static void test_deadline(void **state)
{
	struct sp_signals *signals = make(SIGUSR1, 0);

	(void)state;
	run_on(SHARDS, wait_in_vain, signals);
	sp_signals_free(signals);
}

static int wait_once(void *arg)
{
	struct sp_signal got;

	return sp_signals_wait(arg, &got);
}

static int cancel_a_waiter(void *arg)
{
	struct sp_signal got;
	struct sp_task task;
	int ret;

	for (uint32_t shard = 0; shard < SHARDS; shard++) {
		EXPECT_EQ(sp_go_on(NULL, shard, wait_once, arg, &task), 0);
		sp_sleep(5 * SP_MS);
		EXPECT_EQ(sp_cancel(task), 0);
		EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(ret, -ECANCELED);
	}
	/* The one who was cancelled took nothing along. */
	kill(getpid(), SIGUSR1);
	EXPECT_EQ(sp_signals_wait_until(arg, sp_in(SP_S), &got), 0);
	return 0;
}

static void test_cancelled_waiter_takes_nothing_along(void **state)
{
	struct sp_signals *signals = make(SIGUSR1, 0);

	(void)state;
	run_on(SHARDS, cancel_a_waiter, signals);
	sp_signals_free(signals);
}

/* Many waiters */

#define WAITERS 8
#define ROUNDS	50

struct crowd {
	struct sp_signals *signals;
	_Atomic int taken[ROUNDS];
};

static int take_until_cancelled(void *arg)
{
	struct crowd *crowd = arg;
	struct sp_signal got;
	int err;

	while ((err = sp_signals_wait(crowd->signals, &got)) == 0)
		atomic_fetch_add(&crowd->taken[got.value], 1);
	return err == -ECANCELED ? 0 : err;
}

static int total(struct crowd *crowd)
{
	int sum = 0;

	for (int i = 0; i < ROUNDS; i++)
		sum += atomic_load(&crowd->taken[i]);
	return sum;
}

static int send_to_a_crowd(void *arg)
{
	struct crowd *crowd = arg;
	struct sp_attr attr = { .place = SP_ROUND_ROBIN };
	int64_t deadline = sp_in(5 * SP_S);

	EXPECT_EQ(sp_group_new(&attr.group), 0);
	for (int i = 0; i < WAITERS; i++)
		EXPECT_EQ(sp_go_attr(NULL, &attr, take_until_cancelled, crowd,
				     NULL),
			  0);
	for (int i = 0; i < ROUNDS; i++) {
		union sigval value = { .sival_int = i };

		EXPECT_EQ(sigqueue(getpid(), SIGRTMIN, value), 0);
		if (i % 10 == 0)
			sp_sleep(SP_MS);
	}
	while (total(crowd) < ROUNDS && sp_now() < deadline)
		sp_sleep(SP_MS);
	sp_group_free(attr.group);
	for (int i = 0; i < ROUNDS; i++)
		EXPECT_EQ(atomic_load(&crowd->taken[i]), 1);
	return 0;
}

static void test_each_signal_goes_to_one_waiter_of_many(void **state)
{
	struct crowd crowd = { .signals = make(SIGRTMIN, 0) };

	(void)state;
	run_on(SHARDS, send_to_a_crowd, &crowd);
	sp_signals_free(crowd.signals);
}

/* Bad use */

static void test_what_cannot_be_waited_for_is_refused(void **state)
{
	static const int bad[] = { SIGKILL, SIGSTOP, SIGSEGV,
				   SIGBUS,  SIGFPE,  SIGILL };
	struct sp_signals *signals = NULL;
	sigset_t set;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		set = set_of(SIGUSR1, bad[i]);
		CHECK(sp_signals_new(&set, &signals) == -EINVAL, "%s",
		      strsignal(bad[i]));
		assert_int_equal(sp_signals_block(&set), -EINVAL);
	}
	sigemptyset(&set);
	assert_int_equal(sp_signals_new(&set, &signals), -EINVAL);
	assert_null(signals);
	sp_signals_free(NULL);
}

static int make_too_late(void *arg)
{
	sigset_t set = set_of(SIGUSR1, SIGHUP);
	struct sp_signals *signals = NULL;

	(void)arg;
	EXPECT_EQ(sp_signals_new(&set, &signals), -EBUSY);
	EXPECT(signals == NULL);
	set = set_of(SIGUSR2, 0);
	EXPECT_EQ(sp_signals_new(&set, &signals), 0);
	sp_signals_free(signals);
	return 0;
}

static void test_in_a_fiber_only_what_is_blocked_already(void **state)
{
	sigset_t set = set_of(SIGUSR2, 0);

	(void)state;
	assert_int_equal(sp_signals_block(&set), 0);
	run_on(SHARDS, make_too_late, NULL);
}

static void test_waiting_outside_a_fiber_is_refused(void **state)
{
	struct sp_signals *signals = make(SIGUSR1, 0);
	struct sp_signal got;

	(void)state;
	assert_int_equal(sp_signals_wait(signals, &got), -EPERM);
	sp_signals_free(signals);
}

/* The dump names what it waits for. */

static int look_at_the_dump(void *arg)
{
	struct sp_task task;
	char text[4096] = { 0 };
	FILE *file = tmpfile();

	EXPECT_EQ(sp_go(wait_once, arg, &task), 0);
	sp_sleep(5 * SP_MS);
	EXPECT_EQ(sp_dump(sp_runtime(), fileno(file)), 0);
	rewind(file);
	EXPECT(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	EXPECT(strstr(text, "waiting for signal"));
	sp_cancel(task);
	sp_join(task, NULL);
	return 0;
}

static void test_dump_says_signal(void **state)
{
	struct sp_signals *signals = make(SIGUSR1, 0);

	(void)state;
	run_on(SHARDS, look_at_the_dump, signals);
	sp_signals_free(signals);
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_pending)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_signal_sent_before_the_wait),
		TEST(test_parked_fiber_gets_a_value_from_a_thread),
		TEST(test_deadline),
		TEST(test_cancelled_waiter_takes_nothing_along),
		TEST(test_each_signal_goes_to_one_waiter_of_many),
		TEST(test_what_cannot_be_waited_for_is_refused),
		TEST(test_in_a_fiber_only_what_is_blocked_already),
		TEST(test_waiting_outside_a_fiber_is_refused),
		TEST(test_dump_says_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
