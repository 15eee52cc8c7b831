#include "cli/api_json.h"

#include "bmp/text.h"
#include "cli/xalloc.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

struct json_object *answer_parse(const char *text, size_t len)
{
	struct json_tokener *reader;
	struct json_object *read;

	if (len == 0)
		return NULL;
	reader = memory_must(json_tokener_new());
	json_tokener_set_flags(reader, JSON_TOKENER_STRICT |
					       JSON_TOKENER_VALIDATE_UTF8);
	/*
	 * Include the NUL, so that a number at the end is known to be complete.
	 */
	read = json_tokener_parse_ex(reader, text, (int)len + 1);
	json_tokener_free(reader);
	if (json_object_is_type(read, json_type_object))
		return read;
	json_object_put(read);
	return NULL;
}

void answer_free(struct json_object *answer)
{
	json_object_put(answer);
}

struct json_object *answer_in(const struct json_object *in, const char *name)
{
	struct json_object *found = NULL;

	if (json_object_is_type(in, json_type_object))
		json_object_object_get_ex(in, name, &found);
	return found;
}

bool answer_has(const struct json_object *in, const char *name)
{
	return answer_in(in, name) != NULL;
}

const char *answer_text(const struct json_object *in, const char *name)
{
	struct json_object *found = answer_in(in, name);

	if (!json_object_is_type(found, json_type_string))
		return NULL;
	return json_object_get_string(found);
}

bool answer_bool(const struct json_object *in, const char *name)
{
	return json_object_get_boolean(answer_in(in, name));
}

uint64_t answer_uint(const struct json_object *in, const char *name)
{
	return json_object_get_uint64(answer_in(in, name));
}

int64_t answer_int(const struct json_object *in, const char *name)
{
	return json_object_get_int64(answer_in(in, name));
}

double answer_real(const struct json_object *in, const char *name)
{
	return json_object_get_double(answer_in(in, name));
}

size_t answer_count(const struct json_object *list)
{
	if (!json_object_is_type(list, json_type_array))
		return 0;
	return json_object_array_length(list);
}

struct json_object *answer_at(const struct json_object *list, size_t i)
{
	return i < answer_count(list) ? json_object_array_get_idx(list, i)
				      : NULL;
}

const char *answer_text_at(const struct json_object *list, size_t i)
{
	return json_object_get_string(answer_at(list, i));
}

/*
 * Print the answer with unsafe characters escaped. json-c decodes all escapes
 * and writes only those of ASCII again. Unsafe characters can occur only in
 * strings, so the text as a whole is escaped.
 */
void answer_print(struct json_object *answer)
{
	const char *text = json_object_to_json_string_ext(
		answer,
		JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	struct wire_view rest = { (const uint8_t *)text, strlen(text) };

	while (rest.len > 0) {
		size_t len = text_utf8_len(rest);
		uint32_t code;

		if (len == 0)
			fputs("\\ufffd", stdout);
		else if (text_is_unsafe(rest.p, len, &code))
			printf("\\u%04x", code);
		else
			fwrite(rest.p, 1, len, stdout);
		len += len == 0;
		rest.p += len;
		rest.len -= len;
	}
	putchar('\n');
}
