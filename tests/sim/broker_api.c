/*
 * Requests to $JS.API: a row for each, and one function that answers it. An
 * answer is made in b->text.
 */
#include "broker_internal.h"

#include "egress/nats/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API	   "$JS.API."
#define TYPE	   "io.nats.jetstream.api.v1."
#define PAGE	   100000 /* subjects in one answer */
#define TOKEN_MAX  256
#define NO_STREAM  10059
#define NO_MESSAGE 10037
#define BAD	   10003

struct request {
	struct broker *b;
	const char *type;   /* of the answer */
	const char *stream; /* its name */
	const char *rest;   /* of the subject, behind the stream; "" = none */
	const char *reply;
	struct wire_view body;
	struct broker_stream *s; /* NULL = there is none */
};

static void begin(struct request *r)
{
	broker_text_clear(&r->b->text);
	broker_text_add(&r->b->text, "{\"type\":\"" TYPE "%s\"", r->type);
}

void broker_error(struct broker *b, int code, int err_code,
		  const char *description)
{
	broker_text_add(&b->text,
			",\"error\":{\"code\":%d,\"err_code\":%d,"
			"\"description\":",
			code, err_code);
	broker_text_string(&b->text, description);
	broker_text_add(&b->text, "}}");
}

static bool has_stream(struct request *r)
{
	if (r->s == NULL)
		broker_error(r->b, 404, NO_STREAM, "stream not found");
	return r->s != NULL;
}

static bool read_uint(struct wire_view body, const char *name, uint64_t *out)
{
	struct wire_view value;

	return nats_json_member(body, name, &value) &&
	       nats_json_uint(value, out);
}

static bool read_text(struct wire_view body, const char *name,
		      char out[TOKEN_MAX])
{
	struct wire_view value;

	out[0] = '\0';
	return nats_json_member(body, name, &value) &&
	       nats_json_string(value, out, TOKEN_MAX) && out[0] != '\0';
}

/* STREAM.INFO */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The subjects with messages that match, sorted; the array is to be freed. */
static const char **list_subjects(const struct broker_stream *s,
				  const char *filter, size_t *count)
{
	const char **names =
		broker_alloc((s->subject_count + 1) * sizeof(*names));

	*count = 0;
	for (size_t i = 0; i < s->subjects_size; i++)
		for (struct broker_subject *j = s->subjects[i]; j != NULL;
		     j = j->next)
			if (j->count > 0 &&
			    broker_subject_matches(filter, j->name))
				names[(*count)++] = j->name;
	qsort(names, *count, sizeof(*names), compare_names);
	return names;
}

static void write_subjects(struct broker_text *t, const struct broker_stream *s,
			   const char *filter, uint64_t offset)
{
	size_t count;
	const char **names = list_subjects(s, filter, &count);

	if (count > 0)
		broker_text_add(t, ",\"subjects\":{");
	for (size_t i = offset; i < count && i < offset + PAGE; i++) {
		if (i > offset)
			broker_text_add(t, ",");
		broker_text_string(t, names[i]);
		broker_text_add(t, ":%" PRIu64,
				broker_stream_subject(s, names[i])->count);
	}
	if (count > 0)
		broker_text_add(t, "}");
	free(names);
}

static void write_state(struct broker_text *t, const struct broker_stream *s,
			const char *filter, uint64_t offset)
{
	const struct broker_message *first = broker_stream_from(s, 0);
	uint64_t first_seq = s->first_seq, deleted = 0;
	size_t subjects;

	free(list_subjects(s, ">", &subjects));
	if (s->fresh && s->last_seq == 0)
		first_seq = 0;
	if (s->stored > 0)
		deleted = s->last_seq - first_seq + 1 - s->stored;
	broker_text_add(t,
			",\"state\":{\"messages\":%" PRIu64
			",\"bytes\":%" PRIu64 ",\"first_seq\":%" PRIu64
			",\"first_ts\":",
			s->stored, s->bytes, first_seq);
	if (first != NULL)
		broker_text_time(t, first->time_ns);
	else
		broker_text_add(t, "\"0001-01-01T00:00:00Z\"");
	broker_text_add(t,
			",\"last_seq\":%" PRIu64 ",\"last_ts\":", s->last_seq);
	if (s->last_ns != 0)
		broker_text_time(t, s->last_ns);
	else
		broker_text_add(t, "\"0001-01-01T00:00:00Z\"");
	if (subjects > 0)
		broker_text_add(t, ",\"num_subjects\":%zu", subjects);
	if (filter != NULL)
		write_subjects(t, s, filter, offset);
	if (deleted > 0)
		broker_text_add(t, ",\"num_deleted\":%" PRIu64, deleted);
	broker_text_add(t, ",\"consumer_count\":%" PRIu64 "}",
			s->consumer_count);
}

