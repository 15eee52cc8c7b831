/*
 * egress/batcher.h - a worker's open batches: encode the output of the rib
 *
 *	rib --sink--> encode --> [ open batch of the subject ] --close--> bridge
 *
 * Updates of one subject (router, peer AS, family) are collected in one batch.
 * The batch is closed, compressed if configured, and pushed:
 *
 *	full	when it has as many bytes or updates as it may
 *	dry	when the worker has no more input: egress_batcher_flush()
 *	old	at the end of a turn, a millisecond after it was opened:
 *		egress_batcher_flush_aged()
 *	event	of its router, or a change that moved, see below
 *	fence	of its router: egress_batcher_fence()
 *
 * Order. Within a subject the order is that of the rib. Across the subjects of
 * one router an event keeps its place: all open batches of the router are
 * closed before it, and it is closed before the router's next update. So a Peer
 * Down follows the peer's last update, and a Peer Up precedes its first.
 * Consecutive events of one kind share a batch. A change that moved (see
 * rib/event.h) closes its batch, so that nothing precedes it. There is no order
 * between other updates of different subjects, nor between routers.
 *
 * Backpressure. A sink can neither fail nor wait. Batches that the bridge
 * refuses are kept here, in order, and egress_batcher_blocked() returns true.
 * The worker then stops reading and waits in egress_batcher_wait(), which
 * pushes them later; meanwhile the backlog is at most the output of the
 * messages already read. A worker that drops input instead (--overload drop)
 * waits only when egress_batcher_full().
 *
 * Threads	One worker's. Fibers of its shard may wait in it.
 * Memory	Updates that cannot be stored for lack of memory are counted as
 *		lost; the snapshotter notices that and publishes the tables
 *		again (collector/checkpoint/snapshotter.h).
 */
#ifndef EGRESS_BATCHER_H
#define EGRESS_BATCHER_H

#include "egress/batch.h"
#include "egress/batcher_stats.h"
#include "egress/bridge.h"
#include "rib/event.h"

#define EGRESS_BATCHER_BYTES   32768u	/* default of --batch-max-bytes */
#define EGRESS_BATCHER_UPDATES 1000000u /* default of --batch-max-updates */
/* ns after which a turn closes a batch */
#define EGRESS_BATCHER_AGE 1000000
/* Backlog limits in batches and bytes. */
#define EGRESS_BATCHER_KEPT	  256u
#define EGRESS_BATCHER_KEPT_BYTES (EGRESS_BATCHER_KEPT * EGRESS_BATCHER_BYTES)

struct egress_batcher;

struct egress_batcher_opts {
	struct egress_bridge *bridge;
	uint32_t worker;
	const char *updates; /* prefixes of subjects; see subject_prefix() */
	const char *events;
	uint32_t max_bytes; /* 0 = the default */
	uint32_t max_updates;
	enum egress_encoding encoding;
	/* seed of hashes, so that routers cannot choose buckets */
	uint64_t seed;
};

/*
 * -EINVAL for an invalid size, -ENAMETOOLONG for a prefix, -ENOMEM. @opts is
 * copied with its strings.
 */
int egress_batcher_new(const struct egress_batcher_opts *opts,
		       struct egress_batcher **out);

/*
 * Also frees open and kept batches: close and push them first. NULL is fine.
 * The bridge must still exist.
 */
void egress_batcher_free(struct egress_batcher *b);

/* The sink for the rib. */
struct rib_sink egress_batcher_sink(struct egress_batcher *b);

/* No more input for now: close all batches. */
void egress_batcher_flush(struct egress_batcher *b);

/* The end of a turn at monotonic time @now: close old batches. */
void egress_batcher_flush_aged(struct egress_batcher *b, uint64_t now);

/*
 * When egress_batcher_flush_aged() should be called even if nothing happens;
 * UINT64_MAX = never.
 */
uint64_t egress_batcher_due(const struct egress_batcher *b);

/*
 * Close the open batches of @router, or all if it is NULL, and send a fence
 * after them: egress_bridge_take_fence() returns it when everything before it
 * is safe. -ENOMEM.
 */
int egress_batcher_fence(struct egress_batcher *b,
			 const struct rib_router_info *router, uint64_t number);

/* Return a fence that was taken from the bridge. */
void egress_batcher_put_fence(struct egress_batcher *b,
			      struct egress_batch *fence);

/* Bytes that its sink has encoded so far: made_bytes. */
uint64_t egress_batcher_made(const struct egress_batcher *b);

/*
 * The current end of the output as a position in the bridge, not before the
 * last byte made so far: for egress_batcher_wait_taken().
 */
uint64_t egress_batcher_place(const struct egress_batcher *b);

/* True if the publisher has taken everything before @place. */
bool egress_batcher_has_taken(struct egress_batcher *b, uint64_t place);

/*
 * Wait until egress_batcher_has_taken(); otherwise as egress_batcher_wait().
 * Yields.
 */
int egress_batcher_wait_taken(struct egress_batcher *b, uint64_t place,
			      int64_t deadline);

/* True if the worker should stop reading, or drop what it reads. */
bool egress_batcher_blocked(struct egress_batcher *b);

/* True if the worker should stop reading even with --overload drop. */
bool egress_batcher_full(const struct egress_batcher *b);

/*
 * Wait until egress_batcher_blocked() is false. 0, -ETIMEDOUT, -ECANCELED;
 * -EPIPE if the publisher has stopped, or if batches are kept although the
 * worker's side of the bridge is closed. Yields.
 */
int egress_batcher_wait(struct egress_batcher *b, int64_t deadline);

/*
 * Set the largest payload that the publisher's server accepts, once it is
 * known: batches are closed before they exceed it. A single update may still
 * exceed it.
 */
void egress_batcher_limit(struct egress_batcher *b, uint32_t max_bytes);

/* The router was removed: close its open batches and remove its entry. */
void egress_batcher_forget(struct egress_batcher *b,
			   const struct rib_router_info *router);

void egress_batcher_stats(const struct egress_batcher *b,
			  struct egress_batcher_stats *out);

#endif
