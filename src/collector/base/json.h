/*
 * collector/base/json.h - write JSON into a buffer
 *
 *	json_object(&j);
 *	json_key(&j, "prefixLen");
 *	json_uint(&j, 24);
 *	json_end_object(&j);
 *
 * Commas take care of themselves. The buffer grows as needed; a part that many
 * objects share is written once into a buffer of its own and copied in with
 * json_splice(). A buffer that cannot grow remembers it in @failed and takes no
 * more: look once, before the bytes are used.
 */
#ifndef COLLECTOR_BASE_JSON_H
#define COLLECTOR_BASE_JSON_H

#include "bmp/wire.h"

/* All zero is an empty buffer. */
struct json {
	char *bytes;
	size_t len;
	size_t size;
	bool comma;  /* before the next key or element */
	bool failed; /* for want of memory; what is there is of no use */
};

void json_fini(struct json *j);

/* Forget the text, keep the memory. */
static inline void json_reset(struct json *j)
{
	j->len = 0;
	j->comma = false;
	j->failed = false;
}

/* Structure */
void json_object(struct json *j);
void json_end_object(struct json *j);
void json_array(struct json *j);
void json_end_array(struct json *j);
/* @name is written as it is: one of ours, nothing to escape. */
void json_key(struct json *j, const char *name);

/* Text that is no JSON, for a buffer that is used for both. */
void json_raw(struct json *j, const char *text, size_t len);

/* The end of a line of JSON lines. */
void json_end_line(struct json *j);

/* Values */
void json_uint(struct json *j, uint64_t value);
void json_int(struct json *j, int64_t value);
void json_number(struct json *j, double value); /* to nine digits */
void json_null(struct json *j);
/* Nanoseconds since 1970 as RFC 3339, to the millisecond; 0 is null. */
void json_time(struct json *j, uint64_t ns);
void json_bool(struct json *j, bool value);
/*
 * Bytes that ought to be UTF-8; what is not becomes U+FFFD. Controls and
 * characters of direction are escaped: see text_is_unsafe().
 */
void json_text(struct json *j, struct wire_view text);
void json_string(struct json *j, const char *text);
void json_hex(struct json *j, struct wire_view bytes);
/* 16 bytes, IPv4 if mapped. */
void json_address(struct json *j, const uint8_t address[16]);
/* The same, read as what the caller knows it to be. */
void json_ipv4(struct json *j, uint32_t address);
void json_ipv6(struct json *j, const uint8_t address[16]);
/* Numbers with colons between: "65000:1", "65000:1:2". */
void json_colons(struct json *j, const uint32_t *numbers, size_t count);

/* Copy what @part holds, the inside of an object. */
void json_splice(struct json *j, const struct json *part);

/* A key and its value, for what there is much of. */
void json_uint_at(struct json *j, const char *name, uint64_t value);
void json_int_at(struct json *j, const char *name, int64_t value);
void json_number_at(struct json *j, const char *name, double value);
void json_bool_at(struct json *j, const char *name, bool value);
void json_time_at(struct json *j, const char *name, uint64_t ns);
void json_null_at(struct json *j, const char *name);
/* NULL is null. */
void json_string_at(struct json *j, const char *name, const char *text);
/* Only where it is true: absent means false. */
void json_true_at(struct json *j, const char *name, bool value);

#endif
