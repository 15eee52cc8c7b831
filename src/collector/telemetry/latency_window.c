#include "collector/telemetry/latency_window.h"

void window_look(struct window *w, const struct publisher_times *total,
		 int64_t now)
{
	if (w->count > 0 && now - w->last < WINDOW_STEP)
		return;
	w->looks[w->count % WINDOW_LOOKS] = *total;
	w->count++;
	w->last = now;
}

struct publisher_times window_recent(const struct window *w,
				     const struct publisher_times *total)
{
	const struct publisher_times *then = &w->looks[w->count % WINDOW_LOOKS];
	struct publisher_times recent = *total;

	/* The oldest is where the next one goes. */
	if (w->count < WINDOW_LOOKS)
		return recent;
	for (int i = 0; i < PUBLISHER_LATENCIES; i++)
		recent.of[i] -= then->of[i];
	recent.sum_us -= then->sum_us;
	return recent;
}
