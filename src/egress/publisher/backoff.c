#include "egress/publisher/backoff.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Without random bytes the clock and the process differ, too. */
static void seed_fill(unsigned short seed[3])
{
	struct timespec now = { 0 };
	uint64_t mixed;

	if (getrandom(seed, 3 * sizeof(seed[0]), GRND_NONBLOCK) ==
	    3 * sizeof(seed[0]))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	mixed = (uint64_t)now.tv_nsec ^ ((uint64_t)getpid() << 30);
	memcpy(seed, &mixed, 3 * sizeof(seed[0]));
}

void backoff_init(struct backoff *b, int64_t min_ns, int64_t max_ns)
{
	*b = (struct backoff){ .min_ns = min_ns, .max_ns = max_ns };
	seed_fill(b->seed);
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
