/*
 * collector/base/json.h - write JSON into a buffer
 *
 *	json_object(&j);
 *	json_key(&j, "prefixLen");
 *	json_uint(&j, 24);
 *	json_end_object(&j);
 *
 * Commas are inserted automatically. The buffer grows as needed; text that many
 * objects share is written once into a separate buffer and copied with
 * json_splice(). If the buffer cannot grow, @failed is set and further text is
 * ignored: check it once, before the bytes are used.
 */
#ifndef COLLECTOR_BASE_JSON_H
#define COLLECTOR_BASE_JSON_H

#include "bmp/wire.h"

#include <string.h>

/* An all-zero struct is an empty buffer. */
struct json {
	char *bytes;
	size_t len;
	size_t size;
	bool comma;  /* a comma is needed before the next key or element */
	bool failed; /* out of memory; the text is incomplete */
};

void json_fini(struct json *j);

/* Clear the text, but keep the memory. */
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
/* Write a key of @len bytes, which is not escaped. */
void json_key_of(struct json *j, const char *name, size_t len);

/* The length of a literal is known when this is compiled. */
static inline void json_key(struct json *j, const char *name)
{
	json_key_of(j, name, strlen(name));
}

/* Append @text unchanged, for a buffer that has JSON and other text. */
void json_raw(struct json *j, const char *text, size_t len);

/* End a line of the format JSON Lines. */
void json_end_line(struct json *j);

/* Write a value, after a key or as an element of an array. */
void json_uint(struct json *j, uint64_t value);
void json_int(struct json *j, int64_t value);
/* A number with nine significant digits; 0 for NaN and infinity. */
void json_number(struct json *j, double value);
void json_null(struct json *j);
/*
 * A time in nanoseconds since 1970, written as RFC 3339 with milliseconds; null
 * if @ns is 0.
 */
void json_time(struct json *j, uint64_t ns);
void json_bool(struct json *j, bool value);
/*
 * A string; invalid UTF-8 becomes U+FFFD. Control characters and bidirectional
 * formatting characters are escaped: see text_is_unsafe().
 */
void json_text(struct json *j, struct wire_view text);
void json_string(struct json *j, const char *text);
void json_hex(struct json *j, struct wire_view bytes);
/* An address of 16 bytes; IPv4 if it is IPv4-mapped. */
void json_address(struct json *j, const uint8_t address[16]);
/* An address whose family is known. */
void json_ipv4(struct json *j, uint32_t address);
void json_ipv6(struct json *j, const uint8_t address[16]);
/* Numbers separated by colons: "65000:1", "65000:1:2". */
void json_colons(struct json *j, const uint32_t *numbers, size_t count);

/* Append the text of @part, which must be members of an object. */
void json_splice(struct json *j, const struct json *part);

/* A key and its value, for the most frequent types. */
static inline void json_uint_at(struct json *j, const char *name,
				uint64_t value)
{
	json_key(j, name);
	json_uint(j, value);
}
void json_int_at(struct json *j, const char *name, int64_t value);
void json_number_at(struct json *j, const char *name, double value);
void json_bool_at(struct json *j, const char *name, bool value);
void json_time_at(struct json *j, const char *name, uint64_t ns);
void json_null_at(struct json *j, const char *name);
/* A NULL text is written as null. */
void json_string_at(struct json *j, const char *name, const char *text);
/* Write the member only if @value is true: a missing member means false. */
void json_true_at(struct json *j, const char *name, bool value);

#endif
