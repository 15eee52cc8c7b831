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
struct station {
	struct worker worker;
	struct collector *collector;
	struct door *doors;
	struct sp_task *door_tasks;
	size_t door_count; /* of those that are open, or left out */
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
	struct outlet *outlet;
	struct keeping *keeping; /* NULL: nothing is kept */
	struct sp_rt *rt;
	struct station *stations;
	struct dial *dials;
	struct sp_task *dial_tasks;
	size_t dial_count;
	struct http *http; /* NULL: off */
	struct watch *watch;
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
	return &c->stations[id].worker;
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
	return outlet_publisher(c->outlet);
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
	return outlet_max_batch(c->outlet);
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
	return c->keeping != NULL ? shelf_where(keeping_shelf(c->keeping))
				  : NULL;
}

bool collector_moves(struct collector *c)
{
	return watch_look(c->watch);
}

int collector_snapshot(struct collector *c)
{
	return c->keeping != NULL ? keeping_now(c->keeping) : -ENOENT;
}

struct keeper *collector_keeper(const struct collector *c, uint32_t worker)
{
	return c->keeping != NULL ? keeping_keeper(c->keeping, worker) : NULL;
}

uint16_t collector_port(const struct collector *c, size_t door)
{
	return c->stations[0].doors[door].at.port;
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

static int open_doors(struct station *s)
{
	const struct config_addresses *at =
		&s->collector->config->listen.addresses;

	s->doors = calloc(at->count + 1, sizeof(*s->doors));
	s->door_tasks = calloc(at->count + 1, sizeof(*s->door_tasks));
	if (s->doors == NULL || s->door_tasks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < at->count; i++) {
		struct config_address where = at->at[i];
		struct door *door = &s->doors[i];
		int err;

		/* Port 0: the first worker got one, the others share it. */
		if (where.port == 0 && s->worker.id != 0)
			where.port = collector_port(s->collector, i);
		err = door_open(&s->worker, &where, door);
		if (err < 0)
			return err;
		if (door->worker != NULL)
			err = sp_go_on(NULL, s->worker.id, door_main, door,
				       &s->door_tasks[i]);
		if (err < 0) {
			door_close(door);
			return err;
		}
		s->door_count++;
	}
	return 0;
}

static int start_station(void *arg)
{
	struct station *s = arg;
	int err =
		sp_go_on(NULL, s->worker.id, worker_work, &s->worker, &s->work);

	if (err < 0)
		return err;
	s->working = true;
	return open_doors(s);
}

static int init_station(void *arg)
{
	struct station *s = arg;
	struct collector *c = s->collector;

	return worker_init(&s->worker, c, (uint32_t)(s - c->stations));
}

/* Stopping it, on its shard */

static int close_doors(void *arg)
{
	struct station *s = arg;

	for (size_t i = 0; i < s->door_count; i++) {
		if (s->doors[i].worker == NULL)
			continue;
		sp_cancel(s->door_tasks[i]);
		sp_join(s->door_tasks[i], NULL);
		door_close(&s->doors[i]);
	}
	s->door_count = 0;
	return 0;
}

/*
 * Half of the time is for what the routers have said, the other half to make
 * it safe. A session that another shard sent here begins during that time and
 * is told as well; afterwards there are none.
 */
static void drain_sessions(struct station *s)
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
	w->closed = true;
}

/* What is not safe in time, or cannot be written, stays as it was. */
static void keep_state(struct station *s)
{
	struct collector *c = s->collector;
	int err;

	if (c->keeping == NULL || !c->served)
		return;
	err = keeping_finish_worker(c->keeping, s->worker.id, s->deadline);
	if (err < 0)
		fail(c, "no_final_snapshot", c->config->snapshot.state, err);
}

/* A bug of ours: better found in a log than in somebody's table. */
static void log_violations(struct station *s)
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

static int stop_station(void *arg)
{
	struct station *s = arg;

	drain_sessions(s);
	if (s->working) {
		sp_cancel(s->work);
		sp_join(s->work, NULL);
		s->working = false;
	}
	keep_state(s);
	if (s->worker.desk != NULL)
		desk_close(s->worker.desk);
	log_violations(s);
	return s->worker.batcher == NULL
		       ? 0
		       : worker_finish(&s->worker, s->deadline);
}

static int fini_station(void *arg)
{
	struct station *s = arg;

	if (s->worker.collector != NULL)
		worker_fini(&s->worker);
	free(s->doors);
	free(s->door_tasks);
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
		err = sp_go_on(c->rt, n, fn, &c->stations[n], &tasks[n]);
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

		err = sp_call_on(c->rt, i, fn, &c->stations[i], &ret);
		if (err == 0)
			err = ret;
	}
	return err;
}

/* Reloading */

