/*
 * collector/policy/output_rate.h - limit the output bytes that a router causes
 * per second
 *
 * A token bucket that holds the bytes of one second: a router that was idle may
 * cause so many bytes at once. Output is never refused. Instead the bucket
 * becomes negative, and the router is not read until the bucket is half full
 * again. So a router is paused at most a few times per second, and each time
 * for at most an hour.
 *
 * Times are nanoseconds of one clock that does not go backwards. A rate of 0
 * means no limit; it may change between calls.
 */
#ifndef COLLECTOR_POLICY_OUTPUT_RATE_H
#define COLLECTOR_POLICY_OUTPUT_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Minimum rate: below it a single update could take minutes. */
#define OUTPUT_RATE_MIN (UINT64_C(64) << 10)
#define OUTPUT_RATE_MAX (UINT64_C(4) << 30)

/* The state of a bucket. All zero = nothing used yet. */
struct output_rate {
	uint64_t used;	/* bytes used; may exceed those of the bucket */
	int64_t now_ns; /* time for which used was computed */
};

/* Add @bytes of output that the router caused. */
void output_rate_add(struct output_rate *r, uint64_t rate, uint64_t bytes,
		     int64_t now_ns);

/* True if the router has used more bytes than the bucket holds. */
bool output_rate_exceeded(struct output_rate *r, uint64_t rate, int64_t now_ns);

/* The time when the router may be read again; @now_ns = immediately. */
int64_t output_rate_until(struct output_rate *r, uint64_t rate, int64_t now_ns);

/*
 * The number of bytes that the router may cause until the next check, at most
 * @most.
 */
uint64_t output_rate_turn(uint64_t rate, uint64_t most);

#endif
