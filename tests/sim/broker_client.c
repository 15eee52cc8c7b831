/*
 * The connections of src/egress/nats to a model in the same process. See
 * broker.h for what takes time here and what does not.
 */
#include "broker_internal.h"

#include "egress/nats/ack.h"
#include "egress/nats/client.h"
#include "egress/nats/conn.h"
#include "egress/nats/inbox.h"

#include <spargio/sync.h>
#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS	INT64_C(1000000)
#define IDLE_NS (50 * MS)    /* how often an idle connection is looked at */
#define FULL	(256u << 10) /* as NATS_IO_BUFFER */
#define BLOCKED (1u << 20)   /* what the buffers of the socket take */
#define VALUES	8

struct nats_client {
	struct broker_conn *conn;
	struct broker_subscription *answers;
	char inbox[NATS_INBOX_MAX];
	uint64_t requests;
};

struct nats_subscription {
	struct nats_client *client;
	struct broker_subscription *sub;
};

struct nats_received {
	struct broker_packet *packet;
	char *values[VALUES]; /* of headers that were read */
	size_t value_count;
};

struct nats_conn {
	struct nats_client client;
	struct nats_wakeup wakeup;
	struct sp_sem changed; /* something may be due earlier */
	uint32_t awaited;
	uint64_t refusals; /* that the publisher was told of */
	bool lost;	   /* likewise */
};

int nats_inbox_make(const struct nats_options *from, char out[NATS_INBOX_MAX])
{
	const char *prefix = from->inbox_prefix != NULL ? from->inbox_prefix
							: NATS_INBOX_PREFIX;
	struct broker *b = NULL;

	for (size_t i = 0; i < from->server_count && b == NULL; i++)
		b = broker_find(from->servers[i]);
	if (strlen(prefix) >= NATS_INBOX_PREFIX_MAX || b == NULL)
		return -EINVAL;
	snprintf(out, NATS_INBOX_MAX, "%s.%016" PRIx64, prefix, ++b->names);
	return 0;
}

/* Connecting */

static int client_init(struct nats_client *c, const struct nats_options *o,
		       struct nats_error *why)
{
	char subject[NATS_INBOX_MAX + 2];
	struct broker *b = NULL;

	for (size_t i = 0; i < o->server_count; i++) {
		struct broker *one = broker_find(o->servers[i]);

		if (one != NULL && one->up)
			b = one;
	}
	if (b == NULL) {
		snprintf(why->text, sizeof(why->text),
			 "connect: No server available for connection");
		return -ECONNREFUSED;
	}
	broker_run(b);
	if (broker_is_parted(b, o->name != NULL ? o->name : "")) {
		snprintf(why->text, sizeof(why->text), "connect: Timeout");
		return -ETIMEDOUT;
	}
	if (nats_inbox_make(o, c->inbox) < 0)
		return -EINVAL;
	c->conn = broker_conn_new(b, o->name);
	snprintf(subject, sizeof(subject), "%s.*", c->inbox);
	c->answers = broker_conn_subscribe(c->conn, subject, 1);
	return 0;
}

int nats_client_open(const struct nats_options *options, struct nats_error *why,
		     struct nats_client **out)
{
	struct nats_client *c = broker_alloc(sizeof(*c));
	int err = client_init(c, options, why);

	if (err < 0)
		free(c);
	else
		*out = c;
	return err;
}

void nats_client_stop(struct nats_client *c)
{
	if (c != NULL)
		broker_conn_break(c->conn);
}

void nats_client_close(struct nats_client *c)
{
	if (c == NULL)
		return;
	broker_conn_close(c->conn);
	free(c);
}

/* Bring the broker up to date; false if the connection is lost. */
static bool touch(struct nats_client *c)
{
	struct broker *b = c->conn->broker;

	c->conn->touched = b->now;
	broker_run(b);
	c->conn->touched = b->now;
	return !c->conn->lost;
}

bool nats_client_connected(struct nats_client *c)
{
	return touch(c);
}

/* The simulated world has one domain. */
const char *nats_client_domain(const struct nats_client *c)
{
	(void)c;
	return NULL;
}

