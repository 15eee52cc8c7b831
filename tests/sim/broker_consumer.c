/*
 * Consumers that deliver to a subject without acknowledgements, as ordered
 * consumers do. They are in memory and end some time after the last
 * subscription to their subject. The model does not ask for flow control; pull
 * consumers are not in it.
 */
#include "broker_internal.h"

#include "egress/nats/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS	    INT64_C(1000000000)
#define DESERTED_NS (5 * NS)
#define TEXT_MAX    1024

static uint64_t count_pending(const struct broker_consumer *c)
{
	const struct broker_message *m;
	uint64_t n = 0;

	for (m = broker_stream_from(c->stream, c->next_seq); m != NULL;
	     m = broker_stream_from(c->stream, m->seq + 1))
		n += broker_subject_matches(c->filter, m->subject->name);
	return n;
}

static void write_info(struct broker *b, const struct broker_consumer *c)
{
	struct broker_text *t = &b->text;

	broker_text_add(t, ",\"stream_name\":\"%s\",\"name\":\"%s\"",
			c->stream->config.name, c->name);
	broker_text_add(t, ",\"created\":");
	broker_text_time(t, c->created_ns);
	broker_text_add(t, ",\"config\":{\"deliver_subject\":");
	broker_text_string(t, c->deliver);
	broker_text_add(t,
			",\"ack_policy\":\"none\",\"replay_policy\":"
			"\"instant\"},\"delivered\":{\"consumer_seq\":%" PRIu64
			",\"stream_seq\":%" PRIu64
			"},\"ack_floor\":{\"consumer_seq\":0,\"stream_seq\":0},"
			"\"num_ack_pending\":0,\"num_redelivered\":0,"
			"\"num_waiting\":0,\"num_pending\":%" PRIu64
			",\"push_bound\":true}",
			c->delivered, c->delivered_seq, count_pending(c));
}

static char *read_text(struct wire_view json, const char *name,
		       const char *other)
{
	struct wire_view value;
	char text[TEXT_MAX];

	if (!nats_json_member(json, name, &value) ||
	    !nats_json_string(value, text, sizeof(text)) || text[0] == '\0')
		return broker_strdup(other);
	return broker_strdup(text);
}

static uint64_t seq_from_time(const struct broker_stream *s, int64_t time_ns)
{
	const struct broker_message *m = broker_stream_from(s, 0);

	while (m != NULL && m->time_ns < time_ns)
		m = broker_stream_from(s, m->seq + 1);
	return m != NULL ? m->seq : s->last_seq + 1;
}

static uint64_t first_of(const struct broker_stream *s, struct wire_view config)
{
	char *policy = read_text(config, "deliver_policy", "all");
	struct wire_view value;
	uint64_t seq = 1;
	int64_t when;

	if (strcmp(policy, "new") == 0)
		seq = s->last_seq + 1;
	else if (strcmp(policy, "last") == 0)
		seq = s->last_seq;
	else if (strcmp(policy, "by_start_sequence") == 0 &&
		 nats_json_member(config, "opt_start_seq", &value))
		(void)nats_json_uint(value, &seq);
	else if (strcmp(policy, "by_start_time") == 0 &&
		 nats_json_member(config, "opt_start_time", &value) &&
		 nats_json_time(value, &when))
		seq = seq_from_time(s, when);
	free(policy);
	return seq;
}

static bool takes_some(const struct broker_stream *s, const char *filter)
{
	for (size_t i = 0; i < s->config.subject_count; i++)
		if (broker_subjects_overlap(s->config.subjects[i], filter))
			return true;
	return false;
}

void broker_consumer_create(struct broker *b, struct broker_stream *s,
			    struct wire_view body)
{
	struct broker_consumer *c, **at = &b->consumers;
	struct wire_view config, value;
	char *deliver, *filter;

	if (!nats_json_is_object(body) ||
	    !nats_json_member(body, "config", &config)) {
		broker_error(b, 400, 10025, "invalid JSON");
		return;
	}
	deliver = read_text(config, "deliver_subject", "");
	if (deliver[0] == '\0') {
		free(deliver);
		broker_error(b, 500, 10012,
			     "pull consumers are not in the model");
		return;
	}
	filter = read_text(config, "filter_subject", ">");
	if (!takes_some(s, filter)) {
		free(deliver);
		free(filter);
		broker_error(b, 400, 10093,
			     "consumer filter subject is not a valid subset of "
			     "the interest subjects");
		return;
	}
	c = broker_alloc(sizeof(*c));
	c->stream = s;
	c->deliver = deliver;
	c->filter = filter;
	c->next_seq = first_of(s, config);
	if (nats_json_member(config, "idle_heartbeat", &value))
		(void)nats_json_int(value, &c->heartbeat);
	snprintf(c->name, sizeof(c->name), "c%016" PRIx64, ++b->names);
	c->heard = b->now;
	c->created_ns = broker_wall(b);
	c->deserted = -1;
	while (*at != NULL)
		at = &(*at)->next;
	*at = c;
	s->consumer_count++;
	write_info(b, c);
}

