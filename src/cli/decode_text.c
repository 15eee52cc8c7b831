#include "cli/decode_text.h"

#include "bmp/family.h"
#include "bmp/text.h"
#include "cli/api_json.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Text */

/* Text of a router: as tail_text.c does. */
static void put_words(FILE *out, const char *text)
{
	struct wire_view v = { (const uint8_t *)text, strlen(text) };

	while (v.len > 0) {
		size_t len = text_utf8_len(v);
		uint32_t code;

		if (len == 0 || text_is_unsafe(v.p, len, &code))
			fputs("?", out);
		else
			fwrite(v.p, 1, len, out);
		len += len == 0;
		v = (struct wire_view){ v.p + len, v.len - len };
	}
}

/* What a member is worth: lists in brackets, objects in braces. */

static void put_value(FILE *out, struct json_object *value);

static void put_list(FILE *out, struct json_object *list)
{
	fputs("[", out);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		if (i > 0)
			fputs(" ", out);
		put_value(out, json_object_array_get_idx(list, i));
	}
	fputs("]", out);
}

static void put_object(FILE *out, struct json_object *object)
{
	const char *between = "";

	fputs("{", out);
	json_object_object_foreach(object, name, value)
	{
		fputs(between, out);
		fputs(name, out);
		fputs(" ", out);
		put_value(out, value);
		between = " ";
	}
	fputs("}", out);
}

/* Our own lines nest no deeper than their tables do. NOLINTNEXTLINE(misc-no-recursion) */
static void put_value(FILE *out, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_string:
		put_words(out, json_object_get_string(value));
		break;
	case json_type_array:
		put_list(out, value);
		break;
	case json_type_object:
		put_object(out, value);
		break;
	default:
		fputs(json_object_to_json_string(value), out);
	}
}

/* Columns */

static void put_time(FILE *out, const struct json_object *line)
{
	uint64_t ns = answer_uint(line, "timeReceivedNs");
	time_t seconds;
	char text[40];
	struct tm tm;

	if (ns == 0)
		ns = answer_uint(line, "timeBmpHeaderNs");
	seconds = (time_t)(ns / 1000000000);
	if (ns == 0 || gmtime_r(&seconds, &tm) == NULL) {
		fputs("-", out);
		return;
	}
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	fputs(text, out);
	snprintf(text, sizeof(text), ".%06u", (unsigned)(ns / 1000 % 1000000));
	fputs(text, out);
}

static void put_who(FILE *out, const struct json_object *line)
{
	const char *router = answer_text(line, "routerAddr");

	if (router != NULL) {
		fputs(" ", out);
		fputs(router, out);
	}
	if (!answer_has(line, "peerAddr"))
		return;
	fputs(" AS", out);
	fprintf(out, "%" PRIu64, answer_uint(line, "peerAsn"));
	fputs(" ", out);
	fputs(answer_text(line, "peerAddr"), out);
}

static void put_view(FILE *out, const struct json_object *line)
{
	if (answer_bool(line, "isLocRib"))
		fputs(" loc-rib", out);
	if (answer_bool(line, "isAdjRibOut"))
		fputs(" out", out);
	if (answer_bool(line, "isPostPolicy"))
		fputs(" post-policy", out);
}

static void put_family(FILE *out, const struct json_object *line)
{
	uint16_t afi = (uint16_t)answer_uint(line, "afi");
	uint8_t safi = (uint8_t)answer_uint(line, "safi");
	enum bgp_family family = bgp_family_find(afi, safi);

	fputs(" ", out);
	if (family != BGP_FAMILY_UNKNOWN) {
		fputs(bgp_family_info(family)->name, out);
		return;
	}
	fprintf(out, "%u", afi);
	fputs("/", out);
	fprintf(out, "%u", safi);
}

static void put_route(FILE *out, const struct json_object *line)
{
	const char *rd = answer_text(line, "routeDistinguisher");
	const char *hop = answer_text(line, "nextHop");
	const char *prefix = answer_text(line, "prefixAddr");

	fputs(answer_bool(line, "announced") ? " + " : " - ", out);
	if (prefix != NULL) {
		if (rd != NULL) {
			fputs("rd ", out);
			fputs(rd, out);
			fputs(" ", out);
		}
		fputs(prefix, out);
		fputs("/", out);
		fprintf(out, "%" PRIu64, answer_uint(line, "prefixLen"));
	} else if (answer_has(line, "nlriText")) {
		put_words(out, answer_text(line, "nlriText"));
	}
	if (hop != NULL) {
		fputs(" via ", out);
		fputs(hop, out);
	}
	if (answer_has(line, "asPath")) {
		fputs(" ", out);
		put_value(out, answer_in(line, "asPath"));
	}
	if (answer_uint(line, "safi") != 1)
		put_family(out, line);
}

static void put_kind(FILE *out, const struct json_object *line)
{
	const char *kind = answer_text(line, "kind");

	fputs(" * ", out);
	fputs(kind != NULL ? kind : "", out);
	if (answer_has(line, "afi"))
		put_family(out, line);
	if (answer_has(line, "error")) {
		fputs(": ", out);
		put_words(out, answer_text(line, "error"));
	}
}

/* Said by the columns, or of use only where a program counts lines. */
static bool is_said(const char *name)
{
	static const char *const names[] = {
		"kind",
		"announced",
		"prefixAddr",
		"prefixLen",
		"nlri",
		"nlriText",
		"nextHop",
		"asPath",
		"afi",
		"safi",
		"peerAddr",
		"peerAsn",
		"peerBgpId",
		"routerAddr",
		"routerPort",
		"isLocRib",
		"isAdjRibOut",
		"isPostPolicy",
		"timeReceivedNs",
		"timeBmpHeaderNs",
		"message",
		"session",
		"record",
		"recordType",
		"recordSubtype",
		"mpReachAfi",
		"mpReachSafi",
		"mpUnreachAfi",
		"mpUnreachSafi",
		"routeDistinguisher",
		"error",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void put_rest(FILE *out, struct json_object *line)
{
	json_object_object_foreach(line, name, value)
	{
		if (is_said(name) ||
		    (strcmp(name, "peerType") == 0 &&
		     strcmp(answer_text(line, name), "global") == 0))
			continue;
		fputs(" ", out);
		fputs(name, out);
		if (json_object_get_type(value) == json_type_boolean)
			continue;
		fputs(" ", out);
		put_value(out, value);
	}
}

char *decode_text_line(const char *json, size_t len, size_t *text_len)
{
	struct json_object *line = answer_parse(json, len);
	char *text = NULL;
	FILE *out = open_memstream(&text, text_len);

	if (out == NULL)
		return NULL;
	put_time(out, line);
	put_who(out, line);
	put_view(out, line);
	if (answer_has(line, "announced"))
		put_route(out, line);
	else
		put_kind(out, line);
	put_rest(out, line);
	fputs("\n", out);
	answer_free(line);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
