/*
 * A layout is applied twice: without a writer, to check whether the value fits,
 * and then with one. So nothing that was written has to be removed.
 */
#include "bmp/value_layout.h"

#include "bmp/text.h"

#define TWO_TO_64 18446744073709551616.0f

void value_write_address(struct field_writer *w, const char *name,
			 struct wire_view v)
{
	char buf[64];
	struct text t = text_start(buf, sizeof(buf));

	if (v.len == 16)
		text_ipv6(&t, v.p);
	else if (v.len == 4)
		text_ipv4(&t, v.p);
	text_end(&t);
	w->ops->string(w->arg, name, buf);
}

/*
 * Write an IEEE 754 number, such as a bandwidth in bytes per second, without
 * its fraction. A number that is negative, not finite or too large is written
 * as bytes.
 */
static void write_float(struct field_writer *w, const char *name,
			const uint8_t *p)
{
	uint32_t bits = wire_get_u32(p);
	float value;

	_Static_assert(sizeof(value) == sizeof(bits), "IEEE 754 single");
	memcpy(&value, &bits, sizeof(value));
	if (value >= 0 && value < TWO_TO_64)
		w->ops->number(w->arg, name, (uint64_t)value);
	else
		w->ops->bytes(w->arg, name, (struct wire_view){ p, 4 });
}

/* Lists of equal elements */

static void write_elements(struct field_writer *w, const struct value_field *f,
			   struct wire_view v, size_t size)
{
	w->ops->begin_list(w->arg, f->name);
	for (size_t i = 0; i + size <= v.len; i += size) {
		struct wire_view one = { v.p + i, size };

		if (f->form == VALUE_NUMBERS)
			w->ops->number(w->arg, NULL,
				       wire_get_number(one.p, one.len));
		else if (f->form == VALUE_FLOATS)
			write_float(w, NULL, one.p);
		else
			value_write_address(w, NULL, one);
	}
	w->ops->end_list(w->arg);
}

/* Lists of TLVs */

static const struct tlv_row *find_row(const struct tlv_layout *layout,
				      uint16_t type)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->rows[i].type == type)
			return &layout->rows[i];
	return NULL;
}

static bool take_narrow(struct wire_cursor *c, uint16_t *out)
{
	uint8_t byte;

	if (!wire_u8(c, &byte))
		return false;
	*out = byte;
	return true;
}

static bool take_tlv(struct wire_cursor *c, enum tlv_head head, uint16_t *type,
		     struct wire_view *value)
{
	bool wide_type = head == TLV_HEAD_2_2;
	bool wide_len;
	uint16_t len;

	if (!(wide_type ? wire_u16(c, type) : take_narrow(c, type)))
		return false;
	wide_len =
		head == TLV_HEAD_SUB_TLV ? *type > 127 : head != TLV_HEAD_1_1;
	if (!(wide_len ? wire_u16(c, &len) : take_narrow(c, &len)))
		return false;
	if (head == TLV_HEAD_1_2_WHOLE) {
		if (len < 3)
			return false;
		len -= 3;
	}
	return wire_take(c, len, value);
}

static void write_tlv(struct field_writer *w, const struct tlv_layout *layout,
		      uint16_t type, struct wire_view value)
{
	const struct tlv_row *row = find_row(layout, type);

	w->ops->begin_object(w->arg, NULL);
	w->ops->number(w->arg, "type", type);
	if (row != NULL)
		w->ops->string(w->arg, "name", row->name);
	if (row == NULL || !value_describe(row->fields, value, w))
		w->ops->bytes(w->arg, "value", value);
	w->ops->end_object(w->arg);
}

static bool walk_tlvs(const struct value_field *f, struct wire_view v,
		      struct field_writer *w)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view value;
	uint16_t type;

	if (w != NULL)
		w->ops->begin_list(w->arg, f->name);
	while (c.left != 0) {
		if (!take_tlv(&c, (enum tlv_head)f->tlvs->head, &type, &value))
			return false;
		if (w != NULL)
			write_tlv(w, f->tlvs, type, value);
	}
	if (w != NULL)
		w->ops->end_list(w->arg);
	return true;
}

