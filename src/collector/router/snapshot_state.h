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

/* The properties of a file that is being written. */
struct snapshot_attempt {
	struct log_position replay_from;
	uint64_t changes;	/* router_changes() at its start */
	int64_t started_ns;	/* sp_now() at its start */
	uint64_t invalidations; /* invalidations of the state at its start */
	struct record_id relies_on;
};

struct snapshot_state {
	struct log_position replay_from; /* see manifest.h */
	bool valid;			 /* there is a valid file */
	bool filed;			 /* there may be a file, valid or not */
	bool unwanted; /* the router is to be forgotten: remove the file */
	struct record_id relies_on; /* see manifest.h; for that file */
	uint64_t changes_at_start;  /* router_changes() at the file's start */
	uint64_t replayed;	/* changes that a restore took from the log */
	int64_t started_ns;	/* sp_now() at its start; 0 = before this run */
	uint64_t invalidations; /* how often files were invalidated */
};

/* A router is new here: the log has nothing of it before this moment. */
void snapshot_state_init(struct snapshot_state *snapshot,
			 struct publisher *publisher);

/*
 * Consumers are about to get a RESYNC of the router: its file is no longer
 * valid. @position is the log position, if known.
 */
void snapshot_invalidate(struct snapshot_state *snapshot,
			 const struct log_position *position);

/* Begin a file when the log is at @position. */
struct snapshot_attempt snapshot_attempt_begin(
	const struct snapshot_state *snapshot,
	const struct log_position *position, uint64_t changes, int64_t now);

/*
 * The file is committed. Writing yields: if the file was invalidated meanwhile,
 * it has routes that consumers were told to forget; then it is not valid, and
 * nothing changes here.
 */
void snapshot_attempt_commit(struct snapshot_state *snapshot,
			     const struct snapshot_attempt *attempt);

#endif
