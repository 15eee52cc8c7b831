/*
 * What the rib costs a route, in time and in memory, with the Internet's table
 * (fulltable.h). Times are those of apply_messages(), CPU time of the
 * thread, with as many messages as a session gives it: the BGP UPDATE is
 * decoded in there, the BMP message around it is not.
 *
 *	batched		UPDATEs as a router packs them: those with the same
 *			attributes together, five or six on average
 *	full		UPDATEs filled up with routes that have nothing in
 *			common: what batches of look-ups alone can do
 *	single		one route in each UPDATE
 *	floor		the same UPDATEs, decoded and forgotten
 */
#include "../tests/unit/apply_messages.h"
#include "bench.h"
#include "fulltable.h"

#include "rib/rib.h"
#include "rib/snapshot.h"
#include "rib/snapshot_reader.h"
#include "rib/read.h"

#include "bmp/decode_context.h"
#include "bmp/message.h"
#include "bmp/pdu.h"
#include "bmp/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
	"Nanoseconds and bytes a route takes in the rib; needs "
	"$ARANCINI_DATA.\n"
	"  rib_load, rib_duplicate, rib_change, rib_withdraw\n"
	"                    by UPDATEs, batched and single\n"
	"  rib_peer_down, rib_sweep\n"
	"                    in slices of 1000 routes, and of one\n"
	"  rib_lookup        an exact key, in an order that the caches do not\n"
	"                    know\n"
	"  rib_snapshot, rib_restore, rib_slice_max\n"
	"                    one router; what holds the shard longest\n"
	"  rib_bytes_per_route\n"
	"                    growth of the resident set\n"
	"With --quick: fewer rounds, 1 and 5 peers, no run with 10 M routes.\n";

#define MILLION	     1000000
#define SLICE	     1000
#define CHUNK	     (256 * 1024)
#define SECOND	     UINT64_C(1000000000)
#define ROOM_FOR_150 (UINT64_C(10) << 30)

/* A rib with one router, and what it published. */
struct subject {
	struct rib *rib;
	struct rib_router *router;
	struct rib_time when;
	uint64_t published;
};

static void on_change(void *arg, const struct rib_change *c)
{
	struct subject *s = arg;

	s->published += c->count;
}

static void on_event(void *arg, const struct rib_event *e)
{
	(void)arg;
	bench_keep(e);
}

static void subject_new(struct subject *s)
{
	struct rib_sink sink = { .change = on_change,
				 .event = on_event,
				 .change_arg = s,
				 .event_arg = s };
	struct rib_identity id = { .address = {
					   [10] = 0xff, 0xff, 10, 0, 0, 1 } };
	struct rib_config config;

	rib_config_defaults(&config);
	config.seed = 42;
	*s = (struct subject){ .when = { 1000 * SECOND, 1700000000 * SECOND } };
	if (rib_new(&config, &sink, &s->rib) != 0 ||
	    rib_router_get(s->rib, &id, &s->router) != 0)
		abort();
	rib_session_open(s->router, &s->when, id.address, 4000, NULL);
}

static struct bmp_peer peer_number(unsigned peer)
{
	return (struct bmp_peer){
		.type = BMP_PEER_GLOBAL,
		.as = 64512 + peer,
		.bgp_id = peer + 1,
		.address = { [10] = 0xff,
			     0xff,
			     172,
			     16,
			     (uint8_t)(peer >> 8),
			     (uint8_t)peer },
	};
}

static struct bmp_message route_monitoring(unsigned peer, const uint8_t *body,
					   size_t len)
{
	return (struct bmp_message){
		.version = 3,
		.type = BMP_ROUTE_MONITORING,
		.has_peer = true,
		.peer = peer_number(peer),
		.update = { .type = BGP_PDU_UPDATE, .body = { body, len } },
	};
}

static void apply(struct subject *s, unsigned peer, const uint8_t *body,
		  size_t len)
{
	struct bmp_message msg = route_monitoring(peer, body, len);

	if (apply_message(s->router, &s->when, &msg, NULL) != 0)
		abort();
}

