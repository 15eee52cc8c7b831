/*
 * tests/unit/update_same.h - are two decoded UPDATEs the same?
 *
 * Compares every member that bgp_update_decode() promises to fill; what lies
 * between members, and of an UPDATE that is no End-of-RIB the family of one, is
 * nobody's. Views are the same if they are the same bytes at the same place.
 */
#ifndef TESTS_UPDATE_SAME_H
#define TESTS_UPDATE_SAME_H

#include "bmp/update.h"

#include <string.h>

static inline bool same_view(struct wire_view a, struct wire_view b)
{
	return a.len == b.len && (a.len == 0 || a.p == b.p);
}

static inline bool same_mp(const struct bgp_mp *a, const struct bgp_mp *b)
{
	return a->afi == b->afi && a->safi == b->safi &&
	       a->family == b->family && same_view(a->next_hop, b->next_hop) &&
	       same_view(a->nlri, b->nlri);
}

static inline bool same_numbers(const struct bgp_attrs *a,
				const struct bgp_attrs *b)
{
	return memcmp(a->seen, b->seen, sizeof(a->seen)) == 0 &&
	       a->verdict == b->verdict && a->fault == b->fault &&
	       a->fault_code == b->fault_code && a->withdraw == b->withdraw &&
	       a->has_unknown == b->has_unknown &&
	       a->as_width_guessed == b->as_width_guessed &&
	       a->headers_canonical == b->headers_canonical &&
	       a->origin == b->origin && a->next_hop_len == b->next_hop_len &&
	       a->med == b->med && a->local_pref == b->local_pref &&
	       a->aggregator_as == b->aggregator_as &&
	       a->aggregator_id == b->aggregator_id &&
	       a->originator_id == b->originator_id && a->otc == b->otc;
}

static inline bool same_attrs(const struct bgp_attrs *a,
			      const struct bgp_attrs *b)
{
	return same_numbers(a, b) && a->next_hop == b->next_hop &&
	       same_view(a->block, b->block) &&
	       same_view(a->as_path.path, b->as_path.path) &&
	       same_view(a->as_path.as4_path, b->as_path.as4_path) &&
	       a->as_path.width == b->as_path.width &&
	       same_view(a->communities, b->communities) &&
	       same_view(a->ext_communities, b->ext_communities) &&
	       same_view(a->large_communities, b->large_communities) &&
	       same_view(a->cluster_list, b->cluster_list) &&
	       same_view(a->ipv6_ext_communities, b->ipv6_ext_communities) &&
	       same_mp(&a->reach, &b->reach) &&
	       same_mp(&a->unreach, &b->unreach);
}

static inline bool same_part(const struct bgp_nlri_part *a,
			     const struct bgp_nlri_part *b)
{
	return same_view(a->field, b->field) && a->count == b->count &&
	       a->lost == b->lost && a->format.afi == b->format.afi &&
	       a->format.safi == b->format.safi &&
	       a->format.family == b->format.family &&
	       a->format.add_path == b->format.add_path &&
	       a->format.multiple_labels == b->format.multiple_labels &&
	       a->format.withdrawn == b->format.withdrawn;
}

static inline bool same_update(const struct bgp_update *a,
			       const struct bgp_update *b)
{
	for (int s = 0; s < BGP_PARTS; s++)
		if (!same_part(&a->nlri_parts[s], &b->nlri_parts[s]))
			return false;
	return a->verdict == b->verdict && a->fault == b->fault &&
	       a->fault_code == b->fault_code &&
	       a->end_of_rib == b->end_of_rib &&
	       (!a->end_of_rib ||
		(a->eor_afi == b->eor_afi && a->eor_safi == b->eor_safi)) &&
	       a->parts_present == b->parts_present &&
	       a->add_path_guessed == b->add_path_guessed &&
	       same_attrs(&a->attrs, &b->attrs);
}

#endif
