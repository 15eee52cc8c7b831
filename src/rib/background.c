/*
 * There are two kinds of work: when the timer of a router fires, its deadlines
 * are checked; and sweeps, withdrawals and resyncs are done in slices. Tables
 * with work are in a queue and take turns, so that the withdrawal of a million
 * routes does not delay a sweep of ten.
 */
#include "rib/background.h"

#include "rib/peer.h"
#include "rib/rib_internal.h"
#include "rib/table_withdraw.h"
#include "rib/timer.h"

/*
 * The maximum number of routes of one table before it is the turn of the next
 * table.
 */
#define TURN 1024

/* The maximum output of a slice in bytes, as counted by the sink. */
#define SLICE_BYTES (512u << 10)

/*
 * The check of one waiting table takes about a microsecond; so with many
 * waiting tables, wait longer until the next check.
 */
#define NS_PER_WAITING 1000

static uint64_t time_add(uint64_t t, uint64_t delay)
{
	return delay > RIB_NEVER - t ? RIB_NEVER : t + delay;
}

static uint64_t time_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The time (of the router's clock) at which a dump that began at @since counts
 * as complete without an End-of-RIB. @first is the time of its first Route
 * Monitoring.
 */
static uint64_t sweep_deadline(const struct rib_router *router, uint64_t since,
			       uint64_t first)
{
	const struct rib_config *c = &router->rib->config;
	uint64_t last = router->last_ns > since ? router->last_ns : since;
	uint64_t most = first == RIB_NEVER ? time_add(since, c->sweep_idle_ns)
					   : time_add(first, c->sweep_max_ns);

	return time_min(time_add(last, c->sweep_quiet_ns), most);
}

static uint64_t check_waiting(struct rib_router *router,
			      const struct rib_time *when)
{
	uint64_t clock = rib_clock(router, when->now_ns);
	uint64_t next = RIB_NEVER;
	struct rib_table *t = TAILQ_FIRST(&router->waiting_list);

	while (t != NULL) {
		struct rib_table *after = TAILQ_NEXT(t, waiting);
		uint64_t at = sweep_deadline(router, t->since, t->first_ns);

		if (at <= clock) {
			RIB_COUNT(router, missed_ends, 1);
			rib_table_sweep(t, when);
		} else {
			next = time_min(next, at);
		}
		t = after;
	}
	return next;
}

static void withdraw_stale_peers(struct rib_router *router,
				 const struct rib_time *when,
				 enum rib_reason reason)
{
	struct rib_peer *peer;

	TAILQ_FOREACH (peer, &router->peer_list, link) {
		if (peer->phase != RIB_PEER_STALE)
			continue;
		rib_peer_event(peer, RIB_PEER_EV_HOLD_OVER);
		rib_peer_withdraw_all(peer, when, reason,
				      RIB_WITHDRAW_IN_SLICES);
	}
}

/* Called while the session is open: stale peers may still be brought up. */
static uint64_t check_open(struct rib_router *router,
			   const struct rib_time *when)
{
	uint64_t clock = rib_clock(router, when->now_ns);
	uint64_t next = check_waiting(router, when);
	uint64_t at = sweep_deadline(router, router->since, router->first_ns);

	if (router->stale_count != 0) {
		if (at <= clock)
			withdraw_stale_peers(router, when,
					     RIB_REASON_STALE_SWEEP);
		else
			next = time_min(next, at);
	}
	if (next == RIB_NEVER)
		return RIB_NEVER;
	/* Convert to monotonic time, and do not check too often. */
	next = time_add(next, router->stopped_ns);
	router->look_ns =
		time_add(when->now_ns,
			 (uint64_t)router->waiting_count * NS_PER_WAITING);
	return next > router->look_ns ? next : router->look_ns;
}

/* Called while there is no session. Each peer has a hold time of its own. */
static uint64_t check_lost(struct rib_router *router,
			   const struct rib_time *when)
{
	uint64_t hold = router->rib->config.stale_hold_ns;
	uint64_t next = RIB_NEVER;
	struct rib_peer *peer;

	if (router->stale_count == 0)
		return RIB_NEVER;
	TAILQ_FOREACH (peer, &router->peer_list, link) {
		uint64_t at = time_add(peer->stale_ns, hold);

		if (peer->phase != RIB_PEER_STALE)
			continue;
		if (at > when->now_ns) {
			next = time_min(next, at);
			continue;
		}
		rib_peer_event(peer, RIB_PEER_EV_HOLD_OVER);
		rib_peer_withdraw_all(peer, when, RIB_REASON_SESSION_LOST,
				      RIB_WITHDRAW_IN_SLICES);
	}
	return next;
}

static void fire_timer(struct rib_router *router, const struct rib_time *when)
{
	uint64_t next = RIB_NEVER;

	if (!router->open)
		next = check_lost(router, when);
	else if (!router->paused)
		next = check_open(router, when);
	/*
	 * While the session is paused no deadline can pass; resuming it sets
	 * the timer again.
	 */
	rib_timer_set(router, next);
}

static size_t run_table_slice(struct rib *rib, const struct rib_time *when,
			      size_t budget)
{
	struct rib_table *table = TAILQ_FIRST(&rib->work_list);
	struct rib_peer *peer = table->peer;
	size_t done =
		rib_table_slice(table, when, budget < TURN ? budget : TURN);

	if (table->queued) {
		TAILQ_REMOVE(&rib->work_list, table, work);
		TAILQ_INSERT_TAIL(&rib->work_list, table, work);
	}
	rib_peer_reap(peer);
	return done;
}

struct rib_background rib_background(struct rib *rib,
				     const struct rib_time *when, size_t budget)
{
	struct rib_router *router;
	size_t done = 0;

	while ((router = rib_timer_first(rib)) != NULL &&
	       router->due_ns <= when->now_ns)
		fire_timer(router, when);
	/*
	 * The limit applies only from here on: the work above must not be
	 * interrupted.
	 */
	rib->slice_end = *rib->sink.bytes + SLICE_BYTES;
	do {
		if (TAILQ_EMPTY(&rib->work_list))
			break;
		done += run_table_slice(rib, when,
					budget > done ? budget - done : 1);
	} while (done < budget && !rib_slice_full(rib));
	rib->slice_end = UINT64_MAX;
	router = rib_timer_first(rib);
	return (struct rib_background){
		.more = !TAILQ_EMPTY(&rib->work_list),
		.due_ns = router == NULL ? RIB_NEVER : router->due_ns,
	};
}
