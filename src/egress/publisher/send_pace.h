/*
 * egress/publisher/send_pace.h - how much of a queue may be under way
 *
 * What comes later waits for all that is under way: sent to the broker or the
 * disk, and not safe yet. More of it than the other side can make safe while
 * one batch is on its way there and back does not make that side faster; it
 * waits in its buffers. So what may be under way is
 *
 *	the rate of the other side x (the shortest way + SEND_PACE_TARGET_NS)
 *
 * and a part of the way more: while little is under way the rate is what that
 * makes of it, and grows by this part each time.
 *
 * The rate is the best of the last SEND_PACE_PERIODS periods. A period in which
 * there was room all the time says what came, not what the other side can
 * take: it counts only if its rate is the best so far. Pure.
 */
#ifndef EGRESS_PUBLISHER_SEND_PACE_H
#define EGRESS_PUBLISHER_SEND_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define SEND_PACE_PERIODS   8
#define SEND_PACE_PERIOD_NS INT64_C(20000000)
#define SEND_PACE_TARGET_NS INT64_C(5000000)
#define SEND_PACE_GROWTH    4 /* a part of the way is added to it */
#define SEND_PACE_WAY_MAX   INT64_C(1000000000) /* a longer one counts as it */

struct send_pace {
	uint64_t rates[SEND_PACE_PERIODS]; /* bytes a second; a ring */
	uint32_t periods;		   /* so far */
	bool bounded;			   /* the limit held something back */
	int64_t began;			   /* the period; 0: none has */
	uint64_t bytes;			   /* made safe in it */
	int64_t shortest;		   /* way; 0: not known */
	uint64_t floor; /* as much may be under way whatever the rate is */
	uint64_t limit;
};

/* Begin, or begin again, as with another broker. */
void send_pace_reset(struct send_pace *pace, uint64_t floor);

/* Nothing is under way: what follows begins a period of its own. */
void send_pace_idle(struct send_pace *pace);

/* @bytes that were sent at @sent are safe at @now. */
void send_pace_safe(struct send_pace *pace, uint64_t bytes, int64_t sent,
		    int64_t now);

#endif
