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
#include <spargio/sync.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "snapshots"

/*
 * Pause between attempts to write the first manifest, while the log position is
 * not known.
 */
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
	/* reason why the state store could not be opened */
	struct nats_error why;
	_Atomic bool listed; /* a manifest of this run was written */
	/* held while a manifest is written; protects the members below */
	struct sp_mutex writing;
	struct manifest manifest; /* the manifest being built */
	bool failing;		  /* the last manifest could not be written */
	/*
	 * the manifest in the state store says that files are valid which are
	 * not valid any more
	 */
	bool outdated;
};

struct state_store *checkpoint_store(struct checkpoint *c)
{
	return c->store;
}

struct snapshotter *checkpoint_snapshotter(struct checkpoint *c,
					   uint32_t worker)
{
	return &c->per_worker[worker].snapshotter;
}

/* Run @fn on every shard, one after the other. Returns the first error. */
static int on_each(struct checkpoint *c, int (*fn)(void *per_worker))
{
	return collector_env_each(c->env, COLLECTOR_ENV_SERIAL, fn,
				  c->per_worker, sizeof(c->per_worker[0]));
}

/* The manifest */

static int list_routers(void *per_worker)
{
	struct per_worker *p = per_worker;

	return snapshotter_list(&p->snapshotter, &p->checkpoint->manifest.mark,
				&p->checkpoint->manifest);
}

static int write_manifest(struct checkpoint *c)
{
	const struct config *config = c->env->config;
	size_t len;
	char *text =
		manifest_format(&c->manifest, config->identity.collector, &len);
	int err;

	if (text == NULL)
		return -ENOMEM;
	err = state_store_put(c->store, MANIFEST_NAME, text, len);
	free(text);
	return err;
}

/* Log when writing manifests begins to fail, and when it works again. */
static void log_manifest(struct checkpoint *c, int err)
{
	struct nats_error why;
	struct log_line line;

	if ((err < 0) == c->failing)
		return;
	c->failing = err < 0;
	if (!log_begin(c->log, err < 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO,
		       err < 0 ? "manifest_failed" : "manifest_written", &line))
		return;
	log_text(&line, "in", state_store_where(c->store));
	if (err < 0) {
		log_error(&line, "error", err);
		state_store_last_error(c->store, &why);
		if (why.text[0] != '\0')
			log_text(&line, "why", why.text);
	}
	log_end(&line);
}

/*
 * Read the position before the routers are listed: see snapshotter_list().
 * Returns 1 if the manifest was written, 0 if the log position is not known.
 */
static int make_manifest(struct checkpoint *c)
{
	int err;

	/*
	 * The extent of the stream must be read before, too: snapshotter_list()
	 * resyncs routers only if messages were removed until then.
	 */
	publisher_extent(c->publisher, &c->manifest.held);
	publisher_log_position(c->publisher, &c->manifest.mark);
	/*
	 * If the log position is not known, write nothing: the previous
	 * manifest is still valid.
	 */
	if (!log_position_known(&c->manifest.mark))
		return 0;
	sp_shield_begin();
	err = on_each(c, list_routers); /* yields */
	sp_shield_end();
	if (err == 0)
		err = write_manifest(c); /* yields */
	manifest_release(&c->manifest);
	return err < 0 ? err : 1;
}

/*
 * Write the manifest or, if that fails, remove an outdated one. If the log
 * position is not known, an outdated one stays until it is known: it may be
 * the only list of routers that have no file.
 */
static int replace_manifest(struct checkpoint *c)
{
	int err = make_manifest(c); /* yields */
	int removed;

	if (err == 1) {
		c->outdated = false;
		c->listed = true;
		return 0;
	}
	if (err == 0 || !c->outdated)
		return err;
	removed = state_store_remove(c->store, MANIFEST_NAME); /* yields */
	if (removed == 0 || removed == -ENOENT)
		c->outdated = false;
	return err;
}

/* Write the manifest and log the result. Runs in a fiber of the first shard. */
static int manifest_update(struct checkpoint *c, bool outdated)
{
	int err = sp_mutex_lock(&c->writing); /* yields */

	if (err < 0)
		return err;
	c->outdated |= outdated;
	err = replace_manifest(c); /* yields */
	if (err != -ECANCELED)
		log_manifest(c, err);
	sp_mutex_unlock(&c->writing);
	return err;
}

/* The main function of the fiber that writes manifests. */
static int manifest_main(void *checkpoint)
{
	struct checkpoint *c = checkpoint;
	int64_t interval = c->env->config->snapshot.interval;
	int err;

	/*
	 * Write the first manifest soon, because without it a crash would leave
	 * no list of routers.
	 */
	while (sp_sleep(c->listed ? interval : FIRST) == 0) {
		err = manifest_update(c, false);
		if (err == -ECANCELED)
			break;
	}
	return 0;
}

/* Opening and closing */

