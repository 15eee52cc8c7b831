#include "collector/policy/output_rate.h"

#define SECOND UINT64_C(1000000000)

/*
 * A turn may cause at most 1/LOOKS of the bytes allowed in a second, so that
 * the rate is checked often enough.
 */
#define LOOKS 4

/* Maximum pause in seconds. */
#define WAIT_MAX 3600

/* The bytes allowed in @ns. No overflow: a rate has at most 33 bits. */
static uint64_t time_bytes(uint64_t rate, uint64_t ns)
{
	return ns / SECOND * rate + ns % SECOND * rate / SECOND;
}

/* The time in which @bytes are allowed, rounded up. */
static uint64_t bytes_time(uint64_t rate, uint64_t bytes)
{
	return bytes / rate * SECOND +
	       (bytes % rate * SECOND + rate - 1) / rate;
}

static void rate_refill(struct output_rate *r, uint64_t rate, int64_t now_ns)
{
	uint64_t earned = time_bytes(rate, (uint64_t)(now_ns - r->now_ns));

	r->used = rate == 0 || earned >= r->used ? 0 : r->used - earned;
	/* The rate may have been higher before, so limit the resulting wait. */
	if (r->used > WAIT_MAX * rate)
		r->used = WAIT_MAX * rate;
	r->now_ns = now_ns;
}

void output_rate_add(struct output_rate *r, uint64_t rate, uint64_t bytes,
		     int64_t now_ns)
{
	rate_refill(r, rate, now_ns);
	r->used = bytes < WAIT_MAX * rate - r->used ? r->used + bytes
						    : WAIT_MAX * rate;
}

bool output_rate_exceeded(struct output_rate *r, uint64_t rate, int64_t now_ns)
{
	rate_refill(r, rate, now_ns);
	return r->used > rate;
}

int64_t output_rate_until(struct output_rate *r, uint64_t rate, int64_t now_ns)
{
	rate_refill(r, rate, now_ns);
	if (r->used <= rate / 2)
		return now_ns;
	return now_ns + (int64_t)bytes_time(rate, r->used - rate / 2);
}

uint64_t output_rate_turn(uint64_t rate, uint64_t most)
{
	return rate == 0 || rate / LOOKS > most ? most : rate / LOOKS;
}
