/*
 * Every fiber pushed comes out exactly once, to its owner or to a stealer.
 */
#include "check.h"

#include "spargio/sched/runq.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define ITEMS	 400000
#define STEALERS 2

static struct sp__runq owners, stealers[STEALERS];
static atomic_uchar seen[ITEMS + 1];
static atomic_bool over;

static void take(struct sp_fiber *f)
{
	atomic_fetch_add(&seen[(uintptr_t)f], 1);
}

static void *stealer(void *arg)
{
	struct sp__runq *own = arg;

	while (!atomic_load(&over)) {
		uint32_t moved = 0;
		struct sp_fiber *f = sp__runq_steal(&owners, own, 128, &moved);

		if (f == NULL) {
			sched_yield();
			continue;
		}
		take(f);
		while ((f = sp__runq_pop(own)) != NULL)
			take(f);
	}
	return NULL;
}

static void test_nothing_is_lost_or_doubled_under_theft(void **state)
{
	pthread_t threads[STEALERS];
	struct sp_fiber *f;

	(void)state;
	for (int i = 0; i < STEALERS; i++)
		pthread_create(&threads[i], NULL, stealer, &stealers[i]);
	for (uintptr_t i = 1; i <= ITEMS; i++) {
		while (!sp__runq_push(&owners, (struct sp_fiber *)i)) {
			f = sp__runq_pop(&owners);
			if (f != NULL)
				take(f);
		}
		if (i % 3 == 0 && (f = sp__runq_pop(&owners)) != NULL)
			take(f);
	}
	while ((f = sp__runq_pop(&owners)) != NULL)
		take(f);
	atomic_store(&over, true);
	for (int i = 0; i < STEALERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i <= ITEMS; i++)
		CHECK(atomic_load(&seen[i]) == 1, "item %d seen %d times", i,
		      atomic_load(&seen[i]));
}

static void test_order_and_bounds_for_the_owner(void **state)
{
	static struct sp__runq q;

	(void)state;
	assert_null(sp__runq_pop(&q));
	for (uintptr_t i = 1; i <= SP__RUNQ_SIZE; i++)
		assert_true(sp__runq_push(&q, (struct sp_fiber *)i));
	assert_false(sp__runq_push(&q, (struct sp_fiber *)1));
	assert_int_equal(sp__runq_len(&q), SP__RUNQ_SIZE);
	for (uintptr_t i = 1; i <= SP__RUNQ_SIZE; i++)
		assert_int_equal((uintptr_t)sp__runq_pop(&q), i);
	assert_null(sp__runq_pop(&q));
}

static void test_a_steal_takes_the_older_half(void **state)
{
	static struct sp__runq from, to;
	uint32_t moved;

	(void)state;
	for (uintptr_t i = 1; i <= 9; i++)
		sp__runq_push(&from, (struct sp_fiber *)i);
	assert_int_equal((uintptr_t)sp__runq_steal(&from, &to, 128, &moved), 5);
	assert_int_equal(moved, 5);
	for (uintptr_t i = 1; i <= 4; i++)
		assert_int_equal((uintptr_t)sp__runq_pop(&to), i);
	for (uintptr_t i = 6; i <= 9; i++)
		assert_int_equal((uintptr_t)sp__runq_pop(&from), i);
	assert_null(sp__runq_steal(&from, &to, 128, &moved));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_bounds_for_the_owner),
		cmocka_unit_test(test_a_steal_takes_the_older_half),
		cmocka_unit_test(test_nothing_is_lost_or_doubled_under_theft),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
