/*
 * rib/timer.h - when a router has to be looked at again
 *
 * One timer a router: the earliest moment at which one of its tables may have
 * to be swept or its hold be over. It is only a lower bound. Whatever puts a
 * deadline off, such as each Route Monitoring, leaves the timer alone; when it
 * fires, the deadlines are looked at and it is set anew.
 */
#ifndef RIB_TIMER_H
#define RIB_TIMER_H

#include "rib/types.h"

/* Make room for one more router, whose timer never fires until it is set. */
int rib_timer_add(struct rib_router *router);
void rib_timer_remove(struct rib_router *router);

/* Fire at @due_ns. */
void rib_timer_set(struct rib_router *router, uint64_t due_ns);

/* A deadline came up: fire no later than the earliest it can be. */
void rib_timer_soon(struct rib_router *router, uint64_t now_ns);

/* The first router to fire, or NULL. */
struct rib_router *rib_timer_first(const struct rib *rib);

bool rib_timer_validate(const struct rib *rib);

#endif
