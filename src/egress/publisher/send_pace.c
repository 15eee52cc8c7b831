#include "egress/publisher/send_pace.h"

#define SECOND	    INT64_C(1000000000)
#define MICROSECOND INT64_C(1000)

void send_pace_reset(struct send_pace *pace, uint64_t floor)
{
	*pace = (struct send_pace){ .floor = floor, .limit = floor };
}

void send_pace_idle(struct send_pace *pace)
{
	pace->began = 0;
	pace->bytes = 0;
	pace->bounded = false;
}

static uint64_t best_rate(const struct send_pace *pace)
{
	uint64_t best = 0;

	for (int i = 0; i < SEND_PACE_PERIODS; i++)
		if (pace->rates[i] > best)
			best = pace->rates[i];
	return best;
}

/*
 * Set the limit from the rate. Computed in units of 1000 bytes per second and
 * of microseconds, so that the product does not overflow.
 */
static void set_limit(struct send_pace *pace)
{
	int64_t way = pace->shortest + pace->shortest / SEND_PACE_GROWTH;
	uint64_t us = (uint64_t)((way + SEND_PACE_TARGET_NS) / MICROSECOND);
	uint64_t limit = best_rate(pace) / 1000 * us / 1000;

	pace->limit = limit > pace->floor ? limit : pace->floor;
}

static void end_period(struct send_pace *pace, int64_t now)
{
	uint64_t rate = pace->bytes * SECOND / (uint64_t)(now - pace->began);

	if (pace->bounded || rate > best_rate(pace))
		pace->rates[pace->periods++ % SEND_PACE_PERIODS] = rate;
	pace->began = now;
	pace->bytes = 0;
	pace->bounded = false;
	set_limit(pace);
}

void send_pace_safe(struct send_pace *pace, uint64_t bytes, int64_t sent,
		    int64_t now)
{
	int64_t took = now - sent;

	if (took < 1)
		took = 1;
	if (took > SEND_PACE_WAY_MAX)
		took = SEND_PACE_WAY_MAX;
	if (pace->shortest == 0 || took < pace->shortest)
		pace->shortest = took;
	if (pace->began == 0)
		pace->began = now - took;
	pace->bytes += bytes;
	if (now - pace->began >= SEND_PACE_PERIOD_NS)
		end_period(pace, now);
}