/* Config, time and state, and the end of the answer. */
static void write_stream(struct request *r, const char *filter, uint64_t offset)
{
	struct broker_text *t = &r->b->text;

	broker_text_add(t, ",\"config\":");
	broker_config_write(t, &r->s->config);
	broker_text_add(t, ",\"created\":");
	broker_text_time(t, r->s->created_ns);
	write_state(t, r->s, filter, offset);
}

static void stream_info(struct request *r)
{
	struct broker_text *t = &r->b->text;
	char filter[TOKEN_MAX];
	uint64_t offset = 0;
	size_t total = 0;
	bool filtered;

	if (r->s == NULL || (r->body.len > 0 && !nats_json_is_object(r->body)))
		broker_text_add(t, ",\"total\":0,\"offset\":0,\"limit\":0");
	if (!has_stream(r))
		return;
	if (r->body.len > 0 && !nats_json_is_object(r->body)) {
		broker_error(r->b, 400, 10025, "invalid JSON");
		return;
	}
	filtered = read_text(r->body, "subjects_filter", filter);
	(void)read_uint(r->body, "offset", &offset);
	if (filtered)
		free(list_subjects(r->s, filter, &total));
	broker_text_add(t, ",\"total\":%zu,\"offset\":%" PRIu64 ",\"limit\":%d",
			total, offset, total > 0 ? PAGE : 0);
	write_stream(r, filtered ? filter : NULL, offset);
	broker_text_add(&r->b->text, "}");
}

/* STREAM.CREATE, STREAM.UPDATE */

static bool overlaps(const struct request *r, const struct broker_config *c)
{
	for (const struct broker_stream *s = r->b->streams; s != NULL;
	     s = s->next)
		for (size_t i = 0; s != r->s && i < s->config.subject_count;
		     i++)
			for (size_t k = 0; k < c->subject_count; k++)
				if (broker_subjects_overlap(
					    s->config.subjects[i],
					    c->subjects[k]))
					return true;
	return false;
}

static bool same_config(const struct broker_config *a,
			const struct broker_config *b)
{
	struct broker_text left = { 0 }, right = { 0 };
	bool same;

	broker_config_write(&left, a);
	broker_config_write(&right, b);
	same = strcmp(left.at, right.at) == 0;
	broker_text_free(&left);
	broker_text_free(&right);
	return same;
}

/* False if the configuration is invalid: then that is the answer. */
static bool read_config(struct request *r, struct broker_config *out)
{
	const char *error;

	*out = (struct broker_config){ 0 };
	if (!nats_json_is_object(r->body)) {
		broker_error(r->b, 400, 10025, "invalid JSON");
		return false;
	}
	error = broker_config_parse(r->body, out);
	if (out->name == NULL || strcmp(out->name, r->stream) != 0) {
		broker_error(r->b, 400, 10056,
			     "stream name in subject does not match request");
		return false;
	}
	if (error != NULL) {
		broker_error(r->b, 500, 10052, error);
		return false;
	}
	if (out->replicas > 1) {
		broker_error(r->b, 500, 10074,
			     "replicas > 1 not supported in non-clustered "
			     "mode");
		return false;
	}
	return true;
}

static bool has_room(const struct request *r, const struct broker_config *c)
{
	int64_t reserved = c->max_bytes > 0 ? c->max_bytes : 0;

	for (const struct broker_stream *s = r->b->streams; s != NULL;
	     s = s->next)
		if (s != r->s && s->config.max_bytes > 0)
			reserved += s->config.max_bytes;
	return c->max_bytes <= 0 || reserved <= r->b->max_store;
}

static void add_stream(struct request *r, const struct broker_config *c)
{
	struct broker_stream **at = &r->b->streams;

	while (*at != NULL)
		at = &(*at)->next;
	*at = broker_stream_new(c, broker_wall(r->b));
	r->s = *at;
	r->s->current = r->b->options.current;
}

static void stream_create(struct request *r)
{
	struct broker_config c;

	if (!read_config(r, &c))
		;
	else if (r->s != NULL && !same_config(&r->s->config, &c))
		broker_error(r->b, 400, 10058,
			     "stream name already in use with a different "
			     "configuration");
	else if (r->s == NULL && overlaps(r, &c))
		broker_error(r->b, 400, 10065,
			     "subjects overlap with an existing stream");
	else if (r->s == NULL && !has_room(r, &c))
		broker_error(r->b, 500, 10047,
			     "insufficient storage resources available");
	else {
		bool existed = r->s != NULL;

		if (!existed)
			add_stream(r, &c);
		write_stream(r, NULL, 0);
		broker_text_add(&r->b->text, "%s}",
				existed ? "" : ",\"did_create\":true");
	}
	broker_config_free(&c);
}

