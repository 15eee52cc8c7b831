/*
 * egress/nats/conn.h - one connection to a NATS server, for as long as it lasts
 *
 *	nats_conn_publish() ---> [ libnats' buffer ] ---> write() ---> server
 *	nats_conn_take() <--- [ libnats' list ] <--- read() <--- server
 *
 * A link never reconnects: when the connection is lost the link is lost, and
 * the publisher makes another. So nothing can leave from a buffer that
 * survived an outage, and everything on a link is in one order.
 *
 * Acknowledgements come to an inbox of the link's own, each under the token
 * the message was published with.
 *
 * libnats has no thread that moves the bytes of a link: it is its own event
 * loop, and whoever has opened it waits for its socket and calls read and
 * write. Nothing else does, so a request on it (stream.h) is answered
 * only while somebody does that.
 *
 * Threads	All from one, the publisher's, but for the calls marked
 *		"blocks": they wait for the network and belong on a pool thread.
 * Errors	A negative errno; where there are words for it, they are in
 *		struct nats_error.
 */
#ifndef EGRESS_NATS_CONN_H
#define EGRESS_NATS_CONN_H

#include "egress/nats/ack.h"
#include "egress/nats/auth.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nats_conn;

/* Called on any thread, with locks of libnats held; must not wait. */
struct nats_wakeup {
	/* The link is lost, or something was refused, or answers are there. */
	void (*ring)(void *arg);
	void (*write)(void *arg); /* nats_conn_write() has something to do */
	void *arg;
};

/* What the headers of a message take at most; the server counts them, too. */
#define NATS_HEADERS_MAX 1024

/* One message to be stored. */
struct nats_message {
	const char *subject;
	const void *bytes;
	size_t len;
	const char *id;	      /* Nats-Msg-Id */
	const char *after;    /* Nats-Expected-Last-Msg-Id; NULL: none */
	uint64_t after_seq;   /* Nats-Expected-Last-Sequence; 0: none */
	const char *encoding; /* Content-Encoding; NULL: none */
	const char *collector;
	const char *schema;
	uint64_t token; /* comes back with the acknowledgement */
};

struct nats_answer {
	uint64_t token;
	struct nats_ack ack;
};

/*
 * Connect, to have up to @window messages without an answer. -ECONNREFUSED, -EACCES
 * (credentials), -EPROTO (TLS), -EINVAL (options), -ETIMEDOUT. Blocks.
 */
int nats_conn_open(const struct nats_options *options, uint32_t window,
		   struct nats_wakeup wakeup, struct nats_error *why,
		   struct nats_conn **out);

/* NULL is fine. No callback runs any more when it returns. Blocks. */
void nats_conn_close(struct nats_conn *link);

/* Bytes */

/* What to wait for. Some other library's: not to be read, written or closed. */
int nats_conn_fd(const struct nats_conn *link);

/* The socket can be read. Rings for the answers that came, if told to. */
void nats_conn_read(struct nats_conn *link);

/* Write what there is. False: the rest when the socket takes more. */
bool nats_conn_write(struct nats_conn *link);

/* Whether as much waits to be written as is written at once. */
bool nats_conn_full(struct nats_conn *link);

/* Messages */

/*
 * Put it into the buffer, which takes all there is: see nats_conn_full().
 * After an error the link is of no more use.
 */
int nats_conn_publish(struct nats_conn *link, const struct nats_message *m);

/* The next acknowledgement; false if there is none. */
bool nats_conn_take(struct nats_conn *link, struct nats_answer *out);

/*
 * From now on nats_conn_read() rings when @n answers are there. False: so many
 * are there already.
 */
bool nats_conn_await(struct nats_conn *link, uint32_t n);

/* Whether the connection is gone, or acknowledgements were lost. */
bool nats_conn_lost(struct nats_conn *link);

/*
 * Whether the server refused a message or a subscription for want of rights;
 * then @out says which subject, in the server's words.
 */
bool nats_conn_refused(struct nats_conn *link, struct nats_error *out);

/* What the server takes in one message, headers included. */
size_t nats_conn_max_payload(struct nats_conn *link);

/* Let go of what libnats keeps for the calling thread: its last error. */
void nats_thread_done(void);

/* Let go of what libnats keeps for the process. Blocks. At the very end. */
void nats_finish(void);

#endif
