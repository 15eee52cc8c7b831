#include "field_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static __attribute__((format(printf, 2, 3))) void append(struct field_text *t,
							 const char *format,
							 ...)
{
	va_list args;
	int n;

	va_start(args, format);
	/* It was just started. NOLINTNEXTLINE(clang-analyzer-valist.*) */
	n = vsnprintf(t->line + t->len, sizeof(t->line) - t->len, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < sizeof(t->line) - t->len)
		t->len += (size_t)n;
}

static void put_name(struct field_text *t, const char *name)
{
	int last = t->len == 0 ? '\0' : t->line[t->len - 1];

	append(t, "%s%s%s",
	       last == '\0' || last == '{' || last == '[' ? "" : " ",
	       name == NULL ? "" : name, name == NULL ? "" : "=");
}

static void begin_object(void *arg, const char *name)
{
	put_name(arg, name);
	append(arg, "{");
}

static void end_object(void *arg)
{
	append(arg, "}");
}

static void begin_list(void *arg, const char *name)
{
	put_name(arg, name);
	append(arg, "[");
}

static void end_list(void *arg)
{
	append(arg, "]");
}

static void put_number(void *arg, const char *name, uint64_t value)
{
	put_name(arg, name);
	append(arg, "%" PRIu64, value);
}

static void put_string(void *arg, const char *name, const char *value)
{
	put_name(arg, name);
	append(arg, "%s", value);
}

static void put_text(void *arg, const char *name, struct wire_view value)
{
	put_name(arg, name);
	append(arg, "'%.*s'", (int)value.len, (const char *)value.p);
}

static void put_bytes(void *arg, const char *name, struct wire_view value)
{
	put_name(arg, name);
	append(arg, "0x");
	for (size_t i = 0; i < value.len; i++)
		append(arg, "%02x", value.p[i]);
}

struct field_writer field_text_writer(struct field_text *out)
{
	static const struct field_writer_ops ops = {
		.begin_object = begin_object,
		.end_object = end_object,
		.begin_list = begin_list,
		.end_list = end_list,
		.number = put_number,
		.string = put_string,
		.text = put_text,
		.bytes = put_bytes,
	};

	*out = (struct field_text){ 0 };
	return (struct field_writer){ .ops = &ops, .arg = out };
}
