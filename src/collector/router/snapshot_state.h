/*
 * collector/router/snapshot_state.h - what is known of a router's snapshot
 *
 * checkpoint/snapshotter.h writes the files and says what they promise.
 */
#ifndef COLLECTOR_ROUTER_SNAPSHOT_STATE_H
#define COLLECTOR_ROUTER_SNAPSHOT_STATE_H

#include "egress/log_position.h"

struct publisher;

struct snapshot_state {
	struct log_position replay_from; /* see manifest.h */
	bool valid;			 /* there is a file that counts */
	uint64_t changes_at_start; /* router_changes() when it was begun */
	uint64_t replayed;  /* changes that a restore took from the log */
	int64_t started_ns; /* sp_now() when it was begun; 0: before this run */
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

#endif
