/*
 * Updates a second that JetStream has acknowledged, against what libnats alone
 * gets out of the same server in the same run: the same messages, compressed
 * before the clock starts, with the same headers and the same window.
 *
 *	worker		the batches are also compressed while the clock runs,
 *			by a thread in a worker's place, on the same CPUs
 *
 * The server is a real one, started here, with its file store in /var/tmp.
 */
#include "nats_server.h"
#include "egress.h"
#include "batch_corpus.h"

#include "egress/bridge.h"
#include "egress/nats/client.h"
#include "egress/publisher/publisher.h"

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <nats/nats.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STREAM	"BENCH"
#define SUBJECT "arancini.updates.v4_192_0_2_1.64500.1_1"
#define WINDOW	1024
#define FEW	2000
#define SECONDS 2

/* How batches are made. */
struct shape {
	uint32_t bytes; /* of a batch, before compression */
	enum egress_encoding encoding;
	enum sample_order order;
	bool worker; /* compress in the round, too */
};

/* What is published in a round. */
struct job {
	struct shape shape;
	uint64_t messages;
	struct sample sample;
};

/* libnats alone */

static natsMsg *message_of(const struct egress_batch *b, const char *id,
			   const char *before)
{
	natsMsg *msg = NULL;

	bench_must(natsMsg_Create(&msg, SUBJECT, NULL, (const char *)b->bytes,
				  (int)b->len) == NATS_OK,
		   "message");
	natsMsgHeader_Set(msg, "Nats-Msg-Id", id);
	if (*before != '\0')
		natsMsgHeader_Set(msg, "Nats-Expected-Last-Msg-Id", before);
	natsMsgHeader_Set(msg, "Arancini-Collector", "bench");
	natsMsgHeader_Set(msg, "Arancini-Schema", "1");
	if (b->encoding != EGRESS_PLAIN)
		natsMsgHeader_Set(msg, "Content-Encoding",
				  egress_encoding_name(b->encoding));
	return msg;
}

static void publish_alone(jsCtx *js, const struct job *job)
{
	char before[MESSAGE_ID_MAX] = "";

	for (uint64_t i = 0; i < job->messages; i++) {
		char id[MESSAGE_ID_MAX];
		natsMsg *msg;

		snprintf(id, sizeof(id), "bench.1794790000000.%" PRIu64, i + 1);
		msg = message_of(job->sample.sent[i % SAMPLE_BATCHES], id,
				 before);
		bench_must(js_PublishMsgAsync(js, &msg, NULL) == NATS_OK,
			   "publish");
		memcpy(before, id, sizeof(id));
	}
	bench_must(js_PublishAsyncComplete(js, NULL) == NATS_OK, "complete");
}

/* Updates a second; all laps through the sample are alike. */
static double rate(const struct job *job, double seconds)
{
	return (double)job->messages * (double)job->sample.updates /
	       SAMPLE_BATCHES / seconds;
}

static double alone(const struct broker *s, const struct job *job)
{
	natsConnection *nc = broker_connect(s);
	jsOptions options;
	jsCtx *js = NULL;
	uint64_t start;
	double seconds;

	jsOptions_Init(&options);
	options.PublishAsync.MaxPending = WINDOW;
	options.PublishAsync.StallWait = 60000;
	bench_must(natsConnection_JetStream(&js, nc, &options) == NATS_OK,
		   "js");
	broker_add_stream(js, STREAM);
	start = bench_now_ns();
	publish_alone(js, job);
	seconds = (double)(bench_now_ns() - start) / 1e9;
	jsCtx_Destroy(js);
	natsConnection_Destroy(nc);
	broker_drop_stream(s, STREAM);
	return rate(job, seconds);
}

/* The publisher */

/* What a worker has to do with a batch before it is in the bridge. */
static void fill(struct egress_batch *b, const struct job *job,
		 struct egress_codec *codec, uint64_t number)
{
	const struct egress_batch *from =
		job->shape.worker ? job->sample.plain[number % SAMPLE_BATCHES]
				  : job->sample.sent[number % SAMPLE_BATCHES];

