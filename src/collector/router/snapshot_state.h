/*
 * collector/router/snapshot_state.h - what is known of a router's snapshot
 *
 * checkpoint/snapshotter.h writes the files and says what they promise.
 */
#ifndef COLLECTOR_ROUTER_SNAPSHOT_STATE_H
#define COLLECTOR_ROUTER_SNAPSHOT_STATE_H

#include "egress/log_position.h"
#include "egress/message_id.h"

struct publisher;

/* What a file that is being written will say of the router. */
struct snapshot_attempt {
	struct log_position replay_from;
	uint64_t changes;	/* router_changes() when it was begun */
	int64_t started_ns;	/* sp_now() then */
	uint64_t invalidations; /* of the state, then */
	struct record_id relies_on;
};

struct snapshot_state {
	struct log_position replay_from; /* see manifest.h */
	bool valid;			 /* there is a file that counts */
	struct record_id relies_on;	 /* see manifest.h; of that file */
	uint64_t changes_at_start; /* router_changes() when it was begun */
	uint64_t replayed;  /* changes that a restore took from the log */
	int64_t started_ns; /* sp_now() when it was begun; 0: before this run */
	uint64_t invalidations; /* how often files stopped to count */
};

/* A router is new here: the log has nothing of it before this moment. */
void snapshot_state_init(struct snapshot_state *snapshot,
			 struct publisher *publisher);

/*
 * Consumers are about to be told to forget what they have of the router: its
 * file does not count any more. @position is where the log is, if that is
 * known.
 */
void snapshot_invalidate(struct snapshot_state *snapshot,
			 const struct log_position *position);

/* A file is begun, when the log is at @position. */
struct snapshot_attempt snapshot_attempt_begin(
	const struct snapshot_state *snapshot,
	const struct log_position *position, uint64_t changes, int64_t now);

/*
 * The file is there. Writing it yields: if it was invalidated meanwhile it
 * holds what consumers were told to forget, does not count, and changes
 * nothing here.
 */
void snapshot_attempt_commit(struct snapshot_state *snapshot,
			     const struct snapshot_attempt *attempt);

#endif
