/*
 * collector/router/event_tap.h - observes the events between the rib and the
 * batcher
 *
 *	rib ---- changes ----------------> batcher
 *	    ---- events ---> tap --------> batcher
 *	                      \--> notes, bulletin
 *	    ---- notices --> tap --------> log
 *
 * A change costs one more function call, for up to RIB_CHANGE_MAX routes;
 * nothing is counted per route.
 */
#ifndef COLLECTOR_ROUTER_EVENT_TAP_H
#define COLLECTOR_ROUTER_EVENT_TAP_H

#include "collector/router/event_ring.h"

struct log;

struct event_tap {
	struct rib_sink to;
	struct log *log; /* log for notices of the rib */
	struct event_ring event_ring;
};

/* @to is copied. Pass the result to the rib; @tap must outlive it. */
struct rib_sink event_tap_sink(struct event_tap *event_tap, struct log *log,
			       const struct rib_sink *to);

#endif
