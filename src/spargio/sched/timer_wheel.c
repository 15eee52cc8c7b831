#include "spargio/sched/timer_wheel.h"

#include <stddef.h>
#include <stdlib.h>

#define DIGIT 6
#define MASK  (SP__TIMER_WHEEL_SLOTS - 1)

/*
 * Number of ticks that the levels can distinguish. Timers that are farther away
 * wait in the last slot of the last level.
 */
#define SPAN (UINT64_C(1) << (DIGIT * SP__TIMER_WHEEL_LEVELS))

void sp__timer_wheel_init(struct sp__timer_wheel *wheel, int64_t now_ns)
{
	*wheel = (struct sp__timer_wheel){
		.now = (uint64_t)now_ns >> SP__TIMER_WHEEL_TICK_BITS,
	};
}

/* The tick of a time, rounded up, so that no timer fires early. */
static uint64_t tick_of(int64_t when_ns)
{
	uint64_t ns = when_ns < 0 ? 0 : (uint64_t)when_ns;
	uint64_t round = (UINT64_C(1) << SP__TIMER_WHEEL_TICK_BITS) - 1;

	return (ns + round) >> SP__TIMER_WHEEL_TICK_BITS;
}

static void push_timer(struct sp__timer **head, struct sp__timer *timer)
{
	timer->next = *head;
	timer->link = head;
	if (timer->next != NULL)
		timer->next->link = &timer->next;
	*head = timer;
}

static void unlink_timer(struct sp__timer *timer)
{
	*timer->link = timer->next;
	if (timer->next != NULL)
		timer->next->link = timer->link;
	timer->link = NULL;
}

static int level_of(uint64_t now, uint64_t tick)
{
	uint64_t differ = now ^ tick;

	return (63 - __builtin_clzll(differ | 1)) / DIGIT;
}

static void place_timer(struct sp__timer_wheel *wheel, struct sp__timer *timer)
{
	uint64_t tick = timer->tick;
	int level, slot;

	if (tick <= wheel->now) {
		push_timer(&wheel->due, timer);
		return;
	}
	/*
	 * The tick is beyond the last level: use its last slot. The timer is
	 * placed again when that slot is reached.
	 */
	if (level_of(wheel->now, tick) >= SP__TIMER_WHEEL_LEVELS)
		tick = wheel->now | (SPAN - 1);
	if (tick <= wheel->now)
		tick = wheel->now + 1;
	level = level_of(wheel->now, tick);
	if (level >= SP__TIMER_WHEEL_LEVELS)
		level = SP__TIMER_WHEEL_LEVELS - 1;
	slot = (int)(tick >> (level * DIGIT)) & MASK;
	push_timer(&wheel->slots[level][slot], timer);
	wheel->taken[level] |= UINT64_C(1) << slot;
}

void sp__timer_wheel_set(struct sp__timer_wheel *wheel, struct sp__timer *timer,
			 int64_t when_ns)
{
	timer->tick = tick_of(when_ns);
	wheel->count++;
	place_timer(wheel, timer);
}

/*
 * A timer was removed from a list, and @head is what pointed to it: the head of
 * a slot, another list head, or the next pointer of another timer. If it is the
 * head of a slot and the list is empty now, clear the "taken" bit of the slot.
 * The offset of @head from wheel->slots tells whether it is such a head, and
 * gives the level and the slot.
 */
static void maybe_untake(struct sp__timer_wheel *wheel, struct sp__timer **head)
{
	struct sp__timer **first = &wheel->slots[0][0];
	ptrdiff_t at = head - first;

	if (at < 0 || at >= SP__TIMER_WHEEL_LEVELS * SP__TIMER_WHEEL_SLOTS ||
	    *head != NULL)
		return;
	wheel->taken[at / SP__TIMER_WHEEL_SLOTS] &=
		~(UINT64_C(1) << (at & MASK));
}

void sp__timer_wheel_clear(struct sp__timer_wheel *wheel,
			   struct sp__timer *timer)
{
	struct sp__timer **head = timer->link;

	if (head == NULL)
		return;
	unlink_timer(timer);
	wheel->count--;
	maybe_untake(wheel, head);
}

