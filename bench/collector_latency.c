/*
 * From a router's send to a consumer's receive, at a given rate, beside what
 * libnats alone takes from publish to receive.
 *
 *	collector	source --> collector --> server --> consumer
 *	floor		   thread --> libnats --> server --> consumer
 *
 * The source sends a piece each millisecond, and says in its messages in which
 * one. The floor publishes the very messages that the collector made of them,
 * each in the millisecond of its last update, with the same headers, into a
 * stream of the same kind: what is left of the difference is the collector.
 * "floor_single" has each update in a message of its own, as a collector that
 * does not gather anything would.
 *
 * The consumer is a push consumer of JetStream, so a message was stored before
 * it is received. All clocks are one: the monotonic one of this machine. A
 * moment counts from right before the bytes are given to the kernel, or to
 * libnats; every update counts once.
 */
#include "collector.h"

#include "nats_server.h"
#include "nats_subscriber.h"
#include "egress/encode/decode.h"
#include "collector_harness.h"
#include "bmp_sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM	     "ARANCINI"
#define UPDATES	     "arancini.updates"
#define FLOOR_STREAM "FLOOR"
#define FLOOR	     "floor.updates"
#define WINDOW	     1024
#define STALL_MS     60000
#define SECOND	     UINT64_C(1000000000)
#define TICKS	     1000 /* of a round */
#define QUICK_TICKS  200
#define LETTERS_MAX  200000
#define RATE_MAX     100000

static const struct rate {
	uint64_t updates;
	const char *name;
} rates[] = { { 10000, "10k" }, { RATE_MAX, "100k" } };

#define RATES (sizeof(rates) / sizeof(rates[0]))

enum lane {
	LANE_COLLECTOR,
	LANE_FLOOR,
	LANE_SINGLE,
	LANES
};

static const char *const lane_names[LANES] = { "", "floor,", "floor_single," };

enum percentile {
	P50,
	P99,
	P999,
	PERCENTILES
};

static const struct {
	const char *name;
	double part;
} percentiles[PERCENTILES] = {
	{ "latency_p50", 0.5 },
	{ "latency_p99", 0.99 },
	{ "latency_p999", 0.999 },
};

/* A message to publish: bytes of what the collector published. */
struct letter {
	const natsMsg *of;
	struct wire_view bytes;
	uint64_t tick;
	uint32_t updates;
};

struct letters {
	struct letter *all;
	size_t count;
};

/* libnats alone. */
struct alone {
	natsConnection *nc;
	jsCtx *js;
	struct ear ear;
	uint64_t *sent;	 /* by letter */
	uint64_t number; /* of the last message */
};

struct latency {
	struct broker broker;
	struct rig rig;
	struct source source;
	natsConnection *nc;
	jsCtx *js;
	struct ear ear; /* of what the collector publishes */
	struct alone alone;
	struct letters whole;
	struct letters single;
	uint64_t ticks; /* of a round */
	double *us;	/* of each update of a round */
	size_t count;
	double samples[RATES][LANES][PERCENTILES][BENCH_ROUNDS_MAX];
};

static void *room_for(size_t n, size_t size)
{
	void *p = calloc(n, size);

	bench_must(p != NULL, "memory");
	return p;
}

/* What was measured */

