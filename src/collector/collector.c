#include "collector/collector.h"

#include "collector/base/shard_watchdog.h"
#include "collector/checkpoint/checkpoint.h"
#include "collector/checkpoint/log_loss.h"
#include "collector/checkpoint/restore.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/confine.h"
#include "collector/http/server.h"
#include "collector/ingest/connector.h"
#include "collector/ingest/limits.h"
#include "collector/ingest/route_budget.h"
#include "collector/policy/router_limit.h"
#include "collector/ingest/listener.h"
#include "collector/ingest/session.h"
#include "collector/output.h"
#include "collector/query/worker_query.h"
#include "collector/router/router.h"
#include "collector/worker.h"
#include "collector/worker_state.h"
#include "egress/bridge.h"
#include "egress/publisher/publisher.h"
#include "rib/rib.h"

#include <spargio/fiber.h>
#include <spargio/net.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

/* One worker and the parts that run for it. */
struct worker_slot {
	struct worker worker;
	struct collector *collector;
	struct listener *listeners;
	struct sp_task *listener_tasks;
	size_t listener_count; /* listeners that are open or were left out */
	struct sp_task work;
	bool working;
	int64_t deadline; /* deadline of collector_stop() */
	/* configuration that a reload gives to the worker */
	const struct config *next;
};

struct collector {
	struct collector_env env;
	struct route_budget budget; /* limit on routes */
	struct router_limit router_limit;
	struct worker_slot *slots; /* array, indexed by shard */
	struct connector *connectors;
	struct sp_task *connector_tasks;
	size_t connector_count;
	struct http *http; /* NULL if off */
	struct shard_watchdog *watchdog;
	/*
	 * runtime of the fiber that called collector_start(); NULL = no fiber
	 */
	struct sp_rt *host;
	/* true once the state is restored and the listeners are open */
	bool served;
};

const struct collector_env *collector_env(const struct collector *c)
{
	return &c->env;
}

bool collector_is_alive(struct collector *c)
{
	return shard_watchdog_check(c->watchdog);
}

uint16_t collector_port(const struct collector *c, size_t listener)
{
	return c->slots[0].listeners[listener].at.port;
}

uint16_t collector_http_port(const struct collector *c)
{
	return c->http == NULL ? 0 : http_port(c->http);
}

/* Log an error that an operator must fix before the start can succeed. */
static int failure_log(struct collector *c, const char *what, const char *where,
		       int err)
{
	struct log_line line;

	if (log_begin(c->env.log, LOG_LEVEL_ERROR, what, &line)) {
		if (where != NULL)
			log_text(&line, "at", where);
		log_error(&line, "error", err);
		log_end(&line);
	}
	return err;
}

/* Starting a worker, on its shard */

static int open_listeners(struct worker_slot *s)
{
	const struct config_addresses *at =
		&s->collector->env.config->listen.addresses;

	s->listeners = calloc(at->count + 1, sizeof(*s->listeners));
	s->listener_tasks = calloc(at->count + 1, sizeof(*s->listener_tasks));
	if (s->listeners == NULL || s->listener_tasks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < at->count; i++) {
		struct config_address where = at->at[i];
		struct listener *listener = &s->listeners[i];
		int err;

		/*
		 * If the configured port is 0, the first worker has chosen a
		 * port, and the others share it.
		 */
		if (where.port == 0 && s->worker.id != 0)
			where.port = collector_port(s->collector, i);
		err = listener_open(&s->worker, &where, listener);
		if (err < 0)
			return err;
		if (listener->worker != NULL)
			err = sp_go_on(NULL, s->worker.id, listener_main,
				       listener, &s->listener_tasks[i]);
		if (err < 0) {
			listener_close(listener);
			return err;
		}
		s->listener_count++;
	}
	return 0;
}

/* Mark restored routers as known before any connection is accepted. */
static void remember_routers(struct worker *w)
{
	for (struct router *it = w->routers; it != NULL; it = it->next)
		limits_remember(w->env->limits,
				rib_router_info(it->rib_router)->address);
}

static int start_worker(void *arg)
{
	struct worker_slot *s = arg;
	int err =
		sp_go_on(NULL, s->worker.id, worker_work, &s->worker, &s->work);

	if (err < 0)
		return err;
	s->working = true;
	remember_routers(&s->worker);
	return open_listeners(s);
}

static int init_worker(void *arg)
{
	struct worker_slot *s = arg;
	struct collector *c = s->collector;

	int err;

	err = worker_init(&s->worker, &c->env, (uint32_t)(s - c->slots));
	if (err == 0)
		err = worker_query_queue_open(&s->worker,
					      &s->worker.query_queue);
	return err;
}

