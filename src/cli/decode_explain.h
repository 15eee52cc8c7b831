/*
 * cli/decode_explain.h - messages byte by byte (bmp/explain.h)
 *
 * On a terminal a line for each field, with its bytes; as JSON one object for
 * each message, of kind "explain", with a list of fields.
 */
#ifndef CLI_DECODE_EXPLAIN_H
#define CLI_DECODE_EXPLAIN_H

#include "bmp/message.h"
#include "cli/decode.h"

void decode_explain_message(struct decode *d, const struct bmp_frame *frame,
			    const struct bmp_message *message, bool usable,
			    const struct bgp_decode_opts *opts);

/* A BGP message of an MRT record. */
void decode_explain_pdu(struct decode *d, struct wire_view pdu,
			const struct bgp_decode_opts *opts);

#endif
