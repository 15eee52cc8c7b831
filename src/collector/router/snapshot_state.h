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

/* A file that is being written: the values when the writing began. */
struct snapshot_attempt {
	struct log_position replay_from;
	uint64_t changes;	    /* router_changes() */
	int64_t started_ns;	    /* sp_now() */
	uint64_t invalidations;	    /* snapshot_state.invalidations */
	struct record_id relies_on; /* set at the end; see manifest.h */
};

struct snapshot_state {
	struct log_position replay_from; /* see manifest.h */
	bool valid;			 /* there is a valid file */
	bool filed;			 /* there may be a file, valid or not */
	bool unwanted; /* the router is to be forgotten: remove the file */
	struct record_id relies_on; /* see manifest.h; for that file */
	/* router_changes() when the writing of the file began */
	uint64_t changes_at_start;
	uint64_t replayed; /* changes that a restore took from the log */
	/* sp_now() when the writing began; 0 = an older run wrote the file */
	int64_t started_ns;
	uint64_t invalidations; /* how often files were invalidated */
};

/* For a new router: the log has no message of the router so far. */
void snapshot_state_init(struct snapshot_state *snapshot,
			 struct publisher *publisher);

/*
 * Consumers are about to get a RESYNC of the router: its file is no longer
 * valid. @position is the log position of the RESYNC, if it is known.
 */
void snapshot_invalidate(struct snapshot_state *snapshot,
			 const struct log_position *position);

/* Begin a file when the log is at @position. */
struct snapshot_attempt snapshot_attempt_begin(
	const struct snapshot_state *snapshot,
	const struct log_position *position, uint64_t changes, int64_t now);

/*
 * The file is committed. Writing yields: if the file was invalidated meanwhile,
 * it has routes that consumers were told to forget. Then the file is not valid,
 * and *@snapshot does not change.
 */
void snapshot_attempt_commit(struct snapshot_state *snapshot,
			     const struct snapshot_attempt *attempt);

#endif
