/*
 * bmp/attr_values.h - check and describe the values of path attributes
 *
 * Private to the table of attributes: the rows of attr_rows.c refer to these
 * functions.
 */
#ifndef BMP_ATTR_VALUES_H
#define BMP_ATTR_VALUES_H

#include "bmp/value_layout.h"

struct bgp_attrs;
struct bgp_decode_opts;

extern const struct tlv_layout bgp_aigp_tlvs;
extern const struct tlv_layout bgp_prefix_sid_tlvs;
extern const struct tlv_layout bgp_bfd_tlvs;
extern const struct tlv_layout bgp_sfp_tlvs;
extern const struct tlv_layout bgp_bier_tlvs;
extern const struct tlv_layout bgp_wide_tlvs;
extern const struct tlv_layout bgp_characteristic_tlvs;
extern const struct tlv_layout bgp_tunnel_tlvs;
extern const struct tlv_layout bgp_link_state_tlvs;

/* Decoders of attributes that have no member: they only check the value. */
bool bgp_check_aigp(struct wire_view v, const struct bgp_decode_opts *r,
		    struct bgp_attrs *a);
bool bgp_check_prefix_sid(struct wire_view v, const struct bgp_decode_opts *r,
			  struct bgp_attrs *a);
bool bgp_check_tunnel_encap(struct wire_view v, const struct bgp_decode_opts *r,
			    struct bgp_attrs *a);
bool bgp_check_sfp(struct wire_view v, const struct bgp_decode_opts *r,
		   struct bgp_attrs *a);
bool bgp_check_bfd_discriminator(struct wire_view v,
				 const struct bgp_decode_opts *r,
				 struct bgp_attrs *a);
bool bgp_check_characteristics(struct wire_view v,
			       const struct bgp_decode_opts *r,
			       struct bgp_attrs *a);

/*
 * Functions for VALUE_CUSTOM: they describe values that are not a list of
 * fields. Each gets the whole value.
 */
bool bgp_describe_pmsi(struct field_writer *w, struct wire_view v);
bool bgp_describe_attr_set(struct field_writer *w, struct wire_view v);
bool bgp_describe_bgpsec_path(struct field_writer *w, struct wire_view v);
bool bgp_describe_domain_path(struct field_writer *w, struct wire_view v);
bool bgp_describe_pe_labels(struct field_writer *w, struct wire_view v);
bool bgp_describe_containers(struct field_writer *w, struct wire_view v);
bool bgp_describe_characteristics(struct field_writer *w, struct wire_view v);

/* Parts of TLVs, in attr_tlv_values.c */
bool bgp_describe_rd(struct field_writer *w, struct wire_view v);
bool bgp_describe_binding_sid(struct field_writer *w, struct wire_view v);
bool bgp_describe_srv6_structure(struct field_writer *w, struct wire_view v);
bool bgp_describe_srv6_segment(struct field_writer *w, struct wire_view v);

#endif
