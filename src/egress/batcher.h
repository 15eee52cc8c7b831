/*
 * egress/batcher.h - a worker's open batches: what the rib says becomes bytes
 *
 *	rib --sink--> encode --> [ open batch of the subject ] --close--> bridge
 *
 * Updates of one subject (router, peer AS, family) gather in one batch. It is
 * closed, compressed if so asked, and pushed:
 *
 *	full	when it has as many bytes or updates as it may
 *	dry	when the worker has no more input: egress_batcher_flush()
 *	old	at the end of a turn, a millisecond after it was opened:
 *		egress_batcher_flush_aged()
 *	event	of its router, or a change that moved, see below
 *	fence	of its router: egress_batcher_fence()
 *
 * Order. Within a subject it is the rib's, always. Across the subjects of one
 * router, an event keeps its place: all batches of the router that are open
 * are closed before it, and it is closed before the router's next update. So
 * no peer goes down before its last update, and none is heard of before it
 * came up. Events in a row of one kind share a batch. A change that moved (see
 * rib/event.h) closes its batch, so nothing comes before it. Between other
 * updates of different subjects there is no order; nor between routers.
 *
 * Pressure. A sink cannot fail, nor wait. What the bridge refuses is kept
 * here, in order, and egress_batcher_blocked() says so. The worker then stops
 * reading and waits in egress_batcher_wait(), which pushes it later; what is
 * kept meanwhile is at most what the messages in hand become. A worker that
 * would rather drop what it reads waits once egress_batcher_full().
 *
 * Threads	One worker's. Fibers of its shard may wait in it.
 * Memory	What cannot be kept for want of memory is counted as lost; whoever
 *		keeps the worker's snapshots sees that and publishes the tables
 *		again (collector/checkpoint/snapshotter.h).
 */
#ifndef EGRESS_BATCHER_H
#define EGRESS_BATCHER_H

#include "egress/batcher_stats.h"
#include "egress/bridge.h"
#include "rib/event.h"

#define EGRESS_BATCHER_BYTES   32768u	/* default of --batch-max-bytes */
#define EGRESS_BATCHER_UPDATES 1000000u /* default of --batch-max-updates */
#define EGRESS_BATCHER_AGE     1000000	/* ns until a turn closes a batch */
#define EGRESS_BATCHER_KEPT    256u	/* refused ones are enough */
#define EGRESS_BATCHER_KEPT_BYTES \
	(EGRESS_BATCHER_KEPT * EGRESS_BATCHER_BYTES) /* and so are these */

struct egress_batcher;

struct egress_batcher_opts {
	struct egress_bridge *bridge;
	uint32_t worker;
	const char *updates; /* prefixes of subjects; see subject_prefix() */
	const char *events;
	uint32_t max_bytes; /* 0: the default */
	uint32_t max_updates;
	enum egress_encoding encoding;
	uint64_t seed; /* of hashes: what routers send must not choose places */
};

/*
 * -EINVAL for a size that cannot be, -ENAMETOOLONG for a prefix, -ENOMEM.
 * @opts is copied, its strings too.
 */
int egress_batcher_new(const struct egress_batcher_opts *opts,
		       struct egress_batcher **out);

/*
 * Frees also what is still open or kept: close and push it first. NULL is
 * fine. The bridge must still be there.
 */
void egress_batcher_free(struct egress_batcher *b);

/* What to give to the rib. */
struct rib_sink egress_batcher_sink(struct egress_batcher *b);

/* No more input for now: close all. */
void egress_batcher_flush(struct egress_batcher *b);

/* The end of a turn, at @now of the monotonic clock: close what is old. */
void egress_batcher_flush_aged(struct egress_batcher *b, uint64_t now);

/* When it should be called although nothing happens; UINT64_MAX: never. */
uint64_t egress_batcher_due(const struct egress_batcher *b);

/*
 * Close what @router has open, or all if it is NULL, and send a fence behind
 * it: egress_bridge_take_fence() has it back once all before it is safe.
 * -ENOMEM.
 */
int egress_batcher_fence(struct egress_batcher *b,
			 const struct rib_router_info *router, uint64_t number);

/* Give a fence back that was taken off the bridge. */
void egress_batcher_put_fence(struct egress_batcher *b,
			      struct egress_batch *fence);

/* Bytes that its sink has made so far: those of made_bytes. */
uint64_t egress_batcher_made(const struct egress_batcher *b);

/*
 * All that was made so far as a place in the bridge, which does not come before
 * the last byte of it: for egress_batcher_wait_taken().
 */
uint64_t egress_batcher_place(const struct egress_batcher *b);

/* Whether the publisher has taken what was made before @place. */
bool egress_batcher_has_taken(struct egress_batcher *b, uint64_t place);

/* Wait until that is so; else as egress_batcher_wait(). Yields. */
int egress_batcher_wait_taken(struct egress_batcher *b, uint64_t place,
			      int64_t deadline);

/* Whether to stop reading, or to drop what is read. */
bool egress_batcher_blocked(struct egress_batcher *b);

/* Whether to stop reading even if most of it is dropped. */
bool egress_batcher_full(const struct egress_batcher *b);

/*
 * Wait until egress_batcher_blocked() is false. 0, -ETIMEDOUT, -ECANCELED;
 * -EPIPE once the publisher has stopped, or if something is kept although the
 * worker's side of the bridge is closed. Yields.
 */
int egress_batcher_wait(struct egress_batcher *b, int64_t deadline);

/*
 * The largest payload the publisher's server takes, once it is known: batches
 * are closed before they exceed it. A single update may still.
 */
void egress_batcher_limit(struct egress_batcher *b, uint32_t max_bytes);

/* The router is gone for good: close what it has open and forget it. */
void egress_batcher_forget(struct egress_batcher *b,
			   const struct rib_router_info *router);

void egress_batcher_stats(const struct egress_batcher *b,
			  struct egress_batcher_stats *out);

#endif
