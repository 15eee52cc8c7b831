#include "collector/telemetry/latency_window.h"

void latency_window_sample(struct latency_window *w,
			   const struct publisher_times *total, int64_t now)
{
	if (w->count > 0 && now - w->last < LATENCY_WINDOW_STEP)
		return;
	w->looks[w->count % LATENCY_WINDOW_LOOKS] = *total;
	w->count++;
	w->last = now;
}

struct publisher_times latency_window_recent(
	const struct latency_window *w, const struct publisher_times *total)
{
	const struct publisher_times *then =
		&w->looks[w->count % LATENCY_WINDOW_LOOKS];
	struct publisher_times recent = *total;

	/*
	 * Subtract the oldest sample, which the next one will replace. There is
	 * none during the first minute.
	 */
	if (w->count < LATENCY_WINDOW_LOOKS)
		return recent;
	for (int i = 0; i < PUBLISHER_LATENCIES; i++)
		recent.of[i] -= then->of[i];
	recent.sum_us -= then->sum_us;
	return recent;
}