	bench_must(egress_batch_grow(b, from->len) == 0, "memory");
	b->kind = EGRESS_BATCH_UPDATES;
	b->encoding = from->encoding;
	b->updates = from->updates;
	b->len = from->len;
	b->plain_len = from->plain_len;
	b->subject_len = from->subject_len;
	memcpy(b->subject, from->subject, from->subject_len + 1);
	memcpy(b->bytes, from->bytes, from->len);
	if (job->shape.worker)
		bench_must(egress_codec_close(codec, job->shape.encoding, b) ==
				   0,
			   "compress");
}

/* A worker without routers: a fiber that makes batches while there is room. */
struct feeder {
	struct egress_bridge *bridge;
	struct publisher *publisher;
	const struct job *job;
	struct egress_codec *codec;
	struct egress_batch *spare; /* what came back */
};

static struct egress_batch *next_batch(struct feeder *f, uint64_t number)
{
	struct egress_batch *b;

	if (f->spare == NULL)
		f->spare = egress_bridge_take_back(f->bridge, 0);
	b = f->spare != NULL ? f->spare : egress_batch_new(0);
	bench_must(b != NULL, "memory");
	if (b == f->spare)
		f->spare = b->next;
	fill(b, f->job, f->codec, number);
	return b;
}

/* Push all, then wait until all is acknowledged. */
static int feed(void *arg)
{
	struct feeder *f = arg;
	struct publisher_stats stats = { 0 };

	for (uint64_t i = 0; i < f->job->messages; i++) {
		struct egress_batch *b = next_batch(f, i);

		while (egress_bridge_push(f->bridge, 0, b) < 0)
			bench_must(egress_bridge_wait_room(f->bridge, 0,
							   SP_NEVER) == 0,
				   "room");
	}
	while (stats.messages < f->job->messages) {
		sp_sleep(SP_MS);
		publisher_stats(f->publisher, &stats);
	}
	return 0;
}

static void feed_all(struct egress_bridge *bridge, struct publisher *p,
		     const struct job *job)
{
	struct feeder f = { .bridge = bridge, .publisher = p, .job = job };
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt;
	int ret;

	opts.shards = 1;
	bench_must(egress_codec_new(&f.codec) == 0, "memory");
	bench_must(sp_start(&opts, &rt) == 0, "a runtime");
	bench_must(sp_call_on(rt, 0, feed, &f, &ret) == 0, "a fiber");
	sp_stop(rt, sp_in(10 * SP_S));
	egress_batch_free_all(f.spare);
	egress_codec_free(f.codec);
}

static double ours(const struct broker *s, const struct job *job)
{
	struct publisher_options options = {
		.collector = "bench",
		.window = WINDOW,
		.nats = { .servers = { s->url }, .server_count = 1 },
		.stream = { .name = STREAM,
			    .subjects = { "arancini.>" },
			    .subject_count = 1,
			    .max_bytes = -1 },
	};
	struct egress_bridge *bridge;
	struct nats_error why = { "" };
	struct log_position mark;
	struct publisher *p;
	uint64_t start;
	double seconds;

	bench_must(egress_bridge_new(1, 1024, &bridge) == 0, "bridge");
	bench_must(publisher_start(&options, bridge, &why, &p) == 0, why.text);
	bench_must(publisher_wait_epoch(p, sp_in(10 * SP_S), &mark) == 0,
		   "epoch");
	start = bench_now_ns();
	feed_all(bridge, p, job);
	seconds = (double)(bench_now_ns() - start) / 1e9;
	egress_bridge_close(bridge, 0);
	bench_must(publisher_drain(p, sp_in(10 * SP_S)) == 0, "stop");
	publisher_free(p);
	egress_bridge_free(bridge);
	broker_drop_stream(s, STREAM);
	return rate(job, seconds);
}

/* So many that a round takes seconds: what is shorter measures beginnings. */
static void find_length(const struct bench *b, const struct broker *s,
			struct job *job)
{
	double updates = (double)job->sample.updates / SAMPLE_BATCHES;

	job->messages = FEW;
	if (!b->quick)
		job->messages =
			(uint64_t)(SECONDS * alone(s, job) / updates) + FEW;
}

/* CPU seconds, of us and of the server. */
struct spent {
	double own;
	double server;
};

