/*
 * Connections. What a client sends lies in "up" until it is due at the broker,
 * what the broker sends in "down" until it is due at the client; then it is
 * moved to the subscription. Both are in order, as on TCP.
 */
#include "broker_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A server cuts off a client that reads too slowly. */
#define DOWN_MAX (256u << 20)

/* Packets */

struct broker_packet *broker_packet_new(const char *subject, const char *reply,
					struct wire_view headers,
					struct wire_view data)
{
	struct broker_packet *p =
		broker_alloc(sizeof(*p) + headers.len + data.len);

	p->to = broker_strdup(subject);
	p->subject = broker_strdup(subject);
	p->reply = broker_strdup(reply);
	p->header_len = headers.len;
	p->data_len = data.len;
	if (headers.len > 0)
		memcpy(p->bytes, headers.p, headers.len);
	if (data.len > 0)
		memcpy(p->bytes + headers.len, data.p, data.len);
	return p;
}

void broker_packet_free(struct broker_packet *p)
{
	if (p == NULL)
		return;
	free(p->to);
	free(p->subject);
	free(p->reply);
	free(p);
}

struct wire_view broker_packet_headers(const struct broker_packet *p)
{
	return (struct wire_view){ p->bytes, p->header_len };
}

struct wire_view broker_packet_data(const struct broker_packet *p)
{
	return (struct wire_view){ p->bytes + p->header_len, p->data_len };
}

void broker_queue_push(struct broker_queue *q, struct broker_packet *p)
{
	if (q->head == NULL)
		q->tail = &q->head;
	p->next = NULL;
	*q->tail = p;
	q->tail = &p->next;
	q->count++;
	q->bytes += p->header_len + p->data_len;
}

struct broker_packet *broker_queue_pop(struct broker_queue *q)
{
	struct broker_packet *p = q->head;

	if (p == NULL)
		return NULL;
	q->head = p->next;
	q->count--;
	q->bytes -= p->header_len + p->data_len;
	return p;
}

void broker_queue_clear(struct broker_queue *q)
{
	struct broker_packet *p;

	while ((p = broker_queue_pop(q)) != NULL)
		broker_packet_free(p);
}

/* Life cycle */

struct broker_conn *broker_conn_new(struct broker *b, const char *name)
{
	struct broker_conn *c = broker_alloc(sizeof(*c));

	c->broker = b;
	c->name = broker_strdup(name != NULL ? name : "");
	c->stalled = broker_is_parted(b, c->name);
	c->stalled_since = b->now;
	c->touched = b->now;
	c->next = b->conns;
	b->conns = c;
	b->counters.connects++;
	return c;
}

void broker_conn_unsubscribe(struct broker_conn *c,
			     struct broker_subscription *sub)
{
	struct broker_subscription **at = &c->subs;

	while (*at != sub)
		at = &(*at)->next;
	*at = sub->next;
	broker_queue_clear(&sub->arrived);
	free(sub->subject);
	free(sub);
}

/*
 * What was sent before the close still arrives, as on TCP: the connection is
 * freed by broker_run() when it was processed.
 */
void broker_conn_close(struct broker_conn *c)
{
	if (c == NULL)
		return;
	c->closed = true;
	broker_queue_clear(&c->down);
	while (c->subs != NULL)
		broker_conn_unsubscribe(c, c->subs);
}

void broker_conn_break(struct broker_conn *c)
{
	c->lost = true;
	broker_queue_clear(&c->up);
	broker_queue_clear(&c->down);
}

static bool is_denied(const struct broker *b, const char *subject)
{
	for (size_t i = 0; i < b->denied_count; i++)
		if (broker_subject_matches(b->denied[i], subject))
			return true;
	return false;
}

static void refuse(struct broker_conn *c, const char *what, const char *subject)
{
	snprintf(c->refusal, sizeof(c->refusal),
		 "Permissions Violation for %s \"%s\"", what, subject);
	c->refusals++;
}

struct broker_subscription *broker_conn_subscribe(struct broker_conn *c,
						  const char *subject,
						  uint64_t sid)
{
	struct broker_subscription *sub = broker_alloc(sizeof(*sub));

	sub->subject = broker_strdup(subject);
	sub->sid = sid;
	if (is_denied(c->broker, subject)) {
		refuse(c, "Subscription to", subject);
		sub->subject[0] = '\0'; /* gets nothing */
	}
	sub->next = c->subs;
	c->subs = sub;
	return sub;
}

/* Sending */

static int64_t latency(struct broker *b)
{
	int64_t min = b->options.latency_min;
	uint64_t range = (uint64_t)(b->options.latency_max - min) + 1;

	return min + (int64_t)(broker_random(b) % range);
}

static void push_due(struct broker_queue *q, struct broker_packet *p,
		     int64_t due)
{
	if (due < q->last_due)
		due = q->last_due;
	q->last_due = due;
	p->due = due;
	broker_queue_push(q, p);
}

