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

/* The work of one shard. */
struct shard_job {
	struct restore *restore;
	struct worker *worker;
	uint8_t *bytes; /* chunks of the log */
	size_t len;
	size_t cap;
	/* Results. */
	uint64_t routers;
	uint64_t routes;
	uint64_t damaged;
	uint64_t updates; /* updates of the log */
	uint64_t bad;
	uint64_t resyncs;
	uint64_t unbacked;   /* routers whose files rely on lost records */
	bool position_found; /* from is the smallest position of its routers */
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
	struct log_position end; /* end of the part of the log to read */
	struct log_position from;
	/* the log cannot be read: the state of some routers is not known */
	bool unknown;
	bool spool;		/* the spool is being read, not the log */
	struct nats_error *why; /* error text of the read */
	bool has_stored;
	struct record_id stored;
	struct reliance reliance; /* records that log and spool contain */
	/* rollbacks of the stream when this restore began */
	uint64_t rollbacks;
};

/*
 * The object of a router in the state. *@made is true if it was created now. On
 * its shard.
 */
struct router *restore_router(struct shard_job *s,
			      const struct rib_identity *id, bool *made);

/* restore_snapshots.c: the snapshots of a shard's routers. @job is a struct shard_job. */
int restore_files(void *job);

/* restore_log.c */

/*
 * Find the smallest log position of a shard's routers. If one refers to another
 * log, the state of its consumers is not known. @job is a struct shard_job.
 */
int restore_find_from(void *job);

/*
 * After log and spool were read: routers whose files rely on a missing record
 * get a RESYNC. @job is a struct shard_job.
 */
int restore_check_reliance(void *job);

/* Read the log after r->from. Blocks the thread. */
int restore_tail(struct restore *r, struct nats_error *why);

/*
 * Read the records of the spool that are not in the stream: they will be
 * published. Also done if nothing else is known, to learn at least the routers.
 * Blocks the thread.
 */
int restore_spool(struct restore *r, struct nats_error *why);

#endif
