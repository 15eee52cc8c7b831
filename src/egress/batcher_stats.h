/*
 * egress/batcher_stats.h - what a batcher counts
 */
#ifndef EGRESS_BATCHER_STATS_H
#define EGRESS_BATCHER_STATS_H

#include <stdint.h>

/* Why batches were closed. */
enum egress_flush_cause {
	EGRESS_FLUSH_FULL,
	EGRESS_FLUSH_IDLE,
	EGRESS_FLUSH_AGED,
	EGRESS_FLUSH_EVENT,
	EGRESS_FLUSH_FENCE,
	EGRESS_FLUSH_CAUSES
};

struct egress_batcher_stats {
	uint64_t updates;
	uint64_t events;
	uint64_t closed[EGRESS_FLUSH_CAUSES];
	uint64_t plain_bytes; /* of closed batches */
	uint64_t sent_bytes;  /* the same, compressed */
	uint64_t made_bytes;  /* of updates and events, open batches included */
	uint64_t lost;	      /* updates and events, for want of memory */
	uint64_t allocated;   /* batches there are */
	uint64_t made;	      /* and that ever were */
	uint32_t open;
	uint32_t backlog; /* closed, and refused by the bridge so far */
	uint64_t kept_weight;
	uint32_t routers;
};

#endif
