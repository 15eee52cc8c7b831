#include "waiting.h"

#include <spargio/channel.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#define SENDERS	  4
#define RECEIVERS 4
#define ITEMS	  10000 /* of each sender */

struct item {
	uint32_t sender;
	uint32_t number;
};

/* One fiber alone */

static int alone_body(void *arg)
{
	struct sp_chan *chan;
	int out = 0;

	(void)arg;
	EXPECT_EQ(sp_chan_new(sizeof(int), 3, &chan), 0);
	EXPECT_EQ(sp_chan_try_recv(chan, &out), -EAGAIN);
	for (int lap = 0; lap < 5; lap++) {
		for (int i = 0; i < 3; i++)
			EXPECT_EQ(sp_chan_send(chan, &i), 0);
		EXPECT_EQ(sp_chan_length(chan), 3);
		EXPECT_EQ(sp_chan_try_send(chan, &lap), -EAGAIN);
		EXPECT_EQ(sp_chan_send_until(chan, &lap, sp_in(SP_MS)),
			  -ETIMEDOUT);
		for (int i = 0; i < 3; i++) {
			EXPECT_EQ(sp_chan_recv(chan, &out), 0);
			EXPECT_EQ(out, i);
		}
		out = 77;
		EXPECT_EQ(sp_chan_recv_until(chan, &out, sp_in(SP_MS)),
			  -ETIMEDOUT);
		EXPECT_EQ(out, 77);
	}
	sp_chan_free(chan);
	return 0;
}

static void test_full_refuses_empty_waits_order_holds(void **state)
{
	struct sp_chan *chan = NULL;
	int item = 0;

	(void)state;
	run_on(1, alone_body, NULL);
	assert_int_equal(sp_chan_new(0, 1, &chan), -EINVAL);
	assert_int_equal(sp_chan_new(SIZE_MAX / 2, 4, &chan), -EOVERFLOW);
	assert_null(chan);
	assert_int_equal(sp_chan_new(sizeof(int), 1, &chan), 0);
	assert_int_equal(sp_chan_send(chan, &item), -EPERM);
	assert_int_equal(sp_chan_recv(chan, &item), -EPERM);
	sp_chan_free(chan);
	sp_chan_free(NULL);
}

/* Many to many */

struct traffic {
	struct sp_chan *chan;
	bool stealable;
	atomic_uint next_sender;
	atomic_uchar seen[SENDERS][ITEMS];
	atomic_uint received;
};

static int send_all(void *arg)
{
	struct traffic *t = arg;
	struct item item = { .sender = atomic_fetch_add(&t->next_sender, 1) };

	for (; item.number < ITEMS; item.number++) {
		EXPECT_EQ(sp_chan_send(t->chan, &item), 0);
		if (item.number % 1000 == 0)
			sp_yield();
	}
	return 0;
}

static int recv_all(void *arg)
{
	struct traffic *t = arg;
	int64_t last[SENDERS] = { -1, -1, -1, -1 };
	struct item item;
	int err;

	while ((err = sp_chan_recv(t->chan, &item)) == 0) {
		EXPECT(item.sender < SENDERS && item.number < ITEMS);
		EXPECT_EQ(atomic_fetch_add(&t->seen[item.sender][item.number],
					   1),
			  0);
		/* What one receiver gets of one sender is in order. */
		EXPECT((int64_t)item.number > last[item.sender]);
		last[item.sender] = item.number;
		atomic_fetch_add(&t->received, 1);
	}
	EXPECT_EQ(err, -EPIPE);
	return 0;
}

static void spawn(struct traffic *t, uint32_t i, int (*fn)(void *),
		  struct sp_task *out)
{
	struct sp_attr attr = {
		.place = t->stealable ? SP_STEALABLE : SP_PINNED,
		.shard = i % sp_shard_count(sp_runtime()),
	};

	EXPECT_EQ(sp_go_attr(NULL, &attr, fn, t, out), 0);
}

