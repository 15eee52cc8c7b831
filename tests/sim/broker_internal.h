/*
 * tests/sim/broker_internal.h - the parts of the model
 *
 *	broker_text	bytes, JSON, headers, subjects
 *	broker_stream	what a stream stores; broker_ids its duplicate table
 *	broker_config	the configuration of a stream as JSON
 *	broker_publish	what becomes of a message that is published
 *	broker_api	requests to $JS.API
 *	broker_consumer	consumers that deliver to a subject
 *	broker_conn	connections: what is on its way, subscriptions, rights
 *	broker		life cycle, time, and what broker.h has for the world
 *	broker_client	the connections of src/egress/nats, without libnats
 *	broker_server	the model on a real TCP port, for the comparison
 */
#ifndef TESTS_SIM_BROKER_INTERNAL_H
#define TESTS_SIM_BROKER_INTERNAL_H

#include "broker.h"
#include "broker_stream.h"

/* A message on its way. Not used in streams. */
struct broker_packet {
	struct broker_packet *next;
	int64_t due;
	char *to;      /* the subject by which it finds subscriptions */
	char *subject; /* what the receiver sees */
	char *reply;   /* "" = none */
	size_t header_len;
	size_t data_len;
	uint8_t bytes[]; /* headers, then data */
};

struct broker_queue {
	struct broker_packet *head, **tail;
	size_t bytes;
	size_t count;
	int64_t last_due; /* they stay in order */
};

struct broker_subscription {
	struct broker_subscription *next;
	char *subject;
	uint64_t sid; /* of the client */
	struct broker_queue arrived;
};

struct broker_conn {
	struct broker_conn *next;
	struct broker *broker;
	char *name;
	bool stalled; /* broker_partition() */
	int64_t stalled_since;
	bool lost;
	bool closed;	   /* by the client */
	int64_t touched;   /* when the client did something */
	char refusal[256]; /* the last one; "" = none */
	uint64_t refusals;
	struct broker_queue up, down;
	struct broker_subscription *subs;
};

struct broker_consumer {
	struct broker_consumer *next;
	struct broker_stream *stream;
	char name[32];
	char *deliver; /* subject */
	char *filter;  /* "" = all */
	uint64_t next_seq;
	uint64_t delivered;	/* consumer's sequence */
	uint64_t delivered_seq; /* stream's */
	int64_t heartbeat;
	int64_t heard; /* the last delivery or heartbeat */
	int64_t created_ns;
	int64_t deserted; /* no subscription since then; -1 = there is one */
};

struct broker {
	struct broker *next; /* of all in the process */
	struct broker_options options;
	char *address;
	int64_t now;	/* as far as the broker has got */
	int64_t waited; /* what clients waited without time passing */
	int64_t busy_until;
	uint64_t random;
	bool up;
	int64_t leaderless_until;
	int64_t ack_delay;
	uint32_t lose_acks;
	int64_t pace;
	int64_t synced;
	int64_t max_store, max_payload;
	char *denied[16];
	size_t denied_count;
	char *parted[16]; /* names of clients; "" = all */
	size_t parted_count;
	struct broker_conn *conns;
	struct broker_stream *streams;
	struct broker_consumer *consumers;
	uint64_t names; /* of consumers and inboxes */
	struct broker_counters counters;
	struct broker_text text; /* of the answer that is made */
	struct broker_text kept; /* for broker_request(), broker_read() */
};

/* broker.c */

struct broker *broker_find(const char *address);
/* Process what is due. */
void broker_run(struct broker *b);
/* A client waited, and time did not pass: the broker's passes. */
void broker_wait(struct broker *b, int64_t ns);
bool broker_is_parted(const struct broker *b, const char *client);
int64_t broker_wall(const struct broker *b);
uint64_t broker_random(struct broker *b);
struct broker_stream *broker_stream_find(struct broker *b, const char *name);
void broker_stream_drop(struct broker *b, struct broker_stream *s);
uint64_t broker_stored_bytes(const struct broker *b);

