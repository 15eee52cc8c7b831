#include "collector/worker.h"

#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/ingest/connection.h"
#include "collector/ingest/route_budget.h"
#include "collector/ingest/session.h"
#include "collector/router/event_tap.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/batcher.h"
#include "rib/rib.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/*
 * Maximum number of routes that the background fiber sweeps or withdraws before
 * sessions may run: some 50 us of work.
 */
#define SLICE 512

/*
 * Limits for the log lines about refused connections, and for those about
 * clashes of identity: burst, and lines per second.
 */
#define REFUSAL_BURST 20
#define REFUSAL_RATE  2

int worker_finish(struct worker *w, int64_t deadline)
{
	int err = 0;

	egress_batcher_flush(w->batcher);
	while (err == 0 && egress_batcher_blocked(w->batcher))
		err = egress_batcher_wait(w->batcher, deadline);
	egress_bridge_close(w->env->bridge, w->id);
	return err;
}

/*
 * Convert to a duration of the rib: unsigned, and with RIB_NEVER for SP_NEVER.
 */
static uint64_t rib_duration(int64_t ns)
{
	return ns == SP_NEVER ? RIB_NEVER : (uint64_t)ns;
}

/*
 * Adjust this worker's share of the limit on all routes (--max-routes) to its
 * routes and one more, and give the rest back.
 */
static void adjust_allowance(struct worker *w)
{
	uint64_t routes = rib_route_count(w->rib);

	/* A worker without routes reserves none. */
	if (routes > 0 || w->allowance > 0)
		(void)route_budget_adjust(w->env->budget, &w->allowance, routes,
					  1);
	rib_allow(w->rib, w->allowance);
}

static void rib_settings(const struct config *c, struct rib_config *out)
{
	rib_config_defaults(out);
	out->mode = (uint8_t)c->curation.mode;
	out->sweep_quiet_ns = rib_duration(c->curation.sweep_quiet);
	out->sweep_max_ns = rib_duration(c->curation.sweep_max);
	out->stale_hold_ns = rib_duration(c->curation.stale_hold);
	out->max_routes = c->limits.routes;
	out->max_routes_router = c->limits.routes_per_router;
	out->max_routes_peer = c->limits.routes_per_peer;
}

static int make_batcher(struct worker *w)
{
	const struct config *c = w->config;
	char updates[SUBJECT_PREFIX_MAX + 1], events[SUBJECT_PREFIX_MAX + 1];
	struct egress_batcher_opts opts = {
		.bridge = w->env->bridge,
		.worker = w->id,
		.collector = c->identity.collector,
		.updates = updates,
		.events = events,
		.max_bytes = (uint32_t)c->egress.batch_bytes,
		.max_updates = (uint32_t)c->egress.batch_updates,
		.encoding = (enum egress_encoding)c->egress.batch_compress,
		.linger_ns = (uint64_t)c->egress.batch_linger,
		.seed = w->env->seed,
	};
	int err = subject_prefix(c->egress.updates, c->identity.collector,
				 updates);

	if (err == 0)
		err = subject_prefix(c->egress.events, c->identity.collector,
				     events);
	return err < 0 ? err : egress_batcher_new(&opts, &w->batcher);
}

int worker_init(struct worker *w, const struct collector_env *env, uint32_t id)
{
	const struct config *c = env->config;
	struct rib_config settings;
	struct rib_sink sink;
	int err;

	*w = (struct worker){
		.env = env,
		.config = c,
		.log = env->log,
		.id = id,
		.max_frame = (uint32_t)c->listen.max_frame,
		.overload_drop = c->listen.overload == CONFIG_OVERLOAD_DROP,
	};
	w->left_end = &w->left;
	log_bucket_init(&w->refusals, REFUSAL_BURST, REFUSAL_RATE, sp_now());
	log_bucket_init(&w->clashes, REFUSAL_BURST, REFUSAL_RATE, sp_now());
	err = make_batcher(w);
	if (err < 0)
		return err;
	rib_settings(c, &settings);
	settings.seed = env->seed;
	w->event_tap = calloc(1, sizeof(*w->event_tap));
	if (w->event_tap == NULL) {
		worker_fini(w);
		return -ENOMEM;
	}
	sink = egress_batcher_sink(w->batcher);
	event_tap_insert(w->event_tap, w->log, &sink);
	err = rib_new(&settings, &sink, &w->rib);
	if (err == 0)
		err = sp_timer_new(0, &w->timer);
	if (err < 0)
		worker_fini(w);
	return err;
}

