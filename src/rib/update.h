/*
 * rib/update.h - apply one UPDATE to the tables of its peer
 *
 * Withdrawals first, then announcements; each section in batches, so that the
 * memory of many routes is asked for before the first is looked at.
 */
#ifndef RIB_UPDATE_H
#define RIB_UPDATE_H

#include "rib/rib_internal.h"

/*
 * @header is that of the message; @reading is how @u was decoded. @ahead is
 * what else is known of it already, or NULL. From @progress on, which is zero
 * again when all of it is applied. False: the budget was spent before.
 */
bool rib_update(struct rib_peer *peer, const struct rib_when *when,
		const struct bmp_peer *header,
		const struct bgp_reading *reading, const struct bgp_update *u,
		struct rib_ahead *ahead, struct rib_progress *progress);

/* Nothing of one could be read: any table of the view may have been meant. */
void rib_update_unreadable(struct rib_peer *peer, const struct rib_when *when,
			   uint8_t view);

/*
 * Read the attributes of a section ahead of its turn, into @room of @size;
 * returns how much of it was used. If it is not enough, nothing is read. With
 * the same attributes as @before, the section read before it or NULL, there is
 * no canonical form: the cache will have them.
 */
size_t rib_attrs_form_read(const struct rib *rib, const struct rib_ahead *a,
			   const struct rib_ahead *before, uint8_t *room,
			   size_t size, struct rib_attrs_form *out);

/*
 * The attribute set of the announcements of a section, in three steps: between
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
			    const struct bgp_reading *reading,
			    const struct bgp_update *u, enum bgp_section_id s,
			    const struct rib_attrs_form *form, uint32_t guess,
			    struct rib_update_attrs *out);
void rib_update_attrs_go_on(struct rib_router *router,
			    const struct rib_update_attrs *attrs);

/*
 * The set, with a reference that belongs to the rib's cache until the next
 * call. RIB_VALUE_NONE: no memory.
 */
uint32_t rib_update_attrs_end(struct rib_router *router,
			      const struct bgp_reading *reading,
			      const struct rib_update_attrs *attrs);

#endif
