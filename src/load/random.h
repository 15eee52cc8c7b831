/*
 * load/random.h - reproducible pseudo-random numbers
 *
 * SplitMix64 (Steele, Lea, Flood 2014): one addition and three rounds of
 * mixing. Integers only, so the result is the same on every machine.
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

/*
 * A number below @n, which is not 0, computed from the upper half of the next
 * random number.
 */
static inline uint32_t load_random_below(struct load_random *r, uint32_t n)
{
	return (uint32_t)((load_random_next(r) >> 32) * n >> 32);
}

/*
 * A generator for user number @nth of @seed, independent of those of other
 * users.
 */
static inline struct load_random load_random_fork(uint64_t seed, uint64_t nth)
{
	struct load_random r = { seed ^
				 (nth + 1) * UINT64_C(0xd1342543de82ef95) };

	r.state = load_random_next(&r);
	return r;
}

#endif
