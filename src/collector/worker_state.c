#include "collector/worker_state.h"

#include "collector/config/config.h"
#include "egress/batcher.h"

#include <spargio/time.h>

/* Interval between two passes over routers that can be freed. */
#define ROUTER_GC_INTERVAL_NS INT64_C(1000000000)

struct rib_time worker_now(void)
{
	return (struct rib_time){
		.now_ns = (uint64_t)sp_now(),
		.wall_ns = (uint64_t)sp_wall_now(),
	};
}

bool worker_permits(const struct worker *w, const uint8_t address[16])
{
	const struct acl acl = { w->config->access.allow,
				 w->config->access.deny };

	return acl_permits(&acl, address);
}

void worker_schedule_background(struct worker *w)
{
	sp_timer_reset(w->timer, 0);
}

int worker_wait_share(struct worker *w, int64_t deadline)
{
	/* With --overload drop no fiber waits. */
	if (w->overload_drop)
		return 0;
	return egress_batcher_wait_taken(w->batcher,
					 w->places[w->place % WORKER_SHARE],
					 deadline);
}

void worker_schedule_router_gc(struct worker *w)
{
	int64_t soon = sp_in(ROUTER_GC_INTERVAL_NS);

	if (soon < w->router_gc_due)
		w->router_gc_due = soon;
	worker_schedule_background(w);
}

void worker_input_drained(struct worker *w)
{
	w->sessions_with_input--;
	if (w->sessions_with_input == 0)
		egress_batcher_idle(w->batcher, (uint64_t)sp_now());
	worker_schedule_background(w);
}
