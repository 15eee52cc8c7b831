/*
 * collector/telemetry/event_tap.h - between the rib and the batcher, to see what happens
 *
 *	rib ---- changes ----------------> batcher
 *	    ---- events ---> tap --------> batcher
 *	                      \--> notes, bulletin
 *
 * A change costs one more call than without, and there is one for up to
 * RIB_CHANGE_MAX routes; nothing is counted here for a route.
 */
#ifndef COLLECTOR_TELEMETRY_EVENT_TAP_H
#define COLLECTOR_TELEMETRY_EVENT_TAP_H

#include "collector/telemetry/event_ring.h"

struct tap {
	struct rib_sink to;
	struct bulletin bulletin;
};

/* @to is copied. Give the result to the rib; @tap must outlive it. */
struct rib_sink tap_sink(struct tap *tap, const struct rib_sink *to);

#endif
