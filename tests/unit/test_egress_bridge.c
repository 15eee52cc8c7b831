#include "waiting.h"

#include "egress/batch.h"
#include "egress/bridge.h"

#include <pthread.h>

static struct egress_bridge *bridge_of(uint32_t workers, uint32_t batches)
{
	struct egress_bridge *bridge = NULL;

	assert_int_equal(egress_bridge_new(workers, batches, &bridge), 0);
	return bridge;
}

static struct egress_batch *batch_of(uint64_t number)
{
	struct egress_batch *batch = egress_batch_new(16);

	assert_non_null(batch);
	batch->fence_number = number; /* free for our use: it is no fence */
	batch->len = 10;
	return batch;
}

static void push(struct egress_bridge *bridge, uint32_t worker, uint64_t n)
{
	assert_int_equal(egress_bridge_push(bridge, worker, batch_of(n)), 0);
}

static uint64_t pop_and_give_back(struct egress_bridge *bridge)
{
	struct egress_batch *batch = egress_bridge_pop(bridge);
	uint64_t n;

	assert_non_null(batch);
	n = batch->fence_number;
	egress_bridge_give_back(bridge, batch);
	return n;
}

static void test_sizes_are_checked(void **state)
{
	struct egress_bridge *bridge = NULL;
	struct egress_bridge_stats stats;

	(void)state;
	assert_int_equal(egress_bridge_new(0, 4, &bridge), -EINVAL);
	assert_int_equal(egress_bridge_new(1, 0, &bridge), -EINVAL);
	assert_int_equal(egress_bridge_new(1, EGRESS_BRIDGE_MAX + 1, &bridge),
			 -EINVAL);
	assert_null(bridge);
	bridge = bridge_of(3, 5);
	assert_int_equal(egress_bridge_workers(bridge), 3);
	egress_bridge_stats(bridge, 2, &stats);
	assert_int_equal(stats.capacity, 8);
	egress_bridge_free(bridge);
	egress_bridge_free(NULL);
}

static void test_full_ring_refuses_until_half_empty(void **state)
{
	struct egress_bridge *bridge = bridge_of(1, 4);
	struct egress_batch *extra = batch_of(5);
	struct egress_bridge_stats stats;

	(void)state;
	for (uint64_t n = 1; n <= 4; n++)
		push(bridge, 0, n);
	assert_false(egress_bridge_blocked(bridge, 0));
	assert_int_equal(egress_bridge_push(bridge, 0, extra), -EAGAIN);
	assert_true(egress_bridge_blocked(bridge, 0));

	assert_int_equal(pop_and_give_back(bridge), 1);
	assert_true(egress_bridge_blocked(bridge, 0));
	assert_int_equal(pop_and_give_back(bridge), 2);
	assert_false(egress_bridge_blocked(bridge, 0));
	assert_int_equal(egress_bridge_push(bridge, 0, extra), 0);

	egress_bridge_stats(bridge, 0, &stats);
	assert_int_equal(stats.batches, 3);
	assert_int_equal(stats.batches_max, 4);
	assert_int_equal(stats.bytes, 30);
	assert_int_equal(stats.pushed, 5);
	assert_int_equal(stats.pushed_bytes, 50);
	assert_int_equal(stats.refused, 1);
	egress_bridge_free(bridge); /* frees what is inside */
}

