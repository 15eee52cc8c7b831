/*
 * bmp/attr_row.h - the table of path attributes, with one row for each
 *
 * To add an attribute, add a row in attr_rows.c. The index of the row may be a
 * plain number; add a name to enum bgp_attr_code only if other code uses it.
 * Add cases to tests/unit/test_bmp_attr.c (verdicts) and test_bmp_attr_values.c
 * (fields), which fail if a row has no case; test_bmp_attr_row.c reports what a
 * row lacks. Decoder, canonical form, writer, names, JSON and
 * docs/attributes.md follow the row. An attribute that gets a member of struct
 * bgp_attrs also needs a field in the schema; all others are published as bytes
 * and described by the row.
 */
#ifndef BMP_ATTR_ROW_H
#define BMP_ATTR_ROW_H

#include "bmp/value_layout.h"

#include <stdalign.h>

struct bgp_attr;
struct bgp_attrs;
struct bgp_decode_opts;

/* The form of the value in the canonical form. */
enum bgp_attr_spelling {
	/* as the router sent it; also used for unknown attributes */
	BGP_SPELL_AS_SENT,
	BGP_SPELL_NOWHERE, /* omitted, or part of another attribute */
	BGP_SPELL_PATH,
	BGP_SPELL_AGGREGATOR,
	/*
	 * a list of elements, bgp_attr_row.element bytes each, sorted and
	 * without duplicates
	 */
	BGP_SPELL_SET,
};

/* The type of the member of struct bgp_attrs that has the value. */
enum bgp_attr_member {
	BGP_MEMBER_NONE,  /* no member: only in bgp_attrs.block */
	BGP_MEMBER_OTHER, /* another type, or several members */
	BGP_MEMBER_U8,
	BGP_MEMBER_U32,
	BGP_MEMBER_VIEW,
};

struct bgp_attr_row {
	/*
	 * Check the value and fill the member; false if the value is wrong.
	 * NULL = the attribute is handled as unknown; its row has only a name
	 * and a reference.
	 */
	alignas(64) bool (*decode)(struct wire_view v,
				   const struct bgp_decode_opts *r,
				   struct bgp_attrs *a);
	uint16_t min, max; /* length of the value */
	uint8_t flags;	   /* required optional and transitive flags */
	uint8_t bad_value; /* verdict if length or value is wrong */
	uint8_t bad_flags; /* verdict if the flags are wrong; RFC 7606 3c */
	/* verdict if the attribute is repeated; the first one is used */
	uint8_t twice;
	uint8_t spelling;   /* enum bgp_attr_spelling */
	uint8_t element;    /* BGP_SPELL_SET: bytes of an element */
	uint8_t member;	    /* enum bgp_attr_member */
	uint16_t member_at; /* offset in struct bgp_attrs */
	const char *name;   /* "as-path"; NULL = no row */
	const char *reference;
	/*
	 * Layout of the value, if the attribute has no member. NULL = the value
	 * is shown as bytes.
	 */
	const struct value_field *layout;
};

extern const struct bgp_attr_row bgp_attr_rows[256];

/*
 * Describe attribute @t, known or not, in the object that @w is in: "flags"
 * without Extended Length and reserved bits, "type", "name" if known, "value"
 * in bytes, and, if @fields is set and the value fits the layout of the row,
 * "fields".
 */
void bgp_attr_write(const struct bgp_attr *t, bool fields,
		    struct field_writer *w);

#endif
