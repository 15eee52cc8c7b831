/*
 * egress/nats/json.h - parse JSON from a server
 *
 * A value is a view of its text; nothing is copied or allocated. The input may
 * be any bytes: the functions refuse invalid JSON, too deep nesting and values
 * of the wrong type. Pure functions.
 */
#ifndef EGRESS_NATS_JSON_H
#define EGRESS_NATS_JSON_H

#include "bmp/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Maximum nesting of objects and arrays. JetStream's answers have five levels.
 */
#define NATS_JSON_DEPTH 32

/* True if @text is one JSON object and nothing else. */
bool nats_json_is_object(struct wire_view text);

/* The value of the first member @name of @object; false if there is none. */
bool nats_json_member(struct wire_view object, const char *name,
		      struct wire_view *out);

/*
 * Iterate over an array or, with @key, over an object: *@rest is the whole
 * value at first. False at the end or on invalid text. @key is still quoted.
 */
bool nats_json_next(struct wire_view *rest, struct wire_view *key,
		    struct wire_view *out);

/* Convert a JSON value; false if it has another type or is out of range. */
bool nats_json_uint(struct wire_view value, uint64_t *out);
bool nats_json_int(struct wire_view value, int64_t *out);
bool nats_json_bool(struct wire_view value, bool *out);
bool nats_json_null(struct wire_view value);
/* Convert a time of RFC 3339 to nanoseconds since 1970; years 1970 to 2261. */
bool nats_json_time(struct wire_view value, int64_t *out);
/*
 * Copy a string without its escapes to @out. False if it does not fit with its
 * NUL, or contains a NUL. Escaped characters above U+007F become '?'.
 */
bool nats_json_string(struct wire_view value, char *out, size_t size);

/*
 * Decode a base64 string (RFC 4648, with padding) into @out, which has space
 * for three bytes per four characters. False if it is invalid.
 */
bool nats_json_base64(struct wire_view value, uint8_t *out, size_t *len);

#endif
