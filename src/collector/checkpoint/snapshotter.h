/*
 * collector/checkpoint/snapshotter.h - snapshots of the routers of a worker, while it works
 *
 * The log that consumers read is the truth; a snapshot is its checkpoint. A
 * router's table is written in slices while changes go on. Then everything
 * that was published of it is made safe (a fence behind it, through the
 * bridge), and only then does the file take its name. So what a file says was
 * published is in the log, and what it may lack is in the log behind its start
 * position.
 *
 *	router.snapshot	of a router: its file, and since where the log counts
 *	struct snapshotter	of a worker: a fiber that writes what is due
 *
 * A file is due when there is none, when a tenth of its table has changed and
 * that is a thousand routes at least (docs/decisions/0096), and in any case
 * after five minutes if anything has. Writing takes at most 2 % of the shard's
 * time.
 *
 * A router without a file that counts gets a RESYNC after a restart. So there
 * is none from the moment in which a RESYNC begins until the next file, behind
 * whose name all of it is safe.
 *
 * Threads	The worker's shard.
 */
#ifndef COLLECTOR_CHECKPOINT_SNAPSHOTTER_H
#define COLLECTOR_CHECKPOINT_SNAPSHOTTER_H

#include "collector/base/router_identity.h"
#include "collector/checkpoint/snapshotter_counts.h"
#include "egress/log_position.h"
#include "egress/message_id.h"

#include <spargio/sync.h>

struct manifest;
struct publisher;
struct rib_router;
struct state_store;
struct worker;

#define SNAPSHOT_SUFFIX	  ".snap"
#define SNAPSHOT_NAME_MAX (IDENTITY_TOKEN_MAX + sizeof(SNAPSHOT_SUFFIX))

struct snapshotter {
	struct worker *worker;
	struct state_store *store;
	struct publisher *publisher;
	int64_t interval;
	struct sp_sem wake; /* before the interval is over */
	bool all;	    /* the next round writes whatever changed */
	bool finished;	    /* nothing can be published any more */
	uint64_t fences;
	struct record_id safe_upto; /* of the last fence that came back */
	uint64_t rollbacks;	    /* of the publisher, so far */
	uint64_t purges;	    /* the same */
	uint64_t damaged;	    /* segments of the publisher, so far */
	uint64_t lost;		    /* by the worker's batcher, so far */
	struct snapshotter_counts counts;
};

/* The name of a router's file. False if it can have none. */
bool snapshot_file_name(const struct rib_router *router,
			char out[SNAPSHOT_NAME_MAX]);

/* If the log has lost anything since the last time: publish the tables again. */
void snapshotter_check_log(struct snapshotter *snapshotter);

void snapshotter_init(struct snapshotter *snapshotter, struct worker *worker,
		      struct state_store *store, struct publisher *publisher,
		      int64_t interval);
void snapshotter_fini(struct snapshotter *snapshotter);

/* The fiber. @arg is a struct snapshotter. Ends when it is cancelled. */
int snapshotter_main(void *arg);

/* Write what has changed at once, whatever the interval. */
void snapshotter_now(struct snapshotter *snapshotter);

/* See at once whether the log lost something. Any thread. */
void snapshotter_look(struct snapshotter *snapshotter);

/*
 * The sessions are over: make everything safe and write what has changed, in a
 * hurry. What cannot be done until @deadline stays as it was, which is right
 * as well.
 */
int snapshotter_finish(struct snapshotter *snapshotter, int64_t deadline);

/*
 * Add a line for each router to @out. @position was asked for before: routers
 * that have not changed are good up to there. So was what the stream holds: if
 * something had been removed by then, no file of before counts any more.
 */
int snapshotter_list(struct snapshotter *snapshotter,
		     const struct log_position *position, struct manifest *out);

#endif