static void note(struct latency *l, uint64_t sent, uint64_t received,
		 uint32_t updates)
{
	for (uint32_t i = 0; i < updates && l->count < LETTERS_MAX; i++)
		l->us[l->count++] = (double)(received - sent) / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void finish_round(struct latency *l, size_t rate, enum lane lane,
			 unsigned round)
{
	bench_must(l->count > 0, "something arrives");
	qsort(l->us, l->count, sizeof(*l->us), by_value);
	for (size_t p = 0; p < PERCENTILES; p++) {
		double at = percentiles[p].part * (double)l->count;

		l->samples[rate][lane][p][round] = l->us[(size_t)at];
	}
	l->count = 0;
}

/* The collector */

static void add_letter(struct letters *to, struct letter letter)
{
	bench_must(to->count < LETTERS_MAX, "room for a message");
	to->all[to->count++] = letter;
}

/* All updates of a message; returns how many. */
static uint64_t read_message(struct latency *l, const struct heard *h)
{
	struct wire_view bytes = { (const uint8_t *)natsMsg_GetData(h->msg),
				   (size_t)natsMsg_GetDataLength(h->msg) };
	struct letter whole = { .of = h->msg, .bytes = bytes };
	struct egress_decoder r = egress_decode_start(bytes);
	struct egress_message m;
	struct egress_update u;

	for (;;) {
		const uint8_t *start = r.c.p;
		int more = egress_decode_next(&r, &m);

		if (more == 0)
			break;
		bench_must(more > 0 && egress_decode_update(&m, &u) == 0,
			   "an update that can be read");
		whole.tick = u.time_bmp_header_ns / SECOND;
		bench_must(whole.tick <= l->source.ticks, "a tick that was");
		note(l, l->source.sent[whole.tick], h->ns, 1);
		whole.updates++;
		add_letter(&l->single,
			   (struct letter){
				   .of = h->msg,
				   .bytes = { start, (size_t)(r.c.p - start) },
				   .tick = whole.tick,
				   .updates = 1 });
	}
	add_letter(&l->whole, whole);
	return whole.updates;
}

static void run_collector(struct latency *l, size_t rate)
{
	uint64_t updates;
	uint64_t got = 0;

	ear_forget(&l->ear);
	l->whole.count = l->single.count = 0;
	updates = source_pace(&l->source, rates[rate].updates, l->ticks);
	for (size_t i = 0; got < updates; i++) {
		ear_wait(&l->ear, i + 1);
		got += read_message(l, &l->ear.heard[i]);
	}
	bench_must(got == updates, "every update arrives once");
}

/* libnats alone */

static natsMsg *message_of(struct alone *a, const struct letter *letter)
{
	static const char *const same[] = { "Arancini-Collector",
					    "Arancini-Schema" };
	const char *subject = natsMsg_GetSubject(letter->of);
	char buf[256];
	natsMsg *msg = NULL;

	snprintf(buf, sizeof(buf), "%s%s", FLOOR, subject + strlen(UPDATES));
	bench_must(natsMsg_Create(&msg, buf, NULL,
				  (const char *)letter->bytes.p,
				  (int)letter->bytes.len) == NATS_OK,
		   "a message");
	snprintf(buf, sizeof(buf), "bench.1794790000000.%llu",
		 (unsigned long long)a->number + 1);
	natsMsgHeader_Set(msg, "Nats-Msg-Id", buf);
	snprintf(buf, sizeof(buf), "bench.1794790000000.%llu",
		 (unsigned long long)a->number);
	if (a->number++ > 0)
		natsMsgHeader_Set(msg, "Nats-Expected-Last-Msg-Id", buf);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		const char *value = NULL;

		natsMsgHeader_Get((natsMsg *)letter->of, same[i], &value);
		natsMsgHeader_Set(msg, same[i], value != NULL ? value : "");
	}
	return msg;
}

