/*
 * collector/router/event_tap.h - observes the events between the rib and the
 * batcher
 *
 *	rib ---- changes -------------> batcher
 *	    ---- events ---> tap -----> batcher
 *	                      \-------> statistics, event ring
 *	    ---- notices --> tap -----> log
 *
 * Changes of routes do not pass the tap, so it costs nothing for a route.
 */
#ifndef COLLECTOR_ROUTER_EVENT_TAP_H
#define COLLECTOR_ROUTER_EVENT_TAP_H

#include "collector/router/event_ring.h"

struct log;

struct event_tap {
	/* the next receiver of events */
	void (*pass)(void *arg, const struct rib_event *event);
	void *pass_arg;
	struct log *log; /* log for notices of the rib */
	struct event_ring event_ring;
};

/*
 * Insert @tap before the event function of @sink, and make it the receiver of
 * notices. @tap must outlive the rib to which @sink is passed.
 */
void event_tap_insert(struct event_tap *tap, struct log *log,
		      struct rib_sink *sink);

#endif
