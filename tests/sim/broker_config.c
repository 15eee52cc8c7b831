/*
 * The configuration of a stream: from JSON, with the server's defaults and
 * checks, and to JSON.
 */
#include "broker_internal.h"

#include "egress/nats/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS		 INT64_C(1000000000)
#define DUPLICATE_WINDOW (120 * NS)
#define WINDOW_MIN	 (NS / 10)

static char *parse_text(struct wire_view json, const char *name)
{
	struct wire_view value;
	char text[1024];

	if (!nats_json_member(json, name, &value) ||
	    !nats_json_string(value, text, sizeof(text)))
		return NULL;
	return broker_strdup(text);
}

static int64_t parse_int(struct wire_view json, const char *name, int64_t other)
{
	struct wire_view value;
	int64_t number;

	if (!nats_json_member(json, name, &value) ||
	    !nats_json_int(value, &number))
		return other;
	return number;
}

/* The server takes 0 for "not set". */
static int64_t parse_limit(struct wire_view json, const char *name)
{
	int64_t number = parse_int(json, name, 0);

	return number == 0 ? -1 : number;
}

static bool parse_bool(struct wire_view json, const char *name)
{
	struct wire_view value;
	bool set = false;

	if (nats_json_member(json, name, &value))
		(void)nats_json_bool(value, &set);
	return set;
}

static bool is_text(struct wire_view json, const char *name, const char *text)
{
	char *is = parse_text(json, name);
	bool same = is != NULL && strcmp(is, text) == 0;

	free(is);
	return same;
}

static void parse_subjects(struct wire_view json, struct broker_config *out)
{
	struct wire_view array, value;
	char text[1024];

	if (!nats_json_member(json, "subjects", &array))
		return;
	while (out->subject_count < BROKER_SUBJECTS &&
	       nats_json_next(&array, NULL, &value))
		if (nats_json_string(value, text, sizeof(text)))
			out->subjects[out->subject_count++] =
				broker_strdup(text);
}

static const char *check_windows(struct broker_config *c)
{
	if (c->duplicate_window == 0) {
		c->duplicate_window = DUPLICATE_WINDOW;
		if (c->max_age > 0 && c->max_age < c->duplicate_window)
			c->duplicate_window = c->max_age;
	}
	if (c->duplicate_window < 0)
		return "duplicates window can not be negative";
	if (c->max_age > 0 && c->max_age < WINDOW_MIN)
		return "max age needs to be >= 100ms";
	if (c->max_age > 0 && c->duplicate_window > c->max_age)
		return "duplicates window can not be larger then max age";
	if (c->duplicate_window < WINDOW_MIN)
		return "duplicates window needs to be >= 100ms";
	return NULL;
}

static const char *check_subjects(struct broker_config *c)
{
	if (c->subject_count == 0)
		c->subjects[c->subject_count++] = broker_strdup(c->name);
	for (size_t i = 0; i < c->subject_count; i++) {
		if (!broker_subject_valid(c->subjects[i], true))
			return "invalid subject";
		for (size_t k = 0; k < i; k++)
			if (strcmp(c->subjects[i], c->subjects[k]) == 0)
				return "duplicate subjects detected";
	}
	return NULL;
}

const char *broker_config_parse(struct wire_view json,
				struct broker_config *out)
{
	const char *error;

	*out = (struct broker_config){
		.name = parse_text(json, "name"),
		.description = parse_text(json, "description"),
		.max_consumers = parse_limit(json, "max_consumers"),
		.max_msgs = parse_limit(json, "max_msgs"),
		.max_bytes = parse_limit(json, "max_bytes"),
		.max_age = parse_int(json, "max_age", 0),
		.max_per_subject = parse_limit(json, "max_msgs_per_subject"),
		.max_msg_size = parse_limit(json, "max_msg_size"),
		.replicas = parse_int(json, "num_replicas", 1),
		.duplicate_window = parse_int(json, "duplicate_window", 0),
		.memory = is_text(json, "storage", "memory"),
		.discard_new = is_text(json, "discard", "new"),
		.discard_new_per_subject =
			parse_bool(json, "discard_new_per_subject"),
		.no_ack = parse_bool(json, "no_ack"),
		.sealed = parse_bool(json, "sealed"),
		.deny_delete = parse_bool(json, "deny_delete"),
		.deny_purge = parse_bool(json, "deny_purge"),
		.allow_rollup = parse_bool(json, "allow_rollup_hdrs"),
		.allow_direct = parse_bool(json, "allow_direct"),
	};
	parse_subjects(json, out);
	if (out->name == NULL || out->name[0] == '\0')
		return "stream name is required";
	if (out->replicas == 0)
		out->replicas = 1;
	error = check_windows(out);
	if (error == NULL && out->deny_purge && out->allow_rollup)
		error = "roll-ups require the purge permission";
	if (error == NULL && out->discard_new_per_subject &&
	    (!out->discard_new || out->max_per_subject <= 0))
		error = "discard new per subject requires discard new policy "
			"and max msgs per subject set";
	return error != NULL ? error : check_subjects(out);
}

static void write_bool(struct broker_text *t, const char *name, bool value)
{
	broker_text_add(t, ",\"%s\":%s", name, value ? "true" : "false");
}

void broker_config_write(struct broker_text *t, const struct broker_config *c)
{
	broker_text_add(t, "{\"name\":\"%s\"", c->name);
	if (c->description != NULL) {
		broker_text_add(t, ",\"description\":");
		broker_text_string(t, c->description);
	}
	broker_text_add(t, ",\"subjects\":[");
	for (size_t i = 0; i < c->subject_count; i++) {
		if (i > 0)
			broker_text_add(t, ",");
		broker_text_string(t, c->subjects[i]);
	}
	broker_text_add(t,
			"],\"retention\":\"limits\",\"max_consumers\":%" PRId64
			",\"max_msgs\":%" PRId64 ",\"max_bytes\":%" PRId64
			",\"max_age\":%" PRId64
			",\"max_msgs_per_subject\":%" PRId64
			",\"max_msg_size\":%" PRId64 ",\"discard\":\"%s\"",
			c->max_consumers, c->max_msgs, c->max_bytes, c->max_age,
			c->max_per_subject, c->max_msg_size,
			c->discard_new ? "new" : "old");
	broker_text_add(t,
			",\"storage\":\"%s\",\"num_replicas\":%" PRId64
			",\"duplicate_window\":%" PRId64,
			c->memory ? "memory" : "file", c->replicas,
			c->duplicate_window);
	if (c->no_ack)
		write_bool(t, "no_ack", true);
	if (c->discard_new_per_subject)
		write_bool(t, "discard_new_per_subject", true);
	write_bool(t, "allow_direct", c->allow_direct);
	write_bool(t, "mirror_direct", false);
	write_bool(t, "sealed", c->sealed);
	write_bool(t, "deny_delete", c->deny_delete);
	write_bool(t, "deny_purge", c->deny_purge);
	write_bool(t, "allow_rollup_hdrs", c->allow_rollup);
	broker_text_add(t, "}");
}
