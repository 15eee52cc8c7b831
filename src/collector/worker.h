/*
 * collector/worker.h - one shard's part of the collector
 *
 *	listener      ----> sessions ----> rib ----> batcher ----> bridge
 *	(accepts)       (fibers)       ^
 *	                               |
 *	                work fiber: sweeps, floods, timers, in slices
 *	                query queue: questions from outside
 *
 * Everything a router has lives at one worker and is touched by its shard
 * alone. The struct is open for the files of this folder; others ask the
 * collector.
 */
#ifndef COLLECTOR_WORKER_H
#define COLLECTOR_WORKER_H

#include "collector/config/config.h"
#include "collector/ingest/close_reason.h"
#include "collector/ingest/limits.h"
#include "collector/base/log.h"
#include "collector/ingest/session.h"
#include "collector/telemetry/event_tap.h"
#include "rib/rib.h"

#include <assert.h>
#include <stdatomic.h>

struct collector;
struct worker_query_queue;
struct egress_batcher;
struct sp_timer;

struct worker_counts {
	uint64_t accepted;
	uint64_t close_reasons
		[CLOSE_REASONS]; /* of connections, refused ones included */
	uint64_t no_memory;	 /* messages that could not be kept */
	uint64_t ownership_violations;
	uint64_t handed_over; /* to other shards */
	struct session_counts sessions;
};

struct worker {
	struct collector *collector;
	const struct config *config; /* in force; a reload changes it */
	struct log *log;
	uint32_t id;
	uint32_t max_frame;
	bool overload_drop; /* --overload drop */
	struct limits_times times;
	struct rib *rib;
	uint64_t allowance; /* routes, of those allowed in all */
	struct egress_batcher *batcher;
	_Atomic uint32_t listeners_down; /* that failed; any thread reads it */
	uint32_t
		sessions_with_input; /* sessions with input that was not read yet */
	struct sp_timer *timer;	     /* when the work fiber is to look */
	struct router *routers;
	int64_t router_gc_due; /* when to look for routers nobody needs */
	struct session *sessions;
	uint32_t session_count;
	int64_t drain_until;  /* sessions read what has come; 0: and go on */
	bool no_new_sessions; /* no session begins any more */
	struct worker_query_queue *query_queue;
	struct event_tap event_tap;
	struct log_bucket refusals; /* lines about who became no session */
	struct worker_counts counts;
};

/*
 * What a router has is touched by one shard: @shard must be the worker's. A
 * bug of ours if it is not: it is counted, and ends a build with assertions.
 */
static inline void worker_owns(struct worker *w, uint32_t shard)
{
	if (shard != w->id)
		w->counts.ownership_violations++;
	assert(shard == w->id);
}

/* On the worker's shard. -ENOMEM and what the runtime says. */
int worker_init(struct worker *w, struct collector *collector, uint32_t id);
void worker_fini(struct worker *w);

/*
 * Have @config hold from now on, on the worker's shard. Nothing here refers to
 * the one before afterwards. Sessions that its lists refuse are ended.
 */
void worker_configure(struct worker *w, const struct config *config);

/* Whether the lists let @address in. */
bool worker_permits(const struct worker *w, const uint8_t address[16]);

/* The fiber that does what takes time: see above. @worker is a struct worker */
int worker_work(void *worker);

/* There may be work: look soon. Cheap, never waits. */
void worker_schedule_background(struct worker *w);

/* A router may have become one that nobody needs: look within a second. */
void worker_schedule_router_gc(struct worker *w);

/*
 * A session has nothing left to read. When that is true of all of them, what
 * they made leaves at once.
 */
void worker_input_drained(struct worker *w);

/* Push what is left, close the worker's end of the bridge. Yields. */
int worker_finish(struct worker *w, int64_t deadline);

/* The moment, by both clocks. */
struct rib_when worker_now(void);

void worker_add(struct worker *w, struct session *s);
void worker_remove(struct worker *w, struct session *s);

#endif
