#include "collector/checkpoint/restore.h"

#include "collector/checkpoint/checkpoint.h"
#include "collector/checkpoint/restore_internal.h"
#include "collector/checkpoint/snapshotter.h"
#include "collector/checkpoint/state_store.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/router/router.h"
#include "collector/worker_state.h"
#include "egress/codec.h"
#include "egress/publisher/publisher.h"
#include "rib/restore.h"
#include "rib/rib.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Resyncs where the state of consumers is not known */

static int resync_each(void *job)
{
	struct shard_job *s = job;

	for (struct router *it = s->worker->routers; it != NULL; it = it->next)
		it->resync = true;
	return 0;
}

/*
 * Shift of an epoch to make a sequence number that no table has reached yet:
 * epochs are times in milliseconds, and no table changes four million times per
 * second between two starts. docs/decisions/0116
 */
#define LEAP_SHIFT 12

static uint64_t leap_of(struct restore *r)
{
	struct publisher_stats stats;

	publisher_stats(r->publisher, &stats);
	return stats.epoch << LEAP_SHIFT;
}

static bool is_empty(const struct restore *r)
{
	for (uint32_t i = 0; i < r->workers; i++)
		if (r->jobs[i].worker->routers != NULL)
			return false;
	return !r->has_manifest;
}

/*
 * True if an earlier run may have published updates. Then a table that begins
 * now may have existed before without leaving a trace (its peer was removed, or
 * the snapshots were set aside), and it must not reuse its sequence numbers.
 */
static bool has_history(const struct restore *r)
{
	return !is_empty(r) || publisher_has_history(r->publisher);
}

/* The number of rollbacks of the stream before this run began to write. */
static uint64_t log_rollbacks(struct restore *r)
{
	struct publisher_stats stats;

	publisher_stats(r->publisher, &stats);
	return stats.rollbacks;
}

/*
 * The last step of a restore: raise sequence numbers and send resyncs where
 * they are needed. Runs on each shard.
 */
static int shard_finish(void *job)
{
	struct shard_job *s = job;
	struct rib_time when = worker_now();
	uint64_t leap = leap_of(s->restore);

	rib_restore_done(s->worker->rib, &when);
	if (s->worker->snapshotter != NULL)
		s->worker->snapshotter->rollbacks = s->restore->rollbacks;
	/*
	 * The log may have tables of routers that are not restored: new tables
	 * must not reuse their sequence numbers.
	 */
	if (s->restore->unknown || has_history(s->restore))
		rib_restore_sequence_floor_new(s->worker->rib, leap);
	for (struct router *it = s->worker->routers; it != NULL;
	     it = it->next) {
		if (!it->resync)
			continue;
		rib_restore_forget_unknown(it->rib_router);
		rib_restore_sequence_floor(it->rib_router, leap);
		rib_resync(it->rib_router, &when);
		snapshot_invalidate(&it->snapshot, &s->restore->end);
		it->resync = false;
		s->resyncs++;
	}
	return 0;
}

static int each_shard(struct restore *r, enum collector_env_order order,
		      int (*fn)(void *job))
{
	return collector_env_each(r->env, order, fn, r->jobs,
				  sizeof(r->jobs[0]));
}

static void log_cannot_tell(struct restore *r, const char *why, int err)
{
	struct log_line line;

	if (!log_begin(r->log, LOG_LEVEL_WARNING, "resync", &line))
		return;
	log_text(&line, "why", why);
	/*
	 * If the log was trimmed (-ESTALE), @why has the explanation, and the
	 * text of the errno does not help.
	 */
	if (err < 0 && err != -ESTALE)
		log_error(&line, "error", err);
	log_text(&line, "hint",
		 "consumers are told to forget, and get the tables again");
	log_end(&line);
}

/*
 * Choose the position from which to replay; false if there is nothing to read.
 */
static bool choose_from(struct restore *r)
{
	bool found = false;

	if (r->has_manifest &&
	    log_position_same_log(&r->manifest.mark, &r->end)) {
		r->from = r->manifest.mark;
		found = true;
	}
	for (uint32_t i = 0; i < r->workers; i++) {
		const struct shard_job *s = &r->jobs[i];

		if (!s->position_found ||
		    (found && s->from.position >= r->from.position))
			continue;
		r->from = s->from;
		found = true;
	}
	return found && r->from.position < r->end.position;
}

/*
 * True if the stream lost messages that it had acknowledged: the epoch event of
 * this run, at r->end, has a sequence that the state knows already. Consumers
 * may have read the lost messages, of whatever router they were.
 */
static bool is_shorter(const struct restore *r)
{
	const struct log_position *mark = &r->manifest.mark;

	if (r->end.journal)
		return false;
	for (uint32_t i = 0; i < r->workers; i++)
		if (r->jobs[i].beyond)
			return true;
	return r->has_manifest && log_position_same_log(mark, &r->end) &&
	       mark->position >= r->end.position;
}

