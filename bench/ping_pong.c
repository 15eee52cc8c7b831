/*
 * Messages between two shards that are both awake, and a runtime from nothing.
 *
 *	steady_ping_pong_rtt		256 round trips of a number
 *	steady_one_way_send_drain	2048 numbers one way, then one answer
 *	cold_start_ping_pong		start a runtime, 64 round trips, stop it
 *
 * The floor is two threads that spin on the same mailboxes and have neither
 * fibers nor a scheduler; like a shard they ask, for each message, whether the
 * other side sleeps.
 */
#include "bench.h"
#include "fibers.h"

#include "spargio/sched/msg_ring.h"

#include <spargio/fiber.h>
#include <spargio/message.h>
#include <spargio/runtime.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
	ROUND_TRIPS = 256,
	ONE_WAY = 2048,
	COLD_ROUND_TRIPS = 64,
	TAG_ECHO = 1,
	TAG_SUM,
	TAG_ASK, /* answer with the sum */
	TAG_STOP,
};

/* The floor */

static struct sp__msg_ring to, from;
static alignas(64) _Atomic uint32_t parked_to, parked_from;

static void floor_send(struct sp__msg_ring *ring, _Atomic uint32_t *parked,
		       uint16_t tag, uint64_t value)
{
	while (!sp__msg_ring_has_room(ring, 1))
		sp__cpu_relax();
	sp__msg_ring_fill(ring, 0, tag, value);
	sp__msg_ring_publish(ring);
	fibers_check(atomic_fetch_add(parked, 0) == 0, "nobody sleeps here");
}

static uint64_t floor_recv(struct sp__msg_ring *ring, uint16_t *tag)
{
	struct sp_msg m;

	while (!sp__msg_ring_ready(ring))
		sp__cpu_relax();
	sp__msg_ring_take(ring, &m);
	*tag = m.tag;
	return m.value;
}

static void *floor_main(void *arg)
{
	uint32_t sum = 0;
	uint16_t tag;

	(void)arg;
	fibers_pin(1);
	do {
		uint64_t value = floor_recv(&to, &tag);

		if (tag == TAG_ECHO)
			floor_send(&from, &parked_from, TAG_ECHO, value);
		sum += (uint32_t)value;
		if (tag == TAG_ASK)
			floor_send(&from, &parked_from, TAG_ASK, sum);
	} while (tag != TAG_STOP);
	return NULL;
}

static pthread_t floor_thread;

/* The spinning thread lives only while it is timed: cores are few. */
static void floor_begin(void)
{
	fibers_pin(0);
	fibers_check(pthread_create(&floor_thread, NULL, floor_main, NULL) == 0,
		     "no thread");
}

static void floor_end(void)
{
	floor_send(&to, &parked_to, TAG_STOP, 0);
	pthread_join(floor_thread, NULL);
	fibers_unpin();
}

static void floor_ping_pong(void)
{
	uint64_t acks = 0;
	uint16_t tag;

	for (uint64_t i = 0; i < ROUND_TRIPS; i++) {
		floor_send(&to, &parked_to, TAG_ECHO, i);
		acks += floor_recv(&from, &tag);
	}
	fibers_check(acks == ROUND_TRIPS * (ROUND_TRIPS - 1) / 2,
		     "wrong answers");
}

static void floor_one_way(void)
{
	uint16_t tag;

	for (uint64_t i = 0; i < ONE_WAY; i++) {
		while (!sp__msg_ring_has_room(&to, 1))
			sp__cpu_relax();
		sp__msg_ring_fill(&to, 0, TAG_SUM, i);
	}
	sp__msg_ring_publish(&to);
	floor_send(&to, &parked_to, TAG_ASK, 0);
	floor_recv(&from, &tag);
}

/* The runtime */

static int responder(void *arg)
{
	static struct sp_msg got[64];
	uint32_t sum = 0;

	(void)arg;
	for (;;) {
		int n = sp_msg_recv_many(got, 64);

		if (n < 0)
			return n;
		for (int i = 0; i < n; i++) {
			const struct sp_msg *m = &got[i];

			if (m->tag == TAG_STOP)
				return 0;
			if (m->tag == TAG_ECHO)
				sp_msg_send(m->from, TAG_ECHO, m->value);
			sum += (uint32_t)m->value;
			if (m->tag == TAG_ASK)
				sp_msg_send(m->from, TAG_ASK, sum);
		}
	}
}

