/*
 * egress/encode/encode_update.h - encode changes and events as Cap'n Proto into
 * a batch
 *
 * One message of one segment for each route, without allocation. The routes of
 * a change differ in a few words, so the first is built and the others are
 * patched copies.
 *
 * The form is canonical: trailing zero words and null pointers are not sent, an
 * empty list is a null pointer. See docs/schema.md for absent fields.
 *
 * @out is 8-byte aligned, as are lengths.
 */
#ifndef EGRESS_ENCODE_ENCODE_UPDATE_H
#define EGRESS_ENCODE_ENCODE_UPDATE_H

#include "rib/event.h"

/* How much was encoded. */
struct egress_encoded {
	size_t bytes;
	size_t routes;
};

/* Bytes that are sufficient for route @i of @c. */
size_t egress_encode_bound(const struct rib_change *c, size_t i);

/*
 * Encode the routes of @c from @first on, at most @max of them and as many as
 * are sure to fit into @cap, possibly none. With egress_encode_bound() bytes at
 * least one fits.
 */
struct egress_encoded egress_encode_update(const struct rib_change *c,
					   size_t first, size_t max,
					   uint8_t *out, size_t cap);

/* Data of an event that only the collector knows: for RIB_EVENT_EPOCH. */
struct egress_epoch {
	const char *collector;
	uint64_t epoch;
};

/*
 * Encode an event; @epoch may be NULL. Returns its length or, if the maximum it
 * may need exceeds @cap, that maximum; then nothing was written.
 */
size_t egress_encode_event(const struct rib_event *e,
			   const struct egress_epoch *epoch, uint8_t *out,
			   size_t cap);

#endif
