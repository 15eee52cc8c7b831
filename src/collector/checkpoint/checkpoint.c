#include "collector/checkpoint/checkpoint.h"

#include "collector/checkpoint/manifest.h"
#include "collector/checkpoint/snapshotter.h"
#include "collector/checkpoint/state_store.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/output.h"
#include "collector/worker_state.h"
#include "egress/nats/reader.h"
#include "egress/publisher/publisher.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "snapshots"

/* Between attempts at the first manifest, while the log is not known. */
#define FIRST (200 * SP_MS)

struct per_worker {
	struct snapshotter snapshotter;
	struct checkpoint *checkpoint;
	struct sp_task task;
	bool running;
};

struct checkpoint {
	const struct collector_env *env;
	struct publisher *publisher;
	struct log *log;
	struct state_store *store;
	struct per_worker *per_worker;
	struct sp_task manifest_task;
	bool writing_manifests;
	struct manifest manifest; /* being made */
	struct nats_error why;	  /* words for why the store is not open */
	bool listed;		  /* there is one of this run */
	bool failing;		  /* it could not be written */
};

struct state_store *checkpoint_store(struct checkpoint *k)
{
	return k->store;
}

struct snapshotter *checkpoint_snapshotter(struct checkpoint *k,
					   uint32_t worker)
{
	return &k->per_worker[worker].snapshotter;
}

/* Run @fn on every shard, one after the other. The first error counts. */
static int on_each(struct checkpoint *k, int (*fn)(void *per_worker))
{
	return collector_env_each(k->env, COLLECTOR_ENV_SERIAL, fn,
				  k->per_worker, sizeof(k->per_worker[0]));
}

/* The manifest */

static int list_routers(void *per_worker)
{
	struct per_worker *p = per_worker;

	return snapshotter_list(&p->snapshotter, &p->checkpoint->manifest.mark,
				&p->checkpoint->manifest);
}

static int write_manifest(struct checkpoint *k)
{
	const struct config *config = k->env->config;
	size_t len;
	char *text =
		manifest_format(&k->manifest, config->identity.collector, &len);
	int err;

	if (text == NULL)
		return -ENOMEM;
	err = state_store_put(k->store, MANIFEST_NAME, text, len);
	free(text);
	return err;
}

/* Said when it begins to fail, and when it works again. */
static void log_manifest(struct checkpoint *k, int err)
{
	struct log_line line;

	if ((err < 0) == k->failing)
		return;
	k->failing = err < 0;
	if (!log_begin(k->log, err < 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO,
		       err < 0 ? "manifest_failed" : "manifest_written", &line))
		return;
	log_text(&line, "in", state_store_where(k->store));
	if (err < 0)
		log_error(&line, "error", err);
	log_end(&line);
}

/* Before the routers are listed: see snapshotter_list(). */
static int make_manifest(struct checkpoint *k)
{
	int err;

	publisher_log_position(k->publisher, &k->manifest.mark);
	/* Where the log is not known, the manifest of before is still right. */
	if (!log_position_known(&k->manifest.mark))
		return 0;
	sp_shield_begin();
	err = on_each(k, list_routers); /* yields */
	sp_shield_end();
	if (err == 0)
		err = write_manifest(k); /* yields */
	k->listed |= err == 0;
	manifest_release(&k->manifest);
	return err;
}

/* The fiber that writes manifests. */
static int manifest_main(void *checkpoint)
{
	struct checkpoint *k = checkpoint;
	int64_t interval = k->env->config->snapshot.interval;
	int err;

	/* The first one soon: until then a crash finds the log, not who. */
	while (sp_sleep(k->listed ? interval : FIRST) == 0) {
		err = make_manifest(k);
		if (err == -ECANCELED)
			break;
		log_manifest(k, err);
	}
	return 0;
}

/* Life */

static int init_per_worker(void *per_worker)
{
	struct per_worker *p = per_worker;
	struct checkpoint *k = p->checkpoint;
	uint32_t id = (uint32_t)(p - k->per_worker);

	return snapshotter_init(&p->snapshotter, k->env->workers[id], k->store,
				k->publisher,
				k->env->config->snapshot.interval);
}

static int open_folder(struct checkpoint *k, const char *state)
{
	char *path;
	int err;

	if (asprintf(&path, "%s/" FOLDER, state) < 0)
		return -ENOMEM;
	err = state_store_open_dir(path, &k->store);
	free(path);
	return err;
}

