/*
 * random.h - the same numbers for the same seed, and the seed said once
 *
 * A test that draws prints its seed first (TAP takes it as a comment), so that
 * a failure can be had again: RIB_TEST_SEED=n in the environment.
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct draws {
	uint64_t state;
};

static inline uint64_t draw(struct draws *d)
{
	/* splitmix64 */
	uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* One of 0 to @n - 1. */
static inline uint32_t draw_below(struct draws *d, uint32_t n)
{
	return (uint32_t)((draw(d) >> 32) * n >> 32);
}

static inline struct draws draws_start(const char *what)
{
	const char *given = getenv("RIB_TEST_SEED");
	struct draws d = { given != NULL ? strtoull(given, NULL, 0) : 1 };

	printf("# %s: seed %llu\n", what, (unsigned long long)d.state);
	return d;
}

#endif
