/*
 * bmp/capability.h - the table of BGP capabilities: names and values
 *
 * By IANA's "Capability Codes". To add a capability, add a row in
 * capability_rows.c and a case in tests/unit/test_bmp_capability.c; JSON and
 * docs/attributes.md follow the row. What a capability means for later messages
 * is in bmp/open.c.
 */
#ifndef BMP_CAPABILITY_H
#define BMP_CAPABILITY_H

#include "bmp/value_layout.h"

struct tlv;

struct bgp_capability_row {
	const char *name; /* "add-path"; NULL = no row */
	const char *reference;
	/* NULL = the value is empty, or its layout is not known. */
	const struct value_field *layout;
};

/* The row of @code, or NULL. */
const struct bgp_capability_row *bgp_capability_row(unsigned code);

/*
 * Describe a capability in the object that @w is in: "code", "name", "value" in
 * bytes, and "fields" if bgp_capability_row() returns a row with a layout that
 * the value fits.
 */
void bgp_capability_write(const struct tlv *capability, struct field_writer *w);

#endif