static struct spent spent_so_far(const struct broker *s)
{
	return (struct spent){ bench_cpu_seconds(), broker_cpu(s) };
}

static struct spent spent_since(const struct broker *s, struct spent before,
				struct spent *sum)
{
	struct spent now = spent_so_far(s);

	sum->own += now.own - before.own;
	sum->server += now.server - before.server;
	return now;
}

/* Seconds are those of a round. */
static void report(const struct bench *b, const struct job *job,
		   const char *who, double *values, const struct spent *spent)
{
	char variant[64];
	double server = spent->server / b->rounds;

	snprintf(variant, sizeof(variant), "%s%s%s%s,bytes=%u", who,
		 job->shape.encoding == EGRESS_PLAIN
			 ? "plain"
			 : egress_encoding_name(job->shape.encoding),
		 job->shape.order == SAMPLE_CHURN ? ",churn" : "",
		 job->shape.worker ? ",worker" : "", job->shape.bytes);
	bench_report("jetstream_acked", variant, "updates/s", values, b->rounds,
		     spent->own / b->rounds);
	bench_report("jetstream_server_cpu", variant, "cpu s", &server, 1, 0);
}

static void tell_sample(const struct job *job)
{
	const struct sample *s = &job->sample;

	fprintf(stderr,
		"egress: %s updates, %.0f bytes each, %.0f as sent; "
		"%llu messages of %.0f bytes a round\n",
		s->real ? "real" : "bare",
		(double)s->plain_bytes / (double)s->updates,
		(double)s->bytes / (double)s->updates,
		(unsigned long long)job->messages,
		(double)s->bytes / SAMPLE_BATCHES);
}

static void compare(const struct bench *b, const struct broker *s,
		    const struct shape *shape)
{
	struct job job = { .shape = *shape };
	double floor[BENCH_ROUNDS_MAX] = { 0 };
	double values[BENCH_ROUNDS_MAX];
	struct spent alone_spent = { 0 }, ours_spent = { 0 };

	sample_make(&job.sample, shape->bytes, shape->order, shape->encoding);
	find_length(b, s, &job);
	tell_sample(&job);
	for (unsigned i = 0; i < b->rounds; i++) {
		struct spent before = spent_so_far(s);

		/* Nobody alone compresses: there is nothing to compare. */
		if (!shape->worker)
			floor[i] = alone(s, &job);
		before = spent_since(s, before, &alone_spent);
		values[i] = ours(s, &job);
		spent_since(s, before, &ours_spent);
	}
	if (!shape->worker)
		report(b, &job, "floor,", floor, &alone_spent);
	report(b, &job, "", values, &ours_spent);
	sample_free(&job.sample);
}

/* clang-format off */
static const struct shape shapes[] = {
	{ 1, EGRESS_PLAIN, SAMPLE_DUMP, false }, /* one update a message */
	{ 4 << 10, EGRESS_PLAIN, SAMPLE_DUMP, false },
	{ 16 << 10, EGRESS_PLAIN, SAMPLE_DUMP, false },
	{ 32 << 10, EGRESS_PLAIN, SAMPLE_DUMP, false },
	{ 64 << 10, EGRESS_PLAIN, SAMPLE_DUMP, false },
	{ 32 << 10, EGRESS_PACKED, SAMPLE_CHURN, false },
	{ 32 << 10, EGRESS_PACKED, SAMPLE_CHURN, true },
	{ 32 << 10, EGRESS_ZSTD, SAMPLE_CHURN, false },
	{ 32 << 10, EGRESS_ZSTD, SAMPLE_CHURN, true },
	{ 64 << 10, EGRESS_ZSTD, SAMPLE_CHURN, true },
	{ 32 << 10, EGRESS_ZSTD, SAMPLE_DUMP, false },
	{ 32 << 10, EGRESS_ZSTD, SAMPLE_DUMP, true },
};
/* clang-format on */

void egress_bench_jetstream(const struct bench *b)
{
	struct broker s = { 0 };

	if (!broker_exists())
		return;
	broker_start(&s);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		compare(b, &s, &shapes[i]);
	broker_stop(&s);
	nats_finish();
}
