/*
 * What a second worker brings, with the routers inside the process: a fiber on
 * each worker's own shard sends to the session that the same shard reads, so
 * two workers keep two CPUs busy and nothing else is needed. Sending costs
 * both sides of the ratio the same.
 *
 * Where the CPUs are not ours alone, "scaling_cpu" says what the workers have
 * in common: it is 2 if an update costs a worker as much beside another one.
 */
#include "collector.h"

#include "collector/collector_env.h"
#include "load/router.h"
#include "collector_harness.h"

#include <spargio/fiber.h>
#include <spargio/socket.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORKERS_MAX 2
#define PIECE	    (64u << 10)
#define ROOM	    (64u << 20)
#define UPDATES	    UINT64_C(200000) /* a round, of each router */
#define QUICK	    UINT64_C(50000)

struct inside {
	struct load_table *table;
	struct load_router *router;
	struct rig *rig;
	struct sp_task task;
	uint8_t last; /* of its address */
	int fd;
	uint8_t *bytes;
	size_t len;
};

static void make(const struct bench *b, struct rig *rig, unsigned worker,
		 struct inside *in)
{
	struct load_plan plan = collector_plan(b, 1);

	*in = (struct inside){ .rig = rig,
			       .last = rig_address(rig->workers, worker) };
	in->bytes = malloc(ROOM);
	bench_must(in->bytes != NULL &&
			   load_table_new(&plan, &in->table) == 0 &&
			   load_router_new(in->table, 0, &in->router) == 0,
		   "memory for a table");
}

static void drop(struct inside *in)
{
	load_router_free(in->router);
	load_table_free(in->table);
	free(in->bytes);
}

/* From its own address, so that its own worker is the one that owns it. */
static void dial(struct inside *in)
{
	struct sockaddr_in from = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(0x7f010000u | in->last) },
	};
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) },
				  .sin_port = htons(rig_port(in->rig)) };

	in->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bench_must(in->fd >= 0 &&
			   bind(in->fd, (struct sockaddr *)&from,
				sizeof(from)) == 0 &&
			   connect(in->fd, (struct sockaddr *)&to,
				   sizeof(to)) == 0,
		   "connecting to the collector");
}

/* In a fiber. */
static int send_table(void *arg)
{
	struct inside *in = arg;
	size_t n;

	while ((n = load_router_fill(in->router, 0, in->bytes, PIECE)) > 0)
		bench_must(sp_send_all(in->fd, in->bytes, n) == 0, "sending");
	return 0;
}

/* In a fiber. */
static int send_round(void *arg)
{
	struct inside *in = arg;

	for (size_t at = 0; at < in->len; at += PIECE) {
		size_t n = in->len - at < PIECE ? in->len - at : PIECE;

		bench_must(sp_send_all(in->fd, in->bytes + at, n) == 0,
			   "sending");
	}
	return 0;
}

static void on_all(struct inside *in, int (*fn)(void *))
{
	struct rig *rig = in->rig;
	struct sp_rt *rt = collector_env(rig->collector)->rt;

	for (unsigned i = 0; i < rig->workers; i++)
		bench_must(sp_go_on(rt, i, fn, &in[i], &in[i].task) == 0,
			   "a fiber");
	for (unsigned i = 0; i < rig->workers; i++)
		sp_join_thread(rt, in[i].task, NULL);
}

struct side {
	struct rig rig;
	struct inside inside[WORKERS_MAX];
	uint64_t published;
	double rates[BENCH_ROUNDS_MAX];
	double ns[BENCH_ROUNDS_MAX];
};

static void side_start(const struct bench *b, struct side *s, unsigned workers)
{
	struct rig_options options = { .workers = workers,
				       .output = RIG_DISCARD };
	uint64_t routes = 0;

	rig_start(&s->rig, &options);
	for (unsigned i = 0; i < workers; i++) {
		make(b, &s->rig, i, &s->inside[i]);
		dial(&s->inside[i]);
	}
	on_all(s->inside, send_table);
	for (unsigned i = 0; i < workers; i++)
		routes += load_router_counts(s->inside[i].router)->announced;
	s->published = rig_settle(&s->rig, routes);
}

static void side_stop(struct side *s)
{
	for (unsigned i = 0; i < s->rig.workers; i++) {
		close(s->inside[i].fd);
		drop(&s->inside[i]);
	}
	rig_stop(&s->rig);
}

static double workers_cpu(const struct side *s)
{
	double seconds = 0;

	for (unsigned i = 0; i < s->rig.workers; i++)
		seconds += rig_worker_cpu(&s->rig, i);
	return seconds;
}

static void round_of(const struct bench *b, struct side *s, unsigned round)
{
	uint64_t updates = 0;
	uint64_t start;
	double cpu;

	for (unsigned i = 0; i < s->rig.workers; i++) {
		struct inside *in = &s->inside[i];
		uint64_t before = load_router_churned(in->router);

		in->len =
			load_router_fill(in->router,
					 before + (b->quick ? QUICK : UPDATES),
					 in->bytes, ROOM);
		updates += load_router_churned(in->router) - before;
	}
	cpu = workers_cpu(s);
	start = bench_now_ns();
	on_all(s->inside, send_round);
	s->published += updates;
	rig_wait(&s->rig, s->published);
	s->rates[round] =
		(double)updates * 1e9 / (double)(bench_now_ns() - start);
	s->ns[round] = (workers_cpu(s) - cpu) * 1e9 / (double)updates;
}

static void report(struct side *s, unsigned rounds, double cpu)
{
	char variant[32];

	snprintf(variant, sizeof(variant), "workers=%u", s->rig.workers);
	bench_report("ingest_inside", variant, "updates/s", s->rates, rounds,
		     cpu);
	bench_report("inside_worker_ns", variant, "ns", s->ns, rounds, cpu);
}

void collector_bench_scaling(const struct bench *b)
{
	static struct side one, two;
	double cpu = bench_cpu_seconds();
	double ratio;

	side_start(b, &one, 1);
	side_start(b, &two, 2);
	for (unsigned i = 0; i < b->rounds; i++) {
		round_of(b, &one, i);
		round_of(b, &two, i);
	}
	side_stop(&one);
	side_stop(&two);
	cpu = bench_cpu_seconds() - cpu;
	report(&one, b->rounds, cpu);
	report(&two, b->rounds, cpu);
	/* They are sorted now: the best round of each, and the median. */
	ratio = two.rates[b->rounds - 1] / one.rates[b->rounds - 1];
	bench_report("scaling", "workers=2", "ratio", &ratio, 1, cpu);
	ratio = 2 * one.ns[b->rounds / 2] / two.ns[b->rounds / 2];
	bench_report("scaling_cpu", "workers=2", "ratio", &ratio, 1, cpu);
}