/* Stopping a worker, on its shard */

static int close_listeners(void *arg)
{
	struct worker_slot *s = arg;

	for (size_t i = 0; i < s->listener_count; i++) {
		if (s->listeners[i].worker == NULL)
			continue;
		sp_cancel(s->listener_tasks[i]);
		sp_join(s->listener_tasks[i], NULL);
		listener_close(&s->listeners[i]);
	}
	s->listener_count = 0;
	return 0;
}

/*
 * Drain the sessions. Half of the time until the deadline is for reading what
 * routers have sent, the other half for making the output safe. A session that
 * another shard passes to this worker during the drain is drained, too; one
 * that arrives after it is refused.
 */
static void drain_sessions(struct worker_slot *s)
{
	struct worker *w = &s->worker;
	int64_t now = sp_now();

	w->drain_until = now + (s->deadline - now) / 2;
	while (w->sessions != NULL && sp_now() < s->deadline) {
		for (struct session *it = w->sessions; it != NULL;
		     it = it->next)
			session_drain(it);
		sp_sleep(SP_MS);
	}
	w->no_new_sessions = true;
}

/*
 * Write the snapshots of the routers that have changed. If the output of a
 * router is not safe by the deadline, or its snapshot cannot be written, the
 * previous snapshot file remains.
 */
static void write_final_snapshots(struct worker_slot *s)
{
	struct collector *c = s->collector;
	int err;

	if (c->env.checkpoint == NULL || !c->served)
		return;
	err = checkpoint_finish_worker(c->env.checkpoint, s->worker.id,
				       s->deadline);
	if (err < 0)
		failure_log(c, "final_snapshot_failed",
			    c->env.config->snapshot.state, err);
}

/*
 * Log how often the wrong shard accessed a router: each time is an internal
 * error.
 */
static void log_violations(struct worker_slot *s)
{
	uint64_t n = s->worker.counts.ownership_violations;
	struct log_line line;

	if (n == 0 || !log_begin(s->collector->env.log, LOG_LEVEL_ERROR,
				 "ownership_violated", &line))
		return;
	log_u64(&line, "worker", s->worker.id);
	log_u64(&line, "times", n);
	log_end(&line);
}

static int stop_worker(void *arg)
{
	struct worker_slot *s = arg;

	drain_sessions(s);
	if (s->working) {
		sp_cancel(s->work);
		sp_join(s->work, NULL);
		s->working = false;
	}
	write_final_snapshots(s);
	if (s->worker.query_queue != NULL)
		worker_query_queue_close(s->worker.query_queue);
	log_violations(s);
	return s->worker.batcher == NULL
		       ? 0
		       : worker_finish(&s->worker, s->deadline);
}

static int fini_worker(void *arg)
{
	struct worker_slot *s = arg;

	worker_query_queue_free(s->worker.query_queue);
	if (s->worker.env != NULL)
		worker_fini(&s->worker);
	free(s->listeners);
	free(s->listener_tasks);
	return 0;
}

static int on_all(struct collector *c, int (*fn)(void *))
{
	return collector_env_each(&c->env, COLLECTOR_ENV_PARALLEL, fn, c->slots,
				  sizeof(c->slots[0]));
}

/*
 * Run @fn on one worker after the other, so that a port in use is logged only
 * once.
 */
static int on_each(struct collector *c, int (*fn)(void *))
{
	return collector_env_each(&c->env, COLLECTOR_ENV_SERIAL, fn, c->slots,
				  sizeof(c->slots[0]));
}

/* Reloading */

static int reload_worker(void *arg)
{
	struct worker_slot *s = arg;

	worker_configure(&s->worker, s->next);
	return 0;
}

static struct limits_max limits_of_config(const struct config *config)
{
	struct limits_max max = {
		.sessions = (uint32_t)config->limits.sessions,
		.per_address = (uint32_t)config->limits.sessions_per_ip,
		.configured = (uint32_t)config->listen.connect.count,
	};

	for (size_t i = 0; i < config->router_count; i++)
		max.configured += config->routers[i].kind != CONFIG_ROUTER_NAME;
	return max;
}

static void set_router_limit(struct collector *c, const struct config *config)
{
	router_limit_set(&c->router_limit, (uint32_t)config->limits.routers,
			 (uint32_t)(config->listen.connect.count +
				    config->router_count));
}

int collector_reload(struct collector *c, const struct config *config)
{
	struct limits_max max = limits_of_config(config);
	int err = limits_set(c->env.limits, &max);

	route_budget_set(&c->budget, config->limits.routes);
	set_router_limit(c, config);
	for (uint32_t i = 0; i < c->env.worker_count; i++)
		c->slots[i].next = config;
	if (err == 0)
		err = on_each(c, reload_worker);
	if (err == 0)
		log_set_level(c->env.log, (enum log_level)config->log.level);
	return err;
}

