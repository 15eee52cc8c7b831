#include "world.h"

#include "broker.h"
#include "weather.h"

#include <spargio/options.h>
#include <spargio/time.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * After quiet_at a partition may last 10 s more, and TCP waits up to 10 s
 * before it tries again; from then on 30 s must do.
 */
#define HEALING	 (20 * SP_S)
#define LIVENESS (30 * SP_S)
#define CHECKING (30 * SP_S) /* for the checks at the end */

#define LOOK (200 * SP_MS) /* consumers of streams */

#define BROKER_ADDRESS "10.9.0.1:4222"
#define PAYLOAD_SMALL  17000 /* the collector wants 16,384 */

#define DISK_SIZE (UINT64_C(256) << 20)

/* The most of each fault. A tenth or a hundredth of it is as likely. */
void world_plan(uint64_t seed, struct world_plan *out)
{
	static const struct sp_sim_plan
		most = { .ppm = {
				 [SP_SIM_REORDER] = 200000,
				 [SP_SIM_STALL] = 5000,
				 [SP_SIM_SHORT_RECV] = 500000,
				 [SP_SIM_SHORT_SEND] = 500000,
				 [SP_SIM_SLOW_SEGMENT] = 20000,
				 [SP_SIM_RESET] = 2000,
				 [SP_SIM_NO_FDS] = 20000,
				 [SP_SIM_PARTITION] = 5000,
				 [SP_SIM_CRASH] = 20000,
				 [SP_SIM_KILL] = 20000,
				 [SP_SIM_PAUSE] = 5000,
				 [SP_SIM_CLOCK_STEP] = 5000,
				 [SP_SIM_DRIFT] = 5000,
				 [SP_SIM_SLOW_DISK] = 10000,
				 [SP_SIM_SHORT_IO] = 50000,
				 [SP_SIM_EIO] = 10000,
				 [SP_SIM_ENOSPC] = 10000,
				 [SP_SIM_KEEP] = 500000,
				 [SP_SIM_TEAR] = 500000,
			 } };

	*out = (struct world_plan){ .weather = weather_draw(seed) };
	sp_sim_plan_draw(seed, &most, &out->sim);
	/*
	 * Open: where the broker loses messages that it acknowledged, and a
	 * collector what it kept of them, a gap can be left without a resync.
	 */
	if (out->sim.ppm[SP_SIM_CRASH] != 0)
		out->weather &= ~(1u << WEATHER_POWER);
}

static uint32_t draw(struct world *w, uint32_t low, uint32_t high)
{
	return low + load_random_below(&w->random, high - low + 1);
}

/* Few are large. */
static uint32_t draw_routes(struct world *w)
{
	switch (draw(w, 0, 9)) {
	case 0:
		return 1000;
	case 1:
	case 2:
		return draw(w, 100, 400);
	default:
		return draw(w, 5, 100);
	}
}

static void draw_config(struct world *w, struct sim_collector *c)
{
	static const char *const names[] = { "address", "address", "sysname",
					     "sysname" };
	static const char *const packing[] = { "none", "packed", "zstd" };
	/* One after the other: arguments have no order of evaluation. */
	uint32_t snapshot_s = draw(w, 1, 10);
	uint32_t sync_ms = draw(w, 1, 300);
	uint32_t batches = 16u << draw(w, 0, 6);
	const char *compress = packing[draw(w, 0, 2)];
	uint32_t batch_bytes = 1024u << draw(w, 0, 5);
	bool soon = draw(w, 0, 1) == 0;
	uint32_t hold_s = soon ? draw(w, 0, 5) : draw(w, 5, 20);
	uint32_t sweep_max_s = draw(w, 3, 8);
	uint32_t sweep_quiet_s = draw(w, 1, 3);
	const char *id = names[draw(w, 0, 3)];

	c->named = strcmp(id, "sysname") == 0;
	c->sweep_quiet_ns = sweep_quiet_s * SP_S;
	snprintf(c->config, sizeof(c->config),
		 "[listen]\naddress = 0.0.0.0:4000\nworkers = %u\n"
		 "drain-timeout = 5s\n"
		 "[identity]\ncollector-id = sim%u\nrouter-id = %s\n"
		 "[curation]\nsweep-quiet = %us\nsweep-max = %us\n"
		 "stale-hold = %us\n"
		 "[egress]\nsubject-updates = sim%u.updates\n"
		 "subject-events = sim%u.events\nbatch-max-bytes = "
		 "%u\nbatch-compress = %s\n"
		 "bridge-batches = %u\n"
		 "[journal]\nsegment-bytes = 1M\nsync-interval = %ums\n"
		 "[http]\nlisten = off\n"
		 "[process]\nsandbox = off\n"
		 "[snapshot]\ninterval = %us\n",
		 c->shards - 1, c->number, id, sweep_quiet_s, sweep_max_s,
		 hold_s, c->number, c->number, batch_bytes, compress, batches,
		 sync_ms, snapshot_s);
}

