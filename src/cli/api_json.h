/*
 * cli/api_json.h - read what a collector answered
 *
 * Every reader takes NULL for an object that is not there, and gives NULL, 0
 * or false for a member that is absent or of another kind: a command that
 * meets a newer or an older collector shows less, and does not fall over.
 *
 * json-c keeps 64-bit numbers and prints decimals as they came, so that what
 * is passed on as JSON is what the collector said.
 */
#ifndef CLI_API_JSON_H
#define CLI_API_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* An object; NULL if the text is something else. */
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

/* Elements of a list: 0 and NULL if it is none. */
size_t answer_count(const struct json_object *list);
struct json_object *answer_at(const struct json_object *list, size_t i);
/* A text or a number as text; NULL. */
const char *answer_text_at(const struct json_object *list, size_t i);

/* One line of JSON to standard output. */
void answer_print(struct json_object *answer);

#endif
