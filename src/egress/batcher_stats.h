/*
 * egress/batcher_stats.h - the counters of a batcher
 */
#ifndef EGRESS_BATCHER_STATS_H
#define EGRESS_BATCHER_STATS_H

#include <stdint.h>

/* Why a batch was closed. */
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
	uint64_t plain_bytes; /* bytes of closed batches before compression */
	uint64_t sent_bytes;  /* bytes of closed batches after compression */
	/* bytes of encoded updates and events, including open batches */
	uint64_t made_bytes;
	uint64_t lost;	    /* updates and events lost for lack of memory */
	uint64_t allocated; /* batches that exist, in use or not */
	uint64_t made;	    /* batches ever allocated */
	uint32_t open;	    /* open batches */
	/* closed batches that wait because the bridge refused them */
	uint32_t backlog;
	uint64_t kept_weight; /* egress_batch_weight() of the backlog */
	uint32_t routers;     /* routers with an entry in open_batches.h */
};

#endif
