/*
 * What becomes of a message that is published: the checks of nats-server's
 * processJetStreamMsg(), in its order.
 */
#include "broker_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1024

struct arrival {
	struct broker *b;
	struct broker_stream *s;
	const char *subject;
	const char *reply;
	struct wire_view headers;
	struct wire_view data;
	char id[TEXT_MAX];
	char rollup[TEXT_MAX]; /* "" = none */
};

static void acknowledge(struct arrival *a, const char *text)
{
	struct broker *b = a->b;

	if (a->reply[0] == '\0' || a->s->config.no_ack)
		return;
	if (b->lose_acks > 0) {
		b->lose_acks--;
		b->counters.acks_lost++;
		return;
	}
	broker_deliver(b, a->reply, "", (struct wire_view){ 0 },
		       (struct wire_view){ (const uint8_t *)text,
					   strlen(text) },
		       b->ack_delay);
}

static void refuse(struct arrival *a, int code, int err_code,
		   const char *description)
{
	struct broker_text *t = &a->b->text;

	a->b->counters.refused++;
	broker_text_clear(t);
	broker_text_add(t,
			"{\"error\":{\"code\":%d,\"err_code\":%d,"
			"\"description\":",
			code, err_code);
	broker_text_string(t, description);
	broker_text_add(t, "},\"stream\":\"%s\",\"seq\":0}", a->s->config.name);
	acknowledge(a, t->at);
}

static void refuse_last(struct arrival *a, uint64_t seq)
{
	char text[64];

	snprintf(text, sizeof(text), "wrong last sequence: %" PRIu64, seq);
	refuse(a, 400, 10071, text);
}

/* False if the header is missing or is no number. */
static bool read_number(const struct arrival *a, const char *name,
			uint64_t *out)
{
	char text[TEXT_MAX];
	char *end;

	if (!broker_header(a->headers, name, text, sizeof(text)) ||
	    text[0] < '0' || text[0] > '9')
		return false;
	*out = strtoull(text, &end, 10);
	return *end == '\0';
}

static bool is_duplicate(struct arrival *a)
{
	char text[512];
	uint64_t seq;

	if (!broker_header(a->headers, "Nats-Msg-Id", a->id, sizeof(a->id)))
		a->id[0] = '\0';
	if (a->id[0] == '\0')
		return false;
	seq = broker_ids_find(a->s, a->id, broker_wall(a->b));
	if (seq == 0)
		return false;
	a->b->counters.duplicates++;
	snprintf(text, sizeof(text),
		 "{\"stream\":\"%.256s\", \"seq\":%" PRIu64
		 ",\"duplicate\": true}",
		 a->s->config.name, seq);
	acknowledge(a, text);
	return true;
}

/* True if what the headers expect holds; otherwise it is refused. */
static bool meets_expectations(struct arrival *a)
{
	struct broker_stream *s = a->s;
	const struct broker_message *last = broker_stream_last(s, a->subject);
	char text[TEXT_MAX], why[TEXT_MAX + 32];
	uint64_t seq;

	if (read_number(a, "Nats-Expected-Last-Subject-Sequence", &seq) &&
	    seq != (last != NULL ? last->seq : 0)) {
		refuse_last(a, last != NULL ? last->seq : 0);
		return false;
	}
	if (read_number(a, "Nats-Expected-Last-Sequence", &seq) &&
	    seq != s->expected_seq) {
		refuse_last(a, s->expected_seq);
		return false;
	}
	if (broker_header(a->headers, "Nats-Expected-Last-Msg-Id", text,
			  sizeof(text)) &&
	    text[0] != '\0') {
		if (s->last_id[0] == '\0')
			broker_ids_load(s, broker_wall(a->b));
		if (strcmp(text, s->last_id) != 0) {
			snprintf(why, sizeof(why), "wrong last msg ID: %s",
				 s->last_id);
			refuse(a, 400, 10070, why);
			return false;
		}
	}
	return true;
}

/* True if a rollup is allowed, or none is asked for. */
static bool rollup_allowed(struct arrival *a)
{
	if (!broker_header(a->headers, "Nats-Rollup", a->rollup,
			   sizeof(a->rollup)))
		a->rollup[0] = '\0';
	if (a->rollup[0] == '\0')
		return true;
	if (!a->s->config.allow_rollup || a->s->config.deny_purge) {
		refuse(a, 500, 10111, "rollup not permitted");
		return false;
	}
	/* Another value gets no answer. */
	return strcmp(a->rollup, "sub") == 0 || strcmp(a->rollup, "all") == 0;
}

/* True if the message fits; otherwise it is refused. */
static bool fits(struct arrival *a)
{
	const struct broker_config *c = &a->s->config;
	size_t len = a->headers.len + a->data.len;

	if (c->max_msg_size >= 0 && len > (uint64_t)c->max_msg_size) {
		refuse(a, 400, 10054, "message size exceeds maximum allowed");
		return false;
	}
	if (broker_stored_bytes(a->b) > (uint64_t)a->b->max_store) {
		refuse(a, 503, 10023, "insufficient resources");
		return false;
	}
	return true;
}

static void store(struct arrival *a)
{
	struct broker_stream *s = a->s;
	int64_t now = broker_wall(a->b);
	const char *error =
		broker_stream_store(s, a->subject, a->headers, a->data, now);
	uint64_t seq = s->last_seq;
	char text[512];

	if (error != NULL) {
		refuse(a, 503, 10077, error);
		return;
	}
	a->b->counters.stored++;
	broker_ids_set_last(s, a->id);
	if (a->id[0] != '\0')
		broker_ids_add(s, a->id, seq, now);
	if (a->rollup[0] != '\0')
		broker_stream_purge(s,
				    strcmp(a->rollup, "sub") == 0 ? a->subject
								  : NULL,
				    0, 1);
	if (a->b->options.sync_ns < 0)
		broker_stream_sync(s);
	snprintf(text, sizeof(text),
		 "{\"stream\":\"%.256s\", \"seq\":%" PRIu64 "}", s->config.name,
		 seq);
	acknowledge(a, text);
}

bool broker_publish(struct broker *b, const char *subject, const char *reply,
		    struct wire_view headers, struct wire_view data)
{
	struct arrival a = {
		.b = b,
		.subject = subject,
		.reply = reply,
		.headers = headers,
		.data = data,
	};
	char expected[TEXT_MAX];

	for (a.s = b->streams; a.s != NULL; a.s = a.s->next)
		if (broker_stream_takes(a.s, subject))
			break;
	if (a.s == NULL)
		return false;
	if (b->now < b->leaderless_until)
		return true;
	if (a.s->config.sealed) {
		refuse(&a, 400, 10109, "invalid operation on sealed stream");
		return true;
	}
	if (broker_header(headers, "Nats-Expected-Stream", expected,
			  sizeof(expected)) &&
	    expected[0] != '\0' && strcmp(expected, a.s->config.name) != 0) {
		refuse(&a, 400, 10060, "expected stream does not match");
		return true;
	}
	if (!is_duplicate(&a) && meets_expectations(&a) && rollup_allowed(&a) &&
	    fits(&a))
		store(&a);
	return true;
}