/* One update may make a batch many times larger than it should be. */
static void test_full_by_weight(void **state)
{
	struct egress_bridge *bridge = bridge_of(1, 4);
	struct egress_batch *extra = batch_of(3);

	(void)state;
	for (uint64_t n = 1; n <= 2; n++) {
		struct egress_batch *batch = batch_of(n);

		/* However well it was compressed. */
		batch->plain_len = 4 * EGRESS_BRIDGE_BATCH_BYTES - (uint32_t)n;
		assert_int_equal(egress_bridge_push(bridge, 0, batch), 0);
	}
	assert_int_equal(egress_bridge_push(bridge, 0, extra), -EAGAIN);
	assert_true(egress_bridge_blocked(bridge, 0));
	assert_false(egress_bridge_has_taken(bridge, 0, 1));
	assert_int_equal(pop_and_give_back(bridge), 1);
	assert_true(egress_bridge_has_taken(bridge, 0, 1));
	assert_true(egress_bridge_blocked(bridge, 0));
	assert_int_equal(pop_and_give_back(bridge), 2);
	assert_false(egress_bridge_blocked(bridge, 0));
	assert_true(egress_bridge_has_taken(bridge, 0,
					    egress_bridge_pushed_weight(bridge,
									0)));
	assert_int_equal(egress_bridge_push(bridge, 0, extra), 0);
	egress_bridge_free(bridge);
}

static void test_batches_go_back_to_their_worker(void **state)
{
	struct egress_bridge *bridge = bridge_of(2, 8);
	struct egress_batch *back;

	(void)state;
	push(bridge, 0, 1);
	push(bridge, 1, 2);
	push(bridge, 1, 3);
	assert_null(egress_bridge_take_back(bridge, 0));
	for (int i = 0; i < 3; i++)
		(void)pop_and_give_back(bridge);
	assert_null(egress_bridge_pop(bridge));

	back = egress_bridge_take_back(bridge, 0);
	assert_int_equal(back->fence_number, 1);
	assert_null(back->next);
	egress_batch_free_all(back);
	back = egress_bridge_take_back(bridge, 1);
	assert_int_equal(back->fence_number,
			 3); /* the last one used, still warm */
	assert_int_equal(back->next->fence_number, 2);
	assert_null(back->next->next);
	egress_batch_free_all(back);
	assert_null(egress_bridge_take_back(bridge, 1));
	egress_bridge_free(bridge);
}

/* However much one worker has, another one's only batch is not far. */
static void test_a_busy_worker_does_not_hold_up_others(void **state)
{
	struct egress_bridge *bridge = bridge_of(3, 1024);
	int before = 0;

	(void)state;
	for (int i = 0; i < 1024; i++)
		push(bridge, 0, 0);
	push(bridge, 2, 1);
	while (pop_and_give_back(bridge) == 0)
		before++;
	CHECK(before <= 32, "%d batches came before", before);
	egress_bridge_free(bridge);
}

static struct egress_batch *fence_of(uint64_t number)
{
	struct egress_batch *fence = egress_batch_new(0);

	assert_non_null(fence);
	fence->kind = EGRESS_BATCH_FENCE;
	fence->fence_number = number;
	return fence;
}

static void test_marks_travel_behind_and_come_back_in_order(void **state)
{
	struct egress_bridge *bridge = bridge_of(1, 8);
	struct egress_batch *fences;

	(void)state;
	push(bridge, 0, 100);
	assert_int_equal(egress_bridge_push(bridge, 0, fence_of(1)), 0);
	push(bridge, 0, 101);
	assert_int_equal(egress_bridge_push(bridge, 0, fence_of(2)), 0);
	assert_int_equal(pop_and_give_back(bridge), 100);
	assert_null(egress_bridge_take_fence(bridge, 0));
	assert_int_equal(pop_and_give_back(bridge), 1);
	assert_int_equal(pop_and_give_back(bridge), 101);
	assert_int_equal(pop_and_give_back(bridge), 2);

	fences = egress_bridge_take_fence(bridge, 0);
	assert_int_equal(fences->fence_number, 1);
	assert_int_equal(fences->next->fence_number, 2);
	assert_null(fences->next->next);
	egress_batch_free_all(fences);
	egress_bridge_free(bridge);
}

static struct sp_rt *start_runtime(uint32_t shards)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt = NULL;

	opts.shards = shards;
	assert_int_equal(sp_start(&opts, &rt), 0);
	return rt;
}

static void stop_runtime(struct sp_rt *rt)
{
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
}