static void append_config(struct sim_collector *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append_config(struct sim_collector *c, const char *format, ...)
{
	size_t len = strlen(c->config);
	va_list args;

	va_start(args, format);
	vsnprintf(c->config + len, sizeof(c->config) - len, format, args);
	va_end(args);
}

/*
 * Published to a stream of its own; the journal is the spool. The state is in a
 * bucket of the broker or on the collector's disk.
 */
static void draw_stream(struct world *w, struct sim_collector *c)
{
	uint32_t ack_ms = draw(w, 500, 5000);
	uint32_t window = 1u << draw(w, 4, 8);
	/* A broker that restarts does not know older ids. */
	uint32_t duplicate_s = draw(w, 0, 1) == 0 ? 120 : draw(w, 1, 8);
	bool bucket = draw(w, 0, 4) == 0;

	snprintf(c->stream, sizeof(c->stream), "S%u", c->number);
	append_config(c,
		      "[nats]\nurl = nats://" BROKER_ADDRESS "\nstream = S%u\n"
		      "max-age = never\nwindow = %u\nack-timeout = %ums\n"
		      "duplicate-window = %us\n",
		      c->number, window, ack_ms, duplicate_s);
	append_config(c,
		      "[journal]\ndirectory = /state/journal\n"
		      "[snapshot]\nstate = %s\n",
		      bucket ? "nats://" BROKER_ADDRESS : "/state");
}

static int make_broker(struct world *w)
{
	struct broker_options o = {
		.sim = w->sim,
		.address = BROKER_ADDRESS,
		.seed = w->seed,
		.sync_ns = draw(w, 0, 2) == 0 ? -1 : draw(w, 1, 120) * SP_S,
		.max_store = BROKER_ROOM,
		/* Batches that are longer are sent in pieces. */
		.max_payload = draw(w, 0, 2) == 0 ? PAYLOAD_SMALL : 0,
	};

	return broker_start(&o, &w->broker);
}

static int make_collector(struct world *w, uint32_t number)
{
	struct sim_collector *c = &w->collectors[number];
	struct sp_opts opts = SP_OPTS_INIT;
	char name[16], address[24];
	int err;

	c->world = w;
	c->number = number;
	c->shards = 1 + draw(w, 1, 3);
	c->stop_cleanly = draw(w, 0, 3) == 0;
	draw_config(w, c);
	if (w->broker != NULL)
		draw_stream(w, c);
	else
		append_config(c, "state = /state\n");
	snprintf(name, sizeof(name), "c%u", number);
	snprintf(address, sizeof(address), "10.0.0.%u", number + 1);
	err = model_view_init(&c->live, &w->model);
	c->live.trace = w->trace;
	if (err == 0)
		err = sp_sim_host_new(w->sim, name, address, &c->host);
	opts.shards = c->shards;
	opts.stack_size = 256u << 10;
	if (err == 0)
		err = sp_sim_host_start(c->host, &opts, collector_main, c);
	return err;
}

static int make_router(struct world *w, uint32_t number)
{
	struct sim_router *r = &w->routers[number];
	struct sp_opts opts = SP_OPTS_INIT;
	char name[16], address[24];
	int err;

	r->world = w;
	r->number = number;
	r->random = load_random_fork(w->seed, 100 + number);
	r->ends_ribs = draw(w, 0, 3) != 0;
	r->change_ns = (int64_t)(10u << draw(w, 0, 6)) * SP_MS;
	for (uint32_t i = 0; i < WORLD_COLLECTORS; i++)
		r->sessions[i] =
			(struct sim_session){ .router = r, .collector = i };
	snprintf(name, sizeof(name), "r%u", number);
	snprintf(address, sizeof(address), "10.1.0.%u", number + 1);
	err = sp_sim_host_new(w->sim, name, address, &r->host);
	opts.shards = 1;
	if (err == 0)
		err = sp_sim_host_start(r->host, &opts, router_main, r);
	return err;
}

/* It claims to be a router that all collectors know by its name. */
static int make_impostor(struct world *w, uint32_t routers)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sim_impostor *i = &w->impostor;
	bool named = draw(w, 0, 1) == 0;
	int err;

	i->world = w;
	i->router = draw(w, 0, routers - 1);
	i->random = load_random_fork(w->seed, 200);
	for (uint32_t c = 0; c < w->collector_count; c++)
		named &= w->collectors[c].named;
	if (!named)
		return 0;
	err = sp_sim_host_new(w->sim, "impostor", "10.2.0.1", &i->host);
	opts.shards = 1;
	if (err == 0)
		err = sp_sim_host_start(i->host, &opts, impostor_main, i);
	return err;
}

