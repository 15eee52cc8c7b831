/*
 * egress/nats/conn.h - one connection to a NATS server, without reconnects
 *
 *	nats_conn_publish() ---> [ libnats' buffer ] ---> write() ---> server
 *	nats_conn_take() <--- [ libnats' list ] <--- read() <--- server
 *
 * A connection never reconnects: when it is lost, the publisher opens another.
 * So no message is sent from a buffer that survived an outage, and the order of
 * messages on a connection is the order of the calls.
 *
 * The server sends acknowledgements to the inbox of the connection. The last
 * part of their subject is the token of the message.
 *
 * libnats has no thread that reads or writes this connection. The caller waits
 * for the socket and calls nats_conn_read() and nats_conn_write(). So a request
 * on the connection (stream.h) is answered only while the caller does that.
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

/*
 * Callbacks. They run on any thread, with locks of libnats held, and must not
 * wait.
 */
struct nats_wakeup {
	/*
	 * The connection is lost, the server refused something, or answers have
	 * arrived.
	 */
	void (*ring)(void *arg);
	void (*write)(void *arg); /* nats_conn_write() has something to write */
	void *arg;
};

/*
 * Maximum bytes of a message's headers; the server includes them in the size.
 */
#define NATS_HEADERS_MAX 1024

/* A message to publish. */
struct nats_message {
	const char *subject;
	const void *bytes;
	size_t len;
	const char *id; /* header Nats-Msg-Id */
	/* header Nats-Expected-Last-Msg-Id; NULL = none */
	const char *after;
	uint64_t after_seq;   /* header Nats-Expected-Last-Sequence; 0 = none */
	const char *encoding; /* header Content-Encoding; NULL = none */
	const char *collector;
	const char *schema;
	uint64_t token; /* returned in nats_answer.token */
};

struct nats_answer {
	/* false if no stream took the message: the answer has no token */
	bool has_token;
	uint64_t token;
	struct nats_ack ack;
};

/*
 * Connect, for at most @window messages in flight. -ECONNREFUSED, -EACCES
 * (credentials), -EPROTO (TLS), -EINVAL (options), -ETIMEDOUT. Blocks.
 */
int nats_conn_open(const struct nats_options *options, uint32_t window,
		   struct nats_wakeup wakeup, struct nats_error *why,
		   struct nats_conn **out);

/*
 * Close the connection; @link may be NULL. No callback runs after it returns.
 * Blocks.
 */
void nats_conn_close(struct nats_conn *link);

/* Bytes */

/*
 * Wait in a fiber until the socket can be read (or written). Returns 0, or
 * -ECANCELED or another error if the socket will never be ready. Yields.
 */
int nats_conn_wait_readable(struct nats_conn *link);
int nats_conn_wait_writable(struct nats_conn *link);

/*
 * Read answers; call it when the socket is readable. Calls wakeup.ring if
 * enough answers have arrived (see nats_conn_await()).
 */
void nats_conn_read(struct nats_conn *link);

/*
 * Write the buffer to the socket. False if the socket did not take all of it.
 */
bool nats_conn_write(struct nats_conn *link);

/* True if the buffer holds as many bytes as one write takes. */
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
 * From now on nats_conn_read() calls wakeup.ring when @n answers have arrived.
 * Returns false if that many have arrived already.
 */
bool nats_conn_await(struct nats_conn *link, uint32_t n);

/* True if the connection is lost, or acknowledgements were lost. */
bool nats_conn_lost(struct nats_conn *link);

/*
 * True if the server refused a message or a subscription for lack of
 * permission; @out then has the server's text, which names the subject.
 */
bool nats_conn_refused(struct nats_conn *link, struct nats_error *out);

/* The maximum size of a message, including headers, that the server accepts. */
size_t nats_conn_max_payload(struct nats_conn *link);

/*
 * The connection as a client for requests. Requests are answered only while
 * nats_conn_read() and nats_conn_write() are called. Do not stop or close the
 * client.
 */
struct nats_client *nats_conn_client(struct nats_conn *link);

#endif
