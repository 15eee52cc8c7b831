/*
 * load/random.h - numbers that look random and are the same everywhere
 *
 * SplitMix64 (Steele, Lea, Flood 2014): one addition and three rounds of
 * mixing. Integers only, so that no compiler and no processor can disagree.
 */
#ifndef LOAD_RANDOM_H
#define LOAD_RANDOM_H

#include <stdint.h>

struct load_random {
	uint64_t state;
};

static inline uint64_t load_random_next(struct load_random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Less than @n, which is not 0. The upper half of a number decides. */
static inline uint32_t load_random_below(struct load_random *r, uint32_t n)
{
	return (uint32_t)((load_random_next(r) >> 32) * n >> 32);
}

/* One of its own for the @nth of those who share a seed. */
static inline struct load_random load_random_fork(uint64_t seed, uint64_t nth)
{
	struct load_random r = { seed ^
				 (nth + 1) * UINT64_C(0xd1342543de82ef95) };

	r.state = load_random_next(&r);
	return r;
}

#endif
