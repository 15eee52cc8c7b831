/*
 * rib/timer.h - the next deadline of each router
 *
 * One timer per router: the earliest time at which one of its tables may have
 * to be swept or its hold time may end. This time is only a lower bound: an
 * event that postpones a deadline, such as a Route Monitoring, does not change
 * the timer. When the timer fires, the deadlines are checked and the timer is
 * set again.
 */
#ifndef RIB_TIMER_H
#define RIB_TIMER_H

#include "rib/types.h"

/*
 * Add the timer of a router, which does not fire until it is set. 0 or -ENOMEM.
 */
int rib_timer_add(struct rib_router *router);
void rib_timer_remove(struct rib_router *router);

/* Set the timer to fire at @due_ns. */
void rib_timer_set(struct rib_router *router, uint64_t due_ns);

/*
 * A new deadline was made: set the timer to fire no later than any new deadline
 * can be.
 */
void rib_timer_soon(struct rib_router *router, uint64_t now_ns);

/* The router whose timer fires first, or NULL. */
struct rib_router *rib_timer_first(const struct rib *rib);

bool rib_timer_validate(const struct rib *rib);

#endif
