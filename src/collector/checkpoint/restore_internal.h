/*
 * collector/checkpoint/restore_internal.h - what the files of a restore share
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
struct log;
struct nats_error;
struct publisher;
struct restore;
struct router;
struct state_store;
struct worker;

/* What is done on one shard. */
struct shard_job {
	struct restore *restore;
	struct worker *worker;
	uint8_t *bytes; /* parcels */
	size_t len;
	size_t cap;
	/* What came of it. */
	uint64_t routers;
	uint64_t routes;
	uint64_t damaged;
	uint64_t updates; /* of the log */
	uint64_t bad;
	uint64_t resyncs;
	uint64_t unbacked;   /* routers whose files rely on what is lost */
	bool position_found; /* from is the smallest of its routers */
	struct log_position from;
};

struct restore {
	const struct collector_env *env;
	struct state_store *store;
	struct publisher *publisher;
	struct log *log;
	struct shard_job *jobs;
	uint32_t workers; /* env->worker_count */
	struct manifest manifest;
	bool has_manifest;
	struct log_position end; /* of the log, as far as it is to be read */
	struct log_position from;
	bool unknown; /* what the log says of whom: it cannot be read */
	bool spool;   /* what is read is the spool */
	struct nats_error *why; /* of what is read */
	bool has_stored;
	struct record_id stored;
	struct reliance reliance; /* what log and spool hold */
	uint64_t rollbacks; /* of the stream, that this restore knows of */
};

/*
 * The object of a router that the state knows. *@made says that there was none
 * before. On its shard.
 */
struct router *restore_router(struct shard_job *s,
			      const struct rib_identity *id, bool *made);

/* restore_snapshots.c: the snapshots of a shard's routers. @job is a struct shard_job. */
int restore_files(void *job);

/* restore_log.c */

/*
 * Find the smallest log position of a shard's routers. Where one is of another
 * log, nobody can say what its consumers have. @job is a struct shard_job.
 */
int restore_find_from(void *job);

/*
 * After log and spool: routers whose files rely on what neither holds get a
 * RESYNC. @job is a struct shard_job.
 */
int restore_check_reliance(void *job);

/* Read the log behind r->from. Blocks the thread. */
int restore_tail(struct restore *r, struct nats_error *why);

/*
 * Read what is in the spool and not in the stream: it will be. Also if nothing
 * else is known; then at least who is in it. Blocks the thread.
 */
int restore_spool(struct restore *r, struct nats_error *why);

#endif
