#include "collector/router/snapshot_state.h"

#include "egress/publisher/publisher.h"

void snapshot_state_init(struct snapshot_state *snapshot,
			 struct publisher *publisher)
{
	*snapshot = (struct snapshot_state){ .valid = false };
	publisher_log_position(publisher, &snapshot->replay_from);
}

void snapshot_invalidate(struct snapshot_state *snapshot,
			 const struct log_position *position)
{
	snapshot->valid = false;
	snapshot->invalidations++;
	if (log_position_known(position))
		snapshot->replay_from = *position;
}

struct snapshot_attempt snapshot_attempt_begin(
	const struct snapshot_state *snapshot,
	const struct log_position *position, uint64_t changes, int64_t now)
{
	return (struct snapshot_attempt){
		.replay_from = *position,
		.changes = changes,
		.started_ns = now,
		.invalidations = snapshot->invalidations,
	};
}

void snapshot_attempt_commit(struct snapshot_state *snapshot,
			     const struct snapshot_attempt *attempt)
{
	if (snapshot->invalidations != attempt->invalidations)
		return;
	snapshot->replay_from = attempt->replay_from;
	snapshot->changes_at_start = attempt->changes;
	snapshot->started_ns = attempt->started_ns;
	snapshot->relies_on = attempt->relies_on;
	snapshot->valid = true;
}
