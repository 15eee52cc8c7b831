#include "egress/nats/stream.h"

#include "egress/nats/api.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS 5000
/* timeout in ms of a request whose answer is optional */
#define LOOK_MS	    2000
#define MAX_AGE_S   (24 * 3600)
#define MAX_BYTES   (INT64_C(32) << 30)
#define DUPLICATE_S 120
#define NS	    INT64_C(1000000000)

/*
 * How many messages to search backwards for one with a collector's message id.
 * More than one is needed only if other writers use the stream, or messages
 * were deleted.
 */
#define LOOK_BACK 1000

static int64_t or_default(int64_t value, int64_t fallback)
{
	return value != 0 ? value : fallback;
}

bool nats_subject_covers(const char *filter, const char *subject)
{
	for (;;) {
		size_t f = strcspn(filter, ".");
		size_t s = strcspn(subject, ".");

		if (f == 1 && *filter == '>')
			return true;
		if (s == 1 && *subject == '>')
			return false;
		if (!(f == 1 && *filter == '*') &&
		    (f != s || memcmp(filter, subject, f) != 0))
			return false;
		filter += f;
		subject += s;
		if (*filter == '\0' || *subject == '\0')
			return *filter == *subject;
		filter++;
		subject++;
	}
}

static bool subjects_cover(struct wire_view subjects, const char *subject)
{
	char filter[NATS_API_SUBJECT_MAX];
	struct wire_view value;

	while (nats_json_next(&subjects, NULL, &value))
		if (nats_json_string(value, filter, sizeof(filter)) &&
		    nats_subject_covers(filter, subject))
			return true;
	return false;
}

/*
 * Refuse a stream whose settings would lose acknowledged messages or store them
 * under other subjects.
 */
static int verify_contents(const struct nats_reply_stream *stream,
			   const struct nats_stream_options *options,
			   struct nats_error *why)
{
	const struct {
		bool refused;
		const char *setting;
	} rows[] = {
		{ !stream->by_limits,
		  "another retention than limits: messages that no consumer "
		  "waits for are lost; make it with retention limits" },
		{ stream->no_ack,
		  "no_ack: it acknowledges nothing; set it to false" },
		{ stream->sealed, "sealed: it takes no messages" },
		{ stream->mirror, "mirror: it takes no messages" },
		{ stream->transform,
		  "subject_transform: messages are stored under subjects that "
		  "consumers do not know; make it without" },
		{ stream->max_per_subject > 0,
		  "max_msgs_per_subject: batches of one table would replace "
		  "each other; set it to -1" },
		{ stream->persist_async,
		  "persist_mode async: it acknowledges what it may still lose; "
		  "make it without" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].refused)
			continue;
		snprintf(why->text, sizeof(why->text), "stream %s has %s",
			 options->name, rows[i].setting);
		return -EINVAL;
	}
	return 0;
}

/*
 * Check that an existing stream is usable. Its other settings are the
 * operator's choice.
 */
static int stream_verify(const struct nats_reply_stream *stream,
			 const struct nats_stream_options *options,
			 struct nats_error *why)
{
	for (size_t i = 0; i < options->subject_count; i++) {
		if (subjects_cover(stream->subjects, options->subjects[i]))
			continue;
		snprintf(why->text, sizeof(why->text),
			 "stream %s does not take %s: add it to its subjects",
			 options->name, options->subjects[i]);
		return -EINVAL;
	}
	return verify_contents(stream, options, why);
}

static struct nats_api api_of(struct nats_conn *link,
			      const struct nats_stream_options *options)
{
	return (struct nats_api){ nats_conn_client(link),
				  or_default(options->wait_ms, WAIT_MS) };
}

/* Write the subjects as "a.>","b.>"; -EINVAL if one of them is invalid. */
static int list_subjects(const struct nats_stream_options *options, char *out,
			 size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < options->subject_count; i++) {
		if (!nats_api_is_plain(options->subjects[i]))
			return -EINVAL;
		len += (size_t)snprintf(out + len, size - len, "%s\"%s\"",
					i > 0 ? "," : "", options->subjects[i]);
		if (len >= size)
			return -EINVAL;
	}
	return 0;
}

