#include "collector/router/snapshot_state.h"

#include "egress/publisher/publisher.h"

void snapshot_state_init(struct snapshot_state *snapshot,
			 struct publisher *publisher)
{
	*snapshot = (struct snapshot_state){ .valid = false };
	publisher_mark(publisher, &snapshot->replay_from);
}

void snapshot_invalidate(struct snapshot_state *snapshot,
			 const struct egress_mark *mark)
{
	snapshot->valid = false;
	if (egress_mark_known(mark))
		snapshot->replay_from = *mark;
}