/* Fields */

/*
 * The length of field @f if @left bytes are left; SIZE_MAX if the field does
 * not fit.
 */
static size_t field_len(const struct value_field *f, size_t left)
{
	switch ((enum value_form)f->form) {
	case VALUE_NUMBER:
		if (f->len == 0)
			return left != 0 && left <= 8 ? left : SIZE_MAX;
		return f->len;
	case VALUE_SKIP:
	case VALUE_HEX:
	case VALUE_CUSTOM_PART:
		return f->len;
	case VALUE_LABEL:
		return 3;
	case VALUE_IPV4:
	case VALUE_FLOAT:
		return 4;
	case VALUE_IPV6:
		return 16;
	case VALUE_ADDRESS:
		return left == 0 || left == 4 || left == 16 ? left : SIZE_MAX;
	case VALUE_NUMBERS:
	case VALUE_ADDRESSES:
	case VALUE_RECORDS:
		return left % f->len == 0 ? left : SIZE_MAX;
	case VALUE_FLOATS:
		if (f->len != 0)
			return f->len;
		return left % 4 == 0 ? left : SIZE_MAX;
	case VALUE_REST:
	case VALUE_TEXT:
	case VALUE_TLVS:
	case VALUE_CUSTOM:
	case VALUE_END:
		return left;
	}
	return SIZE_MAX;
}

/*
 * Write a list of objects of equal length; fits_field() has checked each of
 * them.
 */
static void write_records(const struct value_field *f, struct wire_view v,
			  struct field_writer *w)
{
	w->ops->begin_list(w->arg, f->name);
	for (size_t i = 0; i < v.len; i += f->len) {
		w->ops->begin_object(w->arg, NULL);
		(void)value_describe(f->record,
				     (struct wire_view){ v.p + i, f->len }, w);
		w->ops->end_object(w->arg);
	}
	w->ops->end_list(w->arg);
}

static void write_field(const struct value_field *f, struct wire_view v,
			struct field_writer *w)
{
	switch ((enum value_form)f->form) {
	case VALUE_NUMBER:
		w->ops->number(w->arg, f->name, wire_get_number(v.p, v.len));
		break;
	case VALUE_HEX:
	case VALUE_REST:
		if (v.len != 0)
			w->ops->bytes(w->arg, f->name, v);
		break;
	case VALUE_TEXT:
		w->ops->text(w->arg, f->name, v);
		break;
	case VALUE_LABEL:
		w->ops->number(w->arg, f->name,
			       (uint64_t)(wire_get_number(v.p, 3) >> 4));
		break;
	case VALUE_IPV4:
	case VALUE_IPV6:
	case VALUE_ADDRESS:
		if (v.len != 0)
			value_write_address(w, f->name, v);
		break;
	case VALUE_FLOAT:
		write_float(w, f->name, v.p);
		break;
	case VALUE_NUMBERS:
	case VALUE_ADDRESSES:
		write_elements(w, f, v, f->len);
		break;
	case VALUE_FLOATS:
		write_elements(w, f, v, 4);
		break;
	case VALUE_TLVS:
		(void)walk_tlvs(f, v, w); /* cannot fail: see fits_field() */
		break;
	case VALUE_RECORDS:
		write_records(f, v, w);
		break;
	case VALUE_CUSTOM:
	case VALUE_CUSTOM_PART:
		(void)f->custom(w, v);
		break;
	case VALUE_SKIP:
	case VALUE_END:
		break;
	}
}

static bool fits_field(const struct value_field *f, struct wire_view v)
{
	switch ((enum value_form)f->form) {
	case VALUE_TLVS:
		return walk_tlvs(f, v, NULL);
	case VALUE_RECORDS:
		for (size_t i = 0; i < v.len; i += f->len)
			if (!value_fits(f->record,
					(struct wire_view){ v.p + i, f->len }))
				return false;
		return true;
	case VALUE_CUSTOM:
	case VALUE_CUSTOM_PART:
		return f->custom(NULL, v);
	default:
		return true;
	}
}

