/*
 * bmp/explain.h - a message byte by byte, with the field each belongs to
 *
 *	struct explain e = { .field = print, .arg = out };
 *
 *	explain_message(&e, frame, &message, usable, v4, &opts);
 *
 * Calls e.field for each field in the order of the bytes. The fields that are
 * no groups cover the message: each byte is in exactly one of them, also where
 * the message is damaged; what cannot be read is a field "unread". For people
 * and tests: nothing here decides what a message means, and a field is named
 * where the decoder would look for it.
 */
#ifndef BMP_EXPLAIN_H
#define BMP_EXPLAIN_H

#include "bmp/decode_context.h"
#include "bmp/message.h"
#include "bmp/value_layout.h"

#define EXPLAIN_VALUE_MAX 1024

struct explain_field {
	size_t at; /* from the start of the message */
	struct wire_view bytes;
	unsigned depth;
	bool is_group; /* has no bytes: the fields behind it are inside */
	const char *name;
	/* In words; cut if it is long, and empty if the bytes say all. */
	const char *value;
};

struct explain {
	void (*field)(void *arg, const struct explain_field *f);
	void *arg;

	/* Private to the functions below. */
	const uint8_t *start;
	const uint8_t *at; /* what comes next */
	unsigned depth;
};

/*
 * A BMP message. @usable is what bmp_status_usable() says of it. @opts, of its Route Monitoring and UPDATEs that are mirrored,
 * says how routes are read.
 */
void explain_message(struct explain *e, const struct bmp_frame *frame,
		     const struct bmp_message *message, bool usable,
		     enum bmp_v4 v4, const struct bgp_decode_opts *opts);

/* A BGP message, from its marker on; it may be damaged. */
void explain_pdu(struct explain *e, struct wire_view pdu,
		 const struct bgp_decode_opts *opts);

/* Parts, for the files of this module: explain.c and explain_bgp.c */

void explain_begin(struct explain *e, struct wire_view whole);
/* All that is left up to @end is unread. */
void explain_end(struct explain *e, const uint8_t *end);
void explain_enter(struct explain *e, const char *name);
void explain_leave(struct explain *e);
void explain_bytes(struct explain *e, const char *name, struct wire_view bytes,
		   const char *value);
void explain_number(struct explain *e, const char *name,
		    struct wire_view bytes);
/* A number and its name; "unknown" is none. */
void explain_code(struct explain *e, const char *name, struct wire_view bytes,
		  const char *word);
/* The fields of a layout; false, and nothing is said, if @v does not fit. */
bool explain_layout(struct explain *e, const struct value_field *layout,
		    struct wire_view v);
/* A BGP message that is part of another one. */
void explain_pdu_inside(struct explain *e, struct wire_view pdu,
			const struct bgp_decode_opts *opts);

#endif
