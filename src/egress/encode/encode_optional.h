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

/* The optional pointers of a route, and the maximum size of their objects. */
struct egress_optional {
	uint32_t present; /* bit mask of the pointers */
	size_t bound;
	size_t text_len; /* length of nlriText */
	char text[2048];
};

/*
 * True if @a has an attribute that is sent as bytes because the schema has no
 * field for it.
 */
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
 * Fill @out with the pointers that all routes of a change have. @has_segments:
 * the AS path has other segments than AS_SEQUENCE.
 */
void egress_optional_change(const struct rib_change *c, bool has_segments,
			    struct egress_optional *out);

/*
 * Add the pointers of route @r alone: labels, or an NLRI that is not a prefix.
 */
void egress_optional_route(const struct rib_change *c,
			   const struct rib_route *r,
			   struct egress_optional *rare);

/*
 * Write the objects of all pointers that are present, in the order of the
 * pointers.
 */
void egress_optional_build(const struct rib_change *c,
			   const struct rib_route *r,
			   const struct egress_optional *rare,
			   struct capnp_builder *b);

#endif