static int call_on(struct sp_rt *rt, int (*fn)(void *), void *arg)
{
	int ret = 0;

	assert_int_equal(sp_call_on(rt, 0, fn, arg, &ret), 0);
	return ret;
}

static int wait_for_ever(void *arg)
{
	return egress_bridge_wait(arg, SP_NEVER);
}

static int wait_a_little(void *arg)
{
	return egress_bridge_wait(arg, sp_in(SP_MS));
}

/* Start a fiber, let @act happen once it sleeps, see what it returns. */
static int wake_by(struct sp_rt *rt, int (*wait)(void *),
		   void (*act)(struct egress_bridge *), struct egress_bridge *b)
{
	struct sp_task task;
	int ret = 1;

	assert_int_equal(sp_go_on(rt, 0, wait, b, &task), 0);
	until_waiting(rt, "semaphore", 1);
	act(b);
	assert_int_equal(sp_join_thread(rt, task, &ret), 0);
	return ret;
}

static void push_one(struct egress_bridge *bridge)
{
	push(bridge, 1, 7);
}

static void close_both(struct egress_bridge *bridge)
{
	egress_bridge_close(bridge, 0);
	egress_bridge_close(bridge, 1);
}

static void test_the_publisher_is_woken(void **state)
{
	struct egress_bridge *bridge = bridge_of(2, 8);
	struct sp_rt *rt = start_runtime(1);
	struct egress_batch *late = batch_of(9);

	(void)state;
	assert_int_equal(egress_bridge_wait(bridge, SP_NEVER), -EPERM);
	assert_int_equal(call_on(rt, wait_a_little, bridge), -ETIMEDOUT);
	assert_int_equal(wake_by(rt, wait_for_ever, push_one, bridge), 0);
	assert_int_equal(call_on(rt, wait_for_ever, bridge), 0);
	assert_int_equal(pop_and_give_back(bridge), 7);

	assert_int_equal(wake_by(rt, wait_for_ever, egress_bridge_wake, bridge),
			 0);
	assert_int_equal(call_on(rt, wait_a_little, bridge), -ETIMEDOUT);
	egress_bridge_wake(bridge); /* nobody waits: the next one returns */
	assert_int_equal(call_on(rt, wait_for_ever, bridge), 0);

	push(bridge, 0, 8);
	close_both(bridge);
	assert_int_equal(egress_bridge_push(bridge, 0, late), -EPIPE);
	egress_batch_free(late);
	assert_int_equal(call_on(rt, wait_for_ever, bridge), 0);
	assert_int_equal(pop_and_give_back(bridge), 8);
	assert_int_equal(call_on(rt, wait_for_ever, bridge), -EPIPE);
	stop_runtime(rt);
	egress_bridge_free(bridge);
}

static void test_closing_wakes_the_publisher(void **state)
{
	struct egress_bridge *bridge = bridge_of(2, 8);
	struct sp_rt *rt = start_runtime(1);

	(void)state;
	assert_int_equal(wake_by(rt, wait_for_ever, close_both, bridge),
			 -EPIPE);
	stop_runtime(rt);
	egress_bridge_free(bridge);
}

static int wait_room(void *arg)
{
	return egress_bridge_wait_room(arg, 0, SP_NEVER);
}

static int wait_room_a_little(void *arg)
{
	return egress_bridge_wait_room(arg, 0, sp_in(SP_MS));
}

static int wait_fence(void *arg)
{
	return egress_bridge_wait_fence(arg, 0, SP_NEVER);
}

static void pop_all(struct egress_bridge *bridge)
{
	struct egress_batch *batch;

	while ((batch = egress_bridge_pop(bridge)) != NULL)
		egress_bridge_give_back(bridge, batch);
}

/* In a fiber of the worker, as all of its calls. */
static int fill_up(void *arg)
{
	struct egress_batch *batch = NULL;
	int err;

	do {
		batch = egress_batch_new(0);
		err = egress_bridge_push(arg, 0, batch);
	} while (err == 0);
	egress_batch_free(batch);
	return err;
}

