/*
 * spargio/sched/timer_wheel.h - a shard's timers
 *
 *	level 5    level 4          level 1    level 0
 *	[64 slots] [64 slots]  ...  [64 slots] [64 slots of one tick]
 *
 * A timer waits in the slot of the highest six-bit digit in which its tick
 * differs from now. When time reaches that slot, the timer moves to a lower
 * level, finally into a slot of one tick. A word per level records the occupied
 * slots, so the next deadline is found by counting zeros.
 *
 * Setting and clearing are O(1), because nearly every deadline is cleared
 * before it comes. A tick is 2^16 ns (65.5 us): timers fire up to one tick late
 * and never early. One thread owns a wheel; there are no locks.
 */
#ifndef SPARGIO_SCHED_TIMER_WHEEL_H
#define SPARGIO_SCHED_TIMER_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SP__TIMER_WHEEL_LEVELS = 6,
	SP__TIMER_WHEEL_SLOTS = 64,
	SP__TIMER_WHEEL_TICK_BITS = 16,
};

struct sp__timer {
	struct sp__timer *next;
	/*
	 * address of the pointer to this timer; NULL if the timer is not set
	 */
	struct sp__timer **link;
	uint64_t tick;
};

struct sp__timer_wheel {
	uint64_t now; /* tick up to which all timers have expired */
	uint32_t count;
	uint64_t taken[SP__TIMER_WHEEL_LEVELS];
	struct sp__timer *slots[SP__TIMER_WHEEL_LEVELS][SP__TIMER_WHEEL_SLOTS];
	struct sp__timer *due; /* due, but not yet returned by expire */
};

void sp__timer_wheel_init(struct sp__timer_wheel *wheel, int64_t now_ns);

/*
 * Set @timer, which must not be set: it is due at @when_ns or up to a tick
 * later. A time in the past is due at the next sp__timer_wheel_expire().
 */
void sp__timer_wheel_set(struct sp__timer_wheel *wheel, struct sp__timer *timer,
			 int64_t when_ns);

/*
 * Clear @timer, so that it does not become due. Does nothing if @timer is not
 * set.
 */
void sp__timer_wheel_clear(struct sp__timer_wheel *wheel,
			   struct sp__timer *timer);

static inline bool sp__timer_is_set(const struct sp__timer *timer)
{
	return timer->link != NULL;
}

/*
 * Return one timer that is due at @now_ns, which is then no longer set. NULL if
 * no timer is due: call the function until it returns NULL.
 */
struct sp__timer *sp__timer_wheel_expire(struct sp__timer_wheel *wheel,
					 int64_t now_ns);

/* A time at or before the next deadline, INT64_MAX if there is none. */
int64_t sp__timer_wheel_next(const struct sp__timer_wheel *wheel);

/* Abort unless every timer is in its correct slot. For tests. */
void sp__timer_wheel_validate(const struct sp__timer_wheel *wheel);

#endif
