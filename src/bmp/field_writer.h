/*
 * bmp/field_writer.h - an interface for writing named values one by one
 *
 * Code that describes a value (bmp/value_layout.h) calls these functions in
 * order; each output format (JSON, a line of text) implements them. Objects and
 * lists nest. In a list @name is NULL. Strings and views are valid during the
 * call only.
 */
#ifndef BMP_FIELD_WRITER_H
#define BMP_FIELD_WRITER_H

#include "bmp/wire.h"

struct field_writer_ops {
	void (*begin_object)(void *arg, const char *name);
	void (*end_object)(void *arg);
	void (*begin_list)(void *arg, const char *name);
	void (*end_list)(void *arg);
	void (*number)(void *arg, const char *name, uint64_t value);
	void (*string)(void *arg, const char *name, const char *value);
	/* Text as a router sent it: any bytes, perhaps not UTF-8. */
	void (*text)(void *arg, const char *name, struct wire_view value);
	void (*bytes)(void *arg, const char *name, struct wire_view value);
};

struct field_writer {
	const struct field_writer_ops *ops;
	void *arg;
};

#endif