static void test_a_worker_is_woken_when_there_is_room(void **state)
{
	struct egress_bridge *bridge = bridge_of(1, 4);
	struct sp_rt *rt = start_runtime(1);

	(void)state;
	assert_int_equal(call_on(rt, wait_room, bridge), 0);
	assert_int_equal(call_on(rt, fill_up, bridge), -EAGAIN);
	assert_int_equal(call_on(rt, wait_room_a_little, bridge), -ETIMEDOUT);
	assert_int_equal(wake_by(rt, wait_room, pop_all, bridge), 0);
	assert_int_equal(call_on(rt, fill_up, bridge), -EAGAIN);
	assert_int_equal(wake_by(rt, wait_room, egress_bridge_stop, bridge),
			 -EPIPE);
	assert_int_equal(call_on(rt, wait_fence, bridge), -EPIPE);
	stop_runtime(rt);
	egress_bridge_free(bridge);
}

/*
 * Who gives up waiting is rung for all the same. That must not wake the next
 * one, who would be rung for twice then: it went on until nobody slept any more.
 */
static void test_nobody_is_woken_for_others_who_gave_up(void **state)
{
	struct egress_bridge *bridge = bridge_of(1, 4);
	struct sp_rt *rt = start_runtime(1);
	struct egress_bridge_stats stats;

	(void)state;
	assert_int_equal(call_on(rt, fill_up, bridge), -EAGAIN);
	for (int i = 0; i < 20; i++)
		assert_int_equal(call_on(rt, wait_room_a_little, bridge),
				 -ETIMEDOUT);
	pop_all(bridge);
	assert_int_equal(call_on(rt, fill_up, bridge), -EAGAIN);
	assert_int_equal(wake_by(rt, wait_room, pop_all, bridge), 0);
	egress_bridge_stats(bridge, 0, &stats);
	assert_int_equal(stats.waits, 21);
	assert_int_equal(stats.spurious, 0);
	stop_runtime(rt);
	egress_bridge_free(bridge);
}

static int push_fence(void *arg)
{
	return egress_bridge_push(arg, 0, fence_of(1));
}

static void test_a_worker_is_woken_by_a_safe_mark(void **state)
{
	struct egress_bridge *bridge = bridge_of(1, 4);
	struct sp_rt *rt = start_runtime(1);

	(void)state;
	assert_int_equal(call_on(rt, push_fence, bridge), 0);
	assert_int_equal(wake_by(rt, wait_fence, pop_all, bridge), 0);
	assert_int_equal(call_on(rt, wait_fence, bridge), 0);
	stop_runtime(rt);
	egress_bridge_free(bridge);
}

/* Stress: two runtimes, tiny rings, everything at once. */

#define WORKERS 2

struct stress {
	struct egress_bridge *bridge;
	uint32_t worker;
	uint64_t batches;
	uint64_t made;	 /* batches that were allocated */
	uint64_t fences; /* that came back */
};

/* A batch of our own that came back, or a new one. */
static struct egress_batch *stress_batch(struct stress *s,
					 struct egress_batch **unused)
{
	struct egress_batch *batch;

	if (*unused == NULL)
		*unused = egress_bridge_take_back(s->bridge, s->worker);
	batch = *unused;
	if (batch != NULL) {
		*unused = batch->next;
		EXPECT_EQ(batch->worker, s->worker);
		return batch;
	}
	s->made++;
	return egress_batch_new(8);
}

static void stress_push(struct stress *s, struct egress_batch *batch)
{
	int err;

	while ((err = egress_bridge_push(s->bridge, s->worker, batch)) ==
	       -EAGAIN)
		EXPECT_EQ(egress_bridge_wait_room(s->bridge, s->worker,
						  SP_NEVER),
			  0);
	EXPECT_EQ(err, 0);
}

