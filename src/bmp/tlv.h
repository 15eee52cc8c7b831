/*
 * bmp/tlv.h - one iterator for every list of type, length, value
 *
 *	BMP information	(RFC 7854 4.4)	type 2, length 2
 *	BMP v4 indexed	(bmp-tlv-20)	type 2, length 2, index 2; the index
 *					is not counted by the length
 *	OPEN parameters	(RFC 4271, 5492) type 1, length 1
 *	long parameters	(RFC 9072)	type 1, length 2
 *
 *	struct tlv_iter it = tlv_start(list, TLV_BMP);
 *	while (tlv_next(&it, &tlv))
 *		...
 *	if (it.cut)		the list ends in the middle of an element
 */
#ifndef BMP_TLV_H
#define BMP_TLV_H

#include "bmp/wire.h"

enum tlv_form {
	TLV_BMP,
	TLV_BMP_INDEXED,
	TLV_SHORT, /* capabilities, optional parameters */
	TLV_SHORT_LONG,
};

struct tlv {
	uint16_t type;
	uint16_t index; /* TLV_BMP_INDEXED only; top bit: index of a group */
	struct wire_view value;
};

struct tlv_iter {
	struct wire_cursor c;
	enum tlv_form form;
	bool cut; /* set if the rest is not a whole element */
};

static inline struct tlv_iter tlv_start(struct wire_view list,
					enum tlv_form form)
{
	return (struct tlv_iter){ .c = wire_start(list), .form = form };
}

static inline bool tlv_header(struct tlv_iter *it, uint16_t *type,
			      uint16_t *index, uint16_t *len)
{
	uint8_t type8, len8;

	*index = 0;
	switch (it->form) {
	case TLV_BMP:
		return wire_u16(&it->c, type) && wire_u16(&it->c, len);
	case TLV_BMP_INDEXED:
		return wire_u16(&it->c, type) && wire_u16(&it->c, len) &&
		       wire_u16(&it->c, index);
	case TLV_SHORT:
		if (!(wire_u8(&it->c, &type8) && wire_u8(&it->c, &len8)))
			return false;
		*type = type8;
		*len = len8;
		return true;
	case TLV_SHORT_LONG:
		if (!(wire_u8(&it->c, &type8) && wire_u16(&it->c, len)))
			return false;
		*type = type8;
		return true;
	}
	return false;
}

/*
 * Get the next element. False at the end of the list, or if the rest is not a
 * whole element.
 */
static inline bool tlv_next(struct tlv_iter *it, struct tlv *out)
{
	struct wire_view value;
	uint16_t type = 0, index = 0, len = 0;

	if (it->c.left == 0)
		return false;
	if (!tlv_header(it, &type, &index, &len) ||
	    !wire_take(&it->c, len, &value)) {
		it->cut = true;
		it->c.left = 0;
		return false;
	}
	*out = (struct tlv){ .type = type, .index = index, .value = value };
	return true;
}

/* Get the first element of @type; false if there is none. */
static inline bool tlv_find(struct wire_view list, enum tlv_form form,
			    uint16_t type, struct tlv *out)
{
	struct tlv_iter it = tlv_start(list, form);
	struct tlv tlv;

	while (tlv_next(&it, &tlv)) {
		if (tlv.type == type) {
			*out = tlv;
			return true;
		}
	}
	return false;
}

/* True if @list consists of whole elements. */
static inline bool tlv_valid(struct wire_view list, enum tlv_form form)
{
	struct tlv_iter it = tlv_start(list, form);
	struct tlv tlv;

	while (tlv_next(&it, &tlv))
		;
	return !it.cut;
}

#endif
