#include "waiting.h"

#include <errno.h>

/*
 * A machine that is busy can be late by any time, but not always: the best of
 * some tries is judged.
 */
#define SLACK (5 * SP_MS)
#define TRIES 50

static int64_t sleep_once(int64_t ns)
{
	int64_t began = sp_now();
	int64_t took;

	EXPECT_EQ(sp_sleep(ns), 0);
	took = sp_now() - began;
	EXPECT(took >= ns);
	return took;
}

static int sleep_body(void *arg)
{
	static const int64_t lengths[] = { 0,	       1,	    SP_US,
					   50 * SP_US, 300 * SP_US, 3 * SP_MS,
					   20 * SP_MS };

	(void)arg;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		int64_t took = sleep_once(lengths[i]);

		for (int n = 1; n < TRIES && took > lengths[i] + SLACK; n++)
			took = sleep_once(lengths[i]);
		EXPECT(took <= lengths[i] + SLACK);
	}
	EXPECT_EQ(sp_sleep_until(0), 0);
	return 0;
}

static void test_sleep_is_never_short(void **state)
{
	(void)state;
	run_on(1, sleep_body, NULL);
	run_on(2, sleep_body, NULL);
}

/* Many sleepers of different lengths wake in order of their deadlines. */

static atomic_int woken;

struct sleeper {
	int64_t when;
	int place;
};

static int sleeper_main(void *arg)
{
	struct sleeper *s = arg;

	EXPECT_EQ(sp_sleep_until(s->when), 0);
	EXPECT(sp_now() >= s->when);
	s->place = atomic_fetch_add(&woken, 1);
	return 0;
}

/* True if all were asleep before the first was due: only then it counts. */
static bool order_round(int64_t lead)
{
	enum {
		SLEEPERS = 200
	};
	static struct sleeper sleepers[SLEEPERS];
	struct sp_task tasks[SLEEPERS];
	int64_t base = sp_in(lead);
	bool in_time;

	atomic_store(&woken, 0);
	for (int i = 0; i < SLEEPERS; i++) {
		/* Two ticks apart, handed out in a scattered order. */
		int place = i * 77 % SLEEPERS;

		sleepers[place].when = base + place * 140 * SP_US;
		EXPECT_EQ(sp_go_on(NULL, 0, sleeper_main, &sleepers[place],
				   &tasks[i]),
			  0);
	}
	for (int i = 0; i < SLEEPERS; i++)
		sp_yield();
	in_time = sp_now() < base;
	for (int i = 0; i < SLEEPERS; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	for (int i = 0; in_time && i < SLEEPERS; i++)
		EXPECT_EQ(sleepers[i].place, i);
	return in_time;
}

static int order_body(void *arg)
{
	int64_t lead = 20 * SP_MS;

	(void)arg;
	while (!order_round(lead) && lead < 20 * SP_S)
		lead *= 2;
	EXPECT(lead < 20 * SP_S);
	return 0;
}

static void test_sleepers_wake_in_order(void **state)
{
	(void)state;
	run_on(1, order_body, NULL);
}

/* Scopes */

static int sleep_long(void *arg)
{
	(void)arg;
	return sp_sleep(10 * SP_S);
}

static int nested(void *arg)
{
	(void)arg;
	/* The outer, nearer deadline counts. */
	return sp_timeout(10 * SP_S, sleep_long, NULL);
}

static int scope_body(void *arg)
{
	struct sp_scope outer, inner;
	int64_t soon = sp_in(2 * SP_MS);

	(void)arg;
	EXPECT_EQ(sp_deadline(), SP_NEVER);
	sp_deadline_push(&outer, soon);
	sp_deadline_push(&inner, SP_NEVER);
	EXPECT_EQ(sp_deadline(), soon);
	EXPECT_EQ(sp_sleep(10 * SP_S), -ETIMEDOUT);
	sp_deadline_pop(&inner);
	sp_deadline_pop(&outer);
	EXPECT_EQ(sp_deadline(), SP_NEVER);
	EXPECT_EQ(sp_timeout(2 * SP_MS, nested, NULL), -ETIMEDOUT);
	EXPECT_EQ(sp_timeout_at(sp_in(SP_MS), sleep_long, NULL), -ETIMEDOUT);
	EXPECT_EQ(sp_sleep(SP_MS), 0);
	EXPECT_EQ(sp_in(INT64_MAX), SP_NEVER);
	return 0;
}

static void test_the_nearest_deadline_counts(void **state)
{
	(void)state;
	run_on(1, scope_body, NULL);
}

/* Timers that move */

struct reset {
	struct sp_timer *timer;
	atomic_bool fired;
};

static int timer_main(void *arg)
{
	struct reset *r = arg;
	int err = sp_timer_wait(r->timer);

	atomic_store(&r->fired, true);
	return err;
}

static int reset_body(void *arg)
{
	struct reset r = { 0 };
	struct sp_task task;
	int64_t first = sp_in(200 * SP_MS);
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_timer_new(first, &r.timer), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, timer_main, &r, &task), 0);
	until_waiting(sp_runtime(), "timer", 1);
	EXPECT_EQ(sp_timer_when(r.timer), first);
	for (int i = 0; i < 10; i++)
		sp_timer_reset(r.timer, sp_in(60 * SP_S));
	EXPECT(!sp_timer_elapsed(r.timer));
	sp_sleep_until(first + 10 * SP_MS);
	EXPECT(!atomic_load(&r.fired));
	/* Sooner, too. */
	sp_timer_reset(r.timer, sp_in(SP_MS));
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(sp_timer_wait(r.timer), 0);
	EXPECT(sp_timer_elapsed(r.timer));
	sp_timer_reset(r.timer, SP_NEVER);
	EXPECT_EQ(sp_timer_when(r.timer), SP_NEVER);
	EXPECT(!sp_timer_elapsed(r.timer));
	EXPECT_EQ(sp_timer_wait_until(r.timer, sp_in(SP_MS)), -ETIMEDOUT);
	sp_timer_free(r.timer);
	return 0;
}

