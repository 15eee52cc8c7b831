/*
 * Updates a second that JetStream has acknowledged, against what libnats alone
 * gets out of the same server in the same run: messages of the same size, with
 * the same headers and the same window.
 *
 * The server is a real one, started here, with its file store in /var/tmp.
 */
#include "egress.h"

#include "egress/codec.h"
#include "egress/encode.h"
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

struct broker {
	pid_t pid;
	char dir[PATH];
	char url[PATH];
};

/* What is published again and again. */
struct sample {
	struct egress_batch *batch;
	uint64_t messages;
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

static void publish_alone(jsCtx *js, const struct sample *sample)
{
	const struct egress_batch *b = sample->batch;
	char before[MESSAGE_ID_MAX] = "";

	for (uint64_t i = 1; i <= sample->messages; i++) {
		char id[MESSAGE_ID_MAX];
		natsMsg *msg = NULL;

		snprintf(id, sizeof(id), "bench.1794790000000.%" PRIu64, i);
		must(natsMsg_Create(&msg, SUBJECT, NULL, (const char *)b->bytes,
				    (int)b->len) == NATS_OK,
		     "message");
		natsMsgHeader_Set(msg, "Nats-Msg-Id", id);
		if (i > 1)
			natsMsgHeader_Set(msg, "Nats-Expected-Last-Msg-Id",
					  before);
		natsMsgHeader_Set(msg, "Arancini-Collector", "bench");
		natsMsgHeader_Set(msg, "Arancini-Schema", "1");
		if (b->encoding != EGRESS_PLAIN)
			natsMsgHeader_Set(msg, "Content-Encoding",
					  egress_encoding_name(b->encoding));
		must(js_PublishMsgAsync(js, &msg, NULL) == NATS_OK, "publish");
		memcpy(before, id, sizeof(id));
	}
	must(js_PublishAsyncComplete(js, NULL) == NATS_OK, "complete");
}

static double alone(const struct broker *s, const struct sample *sample)
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
	publish_alone(js, sample);
	seconds = (double)(bench_now_ns() - start) / 1e9;
	jsCtx_Destroy(js);
	natsConnection_Destroy(nc);
	drop_stream(s);
	return (double)(sample->messages * sample->batch->updates) / seconds;
}

/* The publisher */

static struct egress_batch *copy_batch(const struct egress_batch *from)
{
	struct egress_batch *b = egress_batch_new(from->len);

	must(b != NULL, "memory");
	b->kind = EGRESS_BATCH_UPDATES;
	b->encoding = from->encoding;
	b->updates = from->updates;
	b->len = from->len;
	b->plain_len = from->plain_len;
	b->subject_len = sizeof(SUBJECT) - 1;
	memcpy(b->subject, SUBJECT, sizeof(SUBJECT));
	memcpy(b->bytes, from->bytes, from->len);
	return b;
}

/* Push all, using again what comes back, until all is acknowledged. */
static void feed(struct egress_bridge *bridge, struct publisher *p,
		 const struct sample *sample)
{
	struct egress_batch *spare = NULL;
	struct publisher_stats stats = { 0 };
	uint64_t pushed = 0;

	while (stats.messages < sample->messages) {
		if (spare == NULL)
			spare = egress_bridge_take_back(bridge, 0);
		if (pushed < sample->messages) {
			struct egress_batch *b = spare;

			if (b == NULL)
				b = copy_batch(sample->batch);
			else
				spare = b->next;
			if (egress_bridge_push(bridge, 0, b) == 0) {
				pushed++;
				continue;
			}
			b->next = spare;
			spare = b;
		}
		usleep(200);
		publisher_stats(p, &stats);
	}
	egress_batch_free_all(spare);
}

static double ours(const struct broker *s, const struct sample *sample)
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
	feed(bridge, p, sample);
	seconds = (double)(bench_now_ns() - start) / 1e9;
	egress_bridge_close(bridge, 0);
	must(publisher_stop(p, sp_in(10 * SP_S)) == 0, "stop");
	egress_bridge_free(bridge);
	drop_stream(s);
	return (double)(sample->messages * sample->batch->updates) / seconds;
}

/* Real updates, about @bytes of them, in one encoding. */
static struct egress_batch *make_batch(uint32_t bytes,
				       enum egress_encoding encoding)
{
	struct rib_router_info router = {
		.address = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 }
	};
	struct rib_table_info table = { .router = &router,
					.afi = 1,
					.safi = 1,
					.family = BGP_IPV4_UNICAST,
					.peer_as = 64500 };
	struct bgp_attrs attrs = { 0 };
	struct rib_route route = { .prefix_len = 24 };
	struct rib_change change = { .table = &table,
				     .announced = true,
				     .kind = BGP_NLRI_PREFIX,
				     .attrs = &attrs,
				     .count = 1,
				     .routes = &route };
	struct egress_batch *b = egress_batch_new(bytes + 4096);
	struct egress_codec *codec;

	must(b != NULL && egress_codec_new(&codec) == 0, "memory");
	while (b->len < bytes) {
		uint64_t n = b->updates++;

		route.sequence = n + 1;
		route.address[13] = (uint8_t)(n >> 8);
		route.address[14] = (uint8_t)n;
		b->len += (uint32_t)egress_encode_update(&change, 0, 1,
							 b->bytes + b->len,
							 b->cap - b->len)
				  .bytes;
	}
	b->plain_len = b->len;
	if (encoding != EGRESS_PLAIN)
		must(egress_codec_close(codec, encoding, b) == 0, "compress");
	egress_codec_free(codec);
	return b;
}

static void compare(const struct bench *b, const struct broker *s,
		    enum egress_encoding encoding, uint32_t bytes)
{
	struct sample sample = { make_batch(bytes, encoding),
				 b->quick ? 2000 : 20000 };
	double floor[BENCH_ROUNDS_MAX];
	double values[BENCH_ROUNDS_MAX];
	double own = 0;
	double server = 0;
	char variant[48];
	const char *name = encoding == EGRESS_PLAIN
				   ? "plain"
				   : egress_encoding_name(encoding);

	for (unsigned i = 0; i < b->rounds; i++) {
		double cpu, server_cpu;

		floor[i] = alone(s, &sample);
		cpu = bench_cpu_seconds();
		server_cpu = cpu_of(s->pid);
		values[i] = ours(s, &sample);
		own += bench_cpu_seconds() - cpu;
		server += cpu_of(s->pid) - server_cpu;
	}
	snprintf(variant, sizeof(variant), "floor,%s,bytes=%u", name, bytes);
	bench_report("jetstream_acked", variant, "updates/s", floor, b->rounds,
		     0);
	snprintf(variant, sizeof(variant), "%s,bytes=%u", name, bytes);
	bench_report("jetstream_acked", variant, "updates/s", values, b->rounds,
		     own);
	bench_report("jetstream_server_cpu", variant, "cpu s", &server, 1, 0);
	egress_batch_free(sample.batch);
}

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
	compare(&few, &s, EGRESS_PLAIN, 16 << 10);
	compare(&few, &s, EGRESS_PLAIN, 64 << 10);
	compare(&few, &s, EGRESS_PACKED, 64 << 10);
	compare(&few, &s, EGRESS_ZSTD, 64 << 10);
	stop_server(&s);
	nats_finish();
}
