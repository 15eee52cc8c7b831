/*
 * What fibers pay to take turns, pass items and wake each other; ns for one
 * operation, us for one wake-up. "shards=2" spreads the fibers over two.
 *
 *	yield		two fibers on each shard
 *	mailbox_push	messages in batches of 32; the floor is the same queue
 *			between two threads that do nothing else
 *	channel		two senders, two receivers, capacity 64
 *	mutex_contended	four fibers, a lock and an unlock each
 *	lock_free_wake	from sp_msg_send() to the receiver running: hot, and
 *			with the receiver's shard asleep
 */
#include "bench.h"
#include "fibers.h"

#include "spargio/sched/msg_ring.h"

#include <spargio/channel.h>
#include <spargio/fiber.h>
#include <spargio/message.h>
#include <spargio/runtime.h>
#include <spargio/sync.h>
#include <spargio/time.h>

#include <errno.h>
#include <pthread.h>

enum {
	BATCH = 32,
	TAG = 1,
	TAG_STOP = 2
};

static uint32_t shard_of(int i)
{
	return (uint32_t)i % sp_shard_count(sp_runtime());
}

/* Spawn @count fibers over the shards and wait for them. */
static void in_parallel(int count, int (*fn)(void *), void *arg)
{
	struct sp_task tasks[8];

	for (int i = 0; i < count; i++)
		fibers_check(sp_go_on(NULL, shard_of(i), fn, arg, &tasks[i]) ==
				     0,
			     "spawn");
	for (int i = 0; i < count; i++)
		fibers_check(sp_join(tasks[i], NULL) == 0, "join");
}

/* Yield */

static int yielder(void *arg)
{
	for (uint64_t i = *(uint64_t *)arg; i > 0; i--)
		sp_yield();
	return 0;
}

static void yield(uint64_t iterations)
{
	uint32_t shards = sp_shard_count(sp_runtime());
	uint64_t each = iterations / (2 * shards) + 1;

	in_parallel(2 * (int)shards, yielder, &each);
}

/* Mailboxes */

static struct sp__msg_ring ring;

static void *floor_consumer(void *arg)
{
	uint64_t left = *(uint64_t *)arg;
	uint64_t sum = 0;

	fibers_pin(1);
	while (left > 0) {
		struct sp_msg m;

		while (!sp__msg_ring_ready(&ring))
			sp__cpu_relax();
		sp__msg_ring_take(&ring, &m);
		sum += m.value;
		left--;
	}
	bench_keep(&sum);
	return NULL;
}

static void floor_push(void *arg, uint64_t iterations)
{
	pthread_t consumer;

	(void)arg;
	fibers_pin(0);
	fibers_check(pthread_create(&consumer, NULL, floor_consumer,
				    &iterations) == 0,
		     "no thread");
	for (uint64_t i = 0; i < iterations; i++) {
		while (!sp__msg_ring_has_room(&ring, 1))
			sp__cpu_relax();
		sp__msg_ring_fill(&ring, 0, TAG, i);
		if (i % BATCH == BATCH - 1)
			sp__msg_ring_publish(&ring);
	}
	sp__msg_ring_publish(&ring);
	pthread_join(consumer, NULL);
	fibers_unpin();
}

static int drain(void *arg)
{
	static struct sp_msg got[2][64];
	struct sp_msg *buffer = got[sp_shard()];
	uint64_t sum = 0;

	(void)arg;
	for (;;) {
		int n = sp_msg_recv_many(buffer, 64);

		fibers_check(n > 0, "receive");
		for (int i = 0; i < n; i++) {
			if (buffer[i].tag == TAG_STOP)
				return 0;
			sum += buffer[i].value;
		}
		bench_keep(&sum);
	}
}

static void mailbox_push(uint64_t iterations)
{
	uint32_t to = shard_of(1);
	struct sp_task task;

	fibers_check(sp_go_on(NULL, to, drain, NULL, &task) == 0, "spawn");
	for (uint64_t i = 0; i < iterations; i++) {
		while (sp_msg_send_nowait(to, TAG, i) == -EAGAIN)
			sp_yield();
		if (i % BATCH == BATCH - 1)
			sp_msg_publish(to);
	}
	while (sp_msg_send(to, TAG_STOP, 0) == -EAGAIN)
		sp_yield();
	fibers_check(sp_join(task, NULL) == 0, "join");
}

/* Channel */

struct flow {
	struct sp_chan *chan;
	uint64_t each;
};

static int sender(void *arg)
{
	struct flow *flow = arg;

	for (uint64_t i = 0; i < flow->each; i++)
		fibers_check(sp_chan_send(flow->chan, &i) == 0, "send");
	return 0;
}

