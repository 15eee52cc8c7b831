/*
 * egress/nats/conn.h - one connection to a NATS server, without reconnects
 *
 *	nats_conn_publish() ---> [ libnats' buffer ] ---> write() ---> server
 *	nats_conn_take() <--- [ libnats' list ] <--- read() <--- server
 *
 * A connection never reconnects: when it is lost, the publisher opens another.
 * So no message can be sent from a buffer that survived an outage, and
 * everything on a connection is in one order.
 *
 * Acknowledgements come to the connection's own inbox, each under the token of
 * its message.
 *
 * libnats has no thread that moves the bytes of this connection: the code that
 * opened it waits for its socket and calls read and write. So a request on it
 * (stream.h) is answered only while that code runs.
 *
 * Threads	The publisher's thread only, except for calls marked "blocks":
 *		they wait for the network and belong on a pool thread.
 * Errors	A negative errno, often with a text in struct nats_error.
 */
#ifndef EGRESS_NATS_CONN_H
#define EGRESS_NATS_CONN_H

#include "egress/nats/ack.h"
#include "egress/nats/auth.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nats_client;
struct nats_conn;

/* Called on any thread, with locks of libnats held; must not wait. */
struct nats_wakeup {
	/*
	 * The connection is lost, or the server refused something, or answers
	 * have arrived.
	 */
	void (*ring)(void *arg);
	void (*write)(void *arg); /* nats_conn_write() has something to write */
	void *arg;
};

/* Maximum bytes of a message's headers; the server counts them, too. */
#define NATS_HEADERS_MAX 1024

/* A message to publish. */
struct nats_message {
	const char *subject;
	const void *bytes;
	size_t len;
	const char *id;	      /* Nats-Msg-Id */
	const char *after;    /* Nats-Expected-Last-Msg-Id; NULL = none */
	uint64_t after_seq;   /* Nats-Expected-Last-Sequence; 0 = none */
	const char *encoding; /* Content-Encoding; NULL = none */
	const char *collector;
	const char *schema;
	uint64_t token; /* returned with the acknowledgement */
};

struct nats_answer {
	bool has_token; /* not if there is no stream */
	uint64_t token;
	struct nats_ack ack;
};

/*
 * Connect, for up to @window messages in flight. -ECONNREFUSED, -EACCES
 * (credentials), -EPROTO (TLS), -EINVAL (options), -ETIMEDOUT. Blocks.
 */
int nats_conn_open(const struct nats_options *options, uint32_t window,
		   struct nats_wakeup wakeup, struct nats_error *why,
		   struct nats_conn **out);

/* NULL is fine. No callback runs after it returns. Blocks. */
void nats_conn_close(struct nats_conn *link);

/* Bytes */

/*
 * Wait in a fiber until the socket can be read or written: 0, or -ECANCELED or
 * another error if it never will. Yields.
 */
int nats_conn_wait_readable(struct nats_conn *link);
int nats_conn_wait_writable(struct nats_conn *link);

/*
 * The socket is readable: read answers, and wake the caller if enough arrived.
 */
void nats_conn_read(struct nats_conn *link);

/* Write the buffer. False if the socket did not take all of it. */
bool nats_conn_write(struct nats_conn *link);

/* True if the buffer holds as much as one write takes. */
bool nats_conn_full(struct nats_conn *link);

/* Messages */

/*
 * Append the message to the buffer, which has no limit: see nats_conn_full().
 * After an error the connection can only be closed.
 */
int nats_conn_publish(struct nats_conn *link, const struct nats_message *m);

/* Take the next acknowledgement; false if there is none. */
bool nats_conn_take(struct nats_conn *link, struct nats_answer *out);

/*
 * From now on nats_conn_read() sends a wake-up when @n answers have arrived.
 * False if that many have arrived already.
 */
bool nats_conn_await(struct nats_conn *link, uint32_t n);

/* True if the connection is lost, or acknowledgements were lost. */
bool nats_conn_lost(struct nats_conn *link);

/*
 * True if the server refused a message or a subscription for lack of
 * permission; @out then has the subject, in the server's words.
 */
bool nats_conn_refused(struct nats_conn *link, struct nats_error *out);

/* The maximum size of a message for the server, including headers. */
size_t nats_conn_max_payload(struct nats_conn *link);

/*
 * The same connection for requests. It is answered only while nats_conn_read()
 * and nats_conn_write() are called; do not stop or close it.
 */
struct nats_client *nats_conn_client(struct nats_conn *link);

#endif
