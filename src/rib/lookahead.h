/*
 * rib/lookahead.h - look up and prefetch for several UPDATEs before they are
 * applied
 *
 * The routes that a message changes may be anywhere in memory, and while a
 * message with one route waits for a cache miss, there is no other work to do.
 * So up to RIB_LOOKAHEAD UPDATEs are applied together, after passes over all of
 * them; each pass prefetches what the next one reads.
 *
 *	pass	reads			prefetches
 *	1	the UPDATE		slots in the hash indices of prefixes
 *					and of attribute sets
 *	2	the slots		the prefix, its route, the attribute set
 *	3	the route		its present attribute set
 *
 * Lookahead changes no state. Its results are hints: an earlier UPDATE may make
 * them wrong, so rib_update() verifies them.
 */
#ifndef RIB_LOOKAHEAD_H
#define RIB_LOOKAHEAD_H

#include "rib/types.h"

struct rib_input;

/*
 * Compute rib->lookahead for the inputs from @first to @n. In RIB_MODE_OFF
 * nothing is looked up, because no routes are stored.
 */
void rib_lookahead_read(struct rib *rib, const struct rib_input *inputs,
			size_t first, size_t n);

#endif
