/*
 * rib/lookahead.h - decode and prefetch several messages before applying them
 *
 * The routes that a message changes may be anywhere in memory, and a message
 * with one route has no other work to overlap with the cache miss. So up to
 * RIB_LOOKAHEAD messages are decoded together, in passes over all of them; each
 * pass prefetches what the next one reads.
 *
 *	pass	reads			prefetches
 *	1	the message		slots in the hash indices of prefixes
 *					and of attribute sets
 *	2	the slots		the prefix, its route, the set
 *	3	the route		the set that it has now
 *
 * Lookahead changes no state. Its results are hints: an earlier message may
 * make them wrong, so rib_update() verifies them. Only Route Monitoring of
 * peers that are up is decoded here. Of the messages before it in the batch,
 * only one that shows the form of NLRI (rib/add_path.h) can then change the
 * decoder options, and rib_update() reports that.
 */
#ifndef RIB_LOOKAHEAD_H
#define RIB_LOOKAHEAD_H

#include "rib/types.h"

struct bgp_overrides;
struct bmp_message;

/*
 * Decode as many of @msgs as possible into router->rib->lookahead; returns how
 * many. 0: apply the first without lookahead.
 */
size_t rib_lookahead_read(struct rib_router *router,
			  const struct bmp_message *msgs, size_t n,
			  const struct bgp_overrides *over);

#endif
