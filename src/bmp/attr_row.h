/*
 * bmp/attr_row.h - the table of path attributes: one row has all about one
 *
 * A new attribute is one row in attr_rows.c, whose index may be its number: a
 * name in enum bgp_attr_code is for code that names it. Its cases are in
 * tests/unit/test_bmp_attr.c (verdicts) and test_bmp_attr_values.c (fields),
 * which fail for a row without; test_bmp_attr_row.c says what a row lacks.
 * Decoder, canonical form, writer, names, JSON and docs/attributes.md follow
 * the row.
 * An attribute that gets a member of struct bgp_attrs has a field in the
 * schema, too; all others are published as bytes and described by the row.
 */
#ifndef BMP_ATTR_ROW_H
#define BMP_ATTR_ROW_H

#include "bmp/value_layout.h"

#include <stdalign.h>

struct bgp_attr;
struct bgp_attrs;
struct bgp_decode_opts;

/* How the canonical form spells the value. */
enum bgp_attr_spelling {
	/* as the router sent it; also used for unknown attributes */
	BGP_SPELL_AS_SENT,
	BGP_SPELL_NOWHERE, /* elsewhere in the canonical form, or not at all */
	BGP_SPELL_PATH,
	BGP_SPELL_AGGREGATOR,
	/*
	 * a list of elements, bgp_attr_row.element bytes each, sorted and
	 * without duplicates
	 */
	BGP_SPELL_SET,
};

/* In which form struct bgp_attrs keeps the value. */
enum bgp_attr_member {
	BGP_MEMBER_NONE,  /* in its block only */
	BGP_MEMBER_OTHER, /* in more than one member */
	BGP_MEMBER_U8,
	BGP_MEMBER_U32,
	BGP_MEMBER_VIEW,
};

struct bgp_attr_row {
	/*
	 * Judge the value and fill the member. NULL: the attribute has at most
	 * a name, and is passed on as one that nobody knows.
	 */
	alignas(64) bool (*decode)(struct wire_view v,
				   const struct bgp_decode_opts *r,
				   struct bgp_attrs *a);
	uint16_t min, max; /* length of the value */
	uint8_t flags;	   /* required optional and transitive flags */
	uint8_t bad_value; /* verdict if length or value is wrong */
	uint8_t bad_flags; /* verdict if the flags are wrong; RFC 7606 3c */
	/* verdict if it is repeated; the first one is used */
	uint8_t twice;
	uint8_t spelling;   /* enum bgp_attr_spelling */
	uint8_t element;    /* bytes, of BGP_SPELL_SET */
	uint8_t member;	    /* enum bgp_attr_member */
	uint16_t member_at; /* offset in struct bgp_attrs */
	const char *name;   /* "as-path"; NULL: no row */
	const char *reference;
	/* Of the value, if it has no member. NULL: it is shown as bytes. */
	const struct value_field *layout;
};

extern const struct bgp_attr_row bgp_attr_rows[256];

/*
 * Describe an attribute, whatever it is: "flags" without the bits that concern
 * its length, "type", "name", "value" in bytes, and "fields" if the row has a
 * layout that the value fits and @fields is set.
 */
void bgp_attr_write(const struct bgp_attr *t, bool fields,
		    struct field_writer *w);

#endif
