/*
 * rib/update_attrs.h - the attribute set of the routes of one UPDATE
 */
#ifndef RIB_UPDATE_ATTRS_H
#define RIB_UPDATE_ATTRS_H

#include "rib/types.h"

#include "bmp/update.h"

struct rib_input;
struct rib_lookahead;
struct rib_attrs_form;

/*
 * Make the canonical attributes of @a in @room, which has @size bytes. Returns
 * how many bytes were used. If the space is too small, nothing is made. If the
 * attributes equal those of @before (the UPDATE before it, or NULL), no
 * canonical form is made, because the cache will have their set.
 */
size_t rib_attrs_form_read(const struct rib *rib, struct rib_lookahead *a,
			   const struct rib_lookahead *before, uint8_t *room,
			   size_t size);

/*
 * Finds the attribute set for the announcements of a part, in three steps.
 * Between the steps memory is prefetched, and the caller looks up routes.
 */
struct rib_update_attrs {
	struct wire_view bytes; /* the bytes that the cache compares */
	/* In the second scratch buffer of the rib, or in the message itself. */
	struct wire_view canonical;
	uint32_t hash;
	uint32_t set; /* the set if known, else RIB_VALUE_NONE */
	bool cached;  /* the set is that of the cache */
};

/*
 * Begin to find the set. @guess is a set that is likely to be the same, or
 * RIB_VALUE_NONE.
 */
void rib_update_attrs_begin(struct rib_router *router,
			    const struct rib_input *in, enum bgp_nlri_part_id s,
			    const struct rib_attrs_form *form, uint32_t guess,
			    struct rib_update_attrs *out);
void rib_update_attrs_go_on(struct rib_router *router,
			    const struct rib_update_attrs *attrs);

/*
 * Return the set. The rib's cache has a reference on it until the next call.
 * RIB_VALUE_NONE if out of memory.
 */
uint32_t rib_update_attrs_end(struct rib_router *router,
			      const struct rib_input *in,
			      const struct rib_update_attrs *attrs);

#endif