/* All letters of one tick, from @first on; returns how many. */
static size_t publish_tick(struct alone *a, const struct letters *from,
			   size_t first, uint64_t at)
{
	struct timespec t = { (time_t)(at / SECOND), (long)(at % SECOND) };
	natsMsg *made[RATE_MAX / TICKS * 2];
	size_t n = 0;
	uint64_t now;

	while (first + n < from->count &&
	       from->all[first + n].tick == from->all[first].tick &&
	       n < sizeof(made) / sizeof(made[0])) {
		made[n] = message_of(a, &from->all[first + n]);
		n++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	now = bench_now_ns();
	for (size_t i = 0; i < n; i++) {
		a->sent[first + i] = now;
		bench_must(js_PublishMsgAsync(a->js, &made[i], NULL) == NATS_OK,
			   "publishing");
	}
	return n;
}

static void run_alone(struct latency *l, const struct letters *from)
{
	struct alone *a = &l->alone;
	uint64_t first = from->all[0].tick;
	uint64_t start = bench_now_ns();

	ear_forget(&a->ear);
	for (size_t i = 0; i < from->count;) {
		uint64_t late = from->all[i].tick - first + 1;

		i += publish_tick(a, from, i, start + late * SOURCE_TICK_NS);
	}
	ear_wait(&a->ear, from->count);
	/* They come in the order in which they went. */
	for (size_t i = 0; i < from->count; i++)
		note(l, a->sent[i], a->ear.heard[i].ns, from->all[i].updates);
	bench_must(js_PublishAsyncComplete(a->js, NULL) == NATS_OK, "acks");
}

/* Rounds */

static void round_of(struct latency *l, size_t rate, unsigned round)
{
	run_collector(l, rate);
	finish_round(l, rate, LANE_COLLECTOR, round);
	run_alone(l, &l->whole);
	finish_round(l, rate, LANE_FLOOR, round);
	run_alone(l, &l->single);
	finish_round(l, rate, LANE_SINGLE, round);
}

static void report(struct latency *l, unsigned rounds, double cpu)
{
	double ratios[BENCH_ROUNDS_MAX];
	char variant[48];

	for (size_t rate = 0; rate < RATES; rate++)
		for (size_t p = 0; p < PERCENTILES; p++) {
			double(*s)[PERCENTILES][BENCH_ROUNDS_MAX] =
				l->samples[rate];

			for (unsigned i = 0; i < rounds; i++)
				ratios[i] = s[LANE_COLLECTOR][p][i] /
					    s[LANE_FLOOR][p][i];
			for (size_t lane = 0; lane < LANES; lane++) {
				snprintf(variant, sizeof(variant), "%srate=%s",
					 lane_names[lane], rates[rate].name);
				bench_report(percentiles[p].name, variant, "us",
					     s[lane][p], rounds, cpu);
			}
			snprintf(variant, sizeof(variant), "to_floor,rate=%s",
				 rates[rate].name);
			bench_report(percentiles[p].name, variant, "ratio",
				     ratios, rounds, cpu);
		}
}

/* A stream for the floor that is as the collector made its own. */
static void copy_stream(jsCtx *js)
{
	const char *subjects[] = { FLOOR ".>" };
	jsStreamConfig config;
	jsStreamInfo *info = NULL;

	bench_must(js_GetStreamInfo(&info, js, STREAM, NULL, NULL) == NATS_OK,
		   "the collector's stream");
	config = *info->Config;
	config.Name = FLOOR_STREAM;
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	bench_must(js_AddStream(NULL, js, &config, NULL, NULL) == NATS_OK,
		   "a stream");
	jsStreamInfo_Destroy(info);
}

static void alone_start(struct latency *l)
{
	struct alone *a = &l->alone;
	jsOptions options;

	copy_stream(l->js);
	jsOptions_Init(&options);
	options.PublishAsync.MaxPending = WINDOW;
	options.PublishAsync.StallWait = STALL_MS;
	a->nc = broker_connect(&l->broker);
	bench_must(natsConnection_JetStream(&a->js, a->nc, &options) == NATS_OK,
		   "JetStream");
	a->sent = room_for(LETTERS_MAX, sizeof(*a->sent));
	ear_open(&a->ear, l->js, FLOOR_STREAM, FLOOR ".>", LETTERS_MAX);
}

static void start(struct latency *l, const struct bench *b)
{
	struct load_plan plan = collector_plan(b, 1);
	/* As "arancini run" has it: server and consumer want the CPUs, too. */
	struct rig_options options = { .workers = 1,
				       .output = RIG_JETSTREAM,
				       .loose = true };

	l->ticks = b->quick ? QUICK_TICKS : TICKS;
	l->us = room_for(LETTERS_MAX, sizeof(*l->us));
	l->whole.all = room_for(LETTERS_MAX, sizeof(*l->whole.all));
	l->single.all = room_for(LETTERS_MAX, sizeof(*l->single.all));
	source_start(&l->source, &plan, /* cpu= */ -1, rig_address(1, 0));
	broker_start(&l->broker);
	l->nc = broker_connect(&l->broker);
	bench_must(natsConnection_JetStream(&l->js, l->nc, NULL) == NATS_OK,
		   "JetStream");
	options.url = l->broker.url;
	rig_start(&l->rig, &options);
	rig_settle(&l->rig, source_table(&l->source, rig_port(&l->rig)));
	ear_open(&l->ear, l->js, STREAM, UPDATES ".>", LETTERS_MAX);
	alone_start(l);
}

static void stop(struct latency *l)
{
	source_end(&l->source);
	rig_stop(&l->rig);
	ear_close(&l->ear);
	ear_close(&l->alone.ear);
	jsCtx_Destroy(l->alone.js);
	natsConnection_Destroy(l->alone.nc);
	jsCtx_Destroy(l->js);
	natsConnection_Destroy(l->nc);
	broker_stop(&l->broker);
	free(l->alone.sent);
	free(l->whole.all);
	free(l->single.all);
	free(l->us);
}

void collector_bench_latency(const struct bench *b)
{
	struct latency *l;
	double cpu;

	if (!broker_exists())
		return;
	l = room_for(1, sizeof(*l));
	start(l, b);
	cpu = bench_cpu_seconds();
	for (unsigned round = 0; round < b->rounds; round++)
		for (size_t rate = 0; rate < RATES; rate++)
			round_of(l, rate, round);
	cpu = bench_cpu_seconds() - cpu;
	stop(l);
	report(l, b->rounds, cpu);
	free(l);
}