/* Messages of one peer that only differ in their UPDATEs. */
struct queue {
	struct bmp_message msgs[RIB_LOOKAHEAD];
	size_t count;
};

static void queue_init(struct queue *q, unsigned peer)
{
	q->count = 0;
	for (size_t i = 0; i < RIB_LOOKAHEAD; i++)
		q->msgs[i] = route_monitoring(peer, NULL, 0);
}

static void queue_apply(struct queue *q, struct subject *s)
{
	if (apply_messages(s->router, &s->when, q->msgs, q->count, NULL) != 0)
		abort();
	q->count = 0;
}

static void queue_add(struct queue *q, struct subject *s, const uint8_t *body,
		      size_t len)
{
	q->msgs[q->count++].update.body = (struct wire_view){ body, len };
	if (q->count == RIB_LOOKAHEAD)
		queue_apply(q, s);
}

static void peer_message(struct subject *s, unsigned peer, uint8_t type)
{
	struct bmp_message msg = {
		.version = 3,
		.type = type,
		.has_peer = true,
		.peer = peer_number(peer),
	};

	if (type == BMP_PEER_DOWN)
		msg.down.reason = BMP_DOWN_REMOTE;
	else
		msg.up.remote_port = (uint16_t)(s->when.now_ns / SECOND);
	if (apply_message(s->router, &s->when, &msg, NULL) != 0)
		abort();
}

/*
 * Of this thread: what others do with the machine meanwhile does not count,
 * but for what they do to its caches.
 */
static uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

static void expect(const struct subject *s, uint64_t before, uint64_t routes)
{
	if (s->published - before == routes)
		return;
	fprintf(stderr, "rib: published %llu routes, not %llu\n",
		(unsigned long long)(s->published - before),
		(unsigned long long)routes);
	exit(1);
}

/* Some UPDATEs, made before the clock starts. */
struct chunk {
	uint8_t bytes[CHUNK];
	size_t len;
	size_t routes;
};

static bool chunk_fill(struct chunk *c, struct fulltable_walk *walk)
{
	c->len = c->routes = 0;
	while (c->len + 2 + 4096 <= sizeof(c->bytes)) {
		size_t n;
		size_t len = fulltable_next(walk, c->bytes + c->len + 2, &n);

		if (len == 0)
			break;
		wire_put_u16(c->bytes + c->len, (uint16_t)len);
		c->len += 2 + len;
		c->routes += n;
	}
	return c->len != 0;
}

enum published {
	PUBLISHED_NONE,
	PUBLISHED_ALL,
};

/* What apply_messages() does first. */
static void decode(const uint8_t *body, size_t len)
{
	struct bgp_prefix prefixes[64];
	struct bgp_decode_opts opts = { .as_width = 4 };
	struct bgp_nlri_iter it;
	struct bgp_update u;

	bgp_update_decode((struct wire_view){ body, len }, &opts, &u);
	for (int i = 0; i < BGP_PARTS; i++)
		if (bgp_update_routes(&u, i, &it))
			while (bgp_nlri_take(&it, prefixes, 64) != 0)
				bench_keep(prefixes);
}

/* Apply a chunk, or if @s is NULL only decode it. */
static void chunk_apply(const struct chunk *c, struct queue *q,
			struct subject *s)
{
	for (size_t at = 0; at < c->len;) {
		size_t len = wire_get_u16(c->bytes + at);

		if (s != NULL)
			queue_add(q, s, c->bytes + at + 2, len);
		else
			decode(c->bytes + at + 2, len);
		at += 2 + len;
	}
	if (s != NULL)
		queue_apply(q, s);
}

/* Nanoseconds a route takes of what @walk makes. */
static double time_walk(struct subject *s, struct fulltable_walk walk,
			enum published published)
{
	static struct chunk c;
	uint64_t before = s != NULL ? s->published : 0, spent = 0;
	struct queue q;
	size_t routes = 0;

