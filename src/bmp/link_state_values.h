/*
 * bmp/link_state_values.h - describe values of TLVs of the BGP-LS attribute
 *
 * Private to the table of link_state_tlvs.c: functions for values that are not
 * a list of fields. As with VALUE_CUSTOM, if @w is NULL they only check whether
 * the value fits.
 */
#ifndef BMP_LINK_STATE_VALUES_H
#define BMP_LINK_STATE_VALUES_H

#include "bmp/attr_values.h"

/* RFC 9085 2.1.2: sizes of three bytes, each with a SID/Label TLV */
bool bgp_describe_sid_ranges(struct field_writer *w, struct wire_view v);
/* RFC 9085 2.2.2: a system (6 bytes) or router (4 bytes), then a SID */
bool bgp_describe_lan_adjacency(struct field_writer *w, struct wire_view v);
/* RFC 9857 5.1: two labels or two SRv6 SIDs */
bool bgp_describe_sr_binding_sid(struct field_writer *w, struct wire_view v);
/* RFC 9857 5.6.1: three lists of 32-bit groups, their sizes first */
bool bgp_describe_sr_affinity(struct field_writer *w, struct wire_view v);
/* RFC 9857 5.7.1; @tlvs describes what follows the descriptor. */
bool bgp_describe_sr_segment(struct field_writer *w, struct wire_view v,
			     const struct value_field *tlvs);

#endif
