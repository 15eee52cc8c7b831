/*
 * rib/visibility.h - what the policy says of a table, for the files of this room
 *
 * What consumers were not told of lies under a veil. It covers a table from
 * its first key to a place, by the number of the key, or from there to its
 * last: nothing, all, or something in between while it is drawn or lifted in
 * slices. A flood takes the veil of its table along.
 */
#ifndef RIB_VISIBILITY_H
#define RIB_VISIBILITY_H

#include "rib/rib_internal.h"

/* Hot: once per published route. */
static inline bool rib_is_hidden(const struct rib_hidden_range *hidden,
				 bool paths, uint32_t id)
{
	bool before = paths == hidden->pos.paths ? id < hidden->pos.id
						 : hidden->pos.paths;

	return before != hidden->shrinking;
}

/* The policy's word, from memory. */
void rib_policy_lookup(struct rib_peer *peer, uint8_t view);

static inline enum rib_disposition rib_disposition_of(struct rib_peer *peer,
						      uint8_t view,
						      enum bgp_family family)
{
	const struct rib_policy_mask *w = &peer->policy_masks[view];

	if ((peer->policy_known >> view & 1) == 0)
		rib_policy_lookup(peer, view);
	if ((w->published >> family & 1) != 0)
		return RIB_DISPOSITION_PUBLISH;
	return (w->stored >> family & 1) != 0 ? RIB_DISPOSITION_STORE
					      : RIB_DISPOSITION_DROP;
}

/* A table that was just made. */
void rib_hidden_range_init(struct rib_table *table);

/* Its routes left, for a flood or for good: start anew. */
void rib_hidden_range_reset(struct rib_table *table);

/* Draw the veil, or lift it, from the first key to the last. */
void rib_hidden_range_start(struct rib_table *table);

/* The veil is where it should be: go on the other way, if that is meant now. */
void rib_hidden_range_done(struct rib_table *table);

#endif
