/*
 * collector/router/snapshot_state.h - the state of a router's snapshot
 *
 * checkpoint/snapshotter.h writes the files and describes their guarantees.
 */
#ifndef COLLECTOR_ROUTER_SNAPSHOT_STATE_H
#define COLLECTOR_ROUTER_SNAPSHOT_STATE_H

#include "egress/log_position.h"
#include "egress/message_id.h"

struct publisher;

/*
 * A file that is being written, with values from the time when its writing
 * began.
 */
struct snapshot_attempt {
	struct log_position replay_from;
	uint64_t changes;   /* router_changes() when the writing began */
	int64_t started_ns; /* sp_now() when the writing began */
	/* snapshot_state.invalidations when the writing began */
	uint64_t invalidations;
	/* set when the file is complete; see manifest.h */
	struct record_id relies_on;
};

struct snapshot_state {
	/* log position to replay from; see manifest.h */
	struct log_position replay_from;
	bool valid;    /* there is a valid file */
	bool filed;    /* there may be a file, valid or not */
	bool unwanted; /* the router is to be removed: remove the file, too */
	/* record that the file relies on; see manifest.h */
	struct record_id relies_on;
	/* router_changes() when the writing of the file began */
	uint64_t changes_at_start;
	uint64_t replayed; /* changes that a restore has read from the log */
	/*
	 * sp_now() when the writing of the file began; 0 if an earlier run
	 * wrote the file
	 */
	int64_t started_ns;
	/* number of times that the file was invalidated */
	uint64_t invalidations;
};

/*
 * Initialise the state for a new router: the log has no message of the router
 * so far.
 */
void snapshot_state_init(struct snapshot_state *snapshot,
			 struct publisher *publisher);

/*
 * Call it when consumers are about to get a RESYNC of the router: its file is
 * not valid any more. @position is the log position of the RESYNC, if it is
 * known.
 */
void snapshot_invalidate(struct snapshot_state *snapshot,
			 const struct log_position *position);

/*
 * Return the values to record when the writing of a file begins; the log is at
 * @position.
 */
struct snapshot_attempt snapshot_attempt_begin(
	const struct snapshot_state *snapshot,
	const struct log_position *position, uint64_t changes, int64_t now);

/*
 * Call it when the file is committed. Writing yields: if the file was
 * invalidated meanwhile, it has routes that consumers were told to forget. Then
 * the file is not valid, and *@snapshot does not change.
 */
void snapshot_attempt_commit(struct snapshot_state *snapshot,
			     const struct snapshot_attempt *attempt);

#endif
