/*
 * rib/update_attrs.h - the attribute set of the routes of one UPDATE
 */
#ifndef RIB_UPDATE_ATTRS_H
#define RIB_UPDATE_ATTRS_H

#include "rib/types.h"

#include "bmp/update.h"

struct rib_lookahead;
struct rib_attrs_form;

/*
 * Read the attributes of a part ahead of its turn, into @room of @size;
 * returns how much of it was used. If it is not enough, nothing is read. With
 * the same attributes as @before, the part read before it or NULL, there is
 * no canonical form: the cache will have them.
 */
size_t rib_attrs_form_read(const struct rib *rib, const struct rib_lookahead *a,
			   const struct rib_lookahead *before, uint8_t *room,
			   size_t size, struct rib_attrs_form *out);

/*
 * The attribute set of the announcements of a part, in three steps: between
 * them memory is waited for, and the caller has routes to look up.
 */
struct rib_update_attrs {
	struct wire_view bytes; /* what the cache compares */
	/* In the rib's second scratch room, or in the message itself. */
	struct wire_view canonical;
	uint32_t hash;
	uint32_t set; /* known already, or RIB_VALUE_NONE */
	bool cached;  /* it is the cache's */
};

/* @guess: a set that it may well be, near by; or RIB_VALUE_NONE. */
void rib_update_attrs_begin(struct rib_router *router,
			    const struct bgp_decode_opts *opts,
			    const struct bgp_update *u, enum bgp_nlri_part_id s,
			    const struct rib_attrs_form *form, uint32_t guess,
			    struct rib_update_attrs *out);
void rib_update_attrs_go_on(struct rib_router *router,
			    const struct rib_update_attrs *attrs);

/*
 * The set, with a reference that belongs to the rib's cache until the next
 * call. RIB_VALUE_NONE: no memory.
 */
uint32_t rib_update_attrs_end(struct rib_router *router,
			      const struct bgp_decode_opts *opts,
			      const struct rib_update_attrs *attrs);

#endif
