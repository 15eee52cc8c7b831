/*
 * egress/publisher/backoff.h - how long to wait before the next attempt
 *
 * The wait doubles after each attempt, up to a limit. Half of it is fixed and
 * the rest is random, so that many collectors do not all connect to a restarted
 * broker at the same moment. Each object has a random seed of its own.
 */
#ifndef EGRESS_PUBLISHER_BACKOFF_H
#define EGRESS_PUBLISHER_BACKOFF_H

#include <stdint.h>

struct backoff {
	int64_t min_ns;
	int64_t max_ns;
	/* next wait, before the random part is applied */
	int64_t next_ns;
	unsigned short seed[3]; /* state of erand48() */
};

void backoff_init(struct backoff *b, int64_t min_ns, int64_t max_ns);

/* Call it after an attempt succeeded: the next wait is the shortest. */
void backoff_reset(struct backoff *b);

/* The wait before the next attempt. */
int64_t backoff_next(struct backoff *b);

#endif
