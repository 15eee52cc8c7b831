/*
 * collector/checkpoint/snapshotter.h - write snapshots of a worker's routers
 * while it runs
 *
 * The log that consumers read is authoritative; a snapshot is its checkpoint. A
 * router's table is written in slices while changes continue. Then everything
 * published of it is made safe (a fence through the bridge), and only then is
 * the file committed. Invariant: every route in a file was safe before the file
 * was committed, and every change made while it was written is in the log after
 * its start position.
 *
 *	router.snapshot	of a router: its file, and since where the log counts
 *	struct snapshotter	of a worker: a fiber that writes what is due
 *
 * A file is due when there is none, when at least a tenth of its table and at
 * least a thousand routes have changed (docs/decisions/0096), and after five
 * minutes if anything has changed. Writing takes the time that routers leave, and
 * 2 % of the shard's time if they leave none.
 *
 * A router without a valid file gets a RESYNC after a restart. So its file is
 * invalid from the start of a RESYNC until the next file is committed.
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
	struct sp_sem wake; /* posted to start a round early */
	/* the next round writes every router that changed */
	bool all;
	bool finished; /* no more batches can be published */
	uint64_t fences;
	struct record_id safe_upto; /* record of the last fence that returned */
	/* rollbacks of the publisher at the last check */
	uint64_t rollbacks;
	/* purges of the publisher at the last check */
	uint64_t purges;
	uint64_t damaged; /* damaged segments at the last check */
	/* batches lost by the worker's batcher at the last check */
	uint64_t lost;
	struct snapshotter_counts counts;
};

/* The name of a router's file. False if it cannot have one. */
bool snapshot_file_name(const struct rib_router *router,
			char out[SNAPSHOT_NAME_MAX]);

/*
 * If the log has lost messages since the last call, publish the tables again.
 */
void snapshotter_check_log(struct snapshotter *snapshotter);

void snapshotter_init(struct snapshotter *snapshotter, struct worker *worker,
		      struct state_store *store, struct publisher *publisher,
		      int64_t interval);
void snapshotter_fini(struct snapshotter *snapshotter);

/* The fiber. @arg is a struct snapshotter. Ends when it is cancelled. */
int snapshotter_main(void *arg);

/* Write the routers that have changed, without waiting for the interval. */
void snapshotter_now(struct snapshotter *snapshotter);

/* Check immediately whether the log lost messages. Any thread. */
void snapshotter_look(struct snapshotter *snapshotter);

/*
 * The sessions have ended: make everything safe and write the routers that have
 * changed, oldest file first. A file that is not written by @deadline stays as it
 * was and is still valid; the log names it.
 */
int snapshotter_finish(struct snapshotter *snapshotter, int64_t deadline);

/*
 * Add a line for each router to @out. @position was read before: routers that
 * have not changed are valid up to it. The stream's extent was read before,
 * too: if messages were removed by then, no older file is valid.
 */
int snapshotter_list(struct snapshotter *snapshotter,
		     const struct log_position *position, struct manifest *out);

#endif