int64_t nats_client_max_payload(struct nats_client *c)
{
	return c->conn->broker->max_payload;
}

/* Sending */

static struct broker_packet *packet_of(const struct nats_send *m,
				       const char *reply)
{
	struct broker_text headers = { 0 };
	struct broker_packet *p;

	if (m->header_count > 0)
		broker_text_add(&headers, "NATS/1.0\r\n");
	for (size_t i = 0; i < m->header_count; i++)
		broker_text_add(&headers, "%s: %s\r\n", m->headers[i].name,
				m->headers[i].value);
	if (m->header_count > 0)
		broker_text_add(&headers, "\r\n");
	p = broker_packet_new(m->subject, reply,
			      (struct wire_view){ (const uint8_t *)headers.at,
						  headers.len },
			      m->data);
	broker_text_free(&headers);
	return p;
}

static int client_send(struct nats_client *c, const struct nats_send *m,
		       const char *reply)
{
	struct broker_packet *p;

	if (!touch(c))
		return -ENOTCONN;
	p = packet_of(m, reply);
	if (p->header_len + p->data_len >
	    (size_t)c->conn->broker->max_payload) {
		broker_packet_free(p);
		return -EMSGSIZE;
	}
	broker_conn_send(c->conn, p);
	return 0;
}

int nats_client_publish(struct nats_client *c, const struct nats_send *m)
{
	return client_send(c, m, "");
}

static struct nats_received *received_new(struct broker_packet *p)
{
	struct nats_received *r = broker_alloc(sizeof(*r));

	r->packet = p;
	return r;
}

static bool is_no_responders(const struct broker_packet *p)
{
	static const char status[] = "NATS/1.0 503\r\n";

	return p->data_len == 0 && p->header_len >= sizeof(status) - 1 &&
	       memcmp(p->bytes, status, sizeof(status) - 1) == 0;
}

int nats_client_request(struct nats_client *c, const struct nats_send *m,
			int64_t wait_ms, const char *doing,
			struct nats_error *why, struct nats_received **out)
{
	struct broker_conn *conn = c->conn;
	uint64_t refusals = conn->refusals;
	char reply[NATS_INBOX_MAX + 32];
	struct broker_packet *p;

	snprintf(reply, sizeof(reply), "%s.r%" PRIu64, c->inbox, ++c->requests);
	if (!touch(c)) {
		snprintf(why->text, sizeof(why->text), "%s: Connection Closed",
			 doing);
		return -ENOTCONN;
	}
	broker_conn_send_now(conn, packet_of(m, reply));
	p = broker_conn_answer(conn, reply, wait_ms * MS);
	if (p == NULL && conn->refusals != refusals) {
		snprintf(why->text, sizeof(why->text), "%s", conn->refusal);
		return -EACCES;
	}
	if (p == NULL) {
		snprintf(why->text, sizeof(why->text), "%s: Timeout", doing);
		return -ETIMEDOUT;
	}
	if (is_no_responders(p)) {
		broker_packet_free(p);
		snprintf(why->text, sizeof(why->text),
			 "%s: no JetStream answers", doing);
		return -EOPNOTSUPP;
	}
	*out = received_new(p);
	return 0;
}

/* Subscriptions */

int nats_client_subscribe(struct nats_client *c, const char *subject,
			  struct nats_error *why,
			  struct nats_subscription **out)
{
	struct nats_subscription *sub;

	if (!touch(c)) {
		snprintf(why->text, sizeof(why->text),
			 "subscribe: Connection Closed");
		return -ENOTCONN;
	}
	sub = broker_alloc(sizeof(*sub));
	sub->client = c;
	sub->sub = broker_conn_subscribe(c->conn, subject, 0);
	*out = sub;
	return 0;
}

void nats_client_unsubscribe(struct nats_subscription *sub)
{
	if (sub == NULL)
		return;
	broker_conn_unsubscribe(sub->client->conn, sub->sub);
	free(sub);
}

/* Let the broker's time pass until something is due, up to @end. */
static void wait_due(struct broker_conn *conn, int64_t end)
{
	struct broker *b = conn->broker;
	int64_t due = broker_conn_due(conn);
	int64_t heartbeat = broker_consumers_due(b);

	if (heartbeat < due)
		due = heartbeat;
	if (due > end)
		due = end;
	broker_wait(due > b->now ? due - b->now : 1);
}

