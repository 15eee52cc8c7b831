/*
 * The host of a collector: it starts the collector as its service manager
 * would, looks at its state, and at the end compares what consumers have with
 * what the routers have.
 */
#include "weather.h"
#include "world.h"

#include "collector/base/log.h"
#include "collector/collector.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "collector/config/loader.h"
#include "collector/telemetry/readiness.h"
#include "egress/publisher/publisher.h"

#include <spargio/dir.h>
#include <spargio/fiber.h>
#include <spargio/path.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#define AGAIN	   (1 * SP_S) /* after a start that failed */
#define LOOK	   (250 * SP_MS)
#define STANDSTILL (15 * SP_S) /* what waits so long needs a cause */
#define DRAIN	   (5 * SP_S)
#define SPOOL	   "/state/journal"

#define WAITING_MAX 8192 /* batches in memory */

static void look_at_output(struct sim_collector *c)
{
	const struct collector_env *env = collector_env(c->running);
	struct sp_sim *sim = c->world->sim;
	struct publisher_stats stats;
	int64_t now = sp_now();
	char why[OUTPUT_WHY_MAX];

	publisher_stats(env->publisher, &stats);
	output_state_why(&stats.output, why);
	if (output_status(&stats.output) != OUTPUT_OK && why[0] == '\0')
		sp_sim_fail(sim, "collector %u: output not ok without a cause",
			    c->number);
	if (stats.waiting + stats.in_flight > WAITING_MAX)
		sp_sim_fail(sim, "collector %u: %" PRIu64 " batches wait",
			    c->number, stats.waiting + stats.in_flight);
	if (stats.waiting + stats.in_flight + stats.spool_left == 0 ||
	    stats.journal_messages + stats.messages != c->stored) {
		c->stored = stats.journal_messages + stats.messages;
		c->stored_at = now;
	} else if (now - c->stored_at > STANDSTILL &&
		   output_status(&stats.output) == OUTPUT_OK) {
		sp_sim_fail(sim,
			    "collector %u: nothing was stored for %" PRId64
			    " s, and its output is ok",
			    c->number, (now - c->stored_at) / SP_S);
	}
}

/* All must be well. */
static void check_end(struct sim_collector *c)
{
	const struct collector_env *env = collector_env(c->running);
	struct sp_sim *sim = c->world->sim;
	struct publisher_stats stats;
	struct readiness readiness;
	struct model_view all;
	char text[200];
	int err;

	publisher_stats(env->publisher, &stats);
	readiness = readiness_of(env, &stats);
	if (!readiness.ready || readiness.degraded != NULL)
		sp_sim_fail(sim, "collector %u: not ready at the end: %s",
			    c->number, readiness.why);
	if (model_view_init(&all, &c->world->model) < 0)
		return;
	all.sweep_quiet_ns = c->live.sweep_quiet_ns;
	all.lossy = c->world->memory_fails;
	err = consumer_read_all(c, &all);
	if (err < 0)
		sp_sim_fail(sim, "collector %u: reading the log: %s", c->number,
			    strerror(-err));
	if (all.wrong[0] != '\0')
		sp_sim_fail(sim, "collector %u: %s", c->number, all.wrong);
	if (!model_view_equals(&all, text, sizeof(text)))
		sp_sim_fail(sim, "collector %u: %s", c->number, text);
	if (!model_view_equals(&c->live, text, sizeof(text)))
		sp_sim_fail(sim, "collector %u, live: %s", c->number, text);
	model_view_fini(&all);
	c->checked = true;
}

/* Until it is to be stopped. */
static int watch_collector(struct sim_collector *c)
{
	struct world *w = c->world;

	c->stored_at = sp_now();
	while (sp_sleep(LOOK) == 0) {
		int64_t now = sp_sim_time(w->sim);

		look_at_output(c);
		if (now >= w->end_at && !c->checked)
			check_end(c);
		if (c->stop_cleanly && now < w->quiet_at &&
		    load_random_below(&w->random, 40) == 0)
			return 0;
	}
	return -ECANCELED;
}

/* Somebody removes the segments of the spool while the collector is down. */
static void lose_spool(struct sim_collector *c)
{
	struct sp_dirent entry;
	struct sp_dir *list;

	if (sp_dir_open(AT_FDCWD, SPOOL, &list) < 0)
		return;
	while (sp_dir_next(list, &entry) > 0)
		if (strstr(entry.name, ".seg") != NULL &&
		    sp_unlinkat(sp_dir_fd(list), entry.name, 0) == 0)
			c->spools_lost++;
	sp_dir_close(list);
}

static int run_collector(struct sim_collector *c, const struct config *config,
			 struct log *log)
{
	struct world *w = c->world;
	struct collector *collector;
	int err;

	if ((w->weather >> WEATHER_SPOOL & 1) != 0 && w->broker != NULL &&
	    sp_sim_time(w->sim) < w->quiet_at &&
	    load_random_below(&w->random, 2) == 0)
		lose_spool(c);
	c->starts++;
	err = collector_start(config, log, NULL, &collector);
	if (err < 0) {
		c->failed_starts++;
		return sp_sleep(AGAIN);
	}
	c->running = collector;
	c->live.lossy = w->memory_fails;
	if (w->steady_clocks)
		c->live.sweep_quiet_ns = c->sweep_quiet_ns;
	err = watch_collector(c);
	c->running = NULL;
	if (err == 0)
		(void)collector_stop(collector, sp_in(DRAIN),
				     COLLECTOR_MEMORY_LEAVE);
	return err;
}

static int load_config(const struct sim_collector *c,
		       struct config_errors *errors, struct config *out)
{
	*errors = CONFIG_ERRORS_INIT;
	return config_load_bytes("sim.ini", c->config, strlen(c->config),
				 errors, out);
}

int collector_main(void *arg)
{
	struct sim_collector *c = arg;
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config config;
	struct log log;
	int err;

	c->running = NULL;
	/* Without memory the program ends, and is started again. */
	while ((err = load_config(c, &errors, &config)) == -ENOMEM)
		(void)sp_sleep(AGAIN);
	if (err < 0)
		sp_sim_fail(c->world->sim, "configuration: %s",
			    errors.kept > 0 ? errors.lines[0] : "?");
	log_init(&log, c->world->log_fd, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	err = sp_go_on(NULL, 0, consumer_follow, c, NULL);
	while (err == 0)
		err = run_collector(c, &config, &log);
	return 0;
}
