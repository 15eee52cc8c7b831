/*
 * collector/worker_state.h - the state that the fibers of one worker share
 *
 *	listener  ----> sessions ----> rib ----> batcher ----> bridge
 *	(accepts)       (fibers)       ^
 *	                               |
 *	                background fiber: sweeps, withdrawals, timers, in slices
 *	                query fibers: queries from outside of the shard
 *
 * All data of a router belongs to one worker, and only the shard of this worker
 * accesses it. worker.h has the worker's life cycle; this header is for the
 * files that run on its shard.
 */
#ifndef COLLECTOR_WORKER_STATE_H
#define COLLECTOR_WORKER_STATE_H

#include "bmp/message.h"
#include "collector/base/log.h"
#include "collector/base/close_reason.h"
#include "collector/worker_counters.h"
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
	SESSION_COUNTERS(COUNTER_MEMBER)
	/* the last element counts unknown types */
	uint64_t messages[BMP_TYPES + 1];
	uint64_t statuses[BMP_STATUSES];
	uint64_t rate_paused_ns; /* total time of rate_pauses */
};

struct worker_counts {
	WORKER_COUNTERS(COUNTER_MEMBER)
	/*
	 * number of closed connections by reason, refused connections included
	 */
	uint64_t close_reasons[CLOSE_REASONS];
	struct session_counts sessions;
};

/*
 * The background fiber may have WORKER_SHARE parts of WORKER_SLICE_OUTPUT bytes
 * of its output in the bridge. Then it waits, because the output of the
 * sessions is queued behind its own.
 */
#define WORKER_SHARE	    2
#define WORKER_SLICE_OUTPUT (512 * 1024)

struct worker {
	const struct collector_env *env;
	/* the configuration in force; a reload replaces it */
	const struct config *config;
	struct log *log;
	uint32_t id;
	uint32_t max_frame;
	bool overload_drop; /* --overload drop */
	struct rib *rib;
	/* routes that this worker may have: see route_budget.h */
	uint64_t allowance;
	struct egress_batcher *batcher;
	/* listeners that failed and are not open; read by any thread */
	_Atomic uint32_t listeners_down;
	uint32_t sessions_with_input; /* sessions with unread input */
	struct sp_timer *timer;	      /* timer of the background fiber */
	/*
	 * Ring of positions in the bridge: the ends of the last WORKER_SHARE
	 * parts of WORKER_SLICE_OUTPUT bytes of output that the background
	 * fiber caused.
	 */
	uint64_t places[WORKER_SHARE];
	uint32_t place;
	/* bytes of its output after the last of these positions */
	uint64_t unplaced;
	struct router *routers;
	/*
	 * List of the routers without a session; the one that lost its session
	 * first is first.
	 */
	struct router *left, **left_end;
	int64_t router_gc_due; /* when to look for routers that can be freed */
	struct session *sessions;
	uint32_t session_count;
	uint64_t session_serial; /* serial number of the newest session */
	int64_t drain_until;	 /* deadline of the drain; 0 = not draining */
	bool no_new_sessions;	 /* the worker is stopping */
	/* connections of load balancers that wait for their header */
	uint32_t proxy_pending;
	struct worker_query_queue *query_queue;
	struct event_tap *event_tap;
	struct snapshotter *snapshotter; /* NULL if no state is kept */
	/* limits log lines about refused connections */
	struct log_bucket refusals;
	struct log_bucket clashes; /* log limit for clashes of identity */
	struct worker_counts counts;
};

/*
 * Check that @shard is the worker's shard: no other shard may access the state
 * of a router. A violation is an internal error: it is counted, and aborts a
 * build with assertions.
 */
static inline void worker_owns(struct worker *w, uint32_t shard)
{
	if (shard != w->id)
		w->counts.ownership_violations++;
	assert(shard == w->id);
}

/* The current time: monotonic and wall clock. */
struct rib_time worker_now(void);

/* True if --allow and --deny permit @address. */
bool worker_permits(const struct worker *w, const uint8_t address[16]);

/* Make the background fiber run soon. Costs little and never waits. */
void worker_schedule_background(struct worker *w);

/*
 * Wait while the bridge holds WORKER_SHARE parts of the output of the
 * background fiber. Returns as egress_batcher_wait_taken(). Yields.
 */
int worker_wait_share(struct worker *w, int64_t deadline);

/*
 * Let the background fiber look within a second for routers that can be freed.
 */
void worker_schedule_router_gc(struct worker *w);

/*
 * Call it when a session has read all its input. When no session has unread
 * input, open batches are closed and sent.
 */
void worker_input_drained(struct worker *w);

#endif
