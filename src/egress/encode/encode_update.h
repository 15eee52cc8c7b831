/*
 * egress/encode/encode_update.h - encode changes and events as Cap'n Proto into
 * a batch
 *
 * Each route becomes one message of one segment. Nothing is allocated. The
 * routes of a change differ in a few words, so the first is built and the
 * others are patched copies.
 *
 * The form is canonical: trailing zero words and null pointers are not sent, an
 * empty list is a null pointer. See docs/schema.md for absent fields.
 *
 * @out must be 8-byte aligned; all lengths are multiples of 8 bytes.
 */
#ifndef EGRESS_ENCODE_ENCODE_UPDATE_H
#define EGRESS_ENCODE_ENCODE_UPDATE_H

#include "rib/event.h"

/* How much was encoded. */
struct egress_encoded {
	size_t bytes;
	size_t routes;
};

/* A number of bytes that is sufficient for route @i of @c. */
size_t egress_encode_bound(const struct rib_change *c, size_t i);

/*
 * Encode the routes of @c from @first on: at most @max routes, and only as many
 * as are sure to fit into @cap bytes, possibly none. If @cap is
 * egress_encode_bound(), at least one route fits.
 */
struct egress_encoded egress_encode_update(const struct rib_change *c,
					   size_t first, size_t max,
					   uint8_t *out, size_t cap);

/* Data of an event that the rib does not have. */
struct egress_origin {
	const char *collector; /* its id; NULL = the event does not say */
	uint64_t epoch; /* RIB_EVENT_EPOCH: the epoch that begins; else 0 */
};

/*
 * Encode an event; @origin may be NULL. Returns its length. If the event may
 * need more than @cap bytes, nothing is written, and the maximum that it may
 * need is returned.
 */
size_t egress_encode_event(const struct rib_event *e,
			   const struct egress_origin *origin, uint8_t *out,
			   size_t cap);

#endif
