/*
 * bmp/nlri_describe.h - all fields of an NLRI that is no prefix, by name
 *
 * The text (bmp/nlri_text.h) has what identifies the route; these are all of
 * them: labels, segments and gateways of EVPN, sessions of MUP, each
 * descriptor of BGP-LS.
 */
#ifndef BMP_NLRI_DESCRIBE_H
#define BMP_NLRI_DESCRIBE_H

#include "bmp/nlri.h"
#include "bmp/field_writer.h"

/*
 * Whether bgp_nlri_describe() writes anything: not of prefixes, of flow
 * specifications and of families that nobody knows, nor of what does not fit
 * its type.
 */
bool bgp_nlri_has_fields(const struct bgp_nlri *n);

/* The fields, into the object that @w is in. */
void bgp_nlri_describe(const struct bgp_nlri *n, struct field_writer *w);

#endif