/* Replay the log after the files were read. */
static int read_log(struct restore *r, struct nats_error *why)
{
	const struct config *config = r->env->config;
	int err = publisher_wait_epoch(r->publisher,
				       sp_in(config->snapshot.restore_wait),
				       &r->end);

	r->rollbacks = log_rollbacks(r);
	if (err < 0) {
		snprintf(why->text, sizeof(why->text),
			 "the end of the log is not known");
		return err;
	}
	r->reliance.has_last =
		publisher_last_record(r->publisher, &r->reliance.last);
	if (r->rollbacks > 0) {
		snprintf(why->text, sizeof(why->text),
			 "the stream lost what it had acknowledged");
		return -ESTALE;
	}
	if (!r->has_manifest && !r->end.journal) {
		snprintf(why->text, sizeof(why->text),
			 "there is no valid manifest, and only that says what "
			 "the stream held: messages may have been removed");
		return -ESTALE;
	}
	if (publisher_removed_since(r->publisher, &r->manifest.held)) {
		snprintf(why->text, sizeof(why->text),
			 "somebody removed messages of the stream while no "
			 "collector wrote to it");
		return -ESTALE;
	}
	if (publisher_spool_superseded(r->publisher)) {
		snprintf(why->text, sizeof(why->text),
			 "another process of this collector has written to the "
			 "stream since, and the spool is out of date");
		return -ESTALE;
	}
	err = each_shard(r, COLLECTOR_ENV_SERIAL, restore_find_from);
	if (err < 0)
		return err;
	if (is_shorter(r)) {
		snprintf(why->text, sizeof(why->text),
			 "the log ends before a position that the state names: "
			 "it lost what it had acknowledged");
		return -ESTALE;
	}
	return choose_from(r) ? restore_tail(r, why) : 0;
}

/*
 * Read the log or the spool with @read. If it cannot be read, this is not an
 * error: consumers get all tables again. -ENOMEM.
 */
static int source_read(struct restore *r,
		       int (*read)(struct restore *r, struct nats_error *why))
{
	struct nats_error why = { "" };
	int err = read(r, &why);

	if (err >= 0 || err == -ENOMEM)
		return err;
	log_cannot_tell(r, why.text[0] != '\0' ? why.text : "reading the log",
			err);
	r->unknown = true;
	return each_shard(r, COLLECTOR_ENV_SERIAL, resync_each);
}

/*
 * Request a resync of all routers if a segment of the journal or spool is
 * damaged or missing: consumers do not get its records, and it is not known of
 * which routers these are.
 */
static int resync_if_damaged(struct restore *r)
{
	struct publisher_stats stats;

	publisher_stats(r->publisher, &stats);
	if (stats.damaged_segments == 0)
		return 0;
	log_cannot_tell(r, "a segment is damaged or missing", 0);
	r->unknown = true;
	return each_shard(r, COLLECTOR_ENV_SERIAL, resync_each);
}

/*
 * Request a resync if records of the spool are missing, for example its oldest
 * segment: the rest is published after a gap, which consumers see. (If a file
 * relies on the missing records, check_reliance() finds that.)
 */
static int check_spool_gap(struct restore *r)
{
	if (!r->reliance.gap)
		return 0;
	log_cannot_tell(r, "records are missing in the spool", 0);
	r->unknown = true;
	return each_shard(r, COLLECTOR_ENV_SERIAL, resync_each);
}

/*
 * Request a resync of the routers whose files rely on records that no longer
 * exist: the spool was lost, or the stream was rolled back.
 */
static int check_reliance(struct restore *r)
{
	uint64_t routers = 0;
	struct log_line line;
	int err = each_shard(r, COLLECTOR_ENV_SERIAL, restore_check_reliance);

	for (uint32_t i = 0; i < r->workers; i++)
		routers += r->jobs[i].unbacked;
	if (routers == 0 ||
	    !log_begin(r->log, LOG_LEVEL_WARNING, "resync", &line))
		return err;
	log_text(&line, "why",
		 "neither the log nor the spool holds what snapshots rely on");
	log_u64(&line, "routers", routers);
	log_text(&line, "hint",
		 "consumers are told to forget, and get the tables again");
	log_end(&line);
	return err;
}

static void log_restored(struct restore *r, int64_t began)
{
	struct shard_job all = { .routers = 0 };
	struct log_line line;

	for (uint32_t i = 0; i < r->workers; i++) {
		all.routers += r->jobs[i].routers;
		all.routes += r->jobs[i].routes;
		all.damaged += r->jobs[i].damaged;
		all.updates += r->jobs[i].updates;
		all.sequences += r->jobs[i].sequences;
		all.bad += r->jobs[i].bad;
		all.resyncs += r->jobs[i].resyncs;
	}
	if (!log_begin(r->log, LOG_LEVEL_INFO, "restored", &line))
		return;
	log_u64(&line, "routers", all.routers);
	log_u64(&line, "routes", all.routes);
	log_u64(&line, "log_batches", all.updates);
	log_u64(&line, "log_sequences_only", all.sequences);
	log_u64(&line, "log_unreadable", all.bad);
	log_u64(&line, "files_damaged", all.damaged);
	log_u64(&line, "resyncs", all.resyncs);
	log_seconds(&line, "took", sp_now() - began);
	log_end(&line);
}

