/*
 * bmp/nlri_describe.h - all fields of an NLRI that is not a prefix, by name
 *
 * The text (bmp/nlri_text.h) has only the fields that identify the route. These
 * functions write all fields: labels, segments and gateways of EVPN, sessions
 * of MUP, each descriptor of BGP-LS.
 */
#ifndef BMP_NLRI_DESCRIBE_H
#define BMP_NLRI_DESCRIBE_H

#include "bmp/nlri.h"
#include "bmp/field_writer.h"

/*
 * True if bgp_nlri_describe() writes fields. False for prefixes, flow
 * specifications and unknown families, and if the NLRI does not have the fields
 * of its type.
 */
bool bgp_nlri_has_fields(const struct bgp_nlri *n);

/* Write the fields into the object that @w is in. */
void bgp_nlri_describe(const struct bgp_nlri *n, struct field_writer *w);

#endif