static void round_trips(uint64_t count)
{
	uint64_t acks = 0;

	for (uint64_t i = 0; i < count; i++) {
		struct sp_msg m;

		fibers_check(sp_msg_send(1, TAG_ECHO, i) == 0, "send");
		fibers_check(sp_msg_recv(&m) == 0, "receive");
		acks += m.value;
	}
	fibers_check(acks == count * (count - 1) / 2, "wrong answers");
}

static void ping_pong(void)
{
	round_trips(ROUND_TRIPS);
}

static void one_way(void)
{
	struct sp_msg m;

	for (uint64_t i = 0; i < ONE_WAY; i++)
		while (sp_msg_send_nowait(1, TAG_SUM, i) == -EAGAIN)
			sp_yield();
	fibers_check(sp_msg_flush(1) == 0, "flush");
	fibers_check(sp_msg_send(1, TAG_ASK, 0) == 0, "send");
	fibers_check(sp_msg_recv(&m) == 0, "receive");
}

static int cold_body(void *arg)
{
	struct sp_task task;

	(void)arg;
	fibers_check(sp_go_on(NULL, 1, responder, NULL, &task) == 0, "spawn");
	round_trips(COLD_ROUND_TRIPS);
	fibers_check(sp_msg_send(1, TAG_STOP, 0) == 0, "send");
	return sp_join(task, NULL);
}

static void cold_start(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	fibers_check(sp_run(&opts, cold_body, NULL) == 0, "cold start");
}

/* Sampling: both sides are awake and warm before the clock starts */

struct shape {
	const char *name;
	const char *variant;
	void (*iteration)(void);
	enum {
		ON_FLOOR,
		ON_RUNTIME,
		ALONE
	} where;
	double samples[BENCH_ROUNDS_MAX];
	double cpu;
};

static double time_shape(const struct shape *shape, int warm_up, int count)
{
	uint64_t began;

	for (int i = 0; i < warm_up; i++)
		shape->iteration();
	began = bench_now_ns();
	for (int i = 0; i < count; i++)
		shape->iteration();
	return (double)(bench_now_ns() - began) / 1000 / count;
}

static double measured;

static int time_in_fiber(void *arg)
{
	measured = time_shape(arg, 16, 50);
	return 0;
}

static double sample(struct sp_rt *rt, struct shape *shape)
{
	double us;

	switch (shape->where) {
	case ON_FLOOR:
		floor_begin();
		us = time_shape(shape, 16, 50);
		floor_end();
		return us;
	case ON_RUNTIME:
		fibers_check(sp_call_on(rt, 0, time_in_fiber, shape, NULL) == 0,
			     "the loop did not run");
		return measured;
	case ALONE:
		break;
	}
	return time_shape(shape, 1, 4);
}

static struct shape shapes[] = {
	{ .name = "steady_ping_pong_rtt",
	  .variant = "floor",
	  .iteration = floor_ping_pong,
	  .where = ON_FLOOR },
	{ .name = "steady_ping_pong_rtt",
	  .variant = "spargio",
	  .iteration = ping_pong,
	  .where = ON_RUNTIME },
	{ .name = "steady_one_way_send_drain",
	  .variant = "floor",
	  .iteration = floor_one_way,
	  .where = ON_FLOOR },
	{ .name = "steady_one_way_send_drain",
	  .variant = "spargio",
	  .iteration = one_way,
	  .where = ON_RUNTIME },
	{ .name = "cold_start_ping_pong",
	  .variant = "spargio",
	  .iteration = cold_start,
	  .where = ALONE },
};

enum {
	SHAPES = sizeof(shapes) / sizeof(shapes[0])
};

int main(int argc, char **argv)
{
	struct bench b =
		bench_begin(argc, argv, "Times messages between two shards.\n");
	struct sp_rt *rt = fibers_start(2);

	fibers_check(sp__msg_ring_init(&to, 4096) == 0, "no memory");
	fibers_check(sp__msg_ring_init(&from, 4096) == 0, "no memory");
	fibers_check(sp_go_on(rt, 1, responder, NULL, NULL) == 0, "spawn");
	for (unsigned int round = 0; round < b.rounds; round++)
		for (int i = 0; i < SHAPES; i++) {
			double cpu = bench_cpu_seconds();

			shapes[i].samples[round] = sample(rt, &shapes[i]);
			shapes[i].cpu += bench_cpu_seconds() - cpu;
		}
	for (int i = 0; i < SHAPES; i++)
		bench_report(shapes[i].name, shapes[i].variant, "us",
			     shapes[i].samples, b.rounds, shapes[i].cpu);
	fibers_stop(rt);
	return 0;
}