	queue_init(&q, walk.peer);
	while (chunk_fill(&c, &walk)) {
		uint64_t start = thread_cpu_ns();

		chunk_apply(&c, &q, s);
		spent += thread_cpu_ns() - start;
		routes += c.routes;
	}
	if (s != NULL)
		expect(s, before, published == PUBLISHED_ALL ? routes : 0);
	return (double)spent / (double)routes;
}

static double time_work(struct subject *s, size_t routes, size_t slice)
{
	uint64_t before = s->published;
	uint64_t start = thread_cpu_ns();

	while (rib_background(s->rib, &s->when, slice).more)
		;
	start = thread_cpu_ns() - start;
	expect(s, before, routes);
	return (double)start / (double)routes;
}

/* Samples of one round after another. */
struct samples {
	const char *name;
	const char *unit;
	double value[BENCH_ROUNDS_MAX];
};

enum sample {
	FLOOR,
	LOAD,
	DUPLICATE,
	CHANGE,
	WITHDRAW,
	PEER_DOWN,
	SWEEP,
	LOOKUP,
	SNAPSHOT,
	RESTORE,
	SLICE_MAX,
	SAMPLES
};

static struct samples samples[SAMPLES] = {
	[FLOOR] = { .name = "rib_duplicate", .unit = "ns" },
	[LOAD] = { .name = "rib_load", .unit = "ns" },
	[DUPLICATE] = { .name = "rib_duplicate", .unit = "ns" },
	[CHANGE] = { .name = "rib_change", .unit = "ns" },
	[WITHDRAW] = { .name = "rib_withdraw", .unit = "ns" },
	[PEER_DOWN] = { .name = "rib_peer_down", .unit = "ns" },
	[SWEEP] = { .name = "rib_sweep", .unit = "ns" },
	[LOOKUP] = { .name = "rib_lookup", .unit = "ns" },
	[SNAPSHOT] = { .name = "rib_snapshot", .unit = "ms" },
	[RESTORE] = { .name = "rib_restore", .unit = "ms" },
	[SLICE_MAX] = { .name = "rib_slice_max", .unit = "us" },
};

static void report(const struct bench *b, enum sample first, enum sample last,
		   const char *variant)
{
	for (int i = first; i <= (int)last; i++)
		bench_report(samples[i].name, variant, samples[i].unit,
			     samples[i].value, b->rounds, bench_cpu_seconds());
}

/* A table and how it is sent. */
struct load {
	const struct fulltable *table;
	unsigned peers;
	unsigned most; /* routes in an UPDATE */
	size_t routes; /* of a peer */
	bool full;     /* UPDATEs, whatever the attributes */
};

static struct fulltable_walk walk_of(const struct load *load, unsigned peer)
{
	return (struct fulltable_walk){
		.table = load->table,
		.peer = peer,
		.most = load->most,
		.routes = load->routes,
		.full = load->full,
	};
}

enum what {
	WHAT_LOAD,
	WHAT_CHANGE,
	WHAT_WITHDRAW,
};

static double time_peers(struct subject *s, const struct load *load,
			 enum what what, enum published published)
{
	double sum = 0;

	for (unsigned p = 0; p < load->peers; p++) {
		struct fulltable_walk walk = walk_of(load, p);

		walk.version = what == WHAT_CHANGE;
		walk.withdraw = what == WHAT_WITHDRAW;
		sum += time_walk(s, walk, published);
	}
	return sum / load->peers;
}

static void round_updates(const struct load *load, unsigned round)
{
	struct subject s = { 0 };

	subject_new(&s);
	for (unsigned p = 0; p < load->peers; p++)
		peer_message(&s, p, BMP_PEER_UP);
	samples[FLOOR].value[round] =
		time_peers(NULL, load, WHAT_LOAD, PUBLISHED_NONE);
	samples[LOAD].value[round] =
		time_peers(&s, load, WHAT_LOAD, PUBLISHED_ALL);
	samples[DUPLICATE].value[round] =
		time_peers(&s, load, WHAT_LOAD, PUBLISHED_NONE);
	samples[CHANGE].value[round] =
		time_peers(&s, load, WHAT_CHANGE, PUBLISHED_ALL);
	samples[WITHDRAW].value[round] =
		time_peers(&s, load, WHAT_WITHDRAW, PUBLISHED_ALL);
	rib_free(s.rib);
}

