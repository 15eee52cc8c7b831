/*
 * egress/encode/encode_update.h - changes and events as Cap'n Proto, straight into a batch
 *
 * One message for each route, one segment each, no allocation. The routes of
 * a change share all but a few words, so the first is built and the others
 * are copies of it with those words patched.
 *
 * The form is canonical: trailing words and pointers that hold nothing are not
 * sent, an empty list is no list. Absent means absent: see docs/schema.md.
 *
 * @out is 8-aligned, as are lengths.
 */
#ifndef EGRESS_ENCODE_ENCODE_UPDATE_H
#define EGRESS_ENCODE_ENCODE_UPDATE_H

#include "rib/event.h"

/* How much was encoded. */
struct egress_encoded {
	size_t bytes;
	size_t routes;
};

/* Bytes that are always enough for route @i of @c. */
size_t egress_encode_bound(const struct rib_change *c, size_t i);

/*
 * Encode the routes of @c from @first on, at most @max of them and as many as
 * surely fit in @cap; that may be none. What fits in egress_encode_bound()
 * bytes is at least one.
 */
struct egress_encoded egress_encode_update(const struct rib_change *c,
					   size_t first, size_t max,
					   uint8_t *out, size_t cap);

/* What only the collector knows of an event: for RIB_EVENT_EPOCH. */
struct egress_epoch {
	const char *collector;
	uint64_t epoch;
};

/*
 * Encode an event; @epoch may be NULL. Returns its length, or what it needs
 * at most if that is more than @cap; then nothing was written.
 */
size_t egress_encode_event(const struct rib_event *e,
			   const struct egress_epoch *epoch, uint8_t *out,
			   size_t cap);

#endif
