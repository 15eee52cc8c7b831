/*
 * collector/worker_state.h - the state that the fibers of one worker share
 *
 *	listener  ----> sessions ----> rib ----> batcher ----> bridge
 *	(accepts)       (fibers)       ^
 *	                               |
 *	                background fiber: sweeps, withdrawals, timers, in slices
 *	                query fibers: queries from outside of the shard
 *
 * Everything of a router belongs to one worker and is accessed by its shard
 * alone. worker.h has the worker's life cycle; this header is for the files
 * that run on its shard.
 */
#ifndef COLLECTOR_WORKER_STATE_H
#define COLLECTOR_WORKER_STATE_H

#include "bmp/message.h"
#include "collector/base/log.h"
#include "collector/base/close_reason.h"
#include "rib/types.h"

#include <assert.h>
#include <stdatomic.h>

struct collector_env;
struct config;
struct egress_batcher;
struct event_tap;
struct router;
struct session;
struct snapshotter;
struct sp_timer;
struct worker_query_queue;

/* Totals over all sessions of a worker. */
struct session_counts {
	uint64_t bytes;
	/* the last element counts unknown types */
	uint64_t messages[BMP_TYPES + 1];
	uint64_t statuses[BMP_STATUSES];
	uint64_t before_initiation;
	uint64_t dropped; /* messages dropped by --overload drop */
	uint64_t pauses;
	uint64_t rate_pauses;	 /* pauses by --max-output-rate */
	uint64_t rate_paused_ns; /* total time of these pauses */
	uint64_t names_cut;	 /* sysNames that were too long */
	/* counters of Statistics Reports that were not compared */
	uint64_t statistics_left_out;
	/* messages that routers did not send, by gaps in their numbers */
	uint64_t lost;
	uint64_t mirrors_too_long; /* of --publish-mirroring */
	uint64_t cut;		   /* turns that ended with unread input */
	uint64_t turn_bytes_max;   /* maximum output bytes of one turn */
	uint64_t turn_routes_max;  /* maximum routes of one turn */
};

struct worker_counts {
	uint64_t accepted;
	uint64_t
		/* of connections, including refused ones */
		close_reasons[CLOSE_REASONS];
	uint64_t no_memory; /* messages lost for lack of memory */
	uint64_t ownership_violations;
	uint64_t handed_over; /* connections passed to other shards */
	/* connections that claimed another router's identity */
	uint64_t clashes;
	uint64_t routers_forgotten; /* because of --max-routers */
	struct session_counts sessions;
};

/*
 * Output of the background fiber that may be in the bridge: so many times
 * WORKER_SLICE_OUTPUT bytes. What sessions send is behind it.
 */
#define WORKER_SHARE	    2
#define WORKER_SLICE_OUTPUT (512 * 1024)

struct worker {
	const struct collector_env *env;
	const struct config *config; /* in force; replaced by a reload */
	struct log *log;
	uint32_t id;
	uint32_t max_frame;
	bool overload_drop; /* --overload drop */
	struct rib *rib;
	uint64_t allowance; /* this worker's share of the route limit */
	struct egress_batcher *batcher;
	/* failed listeners; read by any thread */
	_Atomic uint32_t listeners_down;
	uint32_t sessions_with_input; /* sessions with unread input */
	struct sp_timer *timer;	      /* timer of the background fiber */
	/* Where the last such parts of its output end in the bridge; a ring. */
	uint64_t places[WORKER_SHARE];
	uint32_t place;
	uint64_t unplaced; /* bytes made since the last of them */
	struct router *routers;
	/* Those without a session, the one away for longest first. */
	struct router *left, **left_end;
	int64_t router_gc_due; /* when to free routers that are not needed */
	struct session *sessions;
	uint32_t session_count;
	uint64_t session_serial; /* serial number of the last session */
	int64_t drain_until;	 /* deadline of the drain; 0 = not draining */
	bool no_new_sessions;	 /* the worker is stopping */
	struct worker_query_queue *query_queue;
	struct event_tap *event_tap;
	struct snapshotter *snapshotter; /* NULL if no state is kept */
	struct log_bucket refusals;	 /* log limit for refused connections */
	struct log_bucket clashes;	 /* log limit for clashes of identity */
	struct worker_counts counts;
};

/*
 * Only one shard accesses the state of a router: @shard must be the worker's.
 * Otherwise it is an internal error, which is counted and aborts a build with
 * assertions.
 */
static inline void worker_owns(struct worker *w, uint32_t shard)
{
	if (shard != w->id)
		w->counts.ownership_violations++;
	assert(shard == w->id);
}

/* The current time of both clocks. */
struct rib_time worker_now(void);

/* True if --allow and --deny admit @address. */
bool worker_permits(const struct worker *w, const uint8_t address[16]);

/* Make the background fiber run soon. Cheap, never waits. */
void worker_schedule_background(struct worker *w);

/*
 * Wait until the publisher has taken what the background fiber made, but for
 * its share. Returns as egress_batcher_wait_taken(). Yields.
 */
int worker_wait_share(struct worker *w, int64_t deadline);

/* Free routers that are not needed any more, within a second. */
void worker_schedule_router_gc(struct worker *w);

/*
 * A session has read all its input. When this is true of all sessions, open
 * batches are closed and sent.
 */
void worker_input_drained(struct worker *w);

#endif