static void bench_updates(const struct bench *b, const struct load *load,
			  const char *variant)
{
	char floor[40];

	for (unsigned i = 0; i < b->rounds; i++)
		round_updates(load, i);
	snprintf(floor, sizeof(floor), "floor,%s", variant);
	report(b, FLOOR, FLOOR, floor);
	report(b, LOAD, WITHDRAW, variant);
}

/* What does not come in UPDATEs. */

/* Neighbours in this order are far from each other in any table. */
static size_t scattered(size_t i, size_t n)
{
	return (size_t)((uint64_t)i * 2654435761u % n);
}

static double time_lookups(struct subject *s, const struct fulltable *t,
			   size_t routes)
{
	struct rib_table *table =
		rib_table_next(rib_peer_next(s->router, NULL), NULL);
	uint64_t start = thread_cpu_ns();
	struct rib_stored route;
	uint8_t key[5];
	size_t found = 0;

	for (size_t i = 0; i < MILLION; i++) {
		const struct fulltable_prefix *p =
			fulltable_prefix(t, scattered(i, routes));
		uint32_t id;

		key[0] = p->len;
		memcpy(key + 1, p->address + 12, 4);
		id = rib_prefix_find(s->rib, 1, 1,
				     (struct wire_view){
					     key, 1 + (p->len + 7u) / 8 });
		found += rib_table_route(table, id, &route);
		bench_keep(&route);
	}
	start = thread_cpu_ns() - start;
	if (found != MILLION)
		abort();
	return (double)start / MILLION;
}

struct bytes {
	uint8_t *p;
	size_t len;
	size_t cap;
};

static void append(struct bytes *b, struct wire_view v)
{
	if (b->len + v.len > b->cap) {
		b->cap = 2 * (b->len + v.len);
		b->p = realloc(b->p, b->cap);
		if (b->p == NULL)
			abort();
	}
	if (v.len != 0)
		memcpy(b->p + b->len, v.p, v.len);
	b->len += v.len;
}

/* What the shard does without a pause, in nanoseconds of CPU. */
struct slices {
	uint64_t start;
	uint64_t spent;
	uint64_t longest;
};

static void slice_over(struct slices *s)
{
	uint64_t now = thread_cpu_ns();

	s->spent += now - s->start;
	if (now - s->start > s->longest)
		s->longest = now - s->start;
	s->start = now;
}

/* Milliseconds; *@longest is that of the slices, in microseconds of CPU. */
static double time_snapshot(struct subject *s, struct bytes *out,
			    double *longest)
{
	struct wire_view mark = { (const uint8_t *)"mark", 4 };
	struct slices slices = { .start = thread_cpu_ns() };
	struct rib_snapshot *snapshot;
	struct wire_view v;
	int more;

	out->len = 0;
	if (rib_snapshot_new(s->router, &s->when, mark, &snapshot) != 0)
		abort();
	slice_over(&slices);
	do {
		more = rib_snapshot_step(snapshot, &v);
		if (more < 0)
			abort();
		slice_over(&slices);
		append(out, v);
		slices.start = thread_cpu_ns();
	} while (more > 0);
	if (rib_snapshot_finish(snapshot, mark, &v) != 0)
		abort();
	slice_over(&slices);
	append(out, v);
	rib_snapshot_free(snapshot);
	*longest = (double)slices.longest / 1e3;
	return (double)slices.spent / 1e6;
}

static double time_restore(const struct bytes *in, size_t routes)
{
	struct wire_view v = { in->p, in->len };
	struct rib_snapshot_reader *reader;
	struct subject s = { 0 };
	uint64_t start;
	size_t used;

	subject_new(&s);
	start = thread_cpu_ns();
	if (rib_snapshot_reader_new(s.rib, &reader) != 0)
		abort();
	while (v.len != 0 && rib_snapshot_reader_feed(reader, v, &used) ==
				     RIB_SNAPSHOT_MORE) {
		v.p += used;
		v.len -= used;
	}
	if (rib_snapshot_reader_end(reader) != RIB_SNAPSHOT_OK ||
	    rib_snapshot_reader_facts(reader)->routes != routes)
		abort();
	start = thread_cpu_ns() - start;
	rib_snapshot_reader_free(reader);
	rib_free(s.rib);
	return (double)start / 1e6;
}

