/*
 * egress/nats/json.h - read JSON that a server sent
 *
 * A value is the bytes it is written with; nothing is copied or allocated. Any
 * bytes may be given to any function here: what is not JSON, nests too deep,
 * or is of another type is refused. Pure.
 */
#ifndef EGRESS_NATS_JSON_H
#define EGRESS_NATS_JSON_H

#include "bmp/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of objects and arrays in each other. JetStream's answers have five. */
#define NATS_JSON_DEPTH 32

/* Whether @text is one object and nothing else. */
bool nats_json_is_object(struct wire_view text);

/* The value of the first member @name of @object; false if there is none. */
bool nats_json_member(struct wire_view object, const char *name,
		      struct wire_view *out);

/*
 * Go through an array or, with @key, through an object: *@rest is all of it at
 * first. False at the end and where it cannot be read. @key is still quoted.
 */
bool nats_json_next(struct wire_view *rest, struct wire_view *key,
		    struct wire_view *out);

/* Values; false if it is another type, or out of range. */
bool nats_json_uint(struct wire_view value, uint64_t *out);
bool nats_json_int(struct wire_view value, int64_t *out);
bool nats_json_bool(struct wire_view value, bool *out);
bool nats_json_null(struct wire_view value);
/* RFC 3339, as nanoseconds since 1970; years from 1970 to 2261. */
bool nats_json_time(struct wire_view value, int64_t *out);
/*
 * A string without its escapes. Refused if it does not fit with its NUL, or
 * has a NUL in it. Characters above U+007F that are escaped become '?'.
 */
bool nats_json_string(struct wire_view value, char *out, size_t size);

/*
 * The bytes of a string in base64 (RFC 4648, with padding) into @out, which has
 * room for three bytes for each four characters. False if it is not that.
 */
bool nats_json_base64(struct wire_view value, uint8_t *out, size_t *len);

#endif