static struct broker_consumer **find(struct broker *b,
				     const struct broker_stream *s,
				     const char *name)
{
	struct broker_consumer **at = &b->consumers;

	while (*at != NULL &&
	       ((*at)->stream != s || strcmp((*at)->name, name) != 0))
		at = &(*at)->next;
	return at;
}

static void drop(struct broker_consumer **at)
{
	struct broker_consumer *c = *at;

	*at = c->next;
	c->stream->consumer_count--;
	free(c->deliver);
	free(c->filter);
	free(c);
}

void broker_consumer_info(struct broker *b, struct broker_stream *s,
			  const char *name)
{
	struct broker_consumer *c = *find(b, s, name);

	if (c == NULL)
		broker_error(b, 404, 10014, "consumer not found");
	else
		write_info(b, c);
}

void broker_consumer_delete(struct broker *b, struct broker_stream *s,
			    const char *name)
{
	struct broker_consumer **at = find(b, s, name);

	if (*at == NULL) {
		broker_error(b, 404, 10014, "consumer not found");
		return;
	}
	drop(at);
	broker_text_add(&b->text, ",\"success\":true}");
}

void broker_consumers_drop(struct broker *b, const struct broker_stream *s)
{
	struct broker_consumer **at = &b->consumers;

	while (*at != NULL)
		if (s == NULL || (*at)->stream == s)
			drop(at);
		else
			at = &(*at)->next;
}

/* Delivery */

static void deliver_one(struct broker *b, struct broker_consumer *c,
			const struct broker_message *m, uint64_t pending)
{
	char reply[TEXT_MAX];

	c->delivered++;
	c->delivered_seq = m->seq;
	snprintf(reply, sizeof(reply),
		 "$JS.ACK.%s.%s.1.%" PRIu64 ".%" PRIu64 ".%" PRId64 ".%" PRIu64,
		 c->stream->config.name, c->name, m->seq, c->delivered,
		 m->time_ns, pending);
	broker_deliver_to(b, c->deliver, m->subject->name, reply,
			  broker_message_headers(m), broker_message_data(m), 0);
}

static void deliver(struct broker *b, struct broker_consumer *c)
{
	uint64_t pending;

	if (c->next_seq > c->stream->last_seq)
		return;
	pending = count_pending(c);
	for (struct broker_message *m =
		     broker_stream_from(c->stream, c->next_seq);
	     m != NULL; m = broker_stream_from(c->stream, m->seq + 1))
		if (broker_subject_matches(c->filter, m->subject->name)) {
			deliver_one(b, c, m, --pending);
			c->heard = b->now;
		}
	c->next_seq = c->stream->last_seq + 1;
}

static void send_heartbeat(struct broker *b, struct broker_consumer *c)
{
	char headers[256];
	int len = snprintf(headers, sizeof(headers),
			   "NATS/1.0 100 Idle Heartbeat\r\n"
			   "Nats-Last-Consumer: %" PRIu64 "\r\n"
			   "Nats-Last-Stream: %" PRIu64 "\r\n\r\n",
			   c->delivered, c->delivered_seq);

	c->heard = b->now;
	broker_deliver(b, c->deliver, "",
		       (struct wire_view){ (const uint8_t *)headers,
					   (size_t)len },
		       (struct wire_view){ 0 }, 0);
}

void broker_consumers_run(struct broker *b)
{
	struct broker_consumer **at = &b->consumers;

	while (*at != NULL) {
		struct broker_consumer *c = *at;

		if (broker_has_interest(b, c->deliver)) {
			c->deserted = -1;
			deliver(b, c);
			if (c->heartbeat > 0 &&
			    b->now - c->heard >= c->heartbeat)
				send_heartbeat(b, c);
		} else if (c->deserted < 0) {
			c->deserted = b->now;
		} else if (b->now - c->deserted >= DESERTED_NS) {
			drop(at);
			continue;
		}
		at = &c->next;
	}
}

int64_t broker_consumers_due(const struct broker *b)
{
	int64_t due = INT64_MAX;

	for (const struct broker_consumer *c = b->consumers; c != NULL;
	     c = c->next)
		if (c->heartbeat > 0 && c->deserted < 0 &&
		    c->heard + c->heartbeat < due)
			due = c->heard + c->heartbeat;
	return due;
}
