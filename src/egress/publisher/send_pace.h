/*
 * egress/publisher/send_pace.h - limit the bytes of a queue in flight
 *
 * A message that is sent is in flight until it is safe: acknowledged by the
 * broker, or synced to the disk. A new message waits behind all bytes in
 * flight. More bytes than the other side (broker or disk) makes safe during one
 * round trip do not make it faster; they wait in its buffers. So the limit of
 * the bytes in flight is
 *
 *	rate of the other side *
 *		(5/4 of the shortest round trip + SEND_PACE_TARGET_NS)
 *
 * The extra quarter (1 / SEND_PACE_GROWTH) lets the limit grow: while few bytes
 * are in flight, the measured rate is low because of the limit itself, and then
 * it rises by this part in each period.
 *
 * The rate is the best of the last SEND_PACE_PERIODS recorded periods. If the
 * limit never held back a message in a period, its rate measures the input and
 * not the other side. Such a period is recorded only if its rate is higher than
 * all recorded ones. Pure functions.
 */
#ifndef EGRESS_PUBLISHER_SEND_PACE_H
#define EGRESS_PUBLISHER_SEND_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define SEND_PACE_PERIODS   8
#define SEND_PACE_PERIOD_NS INT64_C(20000000)
#define SEND_PACE_TARGET_NS INT64_C(5000000)
#define SEND_PACE_GROWTH    4 /* 1/4 of the round trip is added to it */
/* longer round trips count as this */
#define SEND_PACE_WAY_MAX INT64_C(1000000000)

struct send_pace {
	/* ring of rates in bytes per second */
	uint64_t rates[SEND_PACE_PERIODS];
	uint32_t periods; /* number of rates recorded so far */
	/* the limit held back a message in this period */
	bool bounded;
	/* start of the period; 0 = no period */
	int64_t began;
	uint64_t bytes; /* bytes made safe in this period */
	/* shortest round trip; 0 = not known */
	int64_t shortest;
	uint64_t floor; /* minimum of limit, whatever the rate is */
	uint64_t limit;
};

/* Begin without measurements, at the start or after a change of the broker. */
void send_pace_reset(struct send_pace *pace, uint64_t floor);

/*
 * Nothing is in flight: drop the current period. The next message that becomes
 * safe begins another one.
 */
void send_pace_idle(struct send_pace *pace);

/* Count @bytes that were sent at time @sent and are safe at time @now. */
void send_pace_safe(struct send_pace *pace, uint64_t bytes, int64_t sent,
		    int64_t now);

#endif