/* Write the configuration of the stream to create; -EINVAL if it is invalid. */
static int format_config(const struct nats_stream_options *options, char *out,
			 size_t size)
{
	int64_t age_s = or_default(options->max_age_s, MAX_AGE_S);
	int64_t age = age_s < 0 ? 0 : age_s * NS;
	int64_t window = or_default(options->duplicate_s, DUPLICATE_S) * NS;
	char subjects[NATS_API_BODY_MAX / 2];
	int n;

	if (list_subjects(options, subjects, sizeof(subjects)) < 0 ||
	    !nats_api_is_token(options->name))
		return -EINVAL;
	/* The duplicate window must not exceed the maximum age. */
	if (age > 0 && window > age)
		window = age;
	n = snprintf(out, size,
		     "{\"name\":\"%s\",\"subjects\":[%s],"
		     "\"retention\":\"limits\",\"max_consumers\":-1,"
		     "\"max_msgs\":-1,\"max_msgs_per_subject\":-1,"
		     "\"max_msg_size\":-1,\"max_bytes\":%" PRId64
		     ",\"max_age\":%" PRId64 ",\"storage\":\"%s\","
		     "\"discard\":\"%s\",\"num_replicas\":%" PRId64
		     ",\"duplicate_window\":%" PRId64 "}",
		     options->name, subjects,
		     or_default(options->max_bytes, MAX_BYTES), age,
		     options->memory ? "memory" : "file",
		     options->discard_new ? "new" : "old",
		     or_default(options->replicas, 1), window);
	return n >= (int)size ? -EINVAL : 0;
}

/*
 * Add a hint to *@why: the server reserves the maximum size of a stream, and
 * has less space.
 */
static void add_size_hint(const struct nats_stream_options *options,
			  struct nats_error *why)
{
	size_t len = strlen(why->text);

	snprintf(why->text + len, sizeof(why->text) - len,
		 "; the server has less than --nats-max-bytes, %" PRId64
		 ": set that lower",
		 or_default(options->max_bytes, MAX_BYTES));
}

static int stream_create(const struct nats_api *api,
			 const struct nats_stream_options *options,
			 struct nats_error *why, struct nats_received **reply,
			 struct nats_reply_stream *out)
{
	char body[NATS_API_BODY_MAX];
	int err;

	if (format_config(options, body, sizeof(body)) < 0) {
		snprintf(why->text, sizeof(why->text),
			 "stream %s cannot be made: its name or its subjects "
			 "are not valid",
			 options->name);
		return -EINVAL;
	}
	err = nats_api_stream(api, "STREAM.CREATE", options->name, body, why,
			      reply, out);
	if (err == -ENOSPC)
		add_size_hint(options, why);
	return err;
}

static int stream_find(const struct nats_api *api,
		       const struct nats_stream_options *options,
		       struct nats_error *why, struct nats_reply_stream *out)
{
	struct nats_received *reply = NULL;
	int err = nats_api_stream(api, "STREAM.INFO", options->name, NULL, why,
				  &reply, out);

	if (err == -ENOENT && options->no_create) {
		snprintf(why->text, sizeof(why->text), "there is no stream %s",
			 options->name);
		return err;
	}
	if (err == -ENOENT)
		err = stream_create(api, options, why, &reply, out);
	if (err < 0)
		return err;
	err = stream_verify(out, options, why);
	/* subjects are views into the answer, which is freed */
	out->subjects.len = 0;
	nats_received_free(reply);
	return err;
}

/*
 * Read the message id from the headers of @m. False if it does not have the
 * format of a collector's message id.
 */
static bool read_id(const struct nats_api_message *m, struct nats_tail *out)
{
	char after[MESSAGE_ID_MAX];

	if (!nats_reply_header(m->headers, "Nats-Msg-Id", out->id_text,
			       sizeof(out->id_text)) ||
	    !message_id_parse(out->id_text, out->collector, &out->id))
		return false;
	out->has_id = true;
	if (out->id.record.seq != 0) {
		out->record = out->id.record;
		out->has_record = true;
		return true;
	}
	out->has_record = nats_reply_header(m->headers, NATS_AFTER_HEADER,
					    after, sizeof(after)) &&
			  record_id_parse(after, &out->record);
	return true;
}

