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
	if (log_position_known(position))
		snapshot->replay_from = *position;
}
