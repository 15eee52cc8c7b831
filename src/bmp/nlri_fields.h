/*
 * bmp/nlri_fields.h - the fields inside a typed NLRI, from tables
 *
 * EVPN, MVPN, SR policy, VPLS, MUP and route target NLRI are short lists of
 * fields. Which fields identify the route (the key) depends on the type: the
 * segment and the labels of an EVPN MAC route are not key (RFC 7432 7.2), the
 * segment of an Ethernet A-D route is. Tables list the fields, and key, value
 * and text are made from these tables.
 */
#ifndef BMP_NLRI_FIELDS_H
#define BMP_NLRI_FIELDS_H

#include "bmp/nlri.h"
#include "bmp/value_layout.h"

enum nlri_field_form {
	NLRI_FIELD_END,
	NLRI_FIELD_NUMBER, /* 1 to 4 bytes */
	NLRI_FIELD_HEX,
	NLRI_FIELD_MAC, /* a length in bits (1 byte), then 6 bytes */
	NLRI_FIELD_IP,	/* a length in bits (1 byte), then 0, 4 or 16 bytes */
	/*
	 * a prefix length in bits (1 byte), then all 4 or 16 bytes of the
	 * address
	 */
	NLRI_FIELD_PREFIX,
	/*
	 * a prefix length in bits (1 byte), then only as many bytes as the
	 * prefix length needs
	 */
	NLRI_FIELD_PACKED,
	NLRI_FIELD_ADDRESS, /* 4 or 16 bytes */
	NLRI_FIELD_LABEL,   /* 3 bytes; may be missing at the end */
	NLRI_FIELD_REST,    /* all following bytes, in hex */
};

struct nlri_field_def {
	const char *name;
	uint8_t form; /* enum nlri_field_form */
	uint8_t len;  /* bytes of NUMBER and HEX */
	bool key;
	/*
	 * Layout of a REST field. NULL, or if the value does not fit: shown in
	 * hex.
	 */
	const struct value_field *inside;
};

#define NLRI_FIELDS_MAX 7

struct nlri_layout {
	const char *name;
	/* One more than the maximum: a zero field ends the list. */
	struct nlri_field_def fields[NLRI_FIELDS_MAX + 1];
};

/* The layouts of a kind of NLRI: a row for each type, or one if it has none. */
struct nlri_layouts {
	size_t count;
	const struct nlri_layout *rows; /* by type */
	/*
	 * Fields of a body of four bytes, whatever its type; NULL = no
	 * exception.
	 */
	const struct nlri_layout *four_bytes;
};

/* Layout of a BGP-LS NLRI: protocol, identifier and descriptors. */
extern const struct value_field bgp_link_state_nlri[];

/* Describe the content of REST fields of MUP; in nlri_describe.c. */
bool bgp_describe_mup_addresses(struct field_writer *w, struct wire_view v);
bool bgp_describe_mup_endpoint(struct field_writer *w, struct wire_view v);

extern const struct nlri_layouts bgp_nlri_evpn_layouts;
extern const struct nlri_layouts bgp_nlri_mvpn_layouts;
extern const struct nlri_layouts bgp_nlri_mup_layouts;
extern const struct nlri_layouts bgp_nlri_link_state_layouts;
extern const struct nlri_layouts bgp_nlri_mdt_layouts;
extern const struct nlri_layouts bgp_nlri_unreachability_layouts;
extern const struct nlri_layouts bgp_nlri_car_layouts;
extern const struct nlri_layouts bgp_nlri_sfc_layouts;
extern const struct nlri_layouts bgp_nlri_sr_policy_layouts;
extern const struct nlri_layouts bgp_nlri_vpls_layouts;

struct nlri_field {
	const struct nlri_field_def *def;
	uint8_t bits; /* the length byte, if the form has one */
	/*
	 * The value without the length byte. The field is absent if wire.len is
	 * 0.
	 */
	struct wire_view value;
	struct wire_view wire; /* the field with its length byte */
};

struct nlri_field_iter {
	struct wire_cursor c;
	const struct nlri_field_def *def;
	uint8_t address_len; /* bytes of PREFIX and ADDRESS: 4 or 16 */
	bool malformed;	     /* the body does not have the fields of its type */
};

/*
 * Start to iterate over the fields in the body of @n. False if its kind or type
 * has no table: then the whole body is key.
 */
bool nlri_field_start(struct nlri_field_iter *it, const struct bgp_nlri *n);
bool nlri_field_next(struct nlri_field_iter *it, struct nlri_field *out);

/* True if every field of the body of @n, as its type has it, can be parsed. */
bool nlri_fields_valid(const struct bgp_nlri *n);

/* "mac-ip", "inclusive-multicast"; NULL for an unknown type. */
const char *nlri_type_name(const struct bgp_nlri *n);

#endif
