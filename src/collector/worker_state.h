/*
 * collector/worker_state.h - what the fibers of one worker share
 *
 *	listener  ----> sessions ----> rib ----> batcher ----> bridge
 *	(accepts)       (fibers)       ^
 *	                               |
 *	                background fiber: sweeps, withdrawals, timers, in slices
 *	                query fibers: queries from outside of the shard
 *
 * Everything of a router lives at one worker and is touched by its shard
 * alone. worker.h has the life of a worker; this is for the files that run on
 * its shard.
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

/* Of all sessions that a worker ever had. */
struct session_counts {
	uint64_t bytes;
	uint64_t messages[BMP_TYPES + 1]; /* the last: of unknown type */
	uint64_t statuses[BMP_STATUSES];
	uint64_t before_initiation;
	uint64_t dropped; /* --overload drop */
	uint64_t pauses;
	uint64_t rate_pauses;	 /* --max-output-rate */
	uint64_t rate_paused_ns; /* how long they took */
	uint64_t names_cut;	 /* sysNames longer than they may be */
	uint64_t cut; /* turns that ended before what had come was read */
	uint64_t turn_bytes_max;  /* of output that one turn made */
	uint64_t turn_routes_max; /* that one turn looked at */
};

struct worker_counts {
	uint64_t accepted;
	uint64_t
		close_reasons[CLOSE_REASONS]; /* of connections, also refused */
	uint64_t no_memory; /* messages that could not be kept */
	uint64_t ownership_violations;
	uint64_t handed_over; /* to other shards */
	uint64_t clashes;     /* connections that claimed another's identity */
	struct session_counts sessions;
};

struct worker {
	const struct collector_env *env;
	const struct config *config; /* in force; a reload changes it */
	struct log *log;
	uint32_t id;
	uint32_t max_frame;
	bool overload_drop; /* --overload drop */
	struct rib *rib;
	uint64_t allowance; /* routes, of those allowed in all */
	struct egress_batcher *batcher;
	_Atomic uint32_t listeners_down; /* that failed; any thread reads it */
	uint32_t sessions_with_input;	 /* that was not read yet */
	struct sp_timer *timer;		 /* of the background fiber */
	struct router *routers;
	int64_t router_gc_due; /* when to free routers that are not needed */
	struct session *sessions;
	uint32_t session_count;
	uint64_t session_serial; /* of the last one */
	int64_t drain_until;	 /* sessions read what has come; 0: and go on */
	bool no_new_sessions;	 /* the worker is stopping */
	struct worker_query_queue *query_queue;
	struct event_tap *event_tap;
	struct snapshotter *snapshotter; /* NULL: no state is kept */
	struct log_bucket refusals; /* of lines about refused connections */
	struct worker_counts counts;
};

/*
 * The state of a router is touched by one shard: @shard must be the worker's. A
 * bug of ours if it is not: it is counted, and ends a build with assertions.
 */
static inline void worker_owns(struct worker *w, uint32_t shard)
{
	if (shard != w->id)
		w->counts.ownership_violations++;
	assert(shard == w->id);
}

/* The current time by both clocks. */
struct rib_time worker_now(void);

/* Whether --allow and --deny admit @address. */
bool worker_permits(const struct worker *w, const uint8_t address[16]);

/* Have the background fiber look for work soon. Cheap, never waits. */
void worker_schedule_background(struct worker *w);

/* Have routers that are not needed any more freed within a second. */
void worker_schedule_router_gc(struct worker *w);

/*
 * A session has read all its input. When that is true of all of them, open
 * batches are closed and leave at once.
 */
void worker_input_drained(struct worker *w);

#endif