int nats_client_next(struct nats_subscription *sub, int64_t timeout_ms,
		     struct nats_received **out)
{
	struct broker_conn *conn = sub->client->conn;
	bool connected = touch(sub->client);
	int64_t end = conn->broker->now + timeout_ms * MS;

	for (;;) {
		struct broker_packet *p;

		broker_conn_receive(conn, conn->broker->now);
		p = broker_queue_pop(&sub->sub->arrived);
		if (p != NULL) {
			*out = received_new(p);
			return 0;
		}
		if (!connected)
			return -ENOTCONN;
		if (conn->broker->now >= end)
			return -ETIMEDOUT;
		wait_due(conn, end);
		connected = touch(sub->client);
	}
}

int64_t nats_client_now_ms(void)
{
	return broker_time() / MS;
}

void nats_client_sleep_ms(int64_t ms)
{
	broker_wait(ms * MS);
}

/* Received messages */

const char *nats_received_subject(const struct nats_received *msg)
{
	return msg->packet->subject;
}

const char *nats_received_reply(const struct nats_received *msg)
{
	return msg->packet->reply[0] != '\0' ? msg->packet->reply : NULL;
}

struct wire_view nats_received_data(const struct nats_received *msg)
{
	return broker_packet_data(msg->packet);
}

/* As libnats: the code in the first line of the headers is a header, too. */
static bool read_status(struct wire_view headers, char *out, size_t size)
{
	const char *p = (const char *)headers.p;

	if (headers.len < 12 || p[8] != ' ')
		return false;
	snprintf(out, size, "%.3s", p + 9);
	return true;
}

const char *nats_received_header(struct nats_received *msg, const char *name)
{
	struct wire_view headers = broker_packet_headers(msg->packet);
	char text[1024];

	if (msg->value_count == VALUES ||
	    !(strcmp(name, "Status") == 0
		      ? read_status(headers, text, sizeof(text))
		      : broker_header(headers, name, text, sizeof(text))))
		return NULL;
	return msg->values[msg->value_count++] = broker_strdup(text);
}

void nats_received_free(struct nats_received *msg)
{
	if (msg == NULL)
		return;
	while (msg->value_count > 0)
		free(msg->values[--msg->value_count]);
	broker_packet_free(msg->packet);
	free(msg);
}

void nats_thread_done(void)
{
}

void nats_finish(void)
{
}

/* The publisher's connection */

int nats_conn_open(const struct nats_options *options, uint32_t window,
		   struct nats_wakeup wakeup, struct nats_error *why,
		   struct nats_conn **out)
{
	struct nats_conn *link = broker_alloc(sizeof(*link));
	int err = client_init(&link->client, options, why);

	(void)window;
	link->wakeup = wakeup;
	if (err < 0)
		free(link);
	else
		*out = link;
	return err;
}

void nats_conn_close(struct nats_conn *link)
{
	if (link == NULL)
		return;
	broker_conn_close(link->client.conn);
	free(link);
}

/* True if nats_conn_read() has something to do. */
static bool has_news(const struct nats_conn *link)
{
	const struct broker_conn *c = link->client.conn;

	return c->lost || c->refusals != link->refusals ||
	       (!c->stalled && c->down.head != NULL &&
		c->down.head->due <= c->broker->now);
}

static int wait_changed(struct nats_conn *link)
{
	struct broker_conn *c = link->client.conn;
	int64_t due = broker_conn_due(c) - c->broker->now;
	int err;

	if (due > IDLE_NS)
		due = IDLE_NS;
	err = sp_sem_wait_until(&link->changed,
				sp_now() + (due > 0 ? due : 1)); /* yields */
	return err == -ETIMEDOUT ? 0 : err;
}

int nats_conn_wait_readable(struct nats_conn *link)
{
	int err = 0;

	(void)touch(&link->client);
	while (err == 0 && !has_news(link)) {
		err = wait_changed(link); /* yields */
		(void)touch(&link->client);
	}
	return err;
}

