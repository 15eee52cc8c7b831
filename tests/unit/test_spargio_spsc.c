#include "check.h"

#include <spargio/spsc.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#define ITEMS 200000

static void test_capacity_must_be_a_power_of_two(void **state)
{
	struct sp_spsc *mb = NULL;

	(void)state;
	assert_int_equal(sp_spsc_new(0, &mb), -EINVAL);
	assert_int_equal(sp_spsc_new(3, &mb), -EINVAL);
	assert_null(mb);
}

static void test_full_ring_refuses_and_order_holds(void **state)
{
	struct sp_spsc *mb;
	int items[5];

	(void)state;
	assert_int_equal(sp_spsc_new(4, &mb), 0);
	for (int lap = 0; lap < 3; lap++) {
		for (int i = 0; i < 4; i++)
			assert_int_equal(sp_spsc_push(mb, &items[i]), 0);
		assert_int_equal(sp_spsc_push(mb, &items[4]), -EAGAIN);
		for (int i = 0; i < 4; i++)
			assert_ptr_equal(sp_spsc_pop(mb), &items[i]);
		assert_null(sp_spsc_pop(mb));
	}
	sp_spsc_free(mb);
}

static void *produce(void *arg)
{
	struct sp_spsc *mb = arg;

	for (uintptr_t i = 1; i <= ITEMS; i++)
		while (sp_spsc_push(mb, (void *)i) == -EAGAIN)
			sched_yield();
	return NULL;
}

static void test_two_threads_see_every_item_once_in_order(void **state)
{
	struct sp_spsc *mb;
	pthread_t producer;

	(void)state;
	assert_int_equal(sp_spsc_new(64, &mb), 0);
	assert_int_equal(pthread_create(&producer, NULL, produce, mb), 0);
	for (uintptr_t want = 1; want <= ITEMS;) {
		void *item = sp_spsc_pop(mb);

		if (item == NULL) {
			sched_yield();
			continue;
		}
		assert_int_equal((uintptr_t)item, want);
		want++;
	}
	pthread_join(producer, NULL);
	assert_null(sp_spsc_pop(mb));
	sp_spsc_free(mb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capacity_must_be_a_power_of_two),
		cmocka_unit_test(test_full_ring_refuses_and_order_holds),
		cmocka_unit_test(test_two_threads_see_every_item_once_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
