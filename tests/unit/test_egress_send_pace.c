#include "check.h"

#include "egress/publisher/send_pace.h"
#include "egress/publisher/send_queue.h"

#define MS    INT64_C(1000000)
#define START (1000 * MS)
#define MB    (UINT64_C(1) << 20)
#define FLOOR MB

/*
 * A broker that takes @rate bytes a second and answers after @way at the
 * soonest; as much as the limit allows is under way all the time, from @now
 * until @until. Returns @until.
 */
static int64_t keep_busy(struct send_pace *pace, uint64_t rate, int64_t way,
			 int64_t now, int64_t until)
{
	/* The first message goes alone. */
	send_pace_safe(pace, 1000, now - way, now);
	for (; now < until; now += MS) {
		uint64_t queued = pace->limit;
		/* Behind all that is under way. */
		int64_t took = (int64_t)(queued * 1000 / (rate / 1000000));

		if (took < way)
			took = way;
		pace->bounded = true;
		send_pace_safe(pace, queued * MS / (uint64_t)took, now - took,
			       now);
	}
	return until;
}

static void test_it_begins_with_the_floor(void **state)
{
	struct send_pace pace;

	(void)state;
	send_pace_reset(&pace, FLOOR);
	assert_int_equal(pace.limit, FLOOR);
	/* A slow one never has less. */
	keep_busy(&pace, 2000000, MS, START, START + 1000 * MS);
	assert_int_equal(pace.limit, FLOOR);
}

static void test_the_limit_follows_the_rate(void **state)
{
	struct send_pace pace;
	int64_t now;

	(void)state;
	send_pace_reset(&pace, FLOOR);
	now = keep_busy(&pace, 1000 * MB, MS, START, START + 500 * MS);
	/* 1000 MB/s for 6 ms. */
	assert_in_range(pace.limit, 5 * MB, 7 * MB);
	/* Slower for longer than the periods that are remembered. */
	keep_busy(&pace, 300 * MB, MS, now, now + 1000 * MS);
	assert_in_range(pace.limit, 3 * MB / 2, 2 * MB);
}

/* The rate of a broker that is far away is not that of the floor. */
static void test_a_long_way_does_not_bound_the_rate(void **state)
{
	struct send_pace pace;

	(void)state;
	send_pace_reset(&pace, FLOOR);
	keep_busy(&pace, 200 * MB, 100 * MS, START, START + 10000 * MS);
	/* 200 MB/s over 100 ms need 20 MB under way. */
	assert_in_range(pace.limit, 20 * MB, 28 * MB);
}

static void test_what_was_not_held_back_lowers_nothing(void **state)
{
	struct send_pace pace;
	uint64_t limit;
	int64_t now;

	(void)state;
	send_pace_reset(&pace, FLOOR);
	now = keep_busy(&pace, 500 * MB, MS, START, START + 500 * MS);
	limit = pace.limit;
	/* Little comes for two seconds, and nothing for one. */
	for (int64_t until = now + 2000 * MS; now < until; now += MS) {
		send_pace_safe(&pace, 1000, now - MS, now);
		pace.bounded = false;
	}
	send_pace_idle(&pace);
	now += 1000 * MS;
	send_pace_safe(&pace, 1000, now - MS, now);
	assert_true(pace.limit >= limit - limit / 10);
	/* Nor does the time in which nothing came count for what comes now. */
	keep_busy(&pace, 500 * MB, MS, now, now + 500 * MS);
	assert_true(pace.limit >= limit - limit / 10);
}

static void test_odd_times_and_amounts(void **state)
{
	struct send_pace pace;

	(void)state;
	send_pace_reset(&pace, FLOOR);
	/* Clocks that went back, a way of an hour, and all memory at once. */
	send_pace_safe(&pace, 0, START, START - MS);
	send_pace_safe(&pace, UINT64_C(1) << 34, START - 3600 * 1000 * MS,
		       START);
	send_pace_safe(&pace, UINT64_C(1) << 34, START, START + 30 * MS);
	assert_true(pace.limit >= FLOOR);
	assert_true(pace.limit <= UINT64_C(1) << 44);
}

static void test_a_queue_is_paced_by_its_weight(void **state)
{
	struct send_queue queue;
	struct send_entry entry = { .weight = 32768, .sent_ns = START };

	(void)state;
	assert_int_equal(send_queue_init(&queue, 64, FLOOR), 0);
	assert_false(send_queue_paced(&queue));
	while (queue.weight < FLOOR) {
		assert_false(send_queue_paced(&queue));
		send_queue_push(&queue, entry);
	}
	assert_true(send_queue_paced(&queue));
	for (int64_t now = START + MS; !send_queue_empty(&queue); now += MS) {
		send_queue_note_safe(&queue, now);
		send_queue_drop_first(&queue);
	}
	assert_false(send_queue_paced(&queue));
	assert_int_equal(queue.pace.shortest, MS);
	send_queue_fini(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_begins_with_the_floor),
		cmocka_unit_test(test_the_limit_follows_the_rate),
		cmocka_unit_test(test_a_long_way_does_not_bound_the_rate),
		cmocka_unit_test(test_what_was_not_held_back_lowers_nothing),
		cmocka_unit_test(test_odd_times_and_amounts),
		cmocka_unit_test(test_a_queue_is_paced_by_its_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
