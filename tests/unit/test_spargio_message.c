#include "runtime.h"

#include <spargio/message.h>
#include <spargio/stats.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum {
	TAG = 7,
	HOT = 100,
	COUNTED = 200,
	STOP = 9
};

static const uint16_t hot_tags[] = { HOT };
static const uint16_t counted_tags[] = { COUNTED };

static struct sp_opts options(uint32_t shards, uint32_t capacity)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = shards;
	opts.mailbox_capacity = capacity;
	opts.hot_tags = hot_tags;
	opts.hot_tag_count = 1;
	opts.counted_tags = counted_tags;
	opts.counted_tag_count = 1;
	opts.counted_wake = 10;
	return opts;
}

/* Send, and wait where the mailbox is full. */
static void send_surely(uint32_t shard, uint16_t tag, uint64_t value)
{
	while (sp_msg_send(shard, tag, value) == -EAGAIN)
		sp_yield();
}

/* Order and exactly once */

struct flow {
	uint32_t to;
	uint64_t count;
};

static int send_numbers(void *arg)
{
	const struct flow *flow = arg;

	for (uint64_t i = 1; i <= flow->count; i++) {
		int err;

		switch (i % 3) {
		case 0:
			err = sp_msg_send(flow->to, TAG, i);
			break;
		case 1:
			err = sp_msg_send_nowait(flow->to, TAG, i);
			break;
		default:
			err = sp_msg_send_many(flow->to, TAG, &i, 1);
			err = err == 1 ? 0 : err;
		}
		if (err == -EAGAIN) {
			i--;
			sp_yield();
		} else {
			EXPECT_EQ(err, 0);
		}
	}
	send_surely(flow->to, STOP, 0);
	return 0;
}

static int order_body(void *arg)
{
	struct flow flow = { .to = 0, .count = 20000 };
	uint64_t next[3] = { 1, 1, 1 };
	struct sp_task tasks[3];
	struct sp_msg m;
	int left = 3;

	(void)arg;
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(sp_go_on(NULL, i, send_numbers, &flow, &tasks[i]), 0);
	while (left > 0) {
		EXPECT_EQ(sp_msg_recv(&m), 0);
		if (m.tag == STOP) {
			EXPECT_EQ(next[m.from], flow.count + 1);
			left--;
			continue;
		}
		EXPECT_EQ(m.tag, TAG);
		EXPECT_EQ(m.value, next[m.from]);
		next[m.from]++;
	}
	EXPECT_EQ(sp_msg_try_recv(&m), -EAGAIN);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	return 0;
}

static void test_each_message_once_and_in_order_per_sender(void **state)
{
	struct sp_opts opts = options(3, 64);

	(void)state;
	run_with(&opts, order_body, NULL);
}

/* Backpressure */

static int pressure_body(void *arg)
{
	struct sp_shard_stats stats;
	struct sp_msg m;

	(void)arg;
	for (uint64_t i = 0; i < 16; i++)
		EXPECT_EQ(sp_msg_send(0, TAG, i), 0);
	EXPECT_EQ(sp_msg_send(0, TAG, 99), -EAGAIN);
	/* Counted ones need no room. */
	EXPECT_EQ(sp_msg_send(0, COUNTED, 5), 0);
	for (uint64_t i = 0; i < 16; i++) {
		EXPECT_EQ(sp_msg_try_recv(&m), 0);
		EXPECT_EQ(m.value, i);
	}
	EXPECT_EQ(sp_msg_send(0, TAG, 99), 0);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.messages_refused, 1);
	EXPECT_EQ(stats.messages_sent, 18);
	EXPECT_EQ(stats.messages_received, 16);
	return 0;
}

static void test_full_mailbox_refuses_and_counts(void **state)
{
	struct sp_opts opts = options(1, 16);

	(void)state;
	run_with(&opts, pressure_body, NULL);
}

static int many_body(void *arg)
{
	uint64_t values[20];
	struct sp_msg got[32];

	(void)arg;
	for (uint64_t i = 0; i < 20; i++)
		values[i] = i;
	EXPECT_EQ(sp_msg_send_many(0, TAG, values, 20), 16);
	EXPECT_EQ(sp_msg_send_many(0, TAG, values, 20), -EAGAIN);
	EXPECT_EQ(sp_msg_recv_many(got, 32), 16);
	EXPECT_EQ(got[15].value, 15);
	EXPECT_EQ(sp_msg_recv_many_until(got, 32, sp_in(SP_MS)), -ETIMEDOUT);
	return 0;
}