void worker_fini(struct worker *w)
{
	/*
	 * Free the rib first: the statistics of peers refer to those of their
	 * router.
	 */
	rib_free(w->rib);
	while (w->routers != NULL) {
		struct router *next = w->routers->next;

		router_free(w->routers);
		w->routers = next;
	}
	if (w->timer != NULL)
		sp_timer_free(w->timer);
	egress_batcher_free(w->batcher);
	free(w->event_tap);
}

void worker_configure(struct worker *w, const struct config *config)
{
	struct rib_time when = worker_now();
	struct rib_config settings;

	worker_owns(w, sp_shard());
	w->config = config;
	rib_settings(config, &settings);
	rib_configure(w->rib, &settings);
	adjust_allowance(w);
	for (struct router *it = w->routers; it != NULL; it = it->next)
		router_apply_config(it, config, &when);
	for (struct session *it = w->sessions; it != NULL; it = it->next)
		if (!worker_permits(w, it->connection->address))
			session_stop(it, CLOSE_DENIED);
		else if (!config_router_network_permits(
				 config, it->connection->identity.name,
				 it->connection->address))
			session_stop(it, CLOSE_WRONG_NETWORK);
	worker_schedule_background(w);
}

/*
 * A router without routes is kept for stale-hold, but at most for this time, so
 * that a quick reconnect is not reported as a new router.
 */
#define ROUTER_HOLD_MAX (3600 * SP_S)

static void expire_routers(struct worker *w, int64_t now)
{
	int64_t hold = w->config->curation.stale_hold;
	int64_t next, room;

	if (now < w->router_gc_due)
		return;
	next = router_expire(w,
			     hold < ROUTER_HOLD_MAX ? hold : ROUTER_HOLD_MAX);
	room = router_make_room(w);
	w->router_gc_due = next < room ? next : room;
}

/*
 * Count @bytes of output of the background fiber, and record where each part of
 * WORKER_SLICE_OUTPUT ends.
 */
static void count_slice(struct worker *w, uint64_t bytes)
{
	w->unplaced += bytes;
	if (w->unplaced < WORKER_SLICE_OUTPUT)
		return;
	w->unplaced = 0;
	w->places[w->place++ % WORKER_SHARE] = egress_batcher_place(w->batcher);
}

/*
 * Do some of the background work. Returns the time to continue; 0 = continue as
 * soon as other fibers have run.
 */
static int64_t work_some(struct worker *w)
{
	struct rib_time when = worker_now();
	uint64_t made = egress_batcher_made(w->batcher);
	struct rib_background work;
	uint64_t due;

	worker_owns(w, sp_shard());
	egress_batcher_limit(w->batcher,
			     atomic_load_explicit(w->env->max_batch,
						  memory_order_relaxed));
	work = rib_background(w->rib, &when, SLICE);
	count_slice(w, egress_batcher_made(w->batcher) - made);
	egress_batcher_flush_aged(w->batcher, when.now_ns);
	adjust_allowance(w);
	expire_routers(w, (int64_t)when.now_ns);
	if (work.more)
		return 0;
	if (w->sessions_with_input == 0)
		egress_batcher_idle(w->batcher, when.now_ns);
	due = egress_batcher_due(w->batcher);
	if (work.due_ns < due)
		due = work.due_ns;
	return due < (uint64_t)w->router_gc_due ? (int64_t)due
						: w->router_gc_due;
}

int worker_work(void *worker)
{
	struct worker *w = worker;
	int err = 0;

	while (err != -ECANCELED && err != -EPIPE) {
		int64_t next;

		if (egress_batcher_blocked(w->batcher)) {
			err = egress_batcher_wait(w->batcher, SP_NEVER);
			continue;
		}
		next = work_some(w);
		if (next == 0) {
			/*
			 * Yield until the shard has polled for events, because
			 * a slice may have caused much output: see
			 * begin_turn().
			 */
			sp_yield_poll();
			err = sp_cancelled() ? -ECANCELED
					     : worker_wait_share(w, SP_NEVER);
			continue;
		}
		/*
		 * No other fiber runs between the computation of next and this
		 * call, so no request is lost.
		 */
		sp_timer_reset(w->timer, next);
		err = sp_timer_wait(w->timer);
	}
	return 0;
}
