/*
 * rib/plain.h - a fast path for UPDATEs with one route that exists already
 *
 * In operation most UPDATEs have one route that the table has already. For
 * these most cases of update.c and update_routes.c cannot occur, and plain.c
 * does the rest in one function, from the look-up to the sink. It applies
 *
 *	- a plain UPDATE (bmp/plain.c) with one route, attributes mode
 *	- of a table that publishes, whose NLRI have a certain form, and that
 *	  has no withdraw queue and no held messages
 *	- if the route exists, has attributes that are known and is not hidden
 *
 * All other UPDATEs are applied by update.c, and lookahead serves both. Both
 * have the same results: tests/unit/test_rib_plain.c compares them message by
 * message, and tests/unit/test_rib_random.c compares them with a model.
 */
#ifndef RIB_PLAIN_H
#define RIB_PLAIN_H

#include <stdbool.h>

struct rib;
struct rib_input;
struct rib_lookahead;
struct rib_time;

/* Set the members that all changes of the fast path have in common. */
void rib_plain_init(struct rib *rib);

/*
 * Apply @in, for which @a has the results of lookahead. False, and nothing is
 * changed, if the conditions above do not hold.
 */
bool rib_plain_apply(const struct rib_input *in, const struct rib_time *when,
		     const struct rib_lookahead *a);

#endif
