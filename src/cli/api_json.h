/*
 * cli/api_json.h - read the JSON answers of a collector
 *
 * Every reader accepts NULL for a missing object, and returns NULL, 0 or false
 * for a member that is absent or of another type: with a newer or an older
 * collector a command shows less, but does not fail.
 *
 * json-c keeps 64-bit numbers and prints decimals unchanged, so an answer that
 * is printed again is equal to what the collector sent.
 */
#ifndef CLI_API_JSON_H
#define CLI_API_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Parse an object; NULL if the text is not an object. */
struct json_object *answer_parse(const char *text, size_t len);
void answer_free(struct json_object *answer);

/* Members */

bool answer_has(const struct json_object *in, const char *name);
struct json_object *answer_in(const struct json_object *in, const char *name);
const char *answer_text(const struct json_object *in, const char *name);
bool answer_bool(const struct json_object *in, const char *name);
uint64_t answer_uint(const struct json_object *in, const char *name);
int64_t answer_int(const struct json_object *in, const char *name);
double answer_real(const struct json_object *in, const char *name);

/*
 * The number of elements of @list, and element @i; 0 and NULL if @list is not a
 * list.
 */
size_t answer_count(const struct json_object *list);
struct json_object *answer_at(const struct json_object *list, size_t i);
/* Element @i, if it is a text, or a number as text; else NULL. */
const char *answer_text_at(const struct json_object *list, size_t i);

/* Print @answer as one line of JSON to standard output. */
void answer_print(struct json_object *answer);

#endif