/*
 * Examine one message; the caller goes backwards from the end. Returns true if
 * the search must go on, because the last id or the last record was not found
 * yet.
 */
static bool look_at(const struct nats_api_message *m, struct nats_tail *out)
{
	struct nats_tail one = { 0 };

	if (!read_id(m, &one))
		return true;
	if (!out->has_id) {
		one.created_ns = out->created_ns;
		one.last_seq = out->last_seq;
		one.max_msg_size = out->max_msg_size;
		one.id_seq = m->seq;
		*out = one;
	} else if (strcmp(one.collector, out->collector) == 0) {
		out->has_record = one.has_record;
		out->record = one.record;
	} else {
		return false; /* such events were written before ids existed */
	}
	return !out->has_record;
}

/* Refuse a stream with a message whose id no collector makes; see EPOCH_MAX. */
static int verify_epochs(const struct nats_stream_options *options,
			 const struct nats_tail *tail, uint64_t seq,
			 struct nats_error *why)
{
	if (tail->id.epoch <= EPOCH_MAX && tail->id.record.epoch <= EPOCH_MAX)
		return 0;
	snprintf(why->text, sizeof(why->text),
		 "message %" PRIu64 " of stream %s has the id %s, with an "
		 "epoch beyond 48 bits: no collector wrote it; delete it",
		 seq, options->name, tail->id_text);
	return -EINVAL;
}

static int read_last(const struct nats_api *api,
		     const struct nats_stream_options *options,
		     const struct nats_reply_stream *stream,
		     struct nats_error *why, struct nats_tail *out)
{
	uint64_t seq = stream->last_seq;
	uint64_t stop = stream->first_seq;

	if (seq > LOOK_BACK && stop < seq - LOOK_BACK)
		stop = seq - LOOK_BACK;
	for (; seq >= stop && seq > 0 && stream->messages > 0; seq--) {
		struct nats_api_message m;
		bool more;
		int err = nats_api_message(api, options->name, seq, NULL, why,
					   &m);

		if (err == -ENODATA)
			continue;
		if (err < 0)
			return err;
		more = look_at(&m, out);
		free(m.bytes);
		if (!more)
			break;
	}
	return verify_epochs(options, out, out->id_seq, why);
}

static int read_epoch(const struct nats_api *api,
		      const struct nats_stream_options *options,
		      const char *subject, struct nats_error *why,
		      struct nats_tail *out)
{
	struct nats_tail event = { 0 };
	struct nats_api_message m;
	int err = nats_api_message(api, options->name, 0, subject, why, &m);

	if (err == -ENODATA)
		return 0;
	if (err < 0)
		return err;
	if (read_id(&m, &event)) {
		out->has_epoch = true;
		out->epoch = event.id.epoch;
		memcpy(out->epoch_collector, event.collector,
		       sizeof(event.collector));
	}
	free(m.bytes);
	return verify_epochs(options, &event, m.seq, why);
}

int nats_stream_prepare(struct nats_conn *link,
			const struct nats_stream_options *options,
			const char *epoch_subject, struct nats_error *why,
			struct nats_tail *out)
{
	struct nats_api api = api_of(link, options);
	struct nats_tail tail = { 0 };
	struct nats_reply_stream stream;
	int err = stream_find(&api, options, why, &stream);

	if (err < 0)
		return err;
	tail.created_ns = stream.created_ns;
	tail.last_seq = stream.last_seq;
	tail.max_msg_size = stream.max_msg_size;
	err = read_last(&api, options, &stream, why, &tail);
	if (err == 0)
		err = read_epoch(&api, options, epoch_subject, why, &tail);
	if (err == 0)
		*out = tail;
	return err;
}

/* Opening an epoch */

/* Texts of the headers of the event. */
struct epoch_text {
	char after[MESSAGE_ID_MAX];
	char last_seq[24];
};

/*
 * Expect the sequence of the last message, not its id: a restarted server does
 * not know ids older than the duplicate window, and would refuse the event.
 */
