/*
 * The timers are a binary heap: the parent of i is (i - 1) / 2, and fires no
 * later than i.
 */
#include "rib/timer.h"

#include "rib/rib_internal.h"

#include <errno.h>
#include <stdlib.h>

static void set_heap_slot(struct rib *rib, struct rib_router *router, size_t at)
{
	rib->timers[at] = router;
	router->timer = at;
}

static void sift_up(struct rib *rib, size_t at)
{
	struct rib_router *router = rib->timers[at];

	while (at > 0) {
		struct rib_router *parent = rib->timers[(at - 1) / 2];

		if (parent->due_ns <= router->due_ns)
			break;
		set_heap_slot(rib, parent, at);
		at = (at - 1) / 2;
	}
	set_heap_slot(rib, router, at);
}

static void sift_down(struct rib *rib, size_t at)
{
	struct rib_router *router = rib->timers[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= rib->timer_count)
			break;
		if (child + 1 < rib->timer_count &&
		    rib->timers[child + 1]->due_ns < rib->timers[child]->due_ns)
			child++;
		if (router->due_ns <= rib->timers[child]->due_ns)
			break;
		set_heap_slot(rib, rib->timers[child], at);
		at = child;
	}
	set_heap_slot(rib, router, at);
}

int rib_timer_add(struct rib_router *router)
{
	struct rib *rib = router->rib;

	if (rib->timer_count == rib->timer_capacity) {
		size_t capacity = 2 * rib->timer_capacity + 8;
		struct rib_router **p =
			realloc(rib->timers,
				capacity * sizeof(struct rib_router *));

		if (p == NULL)
			return -ENOMEM;
		rib->timers = p;
		rib->timer_capacity = capacity;
	}
	router->due_ns = RIB_NEVER;
	set_heap_slot(rib, router, rib->timer_count++);
	return 0;
}

void rib_timer_remove(struct rib_router *router)
{
	struct rib *rib = router->rib;
	size_t at = router->timer;
	struct rib_router *last = rib->timers[--rib->timer_count];

	if (last == router)
		return;
	set_heap_slot(rib, last, at);
	sift_up(rib, at);
	sift_down(rib, last->timer);
}

void rib_timer_set(struct rib_router *router, uint64_t due_ns)
{
	router->due_ns = due_ns;
	sift_up(router->rib, router->timer);
	sift_down(router->rib, router->timer);
}

static uint64_t time_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void rib_timer_soon(struct rib_router *router, uint64_t now_ns)
{
	const struct rib_config *c = &router->rib->config;
	uint64_t delay = time_min(c->sweep_quiet_ns,
				  time_min(c->sweep_max_ns, c->sweep_idle_ns));
	uint64_t due = delay > RIB_NEVER - now_ns ? RIB_NEVER : now_ns + delay;

	if (due < router->due_ns)
		rib_timer_set(router, due);
}

struct rib_router *rib_timer_first(const struct rib *rib)
{
	return rib->timer_count == 0 ? NULL : rib->timers[0];
}

bool rib_timer_validate(const struct rib *rib)
{
	for (size_t i = 0; i < rib->timer_count; i++) {
		if (rib->timers[i]->timer != i)
			return false;
		if (i > 0 &&
		    rib->timers[(i - 1) / 2]->due_ns > rib->timers[i]->due_ns)
			return false;
	}
	return true;
}
