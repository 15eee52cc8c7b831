/*
 * egress/publisher/backoff.h - how long to wait before the next attempt
 *
 * Twice as long after each attempt, up to a limit. Half of the wait is certain,
 * the rest by chance, so that the collectors of a broker that comes back do
 * not all connect at the same moment: each object has a seed of its own.
 */
#ifndef EGRESS_PUBLISHER_BACKOFF_H
#define EGRESS_PUBLISHER_BACKOFF_H

#include <stdint.h>

struct backoff {
	int64_t min_ns;
	int64_t max_ns;
	int64_t next_ns;	/* before chance */
	unsigned short seed[3]; /* of erand48() */
};

void backoff_init(struct backoff *b, int64_t min_ns, int64_t max_ns);

/* An attempt has had success: begin with the shortest wait. */
void backoff_reset(struct backoff *b);

/* How long to wait now. */
int64_t backoff_next(struct backoff *b);

#endif
