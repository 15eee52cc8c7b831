/*
 * collector/checkpoint/snapshotter.h - write snapshots of a worker's routers
 * while it runs
 *
 * The log that consumers read is authoritative; a snapshot is its checkpoint.
 * The tables of a router are written in slices while they change. Then the
 * snapshotter waits until all output of the router is safe (by a fence through
 * the bridge), and only then commits the file. Invariant: every route in a file
 * was safe before the file was committed, and every change made while it was
 * written is in the log after its start position.
 *
 *	router.snapshot	of a router: its file, and from which position to replay
 *	struct snapshotter	of a worker: the fiber that writes its files
 *
 * A file is due if the router has none; if at least a tenth of its routes and
 * at least a thousand have changed (docs/decisions/0096); and after five
 * minutes if anything has changed. Files are written in the time in which no
 * session has input, or in 2 % of the shard's time if there is always input.
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
	struct sp_sem wake; /* posted to start the next round early */
	/* the next round writes every router that changed */
	bool all;
	/* the worker has stopped: no more batches can be published */
	bool finished;
	uint64_t fences; /* number of the last fence that was sent */
	/* the last record before the last fence that returned */
	struct record_id safe_upto;
	/* rollbacks counted by the publisher at the last check */
	uint64_t rollbacks;
	/* purges counted by the publisher at the last check */
	uint64_t purges;
	uint64_t damaged; /* damaged segments counted at the last check */
	/* batches lost by the worker's batcher at the last check */
	uint64_t lost;
	struct snapshotter_counts counts;
};

/* Write the name of a router's file. False if the router cannot have a file. */
bool snapshot_file_name(const struct rib_router *router,
			char out[SNAPSHOT_NAME_MAX]);

/*
 * If the log has lost messages since the last call, publish the tables of the
 * worker again.
 */
void snapshotter_check_log(struct snapshotter *snapshotter);

void snapshotter_init(struct snapshotter *snapshotter, struct worker *worker,
		      struct state_store *store, struct publisher *publisher,
		      int64_t interval);
void snapshotter_fini(struct snapshotter *snapshotter);

/*
 * The main function of the fiber. @arg is a struct snapshotter. Returns when
 * the fiber is cancelled.
 */
int snapshotter_main(void *arg);

/*
 * Request a round that writes all changed routers, without waiting for the
 * interval.
 */
void snapshotter_now(struct snapshotter *snapshotter);

/* Request a check whether the log lost messages. Any thread. */
void snapshotter_look(struct snapshotter *snapshotter);

/*
 * Call it when the sessions have ended: wait until all output is safe, and
 * write the routers that have changed, oldest file first. A file that is not
 * written by @deadline stays as it was and is still valid; the log names it.
 */
int snapshotter_finish(struct snapshotter *snapshotter, int64_t deadline);

/*
 * Add a line for each router to @out. The caller has read @position before: the
 * files of routers that have not changed are valid up to it. The caller has
 * also read the stream's extent before: if messages were removed until then,
 * the files written before are not valid.
 */
int snapshotter_list(struct snapshotter *snapshotter,
		     const struct log_position *position, struct manifest *out);

#endif