/* What the server does not allow an update to change, or NULL. */
static const char *check_update(const struct broker_config *from,
				const struct broker_config *to)
{
	if (from->max_consumers != to->max_consumers)
		return "stream configuration update can not change "
		       "MaxConsumers";
	if (from->memory != to->memory)
		return "stream configuration update can not change storage "
		       "type";
	if (from->deny_delete && !to->deny_delete)
		return "stream configuration update can not cancel deny "
		       "message deletes";
	if (from->deny_purge && !to->deny_purge)
		return "stream configuration update can not cancel deny purge";
	return NULL;
}

static void stream_update(struct request *r)
{
	struct broker_config c;
	const char *error;
	bool lowered;

	if (!read_config(r, &c)) {
		broker_config_free(&c);
		return;
	}
	if (!has_stream(r)) {
		broker_config_free(&c);
		return;
	}
	error = check_update(&r->s->config, &c);
	if (error == NULL && overlaps(r, &c))
		error = "subjects overlap with an existing stream";
	if (error != NULL) {
		broker_error(r->b, 500, 10052, error);
		broker_config_free(&c);
		return;
	}
	/* What the old window has ended, the new one does not bring back. */
	broker_ids_expire(r->s, broker_wall(r->b));
	lowered =
		c.max_per_subject > 0 &&
		(c.max_per_subject < r->s->config.max_per_subject ||
		 (r->b->options.current && r->s->config.max_per_subject <= 0));
	broker_config_free(&r->s->config);
	r->s->config = c;
	broker_stream_enforce(r->s, broker_wall(r->b));
	/* 2.9.10 takes "no limit" for the number -1. */
	if (lowered)
		broker_stream_enforce_subjects(r->s);
	write_stream(r, NULL, 0);
	broker_text_add(&r->b->text, "}");
}

/* STREAM.DELETE, STREAM.PURGE, STREAM.MSG.* */

static void stream_delete(struct request *r)
{
	if (!has_stream(r))
		return;
	broker_stream_drop(r->b, r->s);
	broker_text_add(&r->b->text, ",\"success\":true}");
}

static void stream_purge(struct request *r)
{
	struct broker_text *t = &r->b->text;
	char filter[TOKEN_MAX];
	uint64_t seq = 0, keep = 0;
	bool filtered;
	size_t begun = t->len;

	/* Errors have this member as well. */
	broker_text_add(t, ",\"purged\":0");
	if (r->body.len > 0 && !nats_json_is_object(r->body)) {
		broker_error(r->b, 400, 10025, "invalid JSON");
		return;
	}
	filtered = read_text(r->body, "filter", filter);
	(void)read_uint(r->body, "seq", &seq);
	(void)read_uint(r->body, "keep", &keep);
	if (seq > 0 && keep > 0) {
		broker_error(r->b, 400, BAD, "bad request");
		return;
	}
	if (!has_stream(r))
		return;
	/* 2.9.10 takes 1 for "not set". */
	if (seq == 1 && !r->b->options.current)
		seq = 0;
	if (r->s->config.sealed) {
		broker_error(r->b, 500, 10109,
			     "invalid operation on sealed stream");
		return;
	}
	if (r->s->config.deny_purge) {
		broker_error(r->b, 500, 10110, "stream purge not permitted");
		return;
	}
	t->len = begun;
	broker_text_add(t, ",\"success\":true,\"purged\":%" PRIu64 "}",
			broker_stream_purge(r->s, filtered ? filter : NULL, seq,
					    keep));
	/* 2.9.10 goes on counting where it was. */
	if (r->b->options.current)
		r->s->expected_seq = r->s->last_seq;
}

static const struct broker_message *find_message(struct request *r)
{
	char subject[TOKEN_MAX];
	uint64_t seq = 0;

	(void)read_uint(r->body, "seq", &seq);
	if (read_text(r->body, "last_by_subj", subject))
		return broker_stream_last(r->s, subject);
	if (!read_text(r->body, "next_by_subj", subject))
		return broker_stream_at(r->s, seq);
	for (struct broker_message *m = broker_stream_from(r->s, seq);
	     m != NULL; m = broker_stream_from(r->s, m->seq + 1))
		if (broker_subject_matches(subject, m->subject->name))
			return m;
	return NULL;
}