/* broker_conn.c */

struct broker_conn *broker_conn_new(struct broker *b, const char *name);
void broker_conn_close(struct broker_conn *c); /* NULL is fine */
/* The server ends it. */
void broker_conn_break(struct broker_conn *c);
struct broker_subscription *broker_conn_subscribe(struct broker_conn *c,
						  const char *subject,
						  uint64_t sid);
void broker_conn_unsubscribe(struct broker_conn *c,
			     struct broker_subscription *sub);

struct broker_packet *broker_packet_new(const char *subject, const char *reply,
					struct wire_view headers,
					struct wire_view data);
void broker_packet_free(struct broker_packet *p);
struct wire_view broker_packet_headers(const struct broker_packet *p);
struct wire_view broker_packet_data(const struct broker_packet *p);
void broker_queue_push(struct broker_queue *q, struct broker_packet *p);
struct broker_packet *broker_queue_pop(struct broker_queue *q);
void broker_queue_clear(struct broker_queue *q);

/* Send to the broker; it arrives after the latency. */
void broker_conn_send(struct broker_conn *c, struct broker_packet *p);
/* Process all that this connection has sent, and @p, at once. */
void broker_conn_send_now(struct broker_conn *c, struct broker_packet *p);
/* Move what has arrived to the subscriptions; @until = its time. */
void broker_conn_receive(struct broker_conn *c, int64_t until);
/*
 * Take the answer that is on its way to @to and arrives within @wait, at once;
 * NULL if there is none.
 */
struct broker_packet *broker_conn_answer(struct broker_conn *c, const char *to,
					 int64_t wait);
/* The time when something is due for this connection; INT64_MAX = nothing. */
int64_t broker_conn_due(const struct broker_conn *c);

/* Process one message of a connection; it is freed. */
void broker_route(struct broker_conn *from, struct broker_packet *p);
/*
 * Send from the broker to every subscription; @delay = later than usual. False
 * if nobody is subscribed.
 */
bool broker_deliver(struct broker *b, const char *subject, const char *reply,
		    struct wire_view headers, struct wire_view data,
		    int64_t delay);
/* The same, to subscriptions of another subject than the message has. */
bool broker_deliver_to(struct broker *b, const char *to, const char *subject,
		       const char *reply, struct wire_view headers,
		       struct wire_view data, int64_t delay);
bool broker_has_interest(const struct broker *b, const char *subject);

/* broker_publish.c */

/* False if no stream takes the subject. */
bool broker_publish(struct broker *b, const char *subject, const char *reply,
		    struct wire_view headers, struct wire_view data);

/* broker_config.c */

/* NULL, or the text of what is wrong. *out is to be freed in any case. */
const char *broker_config_parse(struct wire_view json,
				struct broker_config *out);
void broker_config_write(struct broker_text *t, const struct broker_config *c);

/* broker_api.c */

/*
 * Answer a request to $JS.API. One that is not known gets no answer, as the
 * server is subscribed to all of them.
 */
void broker_api(struct broker *b, const char *subject, const char *reply,
		struct wire_view body);
/* Begin an answer with an error, in b->text. */
void broker_error(struct broker *b, int code, int err_code,
		  const char *description);

/* broker_consumer.c */

void broker_consumer_create(struct broker *b, struct broker_stream *s,
			    struct wire_view body);
void broker_consumer_info(struct broker *b, struct broker_stream *s,
			  const char *name);
void broker_consumer_delete(struct broker *b, struct broker_stream *s,
			    const char *name);
/* All consumers of a stream, or of all streams. */
void broker_consumers_drop(struct broker *b, const struct broker_stream *s);
/* Deliver what there is, send heartbeats, remove those nobody listens to. */
void broker_consumers_run(struct broker *b);
/* When the next one has something to do; INT64_MAX = never. */
int64_t broker_consumers_due(const struct broker *b);

#endif
