/*
 * collector/policy/output_rate.h - how many bytes of output a router may cause a second
 *
 * A token bucket of one second: a router that was quiet may cause as many bytes
 * at once as it may in a second. It is never refused anything: it goes below
 * zero by what it caused, and is not read until half of the bucket is there
 * again, so that it is paused a few times a second at most, and for an hour at
 * most.
 *
 * Times are nanoseconds of one clock that never goes back. A rate of 0 is no
 * limit; it may change from call to call.
 */
#ifndef COLLECTOR_POLICY_OUTPUT_RATE_H
#define COLLECTOR_POLICY_OUTPUT_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Below the first a single update could take minutes to be paid for. */
#define OUTPUT_RATE_MIN (UINT64_C(64) << 10)
#define OUTPUT_RATE_MAX (UINT64_C(4) << 30)

/* All zero: nothing was caused yet. */
struct output_rate {
	uint64_t used;	/* bytes of the bucket; may be more than it has */
	int64_t now_ns; /* when that was so */
};

/* @bytes more were made of what the router sent. */
void output_rate_add(struct output_rate *r, uint64_t rate, uint64_t bytes,
		     int64_t now_ns);

/* Whether it used more than it had. */
bool output_rate_exceeded(struct output_rate *r, uint64_t rate, int64_t now_ns);

/* When it may be read on; @now_ns: at once. */
int64_t output_rate_until(struct output_rate *r, uint64_t rate, int64_t now_ns);

/* Bytes that it may make before it is looked at again, at most @most. */
uint64_t output_rate_turn(uint64_t rate, uint64_t most);

#endif
