/*
 * bmp/explain.h - describe a message field by field, with the bytes of each
 * field
 *
 *	struct explain e = { .field = print, .arg = out };
 *
 *	explain_message(&e, frame, &message, usable, v4, &opts);
 *
 * Calls e.field for each field in the order of the bytes. A group is a field
 * without bytes of its own. All other fields cover the message: each byte is in
 * exactly one of them, even if the message is damaged; bytes that cannot be
 * parsed are a field "unread". The output is for people and tests and does not
 * decide what a message means; each field is at the place where the decoder
 * looks for it.
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
	bool is_group; /* has no bytes; fields that follow are inside */
	const char *name;
	/*
	 * The value as text, truncated if it is long; empty if the bytes are
	 * enough.
	 */
	const char *value;
};

struct explain {
	void (*field)(void *arg, const struct explain_field *f);
	void *arg;

	/* Private to the functions below. */
	const uint8_t *start;
	const uint8_t *at; /* the first byte not yet described */
	unsigned depth;
};

/*
 * Describe a BMP message. @usable is the result of bmp_status_usable(). @opts
 * are the options to decode its UPDATE, or the UPDATEs of a Route Mirroring.
 */
void explain_message(struct explain *e, const struct bmp_frame *frame,
		     const struct bmp_message *message, bool usable,
		     enum bmp_v4 v4, const struct bgp_decode_opts *opts);

/* Describe a BGP message, which begins with its marker and may be damaged. */
void explain_pdu(struct explain *e, struct wire_view pdu,
		 const struct bgp_decode_opts *opts);

/* Parts, for the files of this module: explain.c and explain_bgp.c */

void explain_begin(struct explain *e, struct wire_view whole);
/* Describe the remaining bytes up to @end as "unread". */
void explain_end(struct explain *e, const uint8_t *end);
void explain_enter(struct explain *e, const char *name);
void explain_leave(struct explain *e);
void explain_bytes(struct explain *e, const char *name, struct wire_view bytes,
		   const char *value);
void explain_number(struct explain *e, const char *name,
		    struct wire_view bytes);
/* Describe a number with its name, @word; the name "unknown" is omitted. */
void explain_code(struct explain *e, const char *name, struct wire_view bytes,
		  const char *word);
/*
 * Describe the fields of a layout. False, and nothing is described, if @v does
 * not fit.
 */
bool explain_layout(struct explain *e, const struct value_field *layout,
		    struct wire_view v);
/* Describe a BGP message that is part of a BMP message. */
void explain_pdu_inside(struct explain *e, struct wire_view pdu,
			const struct bgp_decode_opts *opts);

#endif