static void round_snapshot(const struct load *load, struct bytes *bytes,
			   unsigned round)
{
	struct subject s = { 0 };

	subject_new(&s);
	peer_message(&s, 0, BMP_PEER_UP);
	time_walk(&s, walk_of(load, 0), PUBLISHED_ALL);
	samples[SNAPSHOT].value[round] =
		time_snapshot(&s, bytes, &samples[SLICE_MAX].value[round]);
	samples[RESTORE].value[round] = time_restore(bytes, load->routes);
	rib_free(s.rib);
}

static void bench_snapshot(const struct bench *b, const struct load *load)
{
	struct bytes bytes = { 0 };

	for (unsigned i = 0; i < b->rounds; i++)
		round_snapshot(load, &bytes, i);
	report(b, SNAPSHOT, SLICE_MAX, "routes=1M");
	fprintf(stderr, "rib: the snapshot has %.1f bytes a route\n",
		(double)bytes.len / (double)load->routes);
	free(bytes.p);
}

static void each_peer_up(struct subject *s, const struct load *load)
{
	s->when.now_ns += SECOND;
	for (unsigned p = 0; p < load->peers; p++)
		peer_message(s, p, BMP_PEER_UP);
}

/* Load, forget, load again, and end dumps that repeat nothing. */
static void round_floods(const struct load *load, size_t slice, unsigned round)
{
	static const uint8_t end_of_rib[2][10] = {
		{ 0 }, { 0, 0, 0, 6, 0x80, 15, 3, 0, 2, 1 }
	};
	size_t routes = load->peers * load->routes;
	size_t v4 = fulltable_v4(load->table);
	struct subject s = { 0 };

	if (v4 > load->routes)
		v4 = load->routes;
	subject_new(&s);
	each_peer_up(&s, load);
	time_peers(&s, load, WHAT_LOAD, PUBLISHED_ALL);
	samples[LOOKUP].value[round] = time_lookups(&s, load->table, v4);
	for (unsigned p = 0; p < load->peers; p++)
		peer_message(&s, p, BMP_PEER_DOWN);
	samples[PEER_DOWN].value[round] = time_work(&s, routes, slice);
	each_peer_up(&s, load);
	time_peers(&s, load, WHAT_LOAD, PUBLISHED_ALL);
	each_peer_up(&s, load);
	for (unsigned p = 0; p < load->peers; p++) {
		apply(&s, p, end_of_rib[0], 4);
		apply(&s, p, end_of_rib[1], 10);
	}
	samples[SWEEP].value[round] = time_work(&s, routes, slice);
	rib_free(s.rib);
}

static void bench_floods(const struct bench *b, const struct load *load,
			 size_t slice, const char *variant)
{
	for (unsigned i = 0; i < b->rounds; i++)
		round_floods(load, slice, i);
	/* Look-ups are one by one in all of them. */
	report(b, PEER_DOWN, LOOKUP, variant);
}

/* Memory */

