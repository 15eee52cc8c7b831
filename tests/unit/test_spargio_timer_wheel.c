/*
 * The wheel races against a plain array that is searched from end to end.
 */
#include "check.h"

#include "spargio/sched/timer_wheel.h"

#include <stdio.h>
#include <time.h>

#define TICK   (INT64_C(1) << SP__TIMER_WHEEL_TICK_BITS)
#define TIMERS 300

struct model {
	struct sp__timer timer;
	int64_t when;
	bool set;
};

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Distances of every magnitude, also beyond the last level. */
static int64_t random_distance(void)
{
	unsigned int bits = (unsigned int)(next_random() % 56);

	return (int64_t)(next_random() & ((UINT64_C(1) << bits) - 1));
}

static void check_expired(struct sp__timer_wheel *wheel, struct model *models,
			  int64_t now)
{
	struct sp__timer *timer;

	while ((timer = sp__timer_wheel_expire(wheel, now)) != NULL) {
		struct model *m = (struct model *)timer;

		CHECK(m->set, "fired though not set");
		CHECK(m->when <= now, "fired early");
		m->set = false;
	}
	for (int i = 0; i < TIMERS; i++)
		CHECK(!models[i].set || models[i].when > now - TICK,
		      "timer %d is more than a tick late", i);
}

static int64_t earliest(const struct model *models)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < TIMERS; i++)
		if (models[i].set && models[i].when < first)
			first = models[i].when;
	return first;
}

static void step(struct sp__timer_wheel *wheel, struct model *models,
		 int64_t *now)
{
	struct model *m = &models[next_random() % TIMERS];

	switch (next_random() % 4) {
	case 0:
	case 1:
		if (!m->set) {
			m->when = *now + random_distance();
			m->set = true;
			sp__timer_wheel_set(wheel, &m->timer, m->when);
		}
		break;
	case 2:
		sp__timer_wheel_clear(wheel, &m->timer);
		m->set = false;
		break;
	default:
		*now += random_distance() >> (next_random() % 24);
		check_expired(wheel, models, *now);
	}
	sp__timer_wheel_validate(wheel);
	CHECK(sp__timer_wheel_next(wheel) == INT64_MAX ||
		      sp__timer_wheel_next(wheel) < earliest(models) + TICK,
	      "would sleep past a deadline");
	CHECK((earliest(models) == INT64_MAX) == (wheel->count == 0),
	      "count is wrong");
}

static void test_wheel_agrees_with_a_plain_array(void **unused)
{
	uint64_t seed = (uint64_t)time(NULL) | 1;

	(void)unused;
	print_message("seed %llu\n", (unsigned long long)seed);
	state = seed;
	for (int round = 0; round < 20; round++) {
		static struct model models[TIMERS];
		static struct sp__timer_wheel wheel;
		/* Also near where the digits of all levels carry. */
		int64_t now = round % 2 ? (INT64_C(1) << 52) - 7 * TICK
					: (int64_t)(next_random() >> 10);

		for (int i = 0; i < TIMERS; i++)
			models[i] = (struct model){ 0 };
		sp__timer_wheel_init(&wheel, now);
		for (int i = 0; i < 5000; i++)
			step(&wheel, models, &now);
	}
}

static void test_past_times_fire_at_once(void **unused)
{
	struct sp__timer timer = { 0 };
	struct sp__timer_wheel wheel;

	(void)unused;
	sp__timer_wheel_init(&wheel, 100 * TICK);
	sp__timer_wheel_set(&wheel, &timer, 5);
	assert_true(sp__timer_wheel_next(&wheel) <= 100 * TICK);
	assert_ptr_equal(sp__timer_wheel_expire(&wheel, 100 * TICK), &timer);
	assert_false(sp__timer_is_set(&timer));
	assert_null(sp__timer_wheel_expire(&wheel, 100 * TICK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wheel_agrees_with_a_plain_array),
		cmocka_unit_test(test_past_times_fire_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