/* True if the body names a message in one of the ways there are. */
static bool names_message(const struct request *r)
{
	char text[TOKEN_MAX];
	uint64_t seq = 0;
	bool last = read_text(r->body, "last_by_subj", text);
	bool next = read_text(r->body, "next_by_subj", text);
	bool by_seq = read_uint(r->body, "seq", &seq) && seq > 0;

	return (by_seq || last || next) && !(by_seq && last) && !(last && next);
}

static bool names_nothing(const struct request *r)
{
	char text[TOKEN_MAX];
	uint64_t seq = 0;

	(void)read_uint(r->body, "seq", &seq);
	return seq == 0 && !read_text(r->body, "last_by_subj", text) &&
	       !read_text(r->body, "next_by_subj", text);
}

static void message_get(struct request *r)
{
	struct broker_text *t = &r->b->text;
	const struct broker_message *m;

	if (r->body.len == 0) {
		broker_error(r->b, 400, BAD, "bad request");
		return;
	}
	if (!nats_json_is_object(r->body)) {
		broker_error(r->b, 400, 10025, "invalid JSON");
		return;
	}
	if (!names_message(r)) {
		broker_error(r->b, 400, BAD, "bad request");
		return;
	}
	if (!has_stream(r))
		return;
	m = find_message(r);
	if (m == NULL) {
		broker_error(r->b, 404, NO_MESSAGE, "no message found");
		return;
	}
	broker_text_add(t, ",\"message\":{\"subject\":");
	broker_text_string(t, m->subject->name);
	broker_text_add(t, ",\"seq\":%" PRIu64, m->seq);
	if (m->header_len > 0) {
		broker_text_add(t, ",\"hdrs\":");
		broker_text_base64(t, broker_message_headers(m));
	}
	if (m->data_len > 0) {
		broker_text_add(t, ",\"data\":");
		broker_text_base64(t, broker_message_data(m));
	}
	broker_text_add(t, ",\"time\":");
	broker_text_time(t, m->time_ns);
	broker_text_add(t, "}}");
}

/* There is no message @seq to delete. */
static void refuse_sequence(struct request *r, uint64_t seq)
{
	const struct broker_stream *s = r->s;
	char text[64];

	if (s->config.memory || (seq >= s->first_seq && seq <= s->last_seq)) {
		snprintf(text, sizeof(text), "sequence %" PRIu64 " not found",
			 seq);
		broker_error(r->b, 400, 10043, text);
		return;
	}
	broker_error(r->b, 500, 10057,
		     seq <= s->last_seq ? "no message found"
					: "stream store EOF");
}

static void message_delete(struct request *r)
{
	struct broker_message *m;
	uint64_t seq = 0;

	if (r->body.len == 0) {
		broker_error(r->b, 400, BAD, "bad request");
		return;
	}
	if (!nats_json_is_object(r->body)) {
		broker_error(r->b, 400, 10025, "invalid JSON");
		return;
	}
	if (!has_stream(r))
		return;
	if (r->s->config.sealed) {
		broker_error(r->b, 400, 10109,
			     "invalid operation on sealed stream");
		return;
	}
	if (r->s->config.deny_delete) {
		broker_error(r->b, 500, 10057, "message delete not permitted");
		return;
	}
	(void)read_uint(r->body, "seq", &seq);
	m = broker_stream_at(r->s, seq);
	if (m == NULL) {
		refuse_sequence(r, seq);
		return;
	}
	broker_stream_remove(r->s, m);
	broker_text_add(&r->b->text, ",\"success\":true}");
}

/* Consumers */

static void consumer_create(struct request *r)
{
	if (has_stream(r))
		broker_consumer_create(r->b, r->s, r->body);
}

static void consumer_info(struct request *r)
{
	if (has_stream(r))
		broker_consumer_info(r->b, r->s, r->rest);
}

static void consumer_delete(struct request *r)
{
	if (has_stream(r))
		broker_consumer_delete(r->b, r->s, r->rest);
}

/* INFO */

static void account_info(struct request *r)
{
	uint64_t streams = 0, consumers = 0, memory = 0, storage = 0;

	for (const struct broker_stream *s = r->b->streams; s != NULL;
	     s = s->next) {
		streams++;
		consumers += s->consumer_count;
		*(s->config.memory ? &memory : &storage) += s->bytes;
	}
	broker_text_add(&r->b->text,
			",\"memory\":%" PRIu64 ",\"storage\":%" PRIu64
			",\"streams\":%" PRIu64 ",\"consumers\":%" PRIu64
			",\"limits\":{\"max_memory\":-1,\"max_storage\":-1,"
			"\"max_streams\":-1,\"max_consumers\":-1}}",
			memory, storage, streams, consumers);
}