static void test_send_many_says_how_many_fit(void **state)
{
	struct sp_opts opts = options(1, 16);

	(void)state;
	run_with(&opts, many_body, NULL);
}

/* Typed */

static int typed_body(void *arg)
{
	uint8_t data[SP_MSG_DATA_MAX + 1];
	struct sp_msg m;

	(void)arg;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i + 1);
	/* Enough rounds to wrap in the middle of a message. */
	for (int round = 0; round < 50; round++)
		for (size_t len = 1; len <= SP_MSG_DATA_MAX; len++) {
			EXPECT_EQ(sp_msg_send_data(0, TAG, data, len), 0);
			EXPECT_EQ(sp_msg_recv(&m), 0);
			EXPECT_EQ(m.len, len);
			EXPECT_EQ(memcmp(m.data, data, len), 0);
		}
	EXPECT_EQ(sp_msg_send_data(0, TAG, data, sizeof(data)), -EINVAL);
	EXPECT_EQ(sp_msg_send_data(0, TAG, data, 0), -EINVAL);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(sp_msg_send_data(0, TAG, data, SP_MSG_DATA_MAX), 0);
	/* A message is there whole or not at all. */
	EXPECT_EQ(sp_msg_send_data(0, TAG, data, 9), -EAGAIN);
	return 0;
}

static void test_typed_messages_of_every_length(void **state)
{
	struct sp_opts opts = options(1, 16);

	(void)state;
	run_with(&opts, typed_body, NULL);
}

/* Tickets and flush */

static int slow_reader(void *arg)
{
	atomic_int *taken = arg;
	struct sp_msg m;

	do {
		EXPECT_EQ(sp_msg_recv(&m), 0);
		if (m.tag == TAG)
			atomic_fetch_add(taken, 1);
		if (m.value % 8 == 0)
			sp_sleep(100 * SP_US);
	} while (m.tag != STOP);
	return 0;
}

static int flush_body(void *arg)
{
	atomic_int taken = 0;
	struct sp_ticket ticket;
	struct sp_task reader;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 1, slow_reader, &taken, &reader), 0);
	for (int round = 1; round <= 20; round++) {
		for (uint64_t i = 0; i < 31; i++)
			EXPECT_EQ(sp_msg_send_nowait(1, TAG, i), 0);
		EXPECT_EQ(sp_msg_send_ticket(1, TAG, 1, &ticket), 0);
		if (round % 2)
			EXPECT_EQ(sp_msg_flush(1), 0);
		else
			EXPECT_EQ(sp_msg_wait(&ticket), 0);
		EXPECT_EQ(atomic_load(&taken), 32 * round);
	}
	send_surely(1, STOP, 0);
	EXPECT_EQ(sp_join(reader, NULL), 0);
	EXPECT_EQ(sp_msg_send(1, TAG, 0), 0);
	EXPECT_EQ(sp_msg_flush_until(1, sp_in(SP_MS)), -ETIMEDOUT);
	return 0;
}

static void test_flush_and_ticket_wait_until_taken(void **state)
{
	struct sp_opts opts = options(2, 64);

	(void)state;
	run_with(&opts, flush_body, NULL);
}

/* A ticket belongs to the shard that sent, wherever its fiber is later. */