void broker_conn_send(struct broker_conn *c, struct broker_packet *p)
{
	struct broker *b = c->broker;

	if (c->lost) {
		broker_packet_free(p);
		return;
	}
	push_due(&c->up, p, b->now + latency(b));
}

void broker_conn_send_now(struct broker_conn *c, struct broker_packet *p)
{
	struct broker_packet *before;

	if (c->lost || c->stalled) {
		broker_packet_free(p);
		return;
	}
	while ((before = broker_queue_pop(&c->up)) != NULL)
		broker_route(c, before);
	broker_route(c, p);
}

void broker_conn_receive(struct broker_conn *c, int64_t until)
{
	while (!c->stalled && c->down.head != NULL &&
	       c->down.head->due <= until) {
		struct broker_packet *p = broker_queue_pop(&c->down);
		struct broker_subscription *sub = c->subs;

		while (sub != NULL &&
		       !broker_subject_matches(sub->subject, p->to))
			sub = sub->next;
		if (sub != NULL)
			broker_queue_push(&sub->arrived, p);
		else
			broker_packet_free(p);
	}
}

struct broker_packet *broker_conn_answer(struct broker_conn *c, const char *to,
					 int64_t wait)
{
	struct broker_packet **at = &c->down.head;
	struct broker_packet *p;

	while (*at != NULL && strcmp((*at)->to, to) != 0)
		at = &(*at)->next;
	p = *at;
	if (p == NULL || p->due > c->broker->now + wait)
		return NULL;
	*at = p->next;
	if (*at == NULL)
		c->down.tail = at;
	c->down.count--;
	c->down.bytes -= p->header_len + p->data_len;
	return p;
}

int64_t broker_conn_due(const struct broker_conn *c)
{
	int64_t due = INT64_MAX;

	if (c->stalled)
		return due;
	if (c->up.head != NULL)
		due = c->up.head->due > c->broker->busy_until
			      ? c->up.head->due
			      : c->broker->busy_until;
	if (c->down.head != NULL && c->down.head->due < due)
		due = c->down.head->due;
	return due;
}

/* Routing */

static const struct broker_subscription *find_interest(
	const struct broker_conn *c, const char *subject)
{
	const struct broker_subscription *sub = c->lost ? NULL : c->subs;

	while (sub != NULL && (sub->subject[0] == '\0' ||
			       !broker_subject_matches(sub->subject, subject)))
		sub = sub->next;
	return sub;
}

bool broker_has_interest(const struct broker *b, const char *subject)
{
	for (const struct broker_conn *c = b->conns; c != NULL; c = c->next)
		if (find_interest(c, subject) != NULL)
			return true;
	return false;
}

bool broker_deliver_to(struct broker *b, const char *to, const char *subject,
		       const char *reply, struct wire_view headers,
		       struct wire_view data, int64_t delay)
{
	bool any = false;

	for (struct broker_conn *c = b->conns; c != NULL; c = c->next) {
		struct broker_packet *p;

		if (find_interest(c, to) == NULL)
			continue;
		any = true;
		p = broker_packet_new(subject, reply, headers, data);
		free(p->to);
		p->to = broker_strdup(to);
		push_due(&c->down, p, b->now + latency(b) + delay);
		if (c->down.bytes > DOWN_MAX)
			broker_conn_break(c);
	}
	return any;
}

bool broker_deliver(struct broker *b, const char *subject, const char *reply,
		    struct wire_view headers, struct wire_view data,
		    int64_t delay)
{
	return broker_deliver_to(b, subject, subject, reply, headers, data,
				 delay);
}

static void answer_no_responders(struct broker *b, const char *reply)
{
	static const char headers[] = "NATS/1.0 503\r\n\r\n";

	broker_deliver(b, reply, "",
		       (struct wire_view){ (const uint8_t *)headers,
					   sizeof(headers) - 1 },
		       (struct wire_view){ 0 }, 0);
}

void broker_route(struct broker_conn *from, struct broker_packet *p)
{
	struct broker *b = from->broker;
	struct wire_view headers = broker_packet_headers(p);
	struct wire_view data = broker_packet_data(p);
	bool taken;

	if (is_denied(b, p->subject)) {
		refuse(from, "Publish to", p->subject);
		broker_packet_free(p);
		return;
	}
	taken = broker_deliver(b, p->subject, p->reply, headers, data, 0);
	if (strncmp(p->subject, "$JS.API.", 8) == 0) {
		broker_api(b, p->subject, p->reply, data);
		taken = true;
	} else {
		taken |= broker_publish(b, p->subject, p->reply, headers, data);
	}
	if (!taken && p->reply[0] != '\0')
		answer_no_responders(b, p->reply);
	broker_packet_free(p);
}