static void test_a_timer_can_be_moved_from_another_shard(void **state)
{
	(void)state;
	run_on(2, reset_body, NULL);
}

/* Intervals */

enum {
	BEAT = 4 * SP_MS
};

/* What @how makes of a tick that came late by five beats or more. */
struct late {
	int64_t first;	/* the tick that was missed */
	int64_t before; /* when it was asked for */
	int64_t after;
	struct sp_interval interval;
};

static struct late come_late(enum sp_missed how)
{
	struct late late;

	EXPECT_EQ(sp_interval_init(&late.interval, BEAT, how), 0);
	EXPECT_EQ(sp_interval_wait(&late.interval), 0);
	late.first = late.interval.next;
	sp_sleep_until(late.first + 5 * BEAT);
	late.before = sp_now();
	EXPECT_EQ(sp_interval_wait(&late.interval), 0);
	late.after = sp_now();
	return late;
}

static int interval_body(void *arg)
{
	struct sp_interval interval;
	struct late late;

	(void)arg;
	EXPECT_EQ(sp_interval_init(&interval, 0, SP_BURST), -EINVAL);

	/* All of them: the next one is still in the past. */
	late = come_late(SP_BURST);
	EXPECT_EQ(late.interval.next, late.first + BEAT);

	/* None of them, and the beat is kept. */
	late = come_late(SP_SKIP);
	EXPECT(late.interval.next > late.before);
	EXPECT(late.interval.next <= late.after + BEAT);
	EXPECT_EQ((late.interval.next - late.first) % BEAT, 0);

	/* None of them, and a new beat begins. */
	late = come_late(SP_DELAY);
	EXPECT(late.interval.next >= late.before + BEAT);
	EXPECT(late.interval.next <= late.after + BEAT);
	return 0;
}

static void test_intervals_make_up_or_skip(void **state)
{
	(void)state;
	run_on(1, interval_body, NULL);
}

static int beat_body(void *arg)
{
	struct sp_interval interval;
	int64_t first;

	(void)arg;
	EXPECT_EQ(sp_interval_init(&interval, 3 * SP_MS, SP_SKIP), 0);
	first = interval.next;
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(sp_interval_wait(&interval), 0);
		sp_sleep(i * SP_MS);
		EXPECT_EQ((interval.next - first) % (3 * SP_MS), 0);
	}
	return 0;
}

static void test_skip_keeps_the_beat(void **state)
{
	(void)state;
	run_on(1, beat_body, NULL);
}

static int start_body(void *arg)
{
	struct sp_interval interval;
	int64_t start = sp_in(2 * SP_MS);
	int64_t before;

	(void)arg;
	EXPECT_EQ(sp_interval_init_at(&interval, start, 0, SP_SKIP), -EINVAL);
	EXPECT_EQ(sp_interval_init_at(&interval, -1, BEAT, SP_SKIP), -EINVAL);

	EXPECT_EQ(sp_interval_init_at(&interval, start, BEAT, SP_BURST), 0);
	EXPECT_EQ(sp_interval_wait(&interval), 0);
	EXPECT(sp_now() >= start);
	EXPECT_EQ(interval.next, start + BEAT);

	/* A start that has passed gives the phase of later ticks. */
	start = 3;
	before = sp_now();
	EXPECT_EQ(sp_interval_init_at(&interval, start, BEAT, SP_SKIP), 0);
	EXPECT_EQ(sp_interval_wait(&interval), 0);
	EXPECT(interval.next > before);
	EXPECT_EQ((interval.next - start) % BEAT, 0);

	/* No tick after the last representable one. */
	EXPECT_EQ(sp_interval_init_at(&interval, start, INT64_MAX, SP_BURST),
		  0);
	EXPECT_EQ(sp_interval_wait(&interval), 0);
	EXPECT_EQ(interval.next, SP_NEVER);
	return 0;
}

static void test_an_interval_begins_at_its_start(void **state)
{
	(void)state;
	run_on(1, start_body, NULL);
}

/* 10,000 deadlines at one moment (zio#623) */

static int same_moment(void *arg)
{
	return sp_sleep_until(*(int64_t *)arg);
}

static int storm_body(void *arg)
{
	/* TSan takes each for a thread, and knows 8128 of them at most. */
	enum {
		MANY = FEWER_IF_SANITIZED(10000)
	};
	static struct sp_task tasks[MANY];
	int64_t when = sp_in(100 * SP_MS);

	(void)arg;
	for (int i = 0; i < MANY; i++)
		EXPECT_EQ(sp_go_on(NULL, (uint32_t)i % 2, same_moment, &when,
				   &tasks[i]),
			  0);
	for (int i = 0; i < MANY; i++) {
		int ret = -1;

		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT_EQ(ret, 0);
	}
	return 0;
}

static void test_ten_thousand_deadlines_at_once(void **state)
{
	(void)state;
	run_on(2, storm_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleep_is_never_short),
		cmocka_unit_test(test_sleepers_wake_in_order),
		cmocka_unit_test(test_the_nearest_deadline_counts),
		cmocka_unit_test(test_a_timer_can_be_moved_from_another_shard),
		cmocka_unit_test(test_intervals_make_up_or_skip),
		cmocka_unit_test(test_skip_keeps_the_beat),
		cmocka_unit_test(test_an_interval_begins_at_its_start),
		cmocka_unit_test(test_ten_thousand_deadlines_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
