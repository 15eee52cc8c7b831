/*
 * bmp/value_layout.h - values whose fields a table describes
 *
 *	static const struct value_field endpoint[] = {
 *		VALUE_RESERVED(4), VALUE("family", NUMBER, .len = 2),
 *		VALUE("address", ADDRESS), { 0 },
 *	};
 *
 *	if (!value_describe(endpoint, value, writer))
 *		... the value does not fit: show its bytes
 *
 * For path attributes, their TLVs, and communities. A layout describes a value
 * and does not decide about verdicts. A table is as long as the RFC's figure;
 * to add a TLV, add a row. Tables nest, but not in a circle, so the depth is
 * bounded.
 */
#ifndef BMP_VALUE_LAYOUT_H
#define BMP_VALUE_LAYOUT_H

#include "bmp/field_writer.h"

enum value_form {
	VALUE_END,
	VALUE_SKIP,	 /* reserved */
	VALUE_NUMBER,	 /* len bytes, 8 at most */
	VALUE_NUMBERS,	 /* a list of numbers of len bytes each, to the end */
	VALUE_HEX,	 /* len bytes */
	VALUE_REST,	 /* hex, to the end */
	VALUE_TEXT,	 /* to the end */
	VALUE_LABEL,	 /* 3 bytes: the upper 20 bits */
	VALUE_IPV4,	 /* 4 bytes */
	VALUE_IPV6,	 /* 16 bytes */
	VALUE_ADDRESS,	 /* 0, 4 or 16 bytes, to the end */
	VALUE_ADDRESSES, /* a list of len bytes each, to the end */
	VALUE_FLOAT,	 /* 4 bytes, IEEE 754; a whole number */
	/* a list of floats: len bytes in total; len 0 = to the end */
	VALUE_FLOATS,
	VALUE_TLVS, /* a list of objects, to the end */
	/* a list of objects of len bytes each, without types and lengths */
	VALUE_RECORDS,
	VALUE_CUSTOM,	   /* to the end, by a function */
	VALUE_CUSTOM_PART, /* len bytes, by a function */
};

struct value_field {
	const char *name;
	uint8_t form; /* enum value_form */
	uint8_t len;
	/* The value may end before this field. */
	bool optional;
	/*
	 * TLVs of VALUE_TLVS. For the custom forms it is used in documents and
	 * tests only.
	 */
	const struct tlv_layout *tlvs;
	/* VALUE_RECORDS: fields of an object */
	const struct value_field *record;
	/*
	 * Write the fields of @v into the object that @w is in. False if @v
	 * does not fit. If @w is NULL, only check whether @v fits.
	 */
	bool (*custom)(struct field_writer *w, struct wire_view v);
};

#define VALUE_FIELDS_MAX 8

struct tlv_row {
	uint16_t type;
	const char *name;
	struct value_field fields[VALUE_FIELDS_MAX + 1];
};

/* How the elements of a list begin. */
enum tlv_head {
	TLV_HEAD_1_1, /* bytes of type and of length */
	TLV_HEAD_1_2,
	TLV_HEAD_2_2,
	/* RFC 7311: the length counts type and length. */
	TLV_HEAD_1_2_WHOLE,
	/* RFC 9012 3.2: the length has two bytes if the type is above 127. */
	TLV_HEAD_SUB_TLV,
};

/*
 * Fields in a table: VALUE("color", NUMBER, .len = 4)
 */
#define VALUE(field, kind, ...)                                    \
	{                                                          \
		.name = (field), .form = VALUE_##kind, __VA_ARGS__ \
	}
#define VALUE_RESERVED(bytes)                      \
	{                                          \
		.form = VALUE_SKIP, .len = (bytes) \
	}

struct tlv_layout {
	uint8_t head; /* enum tlv_head */
	size_t count;
	const struct tlv_row *rows; /* by type, ascending */
};

#define TLV_LAYOUT(form, table)                                              \
	{                                                                    \
		.head = (form), .count = sizeof(table) / sizeof((table)[0]), \
		.rows = (table),                                             \
	}

/*
 * Write the fields of @v into the object that @w is in. False, and nothing is
 * written, if @v does not have this layout. An element of a TLV list whose
 * type is unknown, or whose value does not have the layout of its type, is
 * written as bytes: "type", "name" if it is known, and "value".
 */
bool value_describe(const struct value_field *layout, struct wire_view v,
		    struct field_writer *w);

/* True if @v has this layout. */
bool value_fits(const struct value_field *layout, struct wire_view v);

/*
 * Functions that value_visit() calls for each field with its bytes: from the
 * first byte of the value to the last, none left out. Types and lengths of TLVs
 * are fields, too. enter() is called for a TLV with its name, NULL if that is
 * not known. A field whose name is NULL is reserved.
 */
struct value_visitor {
	void (*enter)(void *arg, const char *name);
	void (*leave)(void *arg);
	void (*field)(void *arg, const struct value_field *f,
		      struct wire_view bytes);
	void *arg;
};

/*
 * Visit the fields of @v. False, and nothing is visited, if @v does not have
 * this layout.
 */
bool value_visit(const struct value_field *layout, struct wire_view v,
		 const struct value_visitor *visitor);

/* Write a field that was visited. */
void value_write_field(const struct value_field *f, struct wire_view v,
		       struct field_writer *w);

/* Write an address of 4 or 16 bytes as a string. */
void value_write_address(struct field_writer *w, const char *name,
			 struct wire_view v);

#endif