/* DIRECT.GET: the message itself, or a status. */

static void direct_status(struct request *r, const char *status)
{
	char headers[128];
	int len = snprintf(headers, sizeof(headers), "NATS/1.0 %s\r\n\r\n",
			   status);

	broker_deliver(r->b, r->reply, "",
		       (struct wire_view){ (const uint8_t *)headers,
					   (size_t)len },
		       (struct wire_view){ 0 }, 0);
}

static void direct_get(struct request *r)
{
	static const char version[] = "NATS/1.0\r\n";
	struct broker_text *t = &r->b->text;
	const struct broker_message *m;

	if (r->rest[0] != '\0') {
		m = broker_stream_last(r->s, r->rest);
	} else if (r->body.len == 0) {
		direct_status(r, "408 Empty Request");
		return;
	} else if (!names_message(r)) {
		direct_status(r, names_nothing(r) ? "408 Empty Request"
						  : "408 Bad Request");
		return;
	} else {
		m = find_message(r);
	}
	if (m == NULL) {
		direct_status(r, "404 Message Not Found");
		return;
	}
	broker_text_clear(t);
	if (m->header_len > 2)
		broker_text_bytes(t, m->bytes, m->header_len - 2);
	else
		broker_text_add(t, "%s", version);
	broker_text_add(t,
			"Nats-Stream: %s\r\nNats-Subject: %s\r\n"
			"Nats-Sequence: %" PRIu64 "\r\nNats-Time-Stamp: ",
			r->s->config.name, m->subject->name, m->seq);
	broker_text_rfc3339(t, m->time_ns);
	broker_text_add(t, "\r\n\r\n");
	broker_deliver(r->b, r->reply, "",
		       (struct wire_view){ (const uint8_t *)t->at, t->len },
		       broker_message_data(m), 0);
}

static const struct {
	const char *what; /* behind "$JS.API.", before the stream */
	const char *type;
	void (*answer)(struct request *r);
} requests[] = {
	{ "STREAM.INFO", "stream_info_response", stream_info },
	{ "STREAM.CREATE", "stream_create_response", stream_create },
	{ "STREAM.UPDATE", "stream_update_response", stream_update },
	{ "STREAM.DELETE", "stream_delete_response", stream_delete },
	{ "STREAM.PURGE", "stream_purge_response", stream_purge },
	{ "STREAM.MSG.GET", "stream_msg_get_response", message_get },
	{ "STREAM.MSG.DELETE", "stream_msg_delete_response", message_delete },
	{ "CONSUMER.CREATE", "consumer_create_response", consumer_create },
	{ "CONSUMER.INFO", "consumer_info_response", consumer_info },
	{ "CONSUMER.DELETE", "consumer_delete_response", consumer_delete },
};

/* Split "<stream>.<rest>". */
static void split(struct request *r, const char *text, char stream[TOKEN_MAX])
{
	size_t len = strcspn(text, ".");

	snprintf(stream, TOKEN_MAX, "%.*s", (int)len, text);
	r->stream = stream;
	r->rest = text[len] == '.' ? text + len + 1 : "";
	r->s = broker_stream_find(r->b, stream);
}

/* Only a stream that allows it answers. */
static void answer_direct(struct request *r, const char *text)
{
	char stream[TOKEN_MAX];

	split(r, text, stream);
	if (r->s != NULL && r->s->config.allow_direct)
		direct_get(r);
	r->stream = NULL;
}

static void reply_text(struct request *r)
{
	const struct broker_text *t = &r->b->text;

	if (r->reply[0] != '\0')
		broker_deliver(r->b, r->reply, "", (struct wire_view){ 0 },
			       (struct wire_view){ (const uint8_t *)t->at,
						   t->len },
			       0);
}

void broker_api(struct broker *b, const char *subject, const char *reply,
		struct wire_view body)
{
	struct request r = { .b = b, .reply = reply, .body = body };
	const char *what = subject + sizeof(API) - 1;
	char stream[TOKEN_MAX];

	if (b->now < b->leaderless_until)
		return;
	if (strncmp(what, "DIRECT.GET.", 11) == 0) {
		answer_direct(&r, what + 11);
		return;
	}
	if (strcmp(what, "INFO") == 0) {
		r.type = "account_info_response";
		begin(&r);
		account_info(&r);
		reply_text(&r);
		return;
	}
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		size_t len = strlen(requests[i].what);

		if (strncmp(what, requests[i].what, len) != 0 ||
		    what[len] != '.')
			continue;
		split(&r, what + len + 1, stream);
		r.type = requests[i].type;
		begin(&r);
		requests[i].answer(&r);
		reply_text(&r);
		return;
	}
}