static int init_per_worker(void *per_worker)
{
	struct per_worker *p = per_worker;
	struct checkpoint *c = p->checkpoint;
	uint32_t id = (uint32_t)(p - c->per_worker);

	snapshotter_init(&p->snapshotter, c->env->workers[id], c->store,
			 c->publisher, c->env->config->snapshot.interval);
	return 0;
}

static int open_folder(struct checkpoint *c, const char *state)
{
	char *path;
	int err;

	if (asprintf(&path, "%s/" FOLDER, state) < 0)
		return -ENOMEM;
	err = state_store_open_dir(path, &c->store);
	free(path);
	return err;
}

static int open_bucket(struct checkpoint *c, const char *url)
{
	const struct config *config = c->env->config;
	struct nats_reader_options how;

	/*
	 * Use the credentials of the stream, although the bucket may be on
	 * other servers.
	 */
	output_reader(c->env->output, &how);
	how.nats.servers[0] = url;
	how.nats.server_count = 1;
	how.nats.name = config->identity.collector;
	return state_store_open_kv(&how.nats, (int)config->nats.replicas,
				   config->identity.collector,
				   sp_in(config->snapshot.restore_wait),
				   &c->why, &c->store);
}

static int open_store(void *checkpoint)
{
	struct checkpoint *c = checkpoint;
	const struct config *config = c->env->config;
	const char *state = config->snapshot.state;

	return config_state_is_url(config) ? open_bucket(c, state)
					   : open_folder(c, state);
}

static int open_parts(struct checkpoint *c)
{
	int ret = 0;
	int err = sp_call_on(c->env->rt, 0, open_store, c, &ret);

	if (err == 0)
		err = ret;
	if (err < 0)
		return err;
	c->per_worker = calloc(c->env->worker_count, sizeof(*c->per_worker));
	if (c->per_worker == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->env->worker_count; i++)
		c->per_worker[i].checkpoint = c;
	return on_each(c, init_per_worker);
}

int checkpoint_open(const struct collector_env *env, struct checkpoint **out)
{
	const struct config *config = env->config;
	struct checkpoint *c;
	struct log_line line;
	int err;

	*out = NULL;
	if (config->curation.mode == RIB_MODE_OFF)
		return 0;
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return -ENOMEM;
	c->env = env;
	c->publisher = env->publisher;
	c->log = env->log;
	err = open_parts(c);
	if (err == 0) {
		*out = c;
		return 0;
	}
	if (log_begin(c->log, LOG_LEVEL_ERROR, "state_store_failed", &line)) {
		log_text(&line, "at", config->snapshot.state);
		if (err == -EBUSY)
			log_text(&line, "error", "in use by another process");
		else
			log_error(&line, "error", err);
		if (c->why.text[0] != '\0')
			log_text(&line, "why", c->why.text);
		log_end(&line);
	}
	checkpoint_close(c);
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

int checkpoint_start(struct checkpoint *c)
{
	int err = on_each(c, start_per_worker);

	if (err == 0)
		err = sp_go_on(c->env->rt, 0, manifest_main, c,
			       &c->manifest_task);
	c->writing_manifests = err == 0;
	return err;
}

static void end_task(struct checkpoint *c, struct sp_task task, bool *running)
{
	if (!*running)
		return;
	sp_cancel(task);
	sp_join_thread(c->env->rt, task, NULL);
	*running = false;
}

void checkpoint_pause(struct checkpoint *c)
{
	end_task(c, c->manifest_task, &c->writing_manifests);
	for (uint32_t i = 0; i < c->env->worker_count; i++)
		end_task(c, c->per_worker[i].task, &c->per_worker[i].running);
}

int checkpoint_finish_worker(struct checkpoint *c, uint32_t worker,
			     int64_t deadline)
{
	return snapshotter_finish(&c->per_worker[worker].snapshotter, deadline);
}

struct manifest_job {
	struct checkpoint *checkpoint;
	bool outdated;
};

static int manifest_in_fiber(void *arg)
{
	const struct manifest_job *job = arg;

	return manifest_update(job->checkpoint, job->outdated);
}

void checkpoint_write_manifest(struct checkpoint *c, bool outdated)
{
	struct manifest_job job = { c, outdated };

	(void)sp_call_on(c->env->rt, 0, manifest_in_fiber, &job, NULL);
}

bool checkpoint_has_manifest(const struct checkpoint *c)
{
	return c->listed;
}

static int snapshot_now(void *per_worker)
{
	snapshotter_now(&((struct per_worker *)per_worker)->snapshotter);
	return 0;
}

int checkpoint_now(struct checkpoint *c)
{
	return on_each(c, snapshot_now);
}

void checkpoint_look(void *checkpoint)
{
	struct checkpoint *c = checkpoint;

	for (uint32_t i = 0; i < c->env->worker_count; i++)
		snapshotter_look(&c->per_worker[i].snapshotter);
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

void checkpoint_close(struct checkpoint *c)
{
	if (c == NULL)
		return;
	if (c->per_worker != NULL)
		on_each(c, fini_per_worker);
	if (c->store != NULL)
		sp_call_on(c->env->rt, 0, close_store, c, NULL);
	free(c->per_worker);
	free(c);
}
