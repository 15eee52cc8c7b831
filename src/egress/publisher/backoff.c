#include "egress/publisher/backoff.h"

#include <spargio/runtime.h>

#include <stdlib.h>

void backoff_init(struct backoff *b, int64_t min_ns, int64_t max_ns)
{
	*b = (struct backoff){ .min_ns = min_ns, .max_ns = max_ns };
	(void)sp_random(b->seed, sizeof(b->seed)); /* else all zero */
	backoff_reset(b);
}

void backoff_reset(struct backoff *b)
{
	b->next_ns = b->min_ns;
}

int64_t backoff_next(struct backoff *b)
{
	int64_t half = b->next_ns / 2;
	int64_t wait = half + (int64_t)(erand48(b->seed) * (double)half);

	b->next_ns = 2 * b->next_ns < b->max_ns ? 2 * b->next_ns : b->max_ns;
	return wait;
}