static int moved_body(void *arg)
{
	struct sp_ticket ticket;
	struct sp_msg m;

	(void)arg;
	/* Positions in the mailboxes from 0 and from 1 to 2 differ. */
	EXPECT_EQ(sp_migrate(1), 0);
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(sp_msg_send(2, TAG, 0), 0);
	EXPECT_EQ(sp_migrate(2), 0);
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(sp_msg_recv(&m), 0);
	EXPECT_EQ(sp_migrate(0), 0);
	EXPECT_EQ(sp_msg_send_ticket(2, TAG, 1, &ticket), 0);
	EXPECT_EQ(sp_migrate(1), 0);
	EXPECT_EQ(sp_msg_wait_until(&ticket, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_migrate(2), 0);
	EXPECT_EQ(sp_msg_recv(&m), 0);
	EXPECT_EQ(m.from, 0);
	EXPECT_EQ(sp_migrate(1), 0);
	EXPECT_EQ(sp_msg_wait_until(&ticket, sp_in(10 * SP_S)), 0);
	ticket.from = 3;
	EXPECT_EQ(sp_msg_wait(&ticket), -EINVAL);
	return 0;
}

static void test_a_ticket_outlives_a_migration(void **state)
{
	struct sp_opts opts = options(3, 64);

	(void)state;
	run_with(&opts, moved_body, NULL);
}

/* Many at once */

static bool is_visible(struct sp_msg *m)
{
	return sp_msg_try_recv(m) == 0;
}

static int batch_body(void *arg)
{
	uint64_t values[80] = { 0 };
	struct sp_msg m;

	(void)arg;
	for (uint64_t i = 0; i < COUNT(values); i++)
		values[i] = i;
	/* To itself, so that no other thread decides what is visible when. */
	EXPECT_EQ(sp_msg_send_many_nowait(0, TAG, values, 10), 10);
	EXPECT_EQ(sp_msg_send_many_nowait(0, HOT, values + 10, 2), 2);
	EXPECT(!is_visible(&m));
	sp_msg_publish_all();
	for (uint64_t i = 0; i < 12; i++) {
		EXPECT(is_visible(&m));
		EXPECT_EQ(m.value, i < 2 ? i + 10 : i - 2);
	}
	EXPECT(!is_visible(&m));

	/* More than fit are visible, so that there will be room again. */
	EXPECT_EQ(sp_msg_send_many_nowait(0, TAG, values, 80), 64);
	EXPECT_EQ(sp_msg_send_many_nowait(0, TAG, values, 80), -EAGAIN);
	for (uint64_t i = 0; i < 64; i++)
		EXPECT(is_visible(&m) && m.value == i);
	EXPECT_EQ(sp_msg_send_many_nowait(5, TAG, values, 1), -EINVAL);
	EXPECT_EQ(sp_msg_send_many_nowait(0, COUNTED, values, 5), 5);
	EXPECT_EQ(sp_count_wait(COUNTED, values), 0);
	EXPECT_EQ(values[0], 10);
	return 0;
}

static void test_a_batch_is_published_together(void **state)
{
	struct sp_opts opts = options(2, 64);

	(void)state;
	run_with(&opts, batch_body, NULL);
}

static int direct_body(void *arg)
{
	static const uint64_t values[] = { 1, 1, 1 };
	struct sp_shard_stats before, after;
	atomic_int taken = 0;
	struct sp_task reader;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, 1, slow_reader, &taken, &reader), 0);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &before), 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(sp_msg_send_many_direct(1, TAG, values, 3), 3);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &after), 0);
	/* Whether it sleeps or not; one that sleeps is woken by each send. */
	EXPECT(after.shard_wakeups >= before.shard_wakeups + 10);
	EXPECT_EQ(sp_msg_flush(1), 0);
	EXPECT_EQ(atomic_load(&taken), 30);
	EXPECT_EQ(sp_msg_send_many_direct(1, TAG, values, 0), 0);
	send_surely(1, STOP, 0);
	EXPECT_EQ(sp_join(reader, NULL), 0);
	return 0;
}

static void test_a_direct_batch_sends_a_wakeup(void **state)
{
	struct sp_opts opts = options(2, 64);

	(void)state;
	run_with(&opts, direct_body, NULL);
}

/* Hot tags */

