/*
 * rib/visibility.h - which routes of a table are published
 *
 * A table may be stored but not published. `hidden` is the range of route ids,
 * [0, pos) or [pos, end), that has not been published: nothing, everything, or
 * a part while a change of policy is in progress. Then pos moves over the table
 * in slices, and each route it passes is withdrawn or announced. A withdraw
 * queue has a copy of the hidden range that its table had when the queue was
 * made.
 */
#ifndef RIB_VISIBILITY_H
#define RIB_VISIBILITY_H

#include "rib/rib_internal.h"

/* True if the route is in the hidden range. Hot: once per published route. */
static inline bool rib_is_hidden(const struct rib_hidden_range *hidden,
				 bool paths, uint32_t id)
{
	bool before = paths == hidden->pos.paths ? id < hidden->pos.id
						 : hidden->pos.paths;

	return before != hidden->shrinking;
}

/* Copy @policy to the masks of @peer; NULL = store and publish all. */
void rib_policy_set(struct rib_peer *peer,
		    const struct rib_policy_mask *policy);

static inline enum rib_disposition rib_disposition_of(
	const struct rib_peer *peer, uint8_t view, enum bgp_family family)
{
	const struct rib_policy_mask *mask = &peer->policy[view];

	if ((mask->published >> family & 1) != 0)
		return RIB_DISPOSITION_PUBLISH;
	return (mask->stored >> family & 1) != 0 ? RIB_DISPOSITION_STORE
						 : RIB_DISPOSITION_DROP;
}

/* Set the hidden range of a table that was just made. */
void rib_hidden_range_init(struct rib_table *table);

/* The table is empty: hide all or no routes, according to its disposition. */
void rib_hidden_range_reset(struct rib_table *table);

/*
 * Start to hide or to publish the routes in slices, from the first route id to
 * the last. table->disposition selects which: RIB_DISPOSITION_PUBLISH publishes
 * them, any other hides them.
 */
void rib_hidden_range_start(struct rib_table *table);

/*
 * The boundary of the hidden range has reached the last id. If the disposition
 * changed meanwhile, start again in the other direction.
 */
void rib_hidden_range_done(struct rib_table *table);

#endif