static int open_bucket(struct checkpoint *k, const char *url)
{
	const struct config *config = k->env->config;
	struct nats_reader_options how;

	/* Let in as to the stream, which may be on other servers. */
	output_reader(k->env->output, &how);
	how.nats.servers[0] = url;
	how.nats.server_count = 1;
	how.nats.name = config->identity.collector;
	return state_store_open_kv(&how.nats, (int)config->nats.replicas,
				   config->identity.collector,
				   sp_in(config->snapshot.restore_wait),
				   &k->why, &k->store);
}

static int open_store(void *checkpoint)
{
	struct checkpoint *k = checkpoint;
	const struct config *config = k->env->config;
	const char *state = config->snapshot.state;

	return config_state_is_url(config) ? open_bucket(k, state)
					   : open_folder(k, state);
}

static int open_parts(struct checkpoint *k)
{
	int ret = 0;
	int err = sp_call_on(k->env->rt, 0, open_store, k, &ret);

	if (err == 0)
		err = ret;
	if (err < 0)
		return err;
	k->per_worker = calloc(k->env->worker_count, sizeof(*k->per_worker));
	if (k->per_worker == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < k->env->worker_count; i++)
		k->per_worker[i].checkpoint = k;
	return on_each(k, init_per_worker);
}

int checkpoint_open(const struct collector_env *env, struct checkpoint **out)
{
	const struct config *config = env->config;
	struct checkpoint *k;
	struct log_line line;
	int err;

	*out = NULL;
	if (config->curation.mode == RIB_MODE_OFF)
		return 0;
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return -ENOMEM;
	k->env = env;
	k->publisher = env->publisher;
	k->log = env->log;
	err = open_parts(k);
	if (err == 0) {
		*out = k;
		return 0;
	}
	if (log_begin(k->log, LOG_LEVEL_ERROR, "state_store_failed", &line)) {
		log_text(&line, "at", config->snapshot.state);
		if (err == -EBUSY)
			log_text(&line, "error", "in use by another process");
		else
			log_error(&line, "error", err);
		if (k->why.text[0] != '\0')
			log_text(&line, "why", k->why.text);
		log_end(&line);
	}
	checkpoint_close(k);
	return err;
}

static int start_per_worker(void *per_worker)
{
	struct per_worker *p = per_worker;
	int err = sp_go_on(NULL, sp_shard(), snapshotter_main, &p->snapshotter,
			   &p->task);

	p->running = err == 0;
	return err;
}

int checkpoint_start(struct checkpoint *k)
{
	int err = on_each(k, start_per_worker);

	if (err == 0)
		err = sp_go_on(k->env->rt, 0, manifest_main, k,
			       &k->manifest_task);
	k->writing_manifests = err == 0;
	return err;
}

static void end_task(struct checkpoint *k, struct sp_task task, bool *running)
{
	if (!*running)
		return;
	sp_cancel(task);
	sp_join_thread(k->env->rt, task, NULL);
	*running = false;
}

void checkpoint_pause(struct checkpoint *k)
{
	end_task(k, k->manifest_task, &k->writing_manifests);
	for (uint32_t i = 0; i < k->env->worker_count; i++)
		end_task(k, k->per_worker[i].task, &k->per_worker[i].running);
}

int checkpoint_finish_worker(struct checkpoint *k, uint32_t worker,
			     int64_t deadline)
{
	return snapshotter_finish(&k->per_worker[worker].snapshotter, deadline);
}

static int manifest_in_fiber(void *checkpoint)
{
	return make_manifest(checkpoint);
}

void checkpoint_write_manifest(struct checkpoint *k)
{
	int ret = 0;
	int err = sp_call_on(k->env->rt, 0, manifest_in_fiber, k, &ret);

	log_manifest(k, err < 0 ? err : ret);
}

static int now(void *per_worker)
{
	snapshotter_now(&((struct per_worker *)per_worker)->snapshotter);
	return 0;
}

int checkpoint_now(struct checkpoint *k)
{
	return on_each(k, now);
}

static int close_store(void *checkpoint)
{
	state_store_close(((struct checkpoint *)checkpoint)->store);
	return 0;
}

static int fini_per_worker(void *per_worker)
{
	snapshotter_fini(&((struct per_worker *)per_worker)->snapshotter);
	return 0;
}

void checkpoint_close(struct checkpoint *k)
{
	if (k == NULL)
		return;
	if (k->per_worker != NULL)
		on_each(k, fini_per_worker);
	if (k->store != NULL)
		sp_call_on(k->env->rt, 0, close_store, k, NULL);
	free(k->per_worker);
	free(k);
}
