/*
 * collector/telemetry/latency_window.h - the times of the last minute, from counters since start
 *
 * The publisher counts times for ever, as Prometheus wants them. Who looks at a
 * chart wants to know about now. So a look is kept every few seconds, and what
 * was counted since the oldest one kept is the last minute. Time is an
 * argument, of any clock in nanoseconds that does not go back.
 */
#ifndef COLLECTOR_TELEMETRY_LATENCY_WINDOW_H
#define COLLECTOR_TELEMETRY_LATENCY_WINDOW_H

#include "egress/publisher/publisher.h"

/* Looks that are kept, and the time between two: a minute. */
#define LATENCY_WINDOW_LOOKS 12
#define LATENCY_WINDOW_STEP  (INT64_C(5) * 1000000000)

/* All zero is one that has seen nothing. */
struct latency_window {
	struct publisher_times looks[LATENCY_WINDOW_LOOKS];
	uint32_t
		count; /* in all; the newest is at (count - 1) % LATENCY_WINDOW_LOOKS */
	int64_t last; /* when it was kept */
};

/* @total is what is counted at @now. Call it more often than LATENCY_WINDOW_STEP. */
void latency_window_sample(struct latency_window *w,
			   const struct publisher_times *total, int64_t now);

/* What of @total is of the last minute; all of it before the first is over. */
struct publisher_times latency_window_recent(
	const struct latency_window *w, const struct publisher_times *total);

#endif
