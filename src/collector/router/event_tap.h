/*
 * collector/router/event_tap.h - between the rib and the batcher, to see what happens
 *
 *	rib ---- changes ----------------> batcher
 *	    ---- events ---> tap --------> batcher
 *	                      \--> notes, bulletin
 *
 * A change costs one more call than without, and there is one for up to
 * RIB_CHANGE_MAX routes; nothing is counted here for a route.
 */
#ifndef COLLECTOR_ROUTER_EVENT_TAP_H
#define COLLECTOR_ROUTER_EVENT_TAP_H

#include "collector/router/event_ring.h"

struct event_tap {
	struct rib_sink to;
	struct event_ring event_ring;
};

/* @to is copied. Give the result to the rib; @tap must outlive it. */
struct rib_sink event_tap_sink(struct event_tap *event_tap,
			       const struct rib_sink *to);

#endif
