/*
 * load/shape.h - distributions of the Internet's routing table
 *
 * Small measured tables (sources in shape.c), and random draws from them.
 */
#ifndef LOAD_SHAPE_H
#define LOAD_SHAPE_H

#include "load/random.h"

#include <stddef.h>

enum load_shape {
	LOAD_IPV4_LENGTH,
	LOAD_IPV6_LENGTH,
	LOAD_HOPS,     /* ASes in a path, each counted once */
	LOAD_PREPENDS, /* how often one of these ASes is repeated */
	LOAD_COMMUNITIES,
	LOAD_EXT_COMMUNITIES,
	LOAD_LARGE_COMMUNITIES,
	LOAD_ORIGIN, /* value of the attribute: 0 IGP, 1 EGP, 2 incomplete */
	LOAD_MED,    /* 1 = the attribute is present; also for the next two */
	LOAD_AGGREGATOR,
	LOAD_ATOMIC_AGGREGATE,
	/*
	 * thousandths of the sets, from the first one on, from which a set is
	 * drawn
	 */
	LOAD_SHARING,
	LOAD_SHAPES
};

/* The largest values in the tables; they bound the size of an UPDATE. */
#define LOAD_HOPS_MAX	     11
#define LOAD_PREPENDS_MAX    12
#define LOAD_COMMUNITIES_MAX 32
#define LOAD_EXT_MAX	     2
#define LOAD_LARGE_MAX	     9

struct load_share {
	uint16_t value;
	uint32_t share; /* share of the total */
};

/* The rows of a table, in ascending order of value; *@count is their number. */
const struct load_share *load_shape_rows(enum load_shape shape, size_t *count);

/* A random value with the probability of its share. */
uint16_t load_shape_draw(enum load_shape shape, struct load_random *random);

#endif