static void expect_tail(struct nats_send *m, const struct nats_epoch *epoch,
			const struct nats_tail *tail, struct epoch_text *text)
{
	if (tail->last_seq > 0) {
		snprintf(text->last_seq, sizeof(text->last_seq), "%" PRIu64,
			 tail->last_seq);
		nats_send_header(m, "Nats-Expected-Last-Sequence",
				 text->last_seq);
	}
	if (epoch->has_record) {
		record_id_format(epoch->record, text->after);
		nats_send_header(m, NATS_AFTER_HEADER, text->after);
	}
}

static int ack_check(struct nats_received *reply, struct nats_error *why,
		     uint64_t *seq)
{
	struct nats_ack ack;

	nats_ack_parse(nats_received_data(reply), &ack);
	if (ack.error == 0) {
		*seq = ack.seq;
		return 0;
	}
	snprintf(why->text, sizeof(why->text), "epoch refused: %u %s",
		 ack.error, ack.text);
	if (ack.error == NATS_JS_WRONG_LAST_ID ||
	    ack.error == NATS_JS_WRONG_LAST_SEQ)
		return -ESTALE;
	return -EAGAIN;
}

int nats_stream_open_epoch(struct nats_conn *link,
			   const struct nats_stream_options *options,
			   const struct nats_epoch *epoch,
			   const struct nats_tail *tail, struct nats_error *why,
			   uint64_t *seq, char id[MESSAGE_ID_MAX])
{
	struct message_id name = { epoch->epoch, { epoch->epoch, 0, 0 } };
	struct nats_send m = {
		.subject = epoch->subject,
		.data = { epoch->bytes, epoch->len },
	};
	struct nats_received *reply = NULL;
	struct epoch_text text;
	int err;

	message_id_format(epoch->collector, &name, id);
	nats_send_header(&m, "Nats-Msg-Id", id);
	nats_send_header(&m, "Arancini-Collector", epoch->collector);
	nats_send_header(&m, "Arancini-Schema", epoch->schema);
	nats_send_header(&m, "Nats-Expected-Stream", options->name);
	if (tail != NULL)
		expect_tail(&m, epoch, tail, &text);
	err = nats_client_request(nats_conn_client(link), &m,
				  or_default(options->wait_ms, WAIT_MS),
				  "epoch", why, &reply);
	if (err < 0)
		return err;
	err = ack_check(reply, why, seq);
	nats_received_free(reply);
	return err;
}

int nats_stream_look(struct nats_conn *link,
		     const struct nats_stream_options *options,
		     struct nats_error *why, struct nats_stream_state *out)
{
	struct nats_api api = api_of(link, options);
	struct nats_reply_stream s;
	struct nats_received *reply = NULL;
	int err;

	if (api.wait_ms > LOOK_MS)
		api.wait_ms = LOOK_MS;
	err = nats_api_stream(&api, "STREAM.INFO", options->name, NULL, why,
			      &reply, &s);
	if (err < 0)
		return err;
	err = stream_verify(&s, options, why);
	nats_received_free(reply); /* s.subjects is a view into the answer */
	if (err < 0)
		return err;
	*out = (struct nats_stream_state){
		.created_ns = s.created_ns,
		.messages = s.messages,
		.bytes = s.bytes,
		.first_seq = s.first_seq,
		.last_seq = s.last_seq,
		.deleted = s.deleted,
		.first_ns = s.first_ns,
		.last_ns = s.last_ns,
		.max_msgs = s.max_msgs,
		.max_bytes = s.max_bytes,
		.max_msg_size = s.max_msg_size,
		.max_age_ns = s.max_age_ns,
	};
	return 0;
}

int nats_stream_span(const struct nats_options *options, const char *stream,
		     struct nats_error *why, struct nats_span *out)
{
	struct nats_api api = { .wait_ms = WAIT_MS };
	struct nats_reply_stream info;
	struct nats_received *reply = NULL;
	int err = nats_client_open(options, why, &api.client);

	if (err < 0)
		return err;
	err = nats_api_stream(&api, "STREAM.INFO", stream, NULL, why, &reply,
			      &info);
	if (err == 0)
		*out = (struct nats_span){
			.created_ns = info.created_ns,
			.first_seq = info.first_seq,
			.last_seq = info.last_seq,
		};
	nats_received_free(reply);
	nats_client_close(api.client);
	return err;
}
