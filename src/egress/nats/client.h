/*
 * egress/nats/client.h - a connection to a NATS server for requests
 *
 * client.c, conn.c and options.c are the only files that use libnats. A
 * simulation links tests/sim/broker_client.c in place of these three and of
 * inbox.c; it connects to a model of a broker.
 *
 * A connection never reconnects. A received message is opaque: read it with the
 * functions below. Whoever takes it from the connection frees it.
 *
 * Threads	One at a time for a connection.
 * Blocking	All functions except those that read a received message.
 * Errors	A negative errno, often with a text in struct nats_error:
 *		-ETIMEDOUT, -ENOTCONN, -ENOMEM, -EINVAL; for nats_client_open()
 *		also -ECONNREFUSED, -EACCES (credentials) and -EPROTO (TLS).
 */
#ifndef EGRESS_NATS_CLIENT_H
#define EGRESS_NATS_CLIENT_H

#include "bmp/wire.h"
#include "egress/nats/auth.h"

struct nats_client;
struct nats_subscription;
struct nats_received;

#define NATS_SEND_HEADERS 8

/* A message to send. Views must stay valid during the call. */
struct nats_send {
	const char *subject;
	struct wire_view data;
	struct {
		const char *name;
		const char *value;
	} headers[NATS_SEND_HEADERS];
	size_t header_count;
};

/* Add a header to @m; the string @value must stay valid. */
static inline void nats_send_header(struct nats_send *m, const char *name,
				    const char *value)
{
	m->headers[m->header_count].name = name;
	m->headers[m->header_count].value = value;
	m->header_count++;
}

/* The strings of @options must stay valid until nats_client_close(). */
int nats_client_open(const struct nats_options *options, struct nats_error *why,
		     struct nats_client **out);

/* Disconnect. Afterwards no message arrives. @c may be NULL. */
void nats_client_stop(struct nats_client *c);

/* Disconnect and free @c, which may be NULL. */
void nats_client_close(struct nats_client *c);

bool nats_client_connected(struct nats_client *c);

/* The maximum size of a message, including headers, that the server accepts. */
int64_t nats_client_max_payload(struct nats_client *c);

/* The domain of JetStream that requests are for; NULL = the server's. */
const char *nats_client_domain(const struct nats_client *c);

int nats_client_publish(struct nats_client *c, const struct nats_send *m);

/*
 * Send a message and wait up to @wait_ms for its answer. -EOPNOTSUPP if nobody
 * has subscribed to the subject. -EACCES if the user may not publish to the
 * subject: the server does not answer such a request, but reports the refusal
 * once on the connection. @doing is the beginning of the text in *@why.
 */
int nats_client_request(struct nats_client *c, const struct nats_send *m,
			int64_t wait_ms, const char *doing,
			struct nats_error *why, struct nats_received **out);

/*
 * Subscribe to @subject. Messages that have arrived are kept without a limit.
 */
int nats_client_subscribe(struct nats_client *c, const char *subject,
			  struct nats_error *why,
			  struct nats_subscription **out);

/* @sub may be NULL. The connection may be stopped, but not closed. */
void nats_client_unsubscribe(struct nats_subscription *sub);

/*
 * Take the next message. Returns 0, or -ETIMEDOUT if none came for @timeout_ms.
 */
int nats_client_next(struct nats_subscription *sub, int64_t timeout_ms,
		     struct nats_received **out);

/* The time of a clock for intervals, and a sleep measured by that clock. */
int64_t nats_client_now_ms(void);
void nats_client_sleep_ms(int64_t ms);

/* Read a message. Views are valid until the message is freed. */
const char *nats_received_subject(const struct nats_received *msg);
/* NULL if there is none */
const char *nats_received_reply(const struct nats_received *msg);
struct wire_view nats_received_data(const struct nats_received *msg);
/* The first value of the header @name, or NULL. */
const char *nats_received_header(struct nats_received *msg, const char *name);
void nats_received_free(struct nats_received *msg); /* @msg may be NULL */

/* Free the data that libnats keeps for the calling thread: its last error. */
void nats_thread_done(void);

/*
 * Free the data that libnats keeps for the process. Blocks. Call it as the last
 * function of libnats.
 */
void nats_finish(void);

#endif
