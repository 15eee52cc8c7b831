#include "collector/collector.h"

#include "collector/query/worker_query.h"
#include "collector/ingest/connector.h"
#include "collector/ingest/listener.h"
#include "collector/http/server.h"
#include "collector/checkpoint/checkpoint.h"
#include "collector/output.h"
#include "collector/checkpoint/restore.h"
#include "collector/base/shard_watchdog.h"
#include "collector/worker.h"

#include <spargio/fiber.h>
#include <spargio/net.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

/* One worker with what runs for it. */
struct worker_slot {
	struct worker worker;
	struct collector *collector;
	struct listener *listeners;
	struct sp_task *listener_tasks;
	size_t listener_count; /* of those that are open, or left out */
	struct sp_task work;
	bool working;
	int64_t deadline;	   /* of the stop */
	const struct config *next; /* of a reload */
};

struct collector {
	const struct config *config;
	struct log *log;
	uint64_t seed;
	uint32_t workers;
	struct limits *limits;
	struct limits_budget budget; /* of routes */
	struct egress_bridge *bridge;
	struct output *output;
	struct checkpoint *checkpoint; /* NULL: nothing is kept */
	struct sp_rt *rt;
	struct worker_slot *slots;
	struct connector *connectors;
	struct sp_task *connector_tasks;
	size_t connector_count;
	struct http *http; /* NULL: off */
	struct shard_watchdog *watchdog;
	int64_t started;
	bool served;	   /* restored, and open for routers, once */
	_Atomic int phase; /* enum collector_phase */
};

const struct config *collector_config(const struct collector *c)
{
	return c->config;
}

struct log *collector_log(struct collector *c)
{
	return c->log;
}

uint32_t collector_workers(const struct collector *c)
{
	return c->workers;
}

struct worker *collector_worker(struct collector *c, uint32_t id)
{
	return &c->slots[id].worker;
}

struct limits *collector_limits(struct collector *c)
{
	return c->limits;
}

struct limits_budget *collector_budget(struct collector *c)
{
	return &c->budget;
}

struct egress_bridge *collector_bridge(struct collector *c)
{
	return c->bridge;
}

struct publisher *collector_publisher(struct collector *c)
{
	return output_publisher(c->output);
}

struct sp_rt *collector_runtime(struct collector *c)
{
	return c->rt;
}

uint64_t collector_seed(const struct collector *c)
{
	return c->seed;
}

uint32_t collector_max_batch(const struct collector *c)
{
	return output_max_batch(c->output);
}

enum collector_phase collector_phase(const struct collector *c)
{
	return (enum collector_phase)atomic_load(&c->phase);
}

int64_t collector_started(const struct collector *c)
{
	return c->started;
}

const char *collector_state(const struct collector *c)
{
	return c->checkpoint != NULL
		       ? state_store_where(checkpoint_store(c->checkpoint))
		       : NULL;
}

bool collector_is_alive(struct collector *c)
{
	return shard_watchdog_check(c->watchdog);
}

int collector_snapshot(struct collector *c)
{
	return c->checkpoint != NULL ? checkpoint_now(c->checkpoint) : -ENOENT;
}

struct snapshotter *collector_keeper(const struct collector *c, uint32_t worker)
{
	return c->checkpoint != NULL
		       ? checkpoint_snapshotter(c->checkpoint, worker)
		       : NULL;
}

uint16_t collector_port(const struct collector *c, size_t listener)
{
	return c->slots[0].listeners[listener].at.port;
}

uint16_t collector_http_port(const struct collector *c)
{
	return c->http == NULL ? 0 : http_port(c->http);
}