static int receiver(void *arg)
{
	struct flow *flow = arg;
	uint64_t item;

	for (uint64_t i = 0; i < flow->each; i++)
		fibers_check(sp_chan_recv(flow->chan, &item) == 0, "receive");
	return 0;
}

static int sender_or_receiver(void *arg)
{
	static _Atomic uint32_t turn;

	/* Spawned in order: two senders, then two receivers. */
	return atomic_fetch_add(&turn, 1) % 4 < 2 ? sender(arg) : receiver(arg);
}

static void channel(uint64_t iterations)
{
	struct flow flow = { .each = iterations / 2 + 1 };

	fibers_check(sp_chan_new(sizeof(uint64_t), 64, &flow.chan) == 0,
		     "no memory");
	in_parallel(4, sender_or_receiver, &flow);
	sp_chan_free(flow.chan);
}

/* Mutex */

static struct sp_mutex mutex = SP_MUTEX_INIT;
static uint64_t counter;

static int locker(void *arg)
{
	for (uint64_t i = *(uint64_t *)arg; i > 0; i--) {
		fibers_check(sp_mutex_lock(&mutex) == 0, "lock");
		counter++;
		sp_mutex_unlock(&mutex);
	}
	return 0;
}

static void mutex_contended(uint64_t iterations)
{
	uint64_t each = iterations / 4 + 1;

	counter = 0;
	in_parallel(4, locker, &each);
	fibers_check(counter == 4 * each, "two held the lock at once");
}

/* Wake-ups */

static int echo(void *arg)
{
	struct sp_msg m;

	(void)arg;
	for (;;) {
		fibers_check(sp_msg_recv(&m) == 0, "receive");
		if (m.tag == TAG_STOP)
			return 0;
		sp_msg_send(m.from, TAG, (uint64_t)sp_now());
	}
}

/* The clock of the two CPUs is one, so half a way can be timed. */
static void wake(uint64_t rounds, int64_t pause, double *samples)
{
	struct sp_task task;
	struct sp_msg m;

	fibers_check(sp_go_on(NULL, 1, echo, NULL, &task) == 0, "spawn");
	for (uint64_t i = 0; i < rounds; i++) {
		int64_t began;

		if (pause > 0)
			sp_sleep(pause);
		began = sp_now();
		fibers_check(sp_msg_send(1, TAG, 0) == 0, "send");
		fibers_check(sp_msg_recv(&m) == 0, "receive");
		samples[i] = (double)((int64_t)m.value - began) / 1000;
	}
	fibers_check(sp_msg_send(1, TAG_STOP, 0) == 0, "send");
	fibers_check(sp_join(task, NULL) == 0, "join");
}

static double samples[2000];

static void wake_hot(uint64_t rounds)
{
	wake(rounds, 0, samples);
}

/* Two milliseconds are enough for any spin to end in sleep. */
static void wake_parked(uint64_t rounds)
{
	wake(rounds, 2 * SP_MS, samples);
}

static void report_wake(struct sp_rt *rt, const char *variant,
			void (*body)(uint64_t), uint64_t rounds)
{
	struct fibers f = { rt, body, 0 };
	double cpu = bench_cpu_seconds();

	fibers_run(&f, rounds);
	bench_report("lock_free_wake", variant, "us", samples, rounds,
		     bench_cpu_seconds() - cpu);
}

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv,
				     "Times what fibers do to one another.\n");
	struct sp_rt *rts[] = { fibers_start(1), fibers_start(2) };
	static const char *const variants[] = { "shards=1", "shards=2" };
	static const struct {
		const char *name;
		void (*body)(uint64_t);
	} rows[] = {
		{ "yield", yield },
		{ "mailbox_push", mailbox_push },
		{ "channel", channel },
		{ "mutex_contended", mutex_contended },
	};
	enum {
		ROWS = sizeof(rows) / sizeof(rows[0])
	};
	struct fibers f[ROWS][2];
	struct bench_loop loops[2 * ROWS + 1];
	size_t n = 0;

	fibers_check(sp__msg_ring_init(&ring, 4096) == 0, "no memory");
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < 2; k++) {
			f[i][k] = (struct fibers){ rts[k], rows[i].body, 0 };
			loops[n++] =
				(struct bench_loop){ rows[i].name, variants[k],
						     "ns", fibers_run,
						     &f[i][k] };
		}
	loops[n++] = (struct bench_loop){ "mailbox_push", "floor", "ns",
					  floor_push, NULL };
	bench_loops_run(&b, loops, n);
	report_wake(rts[1], "hot", wake_hot, b.quick ? 200 : 2000);
	report_wake(rts[1], "parked", wake_parked, b.quick ? 20 : 200);
	fibers_stop(rts[0]);
	fibers_stop(rts[1]);
	return 0;
}