static bool walk_fields(const struct value_field *f, struct wire_view v,
			struct field_writer *w)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view part;

	for (; f->form != VALUE_END; f++) {
		if (f->optional && c.left == 0)
			return true;
		if (!wire_take(&c, field_len(f, c.left), &part))
			return false;
		if (w != NULL)
			write_field(f, part, w);
		else if (!fits_field(f, part))
			return false;
	}
	return c.left == 0;
}

bool value_fits(const struct value_field *layout, struct wire_view v)
{
	return walk_fields(layout, v, NULL);
}

bool value_describe(const struct value_field *layout, struct wire_view v,
		    struct field_writer *w)
{
	return walk_fields(layout, v, NULL) && walk_fields(layout, v, w);
}

void value_write_field(const struct value_field *f, struct wire_view v,
		       struct field_writer *w)
{
	write_field(f, v, w);
}

/* Visits: as walk_fields(), for a value that fits */

static void visit_fields(const struct value_field *f, struct wire_view v,
			 const struct value_visitor *visitor);

static void visit_tlv(const struct tlv_layout *layout, struct wire_view head,
		      uint16_t type, struct wire_view value,
		      const struct value_visitor *visitor)
{
	static const struct value_field type_field = VALUE("type", NUMBER);
	static const struct value_field length_field = VALUE("length", NUMBER);
	static const struct value_field value_field = VALUE("value", REST);
	size_t type_len = layout->head == TLV_HEAD_2_2 ? 2 : 1;
	const struct tlv_row *row = find_row(layout, type);

	visitor->enter(visitor->arg, row != NULL ? row->name : NULL);
	visitor->field(visitor->arg, &type_field,
		       (struct wire_view){ head.p, type_len });
	visitor->field(visitor->arg, &length_field,
		       (struct wire_view){ head.p + type_len,
					   head.len - type_len });
	if (row != NULL && value_fits(row->fields, value))
		visit_fields(row->fields, value, visitor);
	else
		visitor->field(visitor->arg, &value_field, value);
	visitor->leave(visitor->arg);
}

static void visit_tlvs(const struct value_field *f, struct wire_view v,
		       const struct value_visitor *visitor)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view value;
	uint16_t type;

	while (c.left != 0) {
		const uint8_t *start = c.p;

		if (!take_tlv(&c, (enum tlv_head)f->tlvs->head, &type, &value))
			return;
		visit_tlv(f->tlvs,
			  (struct wire_view){ start,
					      (size_t)(value.p - start) },
			  type, value, visitor);
	}
}

static void visit_field(const struct value_field *f, struct wire_view v,
			const struct value_visitor *visitor)
{
	if (f->form == VALUE_TLVS) {
		visit_tlvs(f, v, visitor);
	} else if (f->form == VALUE_RECORDS) {
		for (size_t i = 0; i < v.len; i += f->len) {
			visitor->enter(visitor->arg, f->name);
			visit_fields(f->record,
				     (struct wire_view){ v.p + i, f->len },
				     visitor);
			visitor->leave(visitor->arg);
		}
	} else if (v.len != 0) {
		visitor->field(visitor->arg, f, v);
	}
}

static void visit_fields(const struct value_field *f, struct wire_view v,
			 const struct value_visitor *visitor)
{
	struct wire_cursor c = wire_start(v);
	struct wire_view part;

	for (; f->form != VALUE_END; f++) {
		if ((f->optional && c.left == 0) ||
		    !wire_take(&c, field_len(f, c.left), &part))
			return;
		visit_field(f, part, visitor);
	}
}

bool value_visit(const struct value_field *layout, struct wire_view v,
		 const struct value_visitor *visitor)
{
	if (!value_fits(layout, v))
		return false;
	visit_fields(layout, v, visitor);
	return true;
}