static void stress_marks(struct stress *s)
{
	struct egress_batch *fences =
		egress_bridge_take_fence(s->bridge, s->worker);

	for (struct egress_batch *m = fences; m != NULL; m = m->next)
		EXPECT_EQ(m->fence_number, ++s->fences);
	egress_batch_free_all(fences);
}

static int stress_worker(void *arg)
{
	struct stress *s = arg;
	struct egress_batch *unused = NULL;
	uint64_t fences = 0;

	for (uint64_t n = 1; n <= s->batches; n++) {
		struct egress_batch *batch = stress_batch(s, &unused);

		batch->kind = EGRESS_BATCH_UPDATES;
		memcpy(batch->bytes, &n, sizeof(n));
		batch->len = sizeof(n);
		stress_push(s, batch);
		if (n % 64 == 0) {
			stress_push(s, fence_of(++fences));
			stress_marks(s);
		}
	}
	while (s->fences < fences) {
		EXPECT_EQ(egress_bridge_wait_fence(s->bridge, s->worker,
						   SP_NEVER),
			  0);
		stress_marks(s);
	}
	egress_batch_free_all(unused);
	egress_bridge_close(s->bridge, s->worker);
	return 0;
}

static int stress_publisher(void *arg)
{
	struct egress_bridge *bridge = arg;
	uint64_t last[WORKERS] = { 0 };
	struct egress_batch *batch;
	int err;

	while ((err = egress_bridge_wait(bridge, SP_NEVER)) == 0) {
		while ((batch = egress_bridge_pop(bridge)) != NULL) {
			uint64_t n;

			if (batch->kind != EGRESS_BATCH_FENCE) {
				memcpy(&n, batch->bytes, sizeof(n));
				EXPECT_EQ(n, ++last[batch->worker]);
			} else {
				EXPECT_EQ(batch->fence_number * 64,
					  last[batch->worker]);
			}
			egress_bridge_give_back(bridge, batch);
		}
	}
	EXPECT_EQ(err, -EPIPE);
	return 0;
}

static void test_stress(void **state)
{
	const uint64_t batches = FEWER_IF_SANITIZED(40000);
	struct egress_bridge *bridge = bridge_of(WORKERS, 8);
	struct sp_rt *workers = start_runtime(WORKERS);
	struct sp_rt *publisher = start_runtime(1);
	struct stress s[WORKERS];
	struct sp_task tasks[WORKERS];

	(void)state;
	for (uint32_t i = 0; i < WORKERS; i++) {
		s[i] = (struct stress){ .bridge = bridge,
					.worker = i,
					.batches = batches };
		assert_int_equal(sp_go_on(workers, i, stress_worker, &s[i],
					  &tasks[i]),
				 0);
	}
	assert_int_equal(call_on(publisher, stress_publisher, bridge), 0);
	for (uint32_t i = 0; i < WORKERS; i++) {
		assert_int_equal(sp_join_thread(workers, tasks[i], NULL), 0);
		assert_int_equal(s[i].fences, batches / 64);
		CHECK(s[i].made < 100, "%lu batches made for a ring of 8",
		      (unsigned long)s[i].made);
	}
	stop_runtime(workers);
	stop_runtime(publisher);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
	egress_bridge_free(bridge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_are_checked),
		cmocka_unit_test(test_full_ring_refuses_until_half_empty),
		cmocka_unit_test(test_full_by_weight),
		cmocka_unit_test(test_batches_go_back_to_their_worker),
		cmocka_unit_test(test_a_busy_worker_does_not_hold_up_others),
		cmocka_unit_test(
			test_marks_travel_behind_and_come_back_in_order),
		cmocka_unit_test(test_the_publisher_is_woken),
		cmocka_unit_test(test_closing_wakes_the_publisher),
		cmocka_unit_test(test_a_worker_is_woken_when_there_is_room),
		cmocka_unit_test(test_nobody_is_woken_for_others_who_gave_up),
		cmocka_unit_test(test_a_worker_is_woken_by_a_safe_mark),
		cmocka_unit_test(test_stress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
