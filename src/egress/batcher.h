/*
 * egress/batcher.h - a worker's open batches: encode the output of the rib
 *
 *	rib --sink--> encode --> [ open batch of the subject ] --close--> bridge
 *
 * Updates of one subject (router, peer AS, family) are collected in one batch.
 * The batch is closed, compressed if configured, and pushed:
 *
 *	full	when it reached the maximum of bytes or updates
 *	idle	when the worker has no more input: egress_batcher_idle()
 *	aged	at the end of a turn, a millisecond after it was opened:
 *		egress_batcher_flush_aged(). While updates come fast, "idle" and
 *		"aged" close it only when it is as old as opts.linger_ns
 *	event	before an event of its router, or after a change with
 *		subject_changed. A batch of events: before the next update of
 *		its router, or the next event of another kind
 *	fence	before a fence for its router: egress_batcher_fence()
 *
 * Order. Within a subject the order is that of the rib. Across the subjects of
 * one router an event keeps its place: all open batches of the router are
 * closed before it, and it is closed before the router's next update. So a Peer
 * Down follows the peer's last update, and a Peer Up precedes its first.
 * Consecutive events of one kind share a batch. A change with subject_changed
 * (rib/event.h) closes its batch, so that no later change of the router is
 * published before it. There is no order between other updates of different
 * subjects, nor between routers.
 *
 * Backpressure. A sink can neither fail nor wait. Batches that the bridge
 * refuses are kept here, in order, and egress_batcher_blocked() returns true.
 * The worker then stops reading and waits in egress_batcher_wait(), which
 * pushes them later; meanwhile the backlog is at most the output of the
 * messages already read. A worker that drops input instead (--overload drop)
 * waits only when egress_batcher_full().
 *
 * Threads	The worker's shard; any of its fibers may wait in a call.
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
/* ns after which the end of a turn closes a batch */
#define EGRESS_BATCHER_AGE 1000000
/*
 * Updates per second from which on batches linger. At a lower pace there are
 * few messages, and an update does not wait for others.
 */
#define EGRESS_BATCHER_BUSY 20000u
/* Backlog limits in batches and bytes: see egress_batcher_full(). */
#define EGRESS_BATCHER_KEPT	  256u
#define EGRESS_BATCHER_KEPT_BYTES (EGRESS_BATCHER_KEPT * EGRESS_BATCHER_BYTES)

struct egress_batcher;

struct egress_batcher_opts {
	struct egress_bridge *bridge;
	uint32_t worker;
	/* id of the collector, for events; NULL = events do not have it */
	const char *collector;
	/* prefixes of subjects, made by subject_prefix() */
	const char *updates;
	const char *events;
	uint32_t max_bytes; /* 0 = the default */
	uint32_t max_updates;
	enum egress_encoding encoding;
	uint64_t linger_ns; /* 0 = batches do not linger */
	/* seed of hashes, so that a router cannot choose its bucket */
	uint64_t seed;
};

/*
 * Make a batcher; @opts and its strings are copied. -EINVAL for an invalid
 * size, -ENAMETOOLONG if a prefix or the id is too long, -ENOMEM.
 */
int egress_batcher_new(const struct egress_batcher_opts *opts,
		       struct egress_batcher **out);

/*
 * Free the batcher with its open batches and its backlog; to keep their
 * content, close and push them first. @b may be NULL. The bridge must still
 * exist.
 */
void egress_batcher_free(struct egress_batcher *b);

/* The sink through which the rib passes its output to this batcher. */
struct rib_sink egress_batcher_sink(struct egress_batcher *b);

/* Close all open batches. */
void egress_batcher_flush(struct egress_batcher *b);

/*
 * Call it at monotonic time @now when there is no more input for now. Closes
 * all open batches; while updates come fast, only those older than
 * opts.linger_ns.
 */
void egress_batcher_idle(struct egress_batcher *b, uint64_t now);

/* Close old batches. Call it at the end of a turn, at monotonic time @now. */
void egress_batcher_flush_aged(struct egress_batcher *b, uint64_t now);

/*
 * The time at which egress_batcher_flush_aged() should be called even if
 * nothing happens, for batches that linger and for unused memory; UINT64_MAX =
 * never.
 */
uint64_t egress_batcher_due(const struct egress_batcher *b);

/*
 * Close the open batches of @router, or of all routers if @router is NULL, and
 * send a fence with @number after them. egress_bridge_take_fence() returns the
 * fence when everything before it is safe. -ENOMEM.
 */
int egress_batcher_fence(struct egress_batcher *b,
			 const struct rib_router_info *router, uint64_t number);

/* Return a fence that was taken from the bridge. */
void egress_batcher_put_fence(struct egress_batcher *b,
			      struct egress_batch *fence);

/* The number of bytes that the sink has encoded so far (made_bytes). */
uint64_t egress_batcher_made(const struct egress_batcher *b);

/*
 * A position in the bridge, as egress_bridge_pushed_weight() counts, that is
 * not before the last byte encoded so far. For egress_batcher_wait_taken().
 */
uint64_t egress_batcher_place(const struct egress_batcher *b);

/* True if the publisher has taken everything before @place from the bridge. */
bool egress_batcher_has_taken(struct egress_batcher *b, uint64_t place);

/*
 * Wait until egress_batcher_has_taken() returns true and
 * egress_batcher_blocked() returns false. Errors as egress_batcher_wait().
 * Yields.
 */
int egress_batcher_wait_taken(struct egress_batcher *b, uint64_t place,
			      int64_t deadline);

/* True if the worker should stop reading, or drop what it reads. */
bool egress_batcher_blocked(struct egress_batcher *b);

/* True if the worker should stop reading even with --overload drop. */
bool egress_batcher_full(const struct egress_batcher *b);

/*
 * Wait until egress_batcher_blocked() is false. Returns 0, -ETIMEDOUT or
 * -ECANCELED; -EPIPE if the publisher has stopped, or if the backlog is not
 * empty although the worker has closed its ring of the bridge. Yields.
 */
int egress_batcher_wait(struct egress_batcher *b, int64_t deadline);

/*
 * Set the largest payload that the publisher's server accepts, once it is
 * known: a batch is closed before it exceeds @max_bytes. A batch with a single
 * update may still exceed it.
 */
void egress_batcher_limit(struct egress_batcher *b, uint32_t max_bytes);

/*
 * Close the open batches of the router and remove its entry. Call it after the
 * router was removed.
 */
void egress_batcher_forget(struct egress_batcher *b,
			   const struct rib_router_info *router);

void egress_batcher_stats(const struct egress_batcher *b,
			  struct egress_batcher_stats *out);

#endif