static size_t resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	char line[200], *pages;

	if (f == NULL || fgets(line, sizeof(line), f) == NULL)
		abort();
	fclose(f);
	pages = strchr(line, ' ');
	if (pages == NULL)
		abort();
	return strtoul(pages, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static void print_sizes(const struct rib *rib, unsigned peers)
{
	static const char *const kinds[RIB_BYTES_KINDS] = { "prefixes",
							    "attributes",
							    "routes", "peers" };
	struct rib_sizes sizes;

	rib_sizes(rib, &sizes);
	fprintf(stderr, "rib: %u peers, %.1f M routes, %.3f sets a route;",
		peers, (double)sizes.routes / 1e6,
		(double)sizes.attribute_sets / (double)sizes.routes);
	for (int i = 0; i < RIB_BYTES_KINDS; i++)
		fprintf(stderr, " %s %.2f", kinds[i],
			(double)sizes.bytes[i] / (double)sizes.routes);
	fprintf(stderr, " bytes a route\n");
}

static double load_peers(const struct fulltable *t, unsigned peers,
			 size_t routes)
{
	size_t before = resident();
	uint8_t body[4096];
	size_t len, n, loaded = 0;
	struct subject s = { 0 };

	subject_new(&s);
	for (unsigned p = 0; p < peers; p++) {
		struct fulltable_walk walk = {
			.table = t,
			.peer = p,
			.most = 500,
			.routes = routes,
		};

		peer_message(&s, p, BMP_PEER_UP);
		while ((len = fulltable_next(&walk, body, &n)) != 0) {
			apply(&s, p, body, len);
			loaded += n;
		}
	}
	print_sizes(s.rib, peers);
	return (double)(resident() - before) / (double)loaded;
}

/* In a process of its own, so that no memory of an earlier run is reused. */
static void bench_bytes(const struct fulltable *t, unsigned peers,
			size_t routes)
{
	double value = 0;
	char variant[32];
	int pipes[2], status;
	pid_t pid;

	snprintf(variant, sizeof(variant), "peers=%u", peers);
	fflush(stdout);
	if (pipe(pipes) != 0 || (pid = fork()) < 0)
		abort();
	if (pid == 0) {
		value = load_peers(t, peers, routes);
		_exit(write(pipes[1], &value, sizeof(value)) != sizeof(value));
	}
	close(pipes[1]);
	if (read(pipes[0], &value, sizeof(value)) != sizeof(value))
		fprintf(stderr, "rib: %s did not load\n", variant);
	else
		bench_report("rib_bytes_per_route", variant, "bytes", &value, 1,
			     bench_cpu_seconds());
	close(pipes[0]);
	waitpid(pid, &status, 0);
}

static uint64_t available(void)
{
	uint64_t kb = 0;
	char line[200];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "MemAvailable:", 13) == 0)
			kb = strtoull(line + 13, NULL, 10);
	if (f != NULL)
		fclose(f);
	return kb << 10;
}

static void bench_memory(const struct bench *b, const struct fulltable *t)
{
	bench_bytes(t, 1, SIZE_MAX);
	bench_bytes(t, 5, SIZE_MAX);
	if (b->quick)
		return;
	bench_bytes(t, 50, SIZE_MAX);
	if (available() < ROOM_FOR_150)
		fprintf(stderr, "rib: no room for 150 peers here\n");
	else
		bench_bytes(t, 150, MILLION);
}

static void bench_times(const struct bench *b, const struct fulltable *t)
{
	struct load batched = { t, 1, 500, MILLION, false };
	struct load full = { t, 1, 500, MILLION, true };
	struct load single = { t, 1, 1, MILLION, false };
	struct bench few = { .rounds = BENCH_ROUNDS_QUICK };

	bench_updates(b, &batched, "routes=1M,batched");
	bench_updates(b, &full, "routes=1M,full");
	bench_updates(b, &single, "routes=1M,single");
	bench_floods(b, &batched, SLICE, "routes=1M,batched");
	bench_floods(b, &batched, 1, "routes=1M,single");
	bench_snapshot(b, &batched);
	if (b->quick)
		return;
	/* Seven peers with all there is. */
	batched.peers = single.peers = 7;
	batched.routes = single.routes = fulltable_routes(t);
	bench_updates(&few, &batched, "routes=10M,batched");
	bench_updates(&few, &single, "routes=10M,single");
	bench_floods(&few, &batched, SLICE, "routes=10M,batched");
	bench_floods(&few, &batched, 1, "routes=10M,single");
}

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv, help);
	struct fulltable *t = fulltable_load();

	if (t == NULL) {
		fprintf(stderr, "rib: needs $ARANCINI_DATA, the folder with "
				"fulltable/\n");
		return 0;
	}
	bench_memory(&b, t);
	bench_times(&b, t);
	fulltable_free(t);
	return 0;
}
