/*
 * fulltable.h - the Internet's table, as any number of peers would send it
 *
 * Prefixes are today's (../shared/data/fulltable: 1.17 M IPv4, 280 k IPv6).
 * That list has no attributes. They come from a RIB of two full-table peers of
 * 2010 in the same folder, laid over today's prefixes in their order, so that
 * the sharing is that of a real table: about 0.18 distinct sets a route.
 *
 *	peer p		is peer p % 2 of the RIB, with an AS number and a next
 *			hop of its own: no two peers share a set, as with real
 *			Adj-RIBs-In
 *	prefix i	has the attributes of route i % n; from the second lap
 *			on the origin AS is another one, so that laps do not
 *			share sets, either
 *
 * UPDATEs are packed as a router packs them: routes of one set together.
 */
#ifndef BENCH_FULLTABLE_H
#define BENCH_FULLTABLE_H

#include "bmp/update.h"

struct fulltable;

/*
 * Read $ARANCINI_DATA/fulltable. Ends the program with a sentence if it cannot.
 * NULL if the variable is not set.
 */
struct fulltable *fulltable_load(void);
void fulltable_free(struct fulltable *t);

/* How many routes a peer has; the first @v4 of them are IPv4. */
size_t fulltable_routes(const struct fulltable *t);
size_t fulltable_v4(const struct fulltable *t);

/* How many attribute sets a peer has. */
size_t fulltable_sets(const struct fulltable *t, unsigned peer);

struct fulltable_prefix {
	uint8_t address[16]; /* IPv4 mapped */
	uint8_t len;
	bool v6;
};

const struct fulltable_prefix *fulltable_prefix(const struct fulltable *t,
						size_t i);

/* UPDATEs of one peer, made one after another. */
struct fulltable_walk {
	const struct fulltable *table;
	unsigned peer;
	unsigned most;	  /* routes in an UPDATE at most */
	unsigned version; /* another number: other attributes everywhere */
	size_t routes;	  /* of the table; the rest is left out */
	size_t at;
	bool withdraw;
	bool full; /* UPDATEs are filled up, whatever the attributes */
};

/*
 * The body of the next UPDATE, written to @out, which has 4096 bytes. Returns
 * its length, 0 at the end; *@count is how many routes it has.
 */
size_t fulltable_next(struct fulltable_walk *walk, uint8_t *out, size_t *count);

#endif