/* Connecting to routers */

static int start_connectors(struct collector *c)
{
	const struct config_texts *to = &c->env.config->listen.connect;

	c->connectors = calloc(to->count + 1, sizeof(*c->connectors));
	c->connector_tasks = calloc(to->count + 1, sizeof(*c->connector_tasks));
	if (c->connectors == NULL || c->connector_tasks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < to->count; i++) {
		int err;

		c->connectors[i] = (struct connector){
			.worker = &c->slots[0].worker,
			.target = to->at[i],
		};
		err = sp_go_on(c->env.rt, 0, connector_main, &c->connectors[i],
			       &c->connector_tasks[i]);
		if (err < 0)
			return err;
		c->connector_count++;
	}
	return 0;
}

static void stop_connectors(struct collector *c)
{
	for (size_t i = 0; i < c->connector_count; i++) {
		sp_cancel(c->connector_tasks[i]);
		sp_join_thread(c->env.rt, c->connector_tasks[i], NULL);
	}
	c->connector_count = 0;
}

/* Start and stop */

/*
 * Start a runtime for the workers. A collector that is started in a fiber, as
 * in a simulation, uses the runtime of that fiber instead: all its shards but
 * the last, which is for the publisher. (Otherwise the publisher starts a
 * runtime of its own.)
 */
static int start_runtime(struct collector *c)
{
	struct sp_opts opts = SP_OPTS_INIT;
	int err;

	c->host = sp_runtime();
	if (c->host != NULL) {
		c->env.rt = c->host;
		c->env.worker_count = sp_shard_count(c->host) - 1;
		return c->env.worker_count == 0 ? -EINVAL : 0;
	}
	opts.shards = (uint32_t)c->env.config->listen.workers;
	opts.name = "worker";
	opts.recv_buffers = (uint32_t)c->env.config->listen.recv_buffers;
	opts.recv_buffer_size =
		(uint32_t)c->env.config->listen.recv_buffer_size;
	shard_watchdog_log_blocking(c->env.log, &opts);
	err = sp_start(&opts, &c->env.rt);
	if (err == 0)
		c->env.worker_count = sp_shard_count(c->env.rt);
	return err;
}

static int make_parts(struct collector *c)
{
	const struct config *config = c->env.config;
	struct limits_max max;
	int err;

	err = sp_random(&c->env.seed, sizeof(c->env.seed));
	if (err < 0)
		return failure_log(c, "no_random_numbers", NULL, err);
	err = start_runtime(c);
	if (err < 0)
		return failure_log(c, "cannot_start_runtime", NULL, err);
	c->slots = calloc(c->env.worker_count, sizeof(*c->slots));
	if (c->slots == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->env.worker_count; i++)
		c->slots[i].collector = c;
	c->env.workers = calloc(c->env.worker_count, sizeof(*c->env.workers));
	if (c->env.workers == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->env.worker_count; i++)
		c->env.workers[i] = &c->slots[i].worker;
	max = limits_of_config(config);
	err = limits_new(&max, c->env.seed, &c->env.limits);
	if (err == 0)
		err = egress_bridge_new(c->env.worker_count,
					(uint32_t)config->egress.bridge_batches,
					&c->env.bridge);
	if (err == 0)
		egress_bridge_set_batch_bytes(
			c->env.bridge, (uint32_t)config->egress.batch_bytes);
	if (err == 0)
		err = output_start(config, c->env.log, c->env.bridge, c->host,
				   c->env.worker_count, &c->env.output);
	if (err < 0)
		return err;
	c->env.publisher = output_publisher(c->env.output);
	c->env.max_batch = output_max_batch(c->env.output);
	output_on_loss(c->env.output, log_loss_resync, &c->env);
	return shard_watchdog_new(c->env.log, c->env.rt,
				  publisher_runtime(c->env.publisher),
				  &c->watchdog);
}

/* Log each listening address, with its actual port. */
static void log_listeners(struct collector *c)
{
	const struct config_addresses *at = &c->env.config->listen.addresses;
	struct log_line line;

	for (size_t i = 0; i < at->count; i++) {
		if (collector_port(c, i) == 0)
			continue;
		if (!log_begin(c->env.log, LOG_LEVEL_INFO, "listening", &line))
			return;
		log_address_port(&line, "at", at->at[i].address,
				 collector_port(c, i));
		log_end(&line);
	}
}

