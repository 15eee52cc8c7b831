#include "collector/base/json_fields.h"

static void put_key(struct json *j, const char *name)
{
	if (name != NULL)
		json_key(j, name);
}

static void put_object(void *arg, const char *name)
{
	put_key(arg, name);
	json_object(arg);
}

static void end_object(void *arg)
{
	json_end_object(arg);
}

static void put_list(void *arg, const char *name)
{
	put_key(arg, name);
	json_array(arg);
}

static void end_list(void *arg)
{
	json_end_array(arg);
}

static void put_number(void *arg, const char *name, uint64_t value)
{
	put_key(arg, name);
	json_uint(arg, value);
}

static void put_string(void *arg, const char *name, const char *value)
{
	put_key(arg, name);
	json_string(arg, value);
}

static void put_text(void *arg, const char *name, struct wire_view value)
{
	put_key(arg, name);
	json_text(arg, value);
}

static void put_bytes(void *arg, const char *name, struct wire_view value)
{
	put_key(arg, name);
	json_hex(arg, value);
}

struct field_writer json_fields(struct json *j)
{
	static const struct field_writer_ops ops = {
		.begin_object = put_object,
		.end_object = end_object,
		.begin_list = put_list,
		.end_list = end_list,
		.number = put_number,
		.string = put_string,
		.text = put_text,
		.bytes = put_bytes,
	};

	return (struct field_writer){ .ops = &ops, .arg = j };
}