/*
 * Find the first tick after wheel->now at which a slot must be processed; false
 * if no slot is ahead. Search the finest level first: a coarser slot always
 * begins later.
 */
static bool next_slot(const struct sp__timer_wheel *wheel, int *level,
		      int *slot, uint64_t *tick)
{
	for (int l = 0; l < SP__TIMER_WHEEL_LEVELS; l++) {
		int shift = l * DIGIT;
		int here = (int)(wheel->now >> shift) & MASK;
		/* Slots up to the current one are in the past on this level. */
		uint64_t ahead = here == MASK
					 ? 0
					 : wheel->taken[l] &
						   (~UINT64_C(0) << (here + 1));
		uint64_t base = wheel->now >> shift >> DIGIT << DIGIT;

		if (ahead == 0)
			continue;
		*level = l;
		*slot = __builtin_ctzll(ahead);
		*tick = (base + (uint64_t)*slot) << shift;
		return true;
	}
	return false;
}

/*
 * Called if next_slot() finds none. Find the slot of the top level that has the
 * timers beyond SPAN; false if there are no timers.
 */
static bool wrapped_slot(const struct sp__timer_wheel *wheel, int *level,
			 int *slot, uint64_t *tick)
{
	int top = SP__TIMER_WHEEL_LEVELS - 1;
	uint64_t taken = wheel->taken[top];

	if (taken == 0)
		return false;
	*level = top;
	*slot = __builtin_ctzll(taken);
	*tick = (wheel->now | (SPAN - 1)) + 1;
	return true;
}

static void cascade_slot(struct sp__timer_wheel *wheel, int level, int slot)
{
	struct sp__timer *timer = wheel->slots[level][slot];

	wheel->slots[level][slot] = NULL;
	wheel->taken[level] &= ~(UINT64_C(1) << slot);
	while (timer != NULL) {
		struct sp__timer *next = timer->next;

		timer->link = NULL;
		place_timer(wheel, timer);
		timer = next;
	}
}

struct sp__timer *sp__timer_wheel_expire(struct sp__timer_wheel *wheel,
					 int64_t now_ns)
{
	uint64_t now = (uint64_t)now_ns >> SP__TIMER_WHEEL_TICK_BITS;
	struct sp__timer *timer;

	while (wheel->due == NULL && wheel->now < now) {
		uint64_t tick;
		int level, slot;

		if (wheel->count == 0 ||
		    !(next_slot(wheel, &level, &slot, &tick) ||
		      wrapped_slot(wheel, &level, &slot, &tick)) ||
		    tick > now) {
			wheel->now = now;
			break;
		}
		wheel->now = tick;
		cascade_slot(wheel, level, slot);
	}
	timer = wheel->due;
	if (timer != NULL) {
		unlink_timer(timer);
		wheel->count--;
	}
	return timer;
}

int64_t sp__timer_wheel_next(const struct sp__timer_wheel *wheel)
{
	uint64_t tick;
	int level, slot;

	if (wheel->due != NULL)
		return 0;
	if (wheel->count == 0 || !(next_slot(wheel, &level, &slot, &tick) ||
				   wrapped_slot(wheel, &level, &slot, &tick)))
		return INT64_MAX;
	if (tick > (uint64_t)INT64_MAX >> SP__TIMER_WHEEL_TICK_BITS)
		return INT64_MAX;
	return (int64_t)(tick << SP__TIMER_WHEEL_TICK_BITS);
}

static uint32_t validate_list(struct sp__timer *const *head)
{
	uint32_t n = 0;

	for (const struct sp__timer *t = *head; t != NULL; t = t->next) {
		if (*t->link != t)
			abort();
		n++;
	}
	return n;
}

void sp__timer_wheel_validate(const struct sp__timer_wheel *wheel)
{
	uint32_t count = validate_list(&wheel->due);

	for (int l = 0; l < SP__TIMER_WHEEL_LEVELS; l++)
		for (int s = 0; s < SP__TIMER_WHEEL_SLOTS; s++) {
			uint32_t n = validate_list(&wheel->slots[l][s]);
			bool taken = wheel->taken[l] >> s & 1;

			if (taken != (n != 0))
				abort();
			count += n;
		}
	if (count != wheel->count)
		abort();
}
