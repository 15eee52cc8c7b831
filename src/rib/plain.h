/*
 * rib/plain.h - the straight way of the usual UPDATE: one route, changed or
 * announced again
 *
 * Churn comes as UPDATEs with one route that the table has already. For these
 * most of what update.c and update_routes.c take care of cannot happen, and
 * plain.c does the rest in one function from the look-up to the sink. It takes
 *
 *	- a plain UPDATE (bmp/plain.c) with one route, attributes mode
 *	- of a table that publishes, whose NLRI have a certain form, and that
 *	  has no withdraw queue and no held messages
 *	- if the route exists, has attributes that are known and is not hidden
 *
 * All others go the general way, which lookahead has prepared, too. Both ways
 * have the same results: tests/unit/test_rib_plain.c compares them message by
 * message, and tests/unit/test_rib_random.c with a model.
 */
#ifndef RIB_PLAIN_H
#define RIB_PLAIN_H

#include <stdbool.h>

struct rib;
struct rib_input;
struct rib_lookahead;
struct rib_time;

/* Fill in what all changes of the straight way have in common. */
void rib_plain_init(struct rib *rib);

/*
 * Apply @in, of which lookahead has read @a. False if it is not for this way:
 * then nothing has changed.
 */
bool rib_plain_apply(const struct rib_input *in, const struct rib_time *when,
		     const struct rib_lookahead *a);

#endif
