/*
 * collector/checkpoint/restore_internal.h - shared data of the files of a
 * restore
 *
 * Private to restore*.c.
 */
#ifndef COLLECTOR_CHECKPOINT_RESTORE_INTERNAL_H
#define COLLECTOR_CHECKPOINT_RESTORE_INTERNAL_H

#include "collector/checkpoint/manifest.h"
#include "collector/checkpoint/reliance.h"
#include "egress/log_position.h"
#include "egress/message_id.h"

struct collector_env;
struct egress_codec;
struct log;
struct nats_error;
struct publisher;
struct restore;
struct restore_feed;
struct router;
struct state_store;
struct worker;

/* The work of one shard. */
struct shard_job {
	struct restore *restore;
	struct worker *worker;
	struct egress_codec *codec; /* for the messages of the log */
	/* Results of the shard: */
	uint64_t routers;
	uint64_t routes;
	uint64_t damaged;
	uint64_t updates; /* batches of the log that were applied */
	/* batches of which only the sequences were read */
	uint64_t sequences;
	uint64_t bad; /* updates that could not be parsed */
	uint64_t resyncs;
	/* the position of a router's file is not before the end of the log */
	bool beyond;
	/* routers whose files rely on records that are lost */
	uint64_t unbacked;
	/* from is valid: the lowest position of the shard's routers */
	bool position_found;
	struct log_position from;
};

struct restore {
	const struct collector_env *env;
	struct state_store *store;
	struct publisher *publisher;
	struct log *log;
	struct shard_job *jobs;
	struct restore_feed *feed; /* while the log or the spool is read */
	uint32_t workers;	   /* number of workers */
	struct manifest manifest;
	bool has_manifest;
	struct log_position end; /* end of the part of the log to read */
	struct log_position from;
	/* the log cannot be read, so the state of some routers is not known */
	bool unknown;
	/* true while the spool is read, false while the log is read */
	bool spool;
	struct nats_error *why; /* for the text of an error while reading */
	bool has_stored;
	struct record_id stored;
	struct reliance reliance; /* records that log and spool contain */
	/* rollbacks of the stream when this restore began */
	uint64_t rollbacks;
};

/*
 * Get the object of a router; *@made is true if it was created by this call.
 * Runs on the shard of the router.
 */
struct router *restore_router(struct shard_job *s,
			      const struct rib_identity *id, bool *made);

/*
 * restore_snapshots.c: restore the snapshots of a shard's routers. @job is a
 * struct shard_job.
 */
int restore_files(void *job);

/* restore_log.c */

/*
 * Find the lowest log position of a shard's routers. If a position is in
 * another log, the state of that router's consumers is not known. @job is a
 * struct shard_job.
 */
int restore_find_from(void *job);

/*
 * Call it after log and spool were read: routers whose files rely on a missing
 * record get a RESYNC. @job is a struct shard_job.
 */
int restore_check_reliance(void *job);

/* Read the log after r->from. Blocks the thread. */
int restore_tail(struct restore *r, struct nats_error *why);

/*
 * Replay the records of the spool that are not in the stream, because they will
 * be published. If it is not known which records the stream has, replay all
 * records of the spool. Blocks the thread.
 */
int restore_spool(struct restore *r, struct nats_error *why);

#endif
