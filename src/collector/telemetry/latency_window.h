/*
 * collector/telemetry/latency_window.h - latencies of the last minute, from
 * counters since the start
 *
 * The publisher's latency counters only grow, as Prometheus requires. For the
 * latencies of the last minute, a sample of the counters is kept every few
 * seconds, and the oldest one is subtracted. The time is an argument, in
 * nanoseconds of any monotonic clock.
 */
#ifndef COLLECTOR_TELEMETRY_LATENCY_WINDOW_H
#define COLLECTOR_TELEMETRY_LATENCY_WINDOW_H

#include "egress/publisher/publisher.h"

/*
 * The number of samples, and the time between two of them: one minute in total.
 */
#define LATENCY_WINDOW_LOOKS 12
#define LATENCY_WINDOW_STEP  (INT64_C(5) * 1000000000)

/* All zero = no sample yet. */
struct latency_window {
	struct publisher_times looks[LATENCY_WINDOW_LOOKS];
	/*
	 * number of all samples so far; the newest is at (count - 1) %
	 * LATENCY_WINDOW_LOOKS
	 */
	uint32_t count;
	int64_t last; /* time of the last sample */
};

/*
 * Take a sample if it is time: @total are the counters at time @now. Call it
 * more often than LATENCY_WINDOW_STEP.
 */
void latency_window_sample(struct latency_window *w,
			   const struct publisher_times *total, int64_t now);

/*
 * The part of @total that was counted in the last minute; all of it during the
 * first minute.
 */
struct publisher_times latency_window_recent(
	const struct latency_window *w, const struct publisher_times *total);

#endif
