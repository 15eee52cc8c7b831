/*
 * collector/policy/output_rate.h - limit the output bytes that a router causes
 * per second
 *
 * A token bucket of one second: an idle router may cause a second's worth of
 * bytes at once. Output is never refused: the bucket becomes negative, and the
 * router is not read until half of the bucket is available again. So it is
 * paused at most a few times a second, and for at most an hour.
 *
 * Times are nanoseconds of one clock that does not go backwards. A rate of 0
 * means no limit; it may change between calls.
 */
#ifndef COLLECTOR_POLICY_OUTPUT_RATE_H
#define COLLECTOR_POLICY_OUTPUT_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Below the minimum a single update could take minutes. */
#define OUTPUT_RATE_MIN (UINT64_C(64) << 10)
#define OUTPUT_RATE_MAX (UINT64_C(4) << 30)

/* All zero = nothing used yet. */
struct output_rate {
	uint64_t used;	/* used bytes; may exceed the bucket */
	int64_t now_ns; /* time at which used was valid */
};

/* Add @bytes of output that the router caused. */
void output_rate_add(struct output_rate *r, uint64_t rate, uint64_t bytes,
		     int64_t now_ns);

/* True if it used more than the bucket has. */
bool output_rate_exceeded(struct output_rate *r, uint64_t rate, int64_t now_ns);

/* When the router may be read again; @now_ns = immediately. */
int64_t output_rate_until(struct output_rate *r, uint64_t rate, int64_t now_ns);

/* Bytes that it may cause before the next check, at most @most. */
uint64_t output_rate_turn(uint64_t rate, uint64_t most);

#endif
