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
#include "egress.h"
#include "sample.h"

#include "egress/publisher.h"

#include <spargio/time.h>

#include <nats/nats.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STREAM	"BENCH"
#define SUBJECT "arancini.updates.v4_192_0_2_1.64500.1_1"
#define WINDOW	1024
#define PORT	24222
#define PATH	64
#define FEW	2000
#define SECONDS 2

struct broker {
	pid_t pid;
	char dir[PATH];
	char url[PATH];
};

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

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "egress: jetstream: %s\n", what);
	exit(1);
}

static void start_server(struct broker *s)
{
	char port[16];

	snprintf(s->dir, sizeof(s->dir), "/var/tmp/bench-js-%d", (int)getpid());
	snprintf(s->url, sizeof(s->url), "nats://127.0.0.1:%d", PORT);
	snprintf(port, sizeof(port), "%d", PORT);
	s->pid = fork();
	must(s->pid >= 0, "fork");
	if (s->pid == 0) {
		/* It must not outlive a run that is killed. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		must(freopen("/dev/null", "w", stderr) != NULL, "stderr");
		execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p",
		       port, "-js", "-sd", s->dir, NULL);
		execl("/usr/sbin/nats-server", "nats-server", "-a", "127.0.0.1",
		      "-p", port, "-js", "-sd", s->dir, NULL);
		_exit(127);
	}
}

static natsConnection *connect_to(const struct broker *s)
{
	natsConnection *nc = NULL;

	for (int i = 0; i < 100; i++) {
		if (natsConnection_ConnectTo(&nc, s->url) == NATS_OK)
			return nc;
		usleep(50000);
	}
	must(false, "no server");
	return NULL;
}

static void stop_server(struct broker *s)
{
	char command[PATH + 16];

	kill(s->pid, SIGTERM);
	waitpid(s->pid, NULL, 0);
	snprintf(command, sizeof(command), "rm -rf %s", s->dir);
	if (system(command) != 0) /* NOLINT(cert-env33-c): our own folder */
		fprintf(stderr, "egress: %s stays behind\n", s->dir);
}

/* User and system time of a process, in seconds. */
static double cpu_of(pid_t pid)
{
	unsigned long user = 0;
	unsigned long sys = 0;
	char path[PATH];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers */
	if (fscanf(f,
		   "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu "
		   "%lu",
		   &user, &sys) != 2)
		user = sys = 0;
	fclose(f);
	return (double)(user + sys) / (double)sysconf(_SC_CLK_TCK);
}

static void drop_stream(const struct broker *s)
{
	natsConnection *nc = connect_to(s);
	jsCtx *js = NULL;

	must(natsConnection_JetStream(&js, nc, NULL) == NATS_OK, "js");
	js_DeleteStream(js, STREAM, NULL, NULL);
	jsCtx_Destroy(js);
	natsConnection_Destroy(nc);
}

/* libnats alone */

static void add_stream(jsCtx *js)
{
	const char *subjects[] = { "arancini.>" };
	jsStreamConfig config;

	jsStreamConfig_Init(&config);
	config.Name = STREAM;
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	must(js_AddStream(NULL, js, &config, NULL, NULL) == NATS_OK, "stream");
}

static natsMsg *message_of(const struct egress_batch *b, const char *id,
			   const char *before)
{
	natsMsg *msg = NULL;

	must(natsMsg_Create(&msg, SUBJECT, NULL, (const char *)b->bytes,
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
		must(js_PublishMsgAsync(js, &msg, NULL) == NATS_OK, "publish");
		memcpy(before, id, sizeof(id));
	}
	must(js_PublishAsyncComplete(js, NULL) == NATS_OK, "complete");
}

/* Updates a second; all laps through the sample are alike. */
static double rate(const struct job *job, double seconds)
{
	return (double)job->messages * (double)job->sample.updates /
	       SAMPLE_BATCHES / seconds;
}

static double alone(const struct broker *s, const struct job *job)
{
	natsConnection *nc = connect_to(s);
	jsOptions options;
	jsCtx *js = NULL;
	uint64_t start;
	double seconds;

	jsOptions_Init(&options);
	options.PublishAsync.MaxPending = WINDOW;
	options.PublishAsync.StallWait = 60000;
	must(natsConnection_JetStream(&js, nc, &options) == NATS_OK, "js");
	add_stream(js);
	start = bench_now_ns();
	publish_alone(js, job);
	seconds = (double)(bench_now_ns() - start) / 1e9;
	jsCtx_Destroy(js);
	natsConnection_Destroy(nc);
	drop_stream(s);
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

	must(egress_batch_grow(b, from->len) == 0, "memory");
	b->kind = EGRESS_BATCH_UPDATES;
	b->encoding = from->encoding;
	b->updates = from->updates;
	b->len = from->len;
	b->plain_len = from->plain_len;
	b->subject_len = from->subject_len;
	memcpy(b->subject, from->subject, from->subject_len + 1);
	memcpy(b->bytes, from->bytes, from->len);
	if (job->shape.worker)
		must(egress_codec_close(codec, job->shape.encoding, b) == 0,
		     "compress");
}

/* Push all, using again what comes back, until all is acknowledged. */
static void feed(struct egress_bridge *bridge, struct publisher *p,
		 const struct job *job)
{
	struct egress_batch *spare = NULL, *next = NULL;
	struct publisher_stats stats = { 0 };
	struct egress_codec *codec;
	uint64_t pushed = 0;

	must(egress_codec_new(&codec) == 0, "memory");
	while (stats.messages < job->messages) {
		if (spare == NULL)
			spare = egress_bridge_take_back(bridge, 0);
		if (next == NULL && pushed < job->messages) {
			next = spare != NULL ? spare : egress_batch_new(0);
			must(next != NULL, "memory");
			spare = spare != NULL ? spare->next : NULL;
			fill(next, job, codec, pushed);
		}
		if (next != NULL && egress_bridge_push(bridge, 0, next) == 0) {
			next = NULL;
			pushed++;
			continue;
		}
		usleep(200);
		publisher_stats(p, &stats);
	}
	egress_batch_free_all(spare);
	egress_codec_free(codec);
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
	struct nats_words why = { "" };
	struct egress_mark mark;
	struct publisher *p;
	uint64_t start;
	double seconds;

	must(egress_bridge_new(1, 1024, &bridge) == 0, "bridge");
	must(publisher_start(&options, bridge, &why, &p) == 0, why.text);
	must(publisher_wait_epoch(p, sp_in(10 * SP_S), &mark) == 0, "epoch");
	start = bench_now_ns();
	feed(bridge, p, job);
	seconds = (double)(bench_now_ns() - start) / 1e9;
	egress_bridge_close(bridge, 0);
	must(publisher_stop(p, sp_in(10 * SP_S)) == 0, "stop");
	egress_bridge_free(bridge);
	drop_stream(s);
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
	return (struct spent){ bench_cpu_seconds(), cpu_of(s->pid) };
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
	double floor[BENCH_ROUNDS_MAX];
	double values[BENCH_ROUNDS_MAX];
	struct spent alone_spent = { 0 }, ours_spent = { 0 };

	sample_make(&job.sample, shape->bytes, shape->order, shape->encoding);
	find_length(b, s, &job);
	tell_sample(&job);
	for (unsigned i = 0; i < b->rounds; i++) {
		struct spent before = spent_so_far(s);

		floor[i] = alone(s, &job);
		before = spent_since(s, before, &alone_spent);
		values[i] = ours(s, &job);
		spent_since(s, before, &ours_spent);
	}
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
	struct bench few = *b;
	struct broker s = { 0 };

	if (access("/usr/sbin/nats-server", X_OK) != 0) {
		fputs("egress: no nats-server here: jetstream left out\n",
		      stderr);
		return;
	}
	if (few.rounds > 5)
		few.rounds = 5;
	start_server(&s);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		compare(&few, &s, &shapes[i]);
	stop_server(&s);
	nats_finish();
}