static bool is_blocked(const struct nats_conn *link)
{
	return !link->client.conn->lost &&
	       link->client.conn->up.bytes > BLOCKED;
}

int nats_conn_wait_writable(struct nats_conn *link)
{
	int err = 0;

	(void)touch(&link->client);
	while (err == 0 && is_blocked(link)) {
		err = sp_sleep(MS); /* yields */
		(void)touch(&link->client);
	}
	return err;
}

void nats_conn_read(struct nats_conn *link)
{
	struct broker_conn *c = link->client.conn;
	bool ring;

	(void)touch(&link->client);
	broker_conn_receive(c, c->broker->now);
	ring = link->client.answers->arrived.count >= link->awaited ||
	       c->lost || c->refusals != link->refusals;
	link->refusals = c->refusals;
	link->lost = c->lost;
	if (ring)
		link->wakeup.ring(link->wakeup.arg);
}

bool nats_conn_write(struct nats_conn *link)
{
	return !is_blocked(link);
}

bool nats_conn_full(struct nats_conn *link)
{
	return link->client.conn->up.bytes >= BLOCKED + FULL;
}

static void add_header(struct nats_send *out, const char *name,
		       const char *value)
{
	if (value != NULL)
		nats_send_header(out, name, value);
}

int nats_conn_publish(struct nats_conn *link, const struct nats_message *m)
{
	struct nats_send out = {
		.subject = m->subject,
		.data = { m->bytes, m->len },
	};
	char reply[NATS_INBOX_MAX + 32], after_seq[24];
	int err;

	nats_send_header(&out, "Nats-Msg-Id", m->id);
	snprintf(after_seq, sizeof(after_seq), "%" PRIu64, m->after_seq);
	if (m->after_seq != 0)
		nats_send_header(&out, "Nats-Expected-Last-Sequence",
				 after_seq);
	add_header(&out, "Nats-Expected-Last-Msg-Id", m->after);
	nats_send_header(&out, "Arancini-Collector", m->collector);
	nats_send_header(&out, "Arancini-Schema", m->schema);
	add_header(&out, "Content-Encoding", m->encoding);
	snprintf(reply, sizeof(reply), "%s.%" PRIx64, link->client.inbox,
		 m->token);
	err = client_send(&link->client, &out, reply);
	if (err == 0)
		(void)sp_sem_post(&link->changed);
	if (is_blocked(link))
		link->wakeup.write(link->wakeup.arg);
	return err;
}

static bool token_of(const struct nats_conn *link, const char *subject,
		     uint64_t *out)
{
	size_t len = strlen(link->client.inbox);
	char *end;

	if (strlen(subject) <= len + 1)
		return false;
	*out = strtoull(subject + len + 1, &end, 16);
	return *end == '\0';
}

bool nats_conn_take(struct nats_conn *link, struct nats_answer *out)
{
	struct broker_queue *q = &link->client.answers->arrived;
	struct broker_packet *p;

	while ((p = broker_queue_pop(q)) != NULL) {
		bool taken = true;

		*out = (struct nats_answer){ 0 };
		if (is_no_responders(p)) {
			out->ack.error = NATS_ACK_NO_RESPONDERS;
			snprintf(out->ack.text, sizeof(out->ack.text),
				 "no stream takes this subject");
		} else {
			taken = token_of(link, p->subject, &out->token);
			out->has_token = taken;
			nats_ack_parse(broker_packet_data(p), &out->ack);
		}
		broker_packet_free(p);
		if (taken)
			return true;
	}
	return false;
}

bool nats_conn_await(struct nats_conn *link, uint32_t n)
{
	link->awaited = n;
	return link->client.answers->arrived.count < n;
}

bool nats_conn_lost(struct nats_conn *link)
{
	return link->lost;
}

bool nats_conn_refused(struct nats_conn *link, struct nats_error *out)
{
	if (link->refusals == 0)
		return false;
	snprintf(out->text, sizeof(out->text), "%s",
		 link->client.conn->refusal);
	return true;
}

size_t nats_conn_max_payload(struct nats_conn *link)
{
	return (size_t)nats_client_max_payload(&link->client);
}

struct nats_client *nats_conn_client(struct nats_conn *link)
{
	return &link->client;
}
