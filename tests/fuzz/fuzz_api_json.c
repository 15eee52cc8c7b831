/*
 * What answers the CLI, which may be no collector at all: every reader gives
 * something for any member, and texts end inside the answer.
 */
#include "cli/api_json.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	"routers", "peers",   "routes", "next",	  "output",  "totals",
	"workers", "history", "error",	"state",  "asPath",  "communities",
	"rates",   "status",  "ready",	"prefix", "nextHop", "",
};

static void use_object(const struct json_object *o, unsigned depth,
		       volatile uint64_t *sum);

static void use_list(const struct json_object *list, unsigned depth,
		     volatile uint64_t *sum)
{
	size_t n = answer_count(list);

	/* One beyond the end is nothing. */
	for (size_t i = 0; i < n + 1 && i < 64; i++) {
		const char *text = answer_text_at(list, i);

		if (text != NULL)
			*sum += strlen(text);
		use_object(answer_at(list, i), depth + 1, sum);
	}
	if (answer_at(list, n) != NULL)
		abort();
}

static void use_object(const struct json_object *o, unsigned depth,
		       volatile uint64_t *sum)
{
	if (depth > 4)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = answer_text(o, names[i]);
		struct json_object *inner = answer_in(o, names[i]);

		if (text != NULL)
			*sum += strlen(text);
		*sum += answer_bool(o, names[i]) + answer_uint(o, names[i]);
		*sum += (uint64_t)answer_int(o, names[i]);
		if (answer_real(o, names[i]) > 1)
			*sum += 1;
		if (inner != NULL && !answer_has(o, names[i]))
			abort();
		if (inner == NULL)
			continue;
		use_list(inner, depth, sum);
		use_object(inner, depth + 1, sum);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* As the client has it: with a NUL behind. */
	char *text = malloc(len + 1);
	struct json_object *answer;
	volatile uint64_t sum = 0;

	if (text == NULL)
		return 0;
	if (len > 0)
		memcpy(text, data, len);
	text[len] = '\0';
	answer = answer_parse(text, len);
	use_object(answer, 0, &sum);
	answer_free(answer);
	free(text);
	return 0;
}