/* The manifest */

static void log_manifest(struct restore *r, const char *why, const char *hint)
{
	struct log_line line;

	if (!log_begin(r->log, LOG_LEVEL_ERROR, "manifest_not_used", &line))
		return;
	log_text(&line, "in", state_store_where(r->store));
	log_text(&line, "why", why);
	log_text(&line, "hint", hint);
	log_end(&line);
}

/* Set the manifest aside, and use the snapshots without it. */
static int set_aside(struct restore *r, const char *why)
{
	r->unknown = true;
	log_manifest(r, why, "it is set aside");
	return state_store_set_aside(r->store, MANIFEST_NAME);
}

/* Read the manifest into *@restore, if there is one. Runs in a fiber. */
static int read_manifest(void *restore)
{
	struct restore *r = restore;
	const struct config *config = r->env->config;
	struct state_store *store = r->store;
	enum manifest_status status;
	void *text;
	size_t len;
	int err = state_store_get(store, MANIFEST_NAME, MANIFEST_MAX, &text,
				  &len);

	/* The disk failed, or the bucket lost a part of the manifest. */
	if (err == -EIO)
		return set_aside(r, "cannot be read");
	if (err == -EFBIG)
		return set_aside(r, "is too long");
	if (err == -EPROTONOSUPPORT)
		log_manifest(r, manifest_text(MANIFEST_VERSION_NEW),
			     "run that version, or start with another --state");
	if (err < 0)
		return err == -ENOENT ? 0 : err;
	status = manifest_parse((struct wire_view){ text, len },
				config->identity.collector, &r->manifest);
	free(text);
	switch (status) {
	case MANIFEST_OK:
		r->has_manifest = true;
		return 0;
	case MANIFEST_MEMORY:
		return -ENOMEM;
	case MANIFEST_DAMAGED:
		return set_aside(r, manifest_text(status));
	case MANIFEST_VERSION_NEW:
		log_manifest(r, manifest_text(status),
			     "run that version, or start with another --state");
		return -EPROTONOSUPPORT;
	default:
		log_manifest(r, manifest_text(status),
			     "start with another --state or --collector-id");
		return -EPROTONOSUPPORT;
	}
}

static int make_codecs(struct restore *r)
{
	int err = 0;

	for (uint32_t i = 0; i < r->workers && err == 0; i++)
		err = egress_codec_new(&r->jobs[i].codec);
	return err;
}

static int restore_all(struct restore *r)
{
	int64_t began = sp_now();
	int ret = 0;
	int err = sp_call_on(r->env->rt, 0, read_manifest, r, &ret);

	if (err == 0)
		err = ret;
	if (err == 0)
		err = make_codecs(r);
	if (err == 0)
		err = each_shard(r, COLLECTOR_ENV_PARALLEL, restore_files);
	if (err == 0 && !is_empty(r))
		err = source_read(r, read_log);
	if (err == 0)
		err = source_read(r, restore_spool);
	if (err == 0)
		err = resync_if_damaged(r);
	if (err == 0)
		err = check_spool_gap(r);
	if (err == 0)
		err = check_reliance(r);
	if (err == 0)
		err = each_shard(r, COLLECTOR_ENV_PARALLEL, shard_finish);
	if (err == 0 && !is_empty(r))
		log_restored(r, began);
	return err;
}

/*
 * Let new tables of the worker begin above the sequence numbers of earlier
 * runs. Runs on each shard.
 */
static int raise_floor(void *job)
{
	struct shard_job *s = job;

	rib_restore_sequence_floor_new(s->worker->rib, leap_of(s->restore));
	return 0;
}

int restore_run(const struct collector_env *env, bool *resyncs)
{
	struct restore r = {
		.env = env,
		.store = env->checkpoint == NULL
				 ? NULL
				 : checkpoint_store(env->checkpoint),
		.publisher = env->publisher,
		.log = env->log,
		.workers = env->worker_count,
	};
	struct log_line line;
	int err = -ENOMEM;

	*resyncs = false;
	r.jobs = calloc(r.workers, sizeof(*r.jobs));
	if (r.jobs != NULL) {
		for (uint32_t i = 0; i < r.workers; i++) {
			r.jobs[i].restore = &r;
			r.jobs[i].worker = env->workers[i];
		}
		if (env->checkpoint != NULL)
			err = restore_all(&r);
		else if (publisher_has_history(r.publisher))
			err = each_shard(&r, COLLECTOR_ENV_SERIAL, raise_floor);
		else
			err = 0;
		for (uint32_t i = 0; i < r.workers; i++) {
			*resyncs |= r.jobs[i].resyncs > 0;
			egress_codec_free(r.jobs[i].codec);
		}
		free(r.jobs);
	}
	manifest_release(&r.manifest);
	reliance_release(&r.reliance);
	if (err < 0 &&
	    log_begin(r.log, LOG_LEVEL_ERROR, "cannot_restore", &line)) {
		log_text(&line, "state", env->config->snapshot.state);
		log_error(&line, "error", err);
		log_end(&line);
	}
	return err;
}
