/*
 * egress/encode/encode_optional.h - encode the pointers that most updates lack
 *
 * Private to the encoder: all pointers from routerId on.
 */
#ifndef EGRESS_ENCODE_ENCODE_OPTIONAL_H
#define EGRESS_ENCODE_ENCODE_OPTIONAL_H

#include "egress/capnp/builder.h"
#include "rib/event.h"

#include "bmp/attr.h"

/* Which of these a route has, and their maximum bytes. */
struct egress_optional {
	uint32_t present; /* a bit for each pointer */
	size_t bound;
	size_t text_len; /* length of nlriText */
	char text[2048];
};

/* True if some attribute is sent unparsed. */
static inline bool egress_optional_unknown(const struct bgp_attrs *a)
{
	return ((a->seen[0] & ~BGP_ATTRS_WITH_MEMBER) | a->seen[1] |
		a->seen[2] | a->seen[3]) != 0;
}

/* True if egress_optional_change() has to look at the attributes. */
static inline bool egress_optional_attrs(const struct bgp_attrs *a)
{
	return egress_optional_unknown(a) || a->ipv6_ext_communities.len != 0;
}

/*
 * For all routes of a change; @has_segments: its path has more than
 * AS_SEQUENCE.
 */
void egress_optional_change(const struct rib_change *c, bool has_segments,
			    struct egress_optional *out);

/* Add what route @r has itself: labels, or an NLRI that is not a prefix. */
void egress_optional_route(const struct rib_change *c,
			   const struct rib_route *r,
			   struct egress_optional *rare);

/* Build all that is present, in the order of the pointers. */
void egress_optional_build(const struct rib_change *c,
			   const struct rib_route *r,
			   const struct egress_optional *rare,
			   struct capnp_builder *b);

#endif