static int reload_station(void *arg)
{
	struct station *s = arg;

	worker_configure(&s->worker, s->next);
	return 0;
}

int collector_reload(struct collector *c, const struct config *config)
{
	int err = limits_set(c->limits, (uint32_t)config->limits.sessions,
			     (uint32_t)config->limits.sessions_per_ip);

	limits_budget_set(&c->budget, config->limits.routes);
	for (uint32_t i = 0; i < c->workers; i++)
		c->stations[i].next = config;
	if (err == 0)
		err = on_each(c, reload_station);
	if (err == 0)
		log_set_level(c->log, (enum log_level)config->log.level);
	return err;
}

/* Calling routers */

static int start_dials(struct collector *c)
{
	const struct config_texts *to = &c->config->listen.connect;

	c->dials = calloc(to->count + 1, sizeof(*c->dials));
	c->dial_tasks = calloc(to->count + 1, sizeof(*c->dial_tasks));
	if (c->dials == NULL || c->dial_tasks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < to->count; i++) {
		int err;

		c->dials[i] = (struct dial){
			.worker = &c->stations[0].worker,
			.target = to->at[i],
		};
		err = sp_go_on(c->rt, 0, dial_main, &c->dials[i],
			       &c->dial_tasks[i]);
		if (err < 0)
			return err;
		c->dial_count++;
	}
	return 0;
}

static void stop_dials(struct collector *c)
{
	for (size_t i = 0; i < c->dial_count; i++) {
		sp_cancel(c->dial_tasks[i]);
		sp_join_thread(c->rt, c->dial_tasks[i], NULL);
	}
	c->dial_count = 0;
}

/* Life */

static int start_runtime(struct collector *c)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = (uint32_t)c->config->listen.workers;
	opts.name = "worker";
	opts.recv_buffers = (uint32_t)c->config->listen.recv_buffers;
	opts.recv_buffer_size = (uint32_t)c->config->listen.recv_buffer_size;
	watch_hogs(c->log, &opts);
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
	c->stations = calloc(c->workers, sizeof(*c->stations));
	if (c->stations == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->workers; i++)
		c->stations[i].collector = c;
	err = limits_new((uint32_t)config->limits.sessions,
			 (uint32_t)config->limits.sessions_per_ip, c->seed,
			 &c->limits);
	if (err == 0)
		err = egress_bridge_new(c->workers,
					(uint32_t)config->egress.bridge_batches,
					&c->bridge);
	if (err == 0)
		err = outlet_start(config, c->log, c->bridge, &c->outlet);
	if (err == 0)
		err = watch_new(c->log, c->rt,
				publisher_runtime(outlet_publisher(c->outlet)),
				&c->watch);
	return err;
}

/* One line for each address, with the port that was got. */
static void log_doors(struct collector *c)
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

	log_doors(c);
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

	if (c->keeping != NULL)
		err = restore_run(c, c->keeping, c->outlet);
	if (err == 0 && c->keeping != NULL)
		keeping_list(c->keeping);
	if (err == 0)
		publisher_go(outlet_publisher(c->outlet));
	return err;
}

/* Open for routers. */
static int open_up(struct collector *c)
{
	int err;

	atomic_store(&c->phase, COLLECTOR_OPENING);
	err = on_each(c, start_station);
	if (err == 0 && c->keeping != NULL)
		err = keeping_start(c->keeping);
	if (err == 0)
		err = start_dials(c);
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
		err = on_each(c, init_station);
	if (err == 0)
		err = keeping_open(c, c->outlet, &c->keeping);
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
	if (c->stations != NULL) {
		stop_dials(c);
		if (c->keeping != NULL)
			keeping_rest(c->keeping);
		for (uint32_t i = 0; i < c->workers; i++)
			c->stations[i].deadline = deadline;
		/* All of them first: an open one has work for other shards. */
		on_all(c, close_doors);
		err = on_all(c, stop_station);
		if (c->keeping != NULL && c->served)
			keeping_list(c->keeping);
	}
	http_err = http_stop(c->http);
	if (c->outlet != NULL) {
		int lost = outlet_drain(c->outlet, deadline);

		err = err < 0 ? err : lost;
	}
	if (http_err < 0)
		return err < 0 ? err : -EBUSY;
	outlet_free(c->outlet);
	keeping_close(c->keeping);
	if (c->stations != NULL)
		on_all(c, fini_station);
	if (c->rt != NULL)
		sp_stop(c->rt, sp_in(5 * SP_S));
	watch_free(c->watch);
	egress_bridge_free(c->bridge);
	if (c->limits != NULL)
		limits_free(c->limits);
	free(c->stations);
	free(c->dials);
	free(c->dial_tasks);
	free(c);
	return err;
}