static void log_start_up(struct collector *c)
{
	struct log_line line;

	log_listeners(c);
	if (!log_begin(c->env.log, LOG_LEVEL_INFO, "started", &line))
		return;
	log_u64(&line, "workers", c->env.worker_count);
	log_text(&line, "runtime", sp_backend_name(c->env.rt));
	if (sp_backend_error(c->env.rt) < 0)
		log_error(&line, "no_io_uring", sp_backend_error(c->env.rt));
	log_end(&line);
}

/* Restore the state, then let the publisher publish. */
static int bring_back(struct collector *c)
{
	bool resyncs;
	int err = restore_run(&c->env, &resyncs);

	/*
	 * A router that gets a resync has no valid file any more. Write that
	 * down before the resync is published: if a crash cuts it short, the
	 * next start may not find in the log that it is needed.
	 */
	if (err == 0 && c->env.checkpoint != NULL)
		checkpoint_write_manifest(c->env.checkpoint, resyncs);
	if (err == 0)
		publisher_go(c->env.publisher);
	return err;
}

/*
 * On each worker start the background fiber and open the listeners. Then start
 * the checkpoint, and connect to routers.
 */
static int open_up(struct collector *c)
{
	int err;

	atomic_store(&c->env.phase, COLLECTOR_OPENING);
	err = on_each(c, start_worker);
	if (err == 0 && c->env.checkpoint != NULL)
		err = checkpoint_start(c->env.checkpoint);
	if (err == 0 && c->env.checkpoint != NULL)
		output_listen(c->env.output, checkpoint_look,
			      c->env.checkpoint);
	if (err == 0)
		err = start_connectors(c);
	return err;
}

int collector_start(const struct config *config, struct log *log,
		    const struct confined_process *process,
		    struct collector **out)
{
	struct collector *c = calloc(1, sizeof(*c));
	int err;

	if (c == NULL)
		return -ENOMEM;
	c->env.config = config;
	c->env.log = log;
	if (process != NULL) {
		c->env.sockets = &process->sockets;
		c->env.sandbox = &process->sandbox;
	}
	c->env.started = sp_now();
	c->env.budget = &c->budget;
	route_budget_init(&c->budget, config->limits.routes);
	set_router_limit(c, config);
	c->env.router_limit = &c->router_limit;
	err = make_parts(c);
	if (err == 0)
		err = on_each(c, init_worker);
	if (err == 0)
		err = checkpoint_open(&c->env, &c->env.checkpoint);
	/* Start HTTP early, so that a long restore can be observed. */
	if (err == 0)
		err = http_start(&c->env, &c->http);
	if (err == 0)
		err = bring_back(c);
	if (err == 0)
		err = open_up(c);
	if (err < 0) {
		collector_stop(c, sp_in(SP_S), COLLECTOR_MEMORY_FREE);
		return err;
	}
	c->served = true;
	atomic_store(&c->env.phase, COLLECTOR_SERVING);
	log_start_up(c);
	*out = c;
	return 0;
}

int collector_stop(struct collector *c, int64_t deadline,
		   enum collector_memory memory)
{
	int err = 0, http_err;

	atomic_store(&c->env.phase, COLLECTOR_STOPPING);
	if (c->slots != NULL) {
		stop_connectors(c);
		if (c->env.checkpoint != NULL)
			checkpoint_pause(c->env.checkpoint);
		for (uint32_t i = 0; i < c->env.worker_count; i++)
			c->slots[i].deadline = deadline;
		/*
		 * Close all listeners first, because an open listener passes
		 * connections to other shards.
		 */
		on_all(c, close_listeners);
		err = on_all(c, stop_worker);
		if (c->env.checkpoint != NULL && c->served)
			checkpoint_write_manifest(c->env.checkpoint, false);
	}
	http_err = http_stop(c->http);
	if (c->env.output != NULL) {
		int lost = output_drain(c->env.output, deadline);

		err = err < 0 ? err : lost;
	}
	if (http_err < 0)
		return err < 0 ? err : -EBUSY;
	output_free(c->env.output);
	checkpoint_close(c->env.checkpoint);
	if (c->slots != NULL && memory == COLLECTOR_MEMORY_FREE)
		on_all(c, fini_worker);
	if (c->env.rt != NULL && c->host == NULL)
		sp_stop(c->env.rt, sp_in(5 * SP_S));
	shard_watchdog_free(c->watchdog);
	/* The fibers of connections end with the host, after this. */
	if (c->host != NULL)
		return err;
	egress_bridge_free(c->env.bridge);
	if (c->env.limits != NULL)
		limits_free(c->env.limits);
	free(c->env.workers);
	free(c->slots);
	free(c->connectors);
	free(c->connector_tasks);
	free(c);
	return err;
}
