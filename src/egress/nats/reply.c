#include "egress/nats/reply.h"

#include <stdio.h>
#include <string.h>

#define ACK_PREFIX "$JS.ACK."

/*
 * Number of tokens after the prefix of a reply subject: seven, or with domain
 * and account nine or more.
 */
#define PLACE_TOKENS_OLD 7
#define PLACE_TOKENS_NEW 9
#define PLACE_TOKENS_MAX 16

static const struct wire_view nothing = { (const uint8_t *)"", 0 };

/* Replace unprintable bytes of a server's text, which is for the log. */
static void make_printable(char *text)
{
	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

static bool get_uint(struct wire_view object, const char *name, uint64_t *out)
{
	struct wire_view value;

	return nats_json_member(object, name, &value) &&
	       nats_json_uint(value, out);
}

/* A missing member is false; another type is an error. */
static bool get_bool(struct wire_view object, const char *name, bool *out)
{
	struct wire_view value;

	*out = false;
	return !nats_json_member(object, name, &value) ||
	       nats_json_bool(value, out);
}

static bool get_object(struct wire_view object, const char *name,
		       struct wire_view *out)
{
	return nats_json_member(object, name, out) && nats_json_is_object(*out);
}

bool nats_reply_failed(struct wire_view json, struct nats_reply_error *out)
{
	struct wire_view error, text;
	uint64_t code;

	*out = (struct nats_reply_error){ 0 };
	if (!nats_json_is_object(json)) {
		snprintf(out->text, sizeof(out->text),
			 "the answer is not a JSON object");
		return true;
	}
	if (!nats_json_member(json, "error", &error))
		return false;
	if (get_uint(error, "err_code", &code) && code <= UINT32_MAX)
		out->code = (uint32_t)code;
	if (!nats_json_member(error, "description", &text) ||
	    !nats_json_string(text, out->text, sizeof(out->text)))
		snprintf(out->text, sizeof(out->text),
			 "an error without a description");
	make_printable(out->text);
	return true;
}

/* Streams */

static bool is_array_of_strings(struct wire_view array)
{
	struct wire_view value;
	struct wire_view rest = array;

	if (array.len == 0 || array.p[0] != '[')
		return false;
	while (nats_json_next(&rest, NULL, &value))
		if (value.p[0] != '"')
			return false;
	return true;
}

/* A missing limit means no limit. */
static bool get_limit(struct wire_view config, const char *name, int64_t *out)
{
	struct wire_view value;

	*out = 0;
	return !nats_json_member(config, name, &value) ||
	       nats_json_null(value) || nats_json_int(value, out);
}

static bool read_config(struct wire_view config, const char *name,
			struct nats_reply_stream *out)
{
	char text[NATS_STREAM_NAME_MAX];
	struct wire_view value;

	if (!nats_json_member(config, "name", &value) ||
	    !nats_json_string(value, text, sizeof(text)) ||
	    strcmp(text, name) != 0)
		return false;
	if (!nats_json_member(config, "retention", &value) ||
	    !nats_json_string(value, text, sizeof(text)))
		return false;
	out->by_limits = strcmp(text, "limits") == 0;
	out->mirror = nats_json_member(config, "mirror", &value) &&
		      !nats_json_null(value);
	out->transform =
		nats_json_member(config, "subject_transform", &value) &&
		!nats_json_null(value);
	out->subjects = nothing;
	if (nats_json_member(config, "subjects", &value) &&
	    !nats_json_null(value)) {
		if (!is_array_of_strings(value))
			return false;
		out->subjects = value;
	}
	out->persist_async = nats_json_member(config, "persist_mode", &value) &&
			     nats_json_string(value, text, sizeof(text)) &&
			     strcmp(text, "async") == 0;
	out->discard_new = nats_json_member(config, "discard", &value) &&
			   nats_json_string(value, text, sizeof(text)) &&
			   strcmp(text, "new") == 0;
	return get_limit(config, "max_msgs_per_subject",
			 &out->max_per_subject) &&
	       get_limit(config, "max_msg_size", &out->max_msg_size) &&
	       get_limit(config, "max_msgs", &out->max_msgs) &&
	       get_limit(config, "max_bytes", &out->max_bytes) &&
	       get_limit(config, "max_age", &out->max_age_ns) &&
	       get_bool(config, "no_ack", &out->no_ack) &&
	       get_bool(config, "sealed", &out->sealed) &&
	       get_bool(config, "allow_direct", &out->allow_direct);
}

/* Read fields that a server may omit. */
static void read_usage(struct wire_view state, struct nats_reply_stream *out)
{
	struct wire_view value;

	if (!get_uint(state, "bytes", &out->bytes))
		out->bytes = 0;
	if (!get_uint(state, "num_deleted", &out->deleted))
		out->deleted = 0;
	out->first_ns = out->last_ns = 0;
	if (nats_json_member(state, "first_ts", &value) &&
	    !nats_json_time(value, &out->first_ns))
		out->first_ns = 0;
	if (nats_json_member(state, "last_ts", &value) &&
	    !nats_json_time(value, &out->last_ns))
		out->last_ns = 0;
}

bool nats_reply_stream(struct wire_view json, const char *name,
		       struct nats_reply_stream *out)
{
	struct wire_view config, state, created;
	struct nats_reply_stream s;

	if (!get_object(json, "config", &config) ||
	    !get_object(json, "state", &state) ||
	    !nats_json_member(json, "created", &created) ||
	    !nats_json_time(created, &s.created_ns))
		return false;
	if (!get_uint(state, "messages", &s.messages) ||
	    !get_uint(state, "first_seq", &s.first_seq) ||
	    !get_uint(state, "last_seq", &s.last_seq) ||
	    !read_config(config, name, &s))
		return false;
	read_usage(state, &s);
	*out = s;
	return true;
}

bool nats_reply_subjects(struct wire_view json, uint64_t *total,
			 struct wire_view *out)
{
	struct wire_view state, subjects;

	if (!get_object(json, "state", &state) ||
	    !get_object(state, "subjects", &subjects))
		return false;
	/* A server without paging does not send the total. */
	if (!get_uint(json, "total", total))
		*total = 0;
	*out = subjects;
	return true;
}

/* Messages */

static bool get_text(struct wire_view object, const char *name,
		     struct wire_view *out)
{
	*out = nothing;
	if (!nats_json_member(object, name, out) || nats_json_null(*out)) {
		*out = nothing;
		return true;
	}
	return out->p[0] == '"';
}

bool nats_reply_message(struct wire_view json, struct nats_reply_message *out)
{
	struct nats_reply_message m;
	struct wire_view message;

	if (!get_object(json, "message", &message) ||
	    !get_uint(message, "seq", &m.seq) || m.seq == 0 ||
	    !get_text(message, "hdrs", &m.headers) ||
	    !get_text(message, "data", &m.data))
		return false;
	*out = m;
	return true;
}

bool nats_reply_consumer(struct wire_view json,
			 char name[NATS_CONSUMER_NAME_MAX])
{
	char text[NATS_CONSUMER_NAME_MAX];
	struct wire_view value;

	if (!nats_json_member(json, "name", &value) ||
	    !nats_json_string(value, text, sizeof(text)) || *text == '\0')
		return false;
	for (const char *p = text; *p != '\0'; p++)
		if (*p <= ' ' || *p > '~' || strchr(".*>", *p) != NULL)
			return false;
	memcpy(name, text, strlen(text) + 1);
	return true;
}

bool nats_reply_success(struct wire_view json)
{
	struct wire_view value;
	bool success;

	return nats_json_member(json, "success", &value) &&
	       nats_json_bool(value, &success) && success;
}

/* Take the text up to the next "\r\n"; false at the end. */
static bool next_line(struct wire_view *rest, struct wire_view *line)
{
	const uint8_t *end = memmem(rest->p, rest->len, "\r\n", 2);

	if (end == NULL)
		return false;
	*line = (struct wire_view){ rest->p, (size_t)(end - rest->p) };
	rest->p = end + 2;
	rest->len -= line->len + 2;
	return true;
}

static bool copy_value(struct wire_view line, size_t at, char *out, size_t size)
{
	while (at < line.len && line.p[at] == ' ')
		at++;
	while (line.len > at && line.p[line.len - 1] == ' ')
		line.len--;
	if (line.len - at >= size)
		return false;
	for (size_t i = at; i < line.len; i++)
		if (line.p[i] < ' ' || line.p[i] > '~')
			return false;
	memcpy(out, line.p + at, line.len - at);
	out[line.len - at] = '\0';
	return true;
}

bool nats_reply_header(struct wire_view block, const char *name, char *out,
		       size_t size)
{
	size_t len = strlen(name);
	struct wire_view line;

	if (!next_line(&block, &line) || line.len < 8 ||
	    memcmp(line.p, "NATS/1.0", 8) != 0)
		return false;
	while (next_line(&block, &line))
		if (line.len > len && line.p[len] == ':' &&
		    memcmp(line.p, name, len) == 0)
			return copy_value(line, len + 1, out, size);
	return false;
}

/* Deliveries */

static bool token_uint(const char *token, size_t len, uint64_t *out)
{
	return nats_json_uint((struct wire_view){ (const uint8_t *)token, len },
			      out);
}

bool nats_reply_place(const char *subject, struct nats_reply_place *out)
{
	const char *token[PLACE_TOKENS_MAX];
	size_t len[PLACE_TOKENS_MAX];
	struct nats_reply_place place;
	size_t n = 0;
	size_t at;

	if (strncmp(subject, ACK_PREFIX, strlen(ACK_PREFIX)) != 0)
		return false;
	subject += strlen(ACK_PREFIX);
	for (; n < PLACE_TOKENS_MAX; n++) {
		token[n] = subject;
		len[n] = strcspn(subject, ".");
		subject += len[n];
		if (*subject++ == '\0')
			break;
	}
	if (++n != PLACE_TOKENS_OLD &&
	    (n < PLACE_TOKENS_NEW || n > PLACE_TOKENS_MAX))
		return false;
	/*
	 * The subject has [domain, account,] stream, consumer, deliveries,
	 * then:
	 */
	at = n == PLACE_TOKENS_OLD ? 3 : 5;
	if (!token_uint(token[at], len[at], &place.stream_seq) ||
	    !token_uint(token[at + 1], len[at + 1], &place.delivery) ||
	    !token_uint(token[at + 2], len[at + 2], &place.time_ns) ||
	    !token_uint(token[at + 3], len[at + 3], &place.pending))
		return false;
	*out = place;
	return true;
}
