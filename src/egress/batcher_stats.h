/*
 * egress/batcher_stats.h - what a batcher counts
 */
#ifndef EGRESS_BATCHER_STATS_H
#define EGRESS_BATCHER_STATS_H

#include <stdint.h>

/* Why batches were closed. */
enum egress_close {
	EGRESS_CLOSE_FULL,
	EGRESS_CLOSE_DRY,
	EGRESS_CLOSE_OLD,
	EGRESS_CLOSE_EVENT,
	EGRESS_CLOSE_MARK,
	EGRESS_CLOSES
};

struct egress_batcher_stats {
	uint64_t updates;
	uint64_t events;
	uint64_t closed[EGRESS_CLOSES];
	uint64_t plain_bytes; /* of closed batches */
	uint64_t sent_bytes;  /* the same, compressed */
	uint64_t made_bytes;  /* of updates and events, open batches included */
	uint64_t lost;	      /* updates and events, for want of memory */
	uint64_t allocated;   /* batches there are */
	uint64_t made;	      /* and that ever were */
	uint32_t open;
	uint32_t kept; /* closed, and refused by the bridge so far */
	uint64_t kept_weight;
	uint32_t routers;
};

#endif