static int traffic_body(void *arg)
{
	struct traffic *t = arg;
	struct sp_task sender[SENDERS], receiver[RECEIVERS];

	for (uint32_t i = 0; i < SENDERS; i++)
		spawn(t, i, send_all, &sender[i]);
	for (uint32_t i = 0; i < RECEIVERS; i++)
		spawn(t, i / 2, recv_all, &receiver[i]);
	for (int i = 0; i < SENDERS; i++)
		EXPECT_EQ(sp_join(sender[i], NULL), 0);
	sp_chan_close(t->chan);
	for (int i = 0; i < RECEIVERS; i++)
		EXPECT_EQ(sp_join(receiver[i], NULL), 0);
	EXPECT_EQ(atomic_load(&t->received), SENDERS * ITEMS);
	EXPECT_EQ(sp_chan_length(t->chan), 0);
	return 0;
}

static void test_every_item_arrives_once_in_order(void **state)
{
	static struct traffic t;
	static const uint32_t capacities[] = { 0, 1, 7, 256 };

	(void)state;
	for (size_t i = 0; i < COUNT(capacities); i++) {
		for (uint32_t way = 0; way < 3; way++) {
			memset(&t, 0, sizeof(t));
			t.stealable = way == 2;
			assert_int_equal(sp_chan_new(sizeof(struct item),
						     capacities[i], &t.chan),
					 0);
			run_on(way == 0 ? 1 : 2, traffic_body, &t);
			sp_chan_free(t.chan);
		}
	}
}

/* Rendezvous */

struct pair {
	struct sp_chan *chan;
	atomic_int stage;
	int value;
};

static int send_value(void *arg)
{
	struct pair *p = arg;
	int err;

	atomic_fetch_add(&p->stage, 1);
	err = sp_chan_send(p->chan, &p->value);
	atomic_fetch_add(&p->stage, 1);
	return err;
}

static int recv_value(void *arg)
{
	struct pair *p = arg;
	int err;

	atomic_fetch_add(&p->stage, 1);
	err = sp_chan_recv(p->chan, &p->value);
	atomic_fetch_add(&p->stage, 1);
	return err;
}