static void look_at_streams(void *arg)
{
	struct world *w = arg;

	for (uint32_t i = 0; i < w->collector_count; i++)
		consumer_look(&w->collectors[i]);
	(void)sp_sim_at(w->sim, sp_sim_time(w->sim) + LOOK, look_at_streams, w);
}

static int make_world(struct world *w)
{
	uint32_t routers = draw(w, 1, 3), peers = draw(w, 1, MODEL_PEERS);
	uint32_t routes = draw_routes(w);
	int err;

	w->collector_count = draw(w, 0, 9) < 7 ? 1 : draw(w, 2, 3);
	if (w->typical) {
		routers = 3;
		peers = 2;
		routes = 1000;
		w->collector_count = 1;
	}
	err = model_init(&w->model, w->seed, routers, peers, routes);
	if (err == 0 && draw(w, 0, 9) < 6)
		err = make_broker(w);
	for (uint32_t i = 0; err == 0 && i < w->collector_count; i++)
		err = make_collector(w, i);
	for (uint32_t i = 0; err == 0 && i < routers; i++)
		err = make_router(w, i);
	if (err == 0)
		err = make_impostor(w, routers);
	if (err == 0 && w->broker != NULL)
		weather_start(w);
	if (err == 0 && w->broker != NULL)
		look_at_streams(w);
	return err;
}

static void check_all_ran(struct world *w)
{
	for (uint32_t i = 0; i < w->collector_count; i++)
		if (!w->collectors[i].checked)
			sp_sim_fail(w->sim,
				    "collector %u was not there at the end: "
				    "%" PRIu64 " starts, %" PRIu64 " failed",
				    i, w->collectors[i].starts,
				    w->collectors[i].failed_starts);
}

void world_run(uint64_t seed, const struct world_plan *plan, int report_fd,
	       int log_fd, FILE *trace, struct world_result *out)
{
	struct world *w = calloc(1, sizeof(*w));
	struct sp_sim_opts opts = { .seed = seed,
				    .plan = plan->sim,
				    .disk_size = DISK_SIZE };

	*out = (struct world_result){ .end = SP_SIM_FAILED };
	if (w == NULL)
		return;
	w->seed = seed;
	w->log_fd = log_fd;
	w->trace = trace;
	w->random = load_random_fork(seed, 1);
	w->weather = plan->weather;
	w->typical = plan->typical;
	w->steady_clocks = plan->sim.ppm[SP_SIM_CLOCK_STEP] == 0;
	w->quiet_at = draw(w, 5, 40) * SP_S;
	w->still_at = w->quiet_at + HEALING + LIVENESS / 3;
	w->end_at = w->quiet_at + HEALING + LIVENESS;
	opts.quiet_at = w->quiet_at;
	if (sp_sim_new(&opts, &w->sim) < 0)
		return;
	if (make_world(w) == 0) {
		out->end = sp_sim_run(w->sim, w->end_at + CHECKING);
		if (out->end == SP_SIM_TIME || out->end == SP_SIM_STUCK) {
			check_all_ran(w);
			out->end = sp_sim_run(w->sim, sp_sim_time(w->sim));
		}
	}
	out->hash = sp_sim_hash(w->sim);
	out->virtual_ns = sp_sim_time(w->sim);
	for (uint32_t i = 0; i < w->collector_count; i++)
		out->updates += w->collectors[i].live.updates;
	if (out->end == SP_SIM_FAILED && report_fd >= 0)
		(void)sp_sim_report(w->sim, report_fd);
	/* The process ends: what crashed hosts left behind goes with it. */
}