/* Something an operator must mend before we can start. */
static int fail(struct collector *c, const char *what, const char *where,
		int err)
{
	struct log_line line;

	if (log_begin(c->log, LOG_LEVEL_ERROR, what, &line)) {
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
		&s->collector->config->listen.addresses;

	s->listeners = calloc(at->count + 1, sizeof(*s->listeners));
	s->listener_tasks = calloc(at->count + 1, sizeof(*s->listener_tasks));
	if (s->listeners == NULL || s->listener_tasks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < at->count; i++) {
		struct config_address where = at->at[i];
		struct listener *listener = &s->listeners[i];
		int err;

		/* Port 0: the first worker got one, the others share it. */
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

static int start_worker(void *arg)
{
	struct worker_slot *s = arg;
	int err =
		sp_go_on(NULL, s->worker.id, worker_work, &s->worker, &s->work);

	if (err < 0)
		return err;
	s->working = true;
	return open_listeners(s);
}

static int init_worker(void *arg)
{
	struct worker_slot *s = arg;
	struct collector *c = s->collector;

	return worker_init(&s->worker, c, (uint32_t)(s - c->slots));
}

/* Stopping it, on its shard */

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
 * Half of the time is for what the routers have said, the other half to make
 * it safe. A session that another shard sent here begins during that time and
 * is told as well; afterwards there are none.
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

/* What is not safe in time, or cannot be written, stays as it was. */
static void write_final_snapshots(struct worker_slot *s)
{
	struct collector *c = s->collector;
	int err;

	if (c->checkpoint == NULL || !c->served)
		return;
	err = checkpoint_finish_worker(c->checkpoint, s->worker.id,
				       s->deadline);
	if (err < 0)
		fail(c, "final_snapshot_failed", c->config->snapshot.state,
		     err);
}

/* A bug of ours: better found in a log than in somebody's table. */
static void log_violations(struct worker_slot *s)
{
	uint64_t n = s->worker.counts.ownership_violations;
	struct log_line line;

	if (n == 0 || !log_begin(s->collector->log, LOG_LEVEL_ERROR,
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

	if (s->worker.collector != NULL)
		worker_fini(&s->worker);
	free(s->listeners);
	free(s->listener_tasks);
	return 0;
}

/* All of them, at once; the first error counts. */
static int on_all(struct collector *c, int (*fn)(void *))
{
	struct sp_task *tasks = calloc(c->workers + 1, sizeof(*tasks));
	uint32_t n;
	int err = 0;

	if (tasks == NULL)
		return -ENOMEM;
	for (n = 0; n < c->workers && err == 0; n++)
		err = sp_go_on(c->rt, n, fn, &c->slots[n], &tasks[n]);
	if (err < 0)
		n--;
	for (uint32_t i = 0; i < n; i++) {
		int ret = 0;

		sp_join_thread(c->rt, tasks[i], &ret);
		if (err == 0)
			err = ret;
	}
	free(tasks);
	return err;
}

/* One after the other: a port that is taken is said once. */
static int on_each(struct collector *c, int (*fn)(void *))
{
	int err = 0;

	for (uint32_t i = 0; i < c->workers && err == 0; i++) {
		int ret = 0;

		err = sp_call_on(c->rt, i, fn, &c->slots[i], &ret);
		if (err == 0)
			err = ret;
	}
	return err;
}

/* Reloading */

static int reload_worker(void *arg)
{
	struct worker_slot *s = arg;

	worker_configure(&s->worker, s->next);
	return 0;
}

int collector_reload(struct collector *c, const struct config *config)
{
	int err = limits_set(c->limits, (uint32_t)config->limits.sessions,
			     (uint32_t)config->limits.sessions_per_ip);

	limits_budget_set(&c->budget, config->limits.routes);
	for (uint32_t i = 0; i < c->workers; i++)
		c->slots[i].next = config;
	if (err == 0)
		err = on_each(c, reload_worker);
	if (err == 0)
		log_set_level(c->log, (enum log_level)config->log.level);
	return err;
}

/* Calling routers */

static int start_connectors(struct collector *c)
{
	const struct config_texts *to = &c->config->listen.connect;

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
		err = sp_go_on(c->rt, 0, connector_main, &c->connectors[i],
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
		sp_join_thread(c->rt, c->connector_tasks[i], NULL);
	}
	c->connector_count = 0;
}

/* Life */

static int start_runtime(struct collector *c)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = (uint32_t)c->config->listen.workers;
	opts.name = "worker";
	opts.recv_buffers = (uint32_t)c->config->listen.recv_buffers;
	opts.recv_buffer_size = (uint32_t)c->config->listen.recv_buffer_size;
	shard_watchdog_log_blocking(c->log, &opts);
	return sp_start(&opts, &c->rt);
}

static int make_parts(struct collector *c)
{
	const struct config *config = c->config;
	int err;

	if (getrandom(&c->seed, sizeof(c->seed), 0) != sizeof(c->seed))
		return -EIO;
	err = start_runtime(c);
	if (err < 0)
		return fail(c, "cannot_start_runtime", NULL, err);
	c->workers = sp_shard_count(c->rt);
	c->slots = calloc(c->workers, sizeof(*c->slots));
	if (c->slots == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->workers; i++)
		c->slots[i].collector = c;
	err = limits_new((uint32_t)config->limits.sessions,
			 (uint32_t)config->limits.sessions_per_ip, c->seed,
			 &c->limits);
	if (err == 0)
		err = egress_bridge_new(c->workers,
					(uint32_t)config->egress.bridge_batches,
					&c->bridge);
	if (err == 0)
		err = output_start(config, c->log, c->bridge, &c->output);
	if (err == 0)
		err = shard_watchdog_new(c->log, c->rt,
					 publisher_runtime(
						 output_publisher(c->output)),
					 &c->watchdog);
	return err;
}

/* One line for each address, with the port that was got. */
static void log_listeners(struct collector *c)
{
	const struct config_addresses *at = &c->config->listen.addresses;
	struct log_line line;

	for (size_t i = 0; i < at->count; i++) {
		if (collector_port(c, i) == 0)
			continue;
		if (!log_begin(c->log, LOG_LEVEL_INFO, "listening", &line))
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
	if (!log_begin(c->log, LOG_LEVEL_INFO, "started", &line))
		return;
	log_u64(&line, "workers", c->workers);
	log_text(&line, "runtime", sp_backend_name(c->rt));
	if (sp_backend_error(c->rt) < 0)
		log_error(&line, "no_io_uring", sp_backend_error(c->rt));
	log_end(&line);
}

/* What was known before, and then the way out is free. */
static int bring_back(struct collector *c)
{
	int err = 0;

	if (c->checkpoint != NULL)
		err = restore_run(c, c->checkpoint, c->output);
	if (err == 0 && c->checkpoint != NULL)
		checkpoint_write_manifest(c->checkpoint);
	if (err == 0)
		publisher_go(output_publisher(c->output));
	return err;
}

/* Open for routers. */
static int open_up(struct collector *c)
{
	int err;

	atomic_store(&c->phase, COLLECTOR_OPENING);
	err = on_each(c, start_worker);
	if (err == 0 && c->checkpoint != NULL)
		err = checkpoint_start(c->checkpoint);
	if (err == 0)
		err = start_connectors(c);
	return err;
}

int collector_start(const struct config *config, struct log *log,
		    struct collector **out)
{
	struct collector *c = calloc(1, sizeof(*c));
	int err;

	if (c == NULL)
		return -ENOMEM;
	c->config = config;
	c->log = log;
	c->started = sp_now();
	limits_budget_init(&c->budget, config->limits.routes);
	err = make_parts(c);
	if (err == 0)
		err = on_each(c, init_worker);
	if (err == 0)
		err = checkpoint_open(c, c->output, &c->checkpoint);
	/* Early, so that a long restore can be watched. */
	if (err == 0)
		err = http_start(c, &c->http);
	if (err == 0)
		err = bring_back(c);
	if (err == 0)
		err = open_up(c);
	if (err < 0) {
		collector_stop(c, sp_in(SP_S));
		return err;
	}
	c->served = true;
	atomic_store(&c->phase, COLLECTOR_SERVING);
	log_start_up(c);
	*out = c;
	return 0;
}

int collector_stop(struct collector *c, int64_t deadline)
{
	int err = 0, http_err;

	atomic_store(&c->phase, COLLECTOR_STOPPING);
	if (c->slots != NULL) {
		stop_connectors(c);
		if (c->checkpoint != NULL)
			checkpoint_pause(c->checkpoint);
		for (uint32_t i = 0; i < c->workers; i++)
			c->slots[i].deadline = deadline;
		/* All of them first: an open one has work for other shards. */
		on_all(c, close_listeners);
		err = on_all(c, stop_worker);
		if (c->checkpoint != NULL && c->served)
			checkpoint_write_manifest(c->checkpoint);
	}
	http_err = http_stop(c->http);
	if (c->output != NULL) {
		int lost = output_drain(c->output, deadline);

		err = err < 0 ? err : lost;
	}
	if (http_err < 0)
		return err < 0 ? err : -EBUSY;
	output_free(c->output);
	checkpoint_close(c->checkpoint);
	if (c->slots != NULL)
		on_all(c, fini_worker);
	if (c->rt != NULL)
		sp_stop(c->rt, sp_in(5 * SP_S));
	shard_watchdog_free(c->watchdog);
	egress_bridge_free(c->bridge);
	if (c->limits != NULL)
		limits_free(c->limits);
	free(c->slots);
	free(c->connectors);
	free(c->connector_tasks);
	free(c);
	return err;
}