static int rendezvous_body(void *arg)
{
	struct pair p = { .value = 5 };
	uint32_t shard = sp_shard_count(sp_runtime()) - 1;
	struct sp_task task;
	int out = 0;

	(void)arg;
	EXPECT_EQ(sp_chan_new(sizeof(int), 0, &p.chan), 0);
	EXPECT_EQ(sp_chan_try_send(p.chan, &out), -EAGAIN);
	EXPECT_EQ(sp_chan_try_recv(p.chan, &out), -EAGAIN);

	/* A send does not return before somebody receives. */
	EXPECT_EQ(sp_go_on(NULL, shard, send_value, &p, &task), 0);
	until_waiting(sp_runtime(), "channel send", 1);
	EXPECT_EQ(atomic_load(&p.stage), 1);
	EXPECT_EQ(sp_chan_length(p.chan), 0);
	EXPECT_EQ(sp_chan_try_recv(p.chan, &out), 0);
	EXPECT_EQ(out, 5);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(atomic_load(&p.stage), 2);

	EXPECT_EQ(sp_go_on(NULL, shard, recv_value, &p, &task), 0);
	until_waiting(sp_runtime(), "channel receive", 1);
	out = 6;
	EXPECT_EQ(sp_chan_try_send(p.chan, &out), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(p.value, 6);
	sp_chan_free(p.chan);
	return 0;
}

static void test_capacity_zero_is_a_meeting(void **state)
{
	(void)state;
	run_on(1, rendezvous_body, NULL);
	run_on(2, rendezvous_body, NULL);
}

/* A sender goes on as soon as there is room, not when it is empty. */

static int room_body(void *arg)
{
	struct pair p = { .value = 2 };
	struct sp_task task;
	int out = -1;

	(void)arg;
	EXPECT_EQ(sp_chan_new(sizeof(int), 2, &p.chan), 0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_chan_send(p.chan, &i), 0);
	EXPECT_EQ(sp_go_on(NULL, sp_shard_count(sp_runtime()) - 1, send_value,
			   &p, &task),
		  0);
	until_waiting(sp_runtime(), "channel send", 1);
	EXPECT_EQ(sp_chan_recv(p.chan, &out), 0);
	EXPECT_EQ(out, 0);
	EXPECT_EQ(sp_join_until(task, sp_in(5 * SP_S), NULL), 0);
	EXPECT_EQ(sp_chan_length(p.chan), 2);
	for (int i = 1; i < 3; i++) {
		EXPECT_EQ(sp_chan_recv(p.chan, &out), 0);
		EXPECT_EQ(out, i);
	}
	sp_chan_free(p.chan);
	return 0;
}

static void test_room_for_one_lets_one_go_on(void **state)
{
	(void)state;
	run_on(1, room_body, NULL);
	run_on(2, room_body, NULL);
}

/* Closing */

static int close_body(void *arg)
{
	uint32_t capacity = (uint32_t)(uintptr_t)arg;
	uint32_t shard = sp_shard_count(sp_runtime()) - 1;
	struct pair p = { .value = 1 };
	struct sp_task task[3];
	int ret, out = 0;

	/* Receivers that wait. */
	EXPECT_EQ(sp_chan_new(sizeof(int), capacity, &p.chan), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(sp_go_on(NULL, i == 0 ? shard : 0, recv_value, &p,
				   &task[i]),
			  0);
	until_waiting(sp_runtime(), "channel receive", 3);
	sp_chan_close(p.chan);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(sp_join(task[i], &ret), 0);
		EXPECT_EQ(ret, -EPIPE);
	}
	EXPECT_EQ(p.value, 1);
	EXPECT_EQ(sp_chan_send(p.chan, &out), -EPIPE);
	EXPECT_EQ(sp_chan_try_send(p.chan, &out), -EPIPE);
	sp_chan_free(p.chan);

	/* Senders that wait; what was sent before is still received. */
	EXPECT_EQ(sp_chan_new(sizeof(int), capacity, &p.chan), 0);
	for (uint32_t i = 0; i < capacity; i++)
		EXPECT_EQ(sp_chan_send(p.chan, &i), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(sp_go_on(NULL, i == 0 ? shard : 0, send_value, &p,
				   &task[i]),
			  0);
	until_waiting(sp_runtime(), "channel send", 3);
	sp_chan_close(p.chan);
	sp_chan_close(p.chan);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(sp_join(task[i], &ret), 0);
		EXPECT_EQ(ret, -EPIPE);
	}
	for (uint32_t i = 0; i < capacity; i++) {
		EXPECT_EQ(sp_chan_recv(p.chan, &out), 0);
		EXPECT_EQ(out, i);
	}
	EXPECT_EQ(sp_chan_recv(p.chan, &out), -EPIPE);
	EXPECT_EQ(sp_chan_try_recv(p.chan, &out), -EPIPE);
	sp_chan_free(p.chan);
	return 0;
}

static void test_close_ends_those_who_wait(void **state)
{
	(void)state;
	for (uintptr_t capacity = 0; capacity <= 2; capacity += 2) {
		run_on(1, close_body, (void *)capacity);
		run_on(2, close_body, (void *)capacity);
	}
}

/* Giving up */

static int cancel_body(void *arg)
{
	uint32_t capacity = (uint32_t)(uintptr_t)arg;
	struct pair p = { .value = 1 };
	struct sp_task first, second;
	int ret = 0, out = 9;

	/* A receiver that was cancelled must not get the item. */
	EXPECT_EQ(sp_chan_new(sizeof(int), capacity, &p.chan), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, recv_value, &p, &first), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, recv_value, &p, &second), 0);
	until_waiting(sp_runtime(), "channel receive", 2);
	EXPECT_EQ(sp_cancel(first), 0);
	EXPECT_EQ(sp_chan_try_send(p.chan, &out), 0);
	EXPECT_EQ(sp_join(second, &ret), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(p.value, 9);
	EXPECT_EQ(sp_join(first, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);

	/* Nor must the item of a cancelled sender be received. */
	for (uint32_t i = 0; i < capacity; i++)
		EXPECT_EQ(sp_chan_send(p.chan, &i), 0);
	p.value = 1;
	EXPECT_EQ(sp_go_on(NULL, 0, send_value, &p, &first), 0);
	until_waiting(sp_runtime(), "channel send", 1);
	EXPECT_EQ(sp_cancel(first), 0);
	for (uint32_t i = 0; i < capacity; i++)
		EXPECT_EQ(sp_chan_try_recv(p.chan, &out), 0);
	EXPECT_EQ(sp_chan_try_recv(p.chan, &out), -EAGAIN);
	EXPECT_EQ(sp_join(first, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	sp_chan_free(p.chan);
	return 0;
}

static void test_cancelled_waiter_takes_no_part(void **state)
{
	(void)state;
	run_on(1, cancel_body, (void *)0);
	run_on(1, cancel_body, (void *)2);
}

/* Every send says whether it happened; count what came out against that. */
struct race {
	struct sp_chan *chan;
	atomic_int sent, received;
};

static int send_hastily(void *arg)
{
	struct race *r = arg;
	int item = 1;

	for (int i = 0; i < 5000; i++) {
		int err = sp_chan_send_until(r->chan, &item,
					     sp_in(i % 4 * 20 * SP_US));

		EXPECT(err == 0 || err == -ETIMEDOUT);
		atomic_fetch_add(&r->sent, err == 0);
	}
	return 0;
}

static int recv_hastily(void *arg)
{
	struct race *r = arg;
	int item, err;

	do {
		item = 0;
		err = sp_chan_recv_until(r->chan, &item, sp_in(30 * SP_US));
		EXPECT_EQ(item, err == 0);
		atomic_fetch_add(&r->received, err == 0);
	} while (err != -EPIPE);
	return 0;
}

static int race_body(void *arg)
{
	struct sp_task sender[2], receiver[2];
	struct race r = { 0 };

	EXPECT_EQ(sp_chan_new(sizeof(int), (uint32_t)(uintptr_t)arg, &r.chan),
		  0);
	for (uint32_t i = 0; i < 2; i++) {
		EXPECT_EQ(sp_go_on(NULL, i, send_hastily, &r, &sender[i]), 0);
		EXPECT_EQ(sp_go_on(NULL, i, recv_hastily, &r, &receiver[i]), 0);
	}
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_join(sender[i], NULL), 0);
	sp_chan_close(r.chan);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_join(receiver[i], NULL), 0);
	EXPECT(atomic_load(&r.sent) > 0);
	EXPECT_EQ(atomic_load(&r.sent), atomic_load(&r.received));
	sp_chan_free(r.chan);
	return 0;
}

static void test_deadlines_lose_and_double_nothing(void **state)
{
	(void)state;
	run_on(2, race_body, (void *)0);
	run_on(2, race_body, (void *)1);
}

/* Threads */

static void *thread_send(void *arg)
{
	struct traffic *t = arg;
	struct item item = { .sender = atomic_fetch_add(&t->next_sender, 1) };

	while (item.number < ITEMS) {
		if (sp_chan_try_send(t->chan, &item) == 0)
			item.number++;
		else
			sched_yield();
	}
	return NULL;
}

static int thread_traffic_body(void *arg)
{
	struct traffic *t = arg;
	struct sp_task receiver[2];

	for (uint32_t i = 0; i < 2; i++)
		spawn(t, i, recv_all, &receiver[i]);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_join(receiver[i], NULL), 0);
	return 0;
}

static void *run_traffic(void *arg)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	EXPECT_EQ(sp_run(&opts, thread_traffic_body, arg), 0);
	return NULL;
}

static void test_threads_can_send_to_fibers(void **state)
{
	static struct traffic t;
	pthread_t runtime, thread[2];

	(void)state;
	memset(&t, 0, sizeof(t));
	assert_int_equal(sp_chan_new(sizeof(struct item), 8, &t.chan), 0);
	pthread_create(&runtime, NULL, run_traffic, &t);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, thread_send, &t);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	sp_chan_close(t.chan);
	pthread_join(runtime, NULL);
	assert_int_equal(atomic_load(&t.received), 2 * ITEMS);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
	sp_chan_free(t.chan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_refuses_empty_waits_order_holds),
		cmocka_unit_test(test_every_item_arrives_once_in_order),
		cmocka_unit_test(test_capacity_zero_is_a_meeting),
		cmocka_unit_test(test_room_for_one_lets_one_go_on),
		cmocka_unit_test(test_close_ends_those_who_wait),
		cmocka_unit_test(test_cancelled_waiter_takes_no_part),
		cmocka_unit_test(test_deadlines_lose_and_double_nothing),
		cmocka_unit_test(test_threads_can_send_to_fibers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
