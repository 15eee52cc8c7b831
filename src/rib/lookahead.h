/*
 * rib/lookahead.h - look up and prefetch for several UPDATEs before applying them
 *
 * The routes that a message changes may be anywhere in memory, and a message
 * with one route has no other work to overlap with the cache miss. So up to
 * RIB_LOOKAHEAD UPDATEs are applied together, after passes over all of them;
 * each pass prefetches what the next one reads.
 *
 *	pass	reads			prefetches
 *	1	the UPDATE		slots in the hash indices of prefixes
 *					and of attribute sets
 *	2	the slots		the prefix, its route, the set
 *	3	the route		the set that it has now
 *
 * Lookahead changes no state. Its results are hints: an earlier UPDATE may make
 * them wrong, so rib_update() verifies them.
 */
#ifndef RIB_LOOKAHEAD_H
#define RIB_LOOKAHEAD_H

#include "rib/types.h"

struct rib_input;

/*
 * Fill in rib->lookahead for the inputs from @first to @n. Without a store
 * (RIB_MODE_OFF) nothing is looked up.
 */
void rib_lookahead_read(struct rib *rib, const struct rib_input *inputs,
			size_t first, size_t n);

#endif