static int hot_body(void *arg)
{
	struct sp_msg m;

	(void)arg;
	for (uint64_t i = 0; i < 10; i++)
		EXPECT_EQ(sp_msg_send(0, TAG, i), 0);
	EXPECT_EQ(sp_msg_send(0, HOT, 77), 0);
	EXPECT_EQ(sp_msg_recv(&m), 0);
	EXPECT_EQ(m.tag, HOT);
	EXPECT_EQ(sp_msg_send(0, HOT, 78), 0);
	EXPECT_EQ(sp_msg_recv_hot(&m), 0);
	EXPECT_EQ(m.value, 78);
	EXPECT_EQ(sp_msg_recv_hot_until(&m, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_msg_recv(&m), 0);
	EXPECT_EQ(m.value, 0);
	return 0;
}

static void test_hot_messages_overtake(void **state)
{
	struct sp_opts opts = options(1, 64);

	(void)state;
	run_with(&opts, hot_body, NULL);
}

/* Counted tags */

static int count_to(void *arg)
{
	uint64_t sum = 0;

	(void)arg;
	EXPECT_EQ(sp_count_wait(COUNTED, &sum), 0);
	EXPECT(sum >= 10);
	return (int)sum;
}

static int counted_body(void *arg)
{
	struct sp_task waiter;
	uint64_t sum = 1;
	int total = 0;

	(void)arg;
	EXPECT_EQ(sp_count_take(TAG, &sum), -EINVAL);
	EXPECT_EQ(sp_count_take(COUNTED, &sum), 0);
	EXPECT_EQ(sum, 0);
	EXPECT_EQ(sp_go_on(NULL, 1, count_to, NULL, &waiter), 0);
	for (int i = 0; i < 9; i++)
		EXPECT_EQ(sp_msg_send(1, COUNTED, 1), 0);
	/* Nine is below the threshold: it sleeps on. */
	EXPECT_EQ(sp_join_until(waiter, sp_in(3 * SP_MS), NULL), -ETIMEDOUT);
	EXPECT_EQ(sp_msg_send(1, COUNTED, 1), 0);
	EXPECT_EQ(sp_join(waiter, &total), 0);
	EXPECT_EQ(total, 10);
	EXPECT_EQ(sp_msg_send(0, COUNTED, 4), 0);
	EXPECT_EQ(sp_count_wait_until(COUNTED, sp_in(SP_MS), &sum), -ETIMEDOUT);
	EXPECT_EQ(sp_count_take(COUNTED, &sum), 0);
	EXPECT_EQ(sum, 4);
	return 0;
}

static void test_counted_tags_sum_and_wake_at_the_threshold(void **state)
{
	struct sp_opts opts = options(2, 64);

	(void)state;
	run_with(&opts, counted_body, NULL);
}

static void test_a_tag_cannot_be_hot_and_counted(void **state)
{
	struct sp_opts opts = options(1, 64);
	struct sp_rt *rt;

	(void)state;
	opts.counted_tags = hot_tags;
	assert_int_equal(sp_start(&opts, &rt), -EINVAL);
}

/* Deadlines, cancel, errors */

static int recv_forever(void *arg)
{
	struct sp_msg m;

	(void)arg;
	return sp_msg_recv(&m);
}

static int waits_body(void *arg)
{
	struct sp_task task;
	struct sp_msg m;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_msg_recv_until(&m, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_msg_send(2, TAG, 0), -EINVAL);
	EXPECT_EQ(sp_msg_flush(2), -EINVAL);
	EXPECT_EQ(sp_go_on(NULL, 1, recv_forever, NULL, &task), 0);
	sp_sleep(SP_MS);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(sp_msg_send_direct(1, TAG, 1), 0);
	return 0;
}

static void test_receiving_ends_by_deadline_and_cancel(void **state)
{
	struct sp_opts opts = options(2, 64);

	(void)state;
	run_with(&opts, waits_body, NULL);
	assert_int_equal(sp_msg_send(0, TAG, 0), -EPERM);
}

/* From threads */

static void *post_numbers(void *arg)
{
	struct sp_rt *rt = arg;

	for (uint64_t i = 1; i <= 5000; i++)
		while (sp_msg_post(rt, 1, TAG, i) == -EAGAIN)
			sched_yield();
	return NULL;
}

static int sum_posts(void *arg)
{
	uint64_t *sum = arg;

	for (int i = 0; i < 15000; i++) {
		struct sp_msg m;

		EXPECT_EQ(sp_msg_recv(&m), 0);
		EXPECT_EQ(m.from, SP_MSG_OUTSIDE);
		*sum += m.value;
	}
	return 0;
}

static void test_threads_post_messages(void **state)
{
	struct sp_opts opts = options(2, 64);
	pthread_t threads[3];
	struct sp_task task;
	struct sp_rt *rt;
	uint64_t sum = 0;

	(void)state;
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_go_on(rt, 1, sum_posts, &sum, &task), 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, post_numbers, rt);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(sp_join_thread(rt, task, NULL), 0);
	assert_int_equal(sum, 3 * 5000 * 5001 / 2);
	assert_int_equal(sp_msg_post(rt, 5, TAG, 1), -EINVAL);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

/* From threads: several values, data, and a ticket to wait for. */

struct inbox {
	uint64_t values;
	char text[SP_MSG_DATA_MAX];
	uint32_t len;
	atomic_bool open;
};

static int read_posts(void *arg)
{
	struct inbox *inbox = arg;
	struct sp_msg m;

	while (!atomic_load(&inbox->open))
		sp_sleep(SP_MS);
	while (sp_msg_recv(&m) == 0 && m.tag != STOP) {
		EXPECT_EQ(m.from, SP_MSG_OUTSIDE);
		inbox->values += m.len == 0 ? m.value : 0;
		if (m.len == 0)
			continue;
		memcpy(inbox->text, m.data, m.len);
		inbox->len = m.len;
	}
	return 0;
}

static void post_all_kinds(struct sp_rt *rt)
{
	static const uint64_t values[100] = { 1, 2, 3 };
	char text[SP_MSG_DATA_MAX + 1];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	assert_int_equal(sp_msg_post_many(rt, 1, TAG, values, 3), 3);
	assert_int_equal(sp_msg_post_data(rt, 1, TAG, text, 0), -EINVAL);
	assert_int_equal(sp_msg_post_data(rt, 1, TAG, text, sizeof(text)),
			 -EINVAL);
	assert_int_equal(sp_msg_post_data(rt, 1, COUNTED, text, 8), -EINVAL);
	assert_int_equal(sp_msg_post_many(rt, 1, COUNTED, values, 3), 3);
	assert_int_equal(sp_msg_post_data(rt, 1, TAG, text, SP_MSG_DATA_MAX),
			 0);
	/* 57 of 64 slots are free: three values and 56 bytes take 7. */
	assert_int_equal(sp_msg_post_many(rt, 1, TAG, values + 3, 97), 57);
	assert_int_equal(sp_msg_post_many(rt, 1, TAG, values, 1), -EAGAIN);
	assert_int_equal(sp_msg_post_data(rt, 1, TAG, text, 56), -EAGAIN);
}

static void test_threads_post_batches_data_and_tickets(void **state)
{
	struct sp_opts opts = options(2, 64);
	struct inbox inbox = { 0 };
	struct sp_ticket ticket;
	struct sp_task task;
	struct sp_rt *rt;
	int err;

	(void)state;
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_go_on(rt, 1, read_posts, &inbox, &task), 0);
	post_all_kinds(rt);
	atomic_store(&inbox.open, true);
	while ((err = sp_msg_post_ticket(rt, 1, TAG, 10, &ticket)) == -EAGAIN)
		sched_yield();
	assert_int_equal(err, 0);
	assert_int_equal(sp_msg_wait_thread(rt, &ticket, sp_in(60 * SP_S)), 0);
	/* Again, and by a thread of the runtime. */
	assert_int_equal(sp_msg_wait_thread(rt, &ticket, SP_NEVER), 0);
	assert_int_equal(sp_msg_post(rt, 1, STOP, 0), 0);
	assert_int_equal(sp_join_thread(rt, task, NULL), 0);
	assert_int_equal(inbox.values, 1 + 2 + 3 + 10);
	assert_int_equal(inbox.len, SP_MSG_DATA_MAX);
	assert_int_equal(inbox.text[55], 55);

	/* Nobody takes this one. */
	assert_int_equal(sp_msg_post_ticket(rt, 0, TAG, 1, &ticket), 0);
	assert_int_equal(sp_msg_wait_thread(rt, &ticket, sp_in(SP_MS)),
			 -ETIMEDOUT);
	assert_int_equal(sp_msg_wait_thread(NULL, &ticket, SP_NEVER), -EPERM);
	assert_int_equal(sp_stop(rt, sp_in(10 * SP_S)), 0);
	assert_int_equal(sp_msg_wait_thread(rt, &ticket, SP_NEVER), -ESHUTDOWN);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_each_message_once_and_in_order_per_sender),
		cmocka_unit_test(test_full_mailbox_refuses_and_counts),
		cmocka_unit_test(test_send_many_says_how_many_fit),
		cmocka_unit_test(test_typed_messages_of_every_length),
		cmocka_unit_test(test_flush_and_ticket_wait_until_taken),
		cmocka_unit_test(test_a_ticket_outlives_a_migration),
		cmocka_unit_test(test_a_batch_is_published_together),
		cmocka_unit_test(test_a_direct_batch_sends_a_wakeup),
		cmocka_unit_test(test_hot_messages_overtake),
		cmocka_unit_test(
			test_counted_tags_sum_and_wake_at_the_threshold),
		cmocka_unit_test(test_a_tag_cannot_be_hot_and_counted),
		cmocka_unit_test(test_receiving_ends_by_deadline_and_cancel),
		cmocka_unit_test(test_threads_post_messages),
		cmocka_unit_test(test_threads_post_batches_data_and_tickets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
