/*
 * egress/nats_link.h - one connection to a NATS server, for as long as it lasts
 *
 *	publisher's shard	nats_link_publish() ---> libnats ---> server
 *				nats_link_take() <--- [ ring ] <--- libnats' thread
 *
 * A link never reconnects: when the connection is lost the link is lost, and
 * the publisher makes another. So nothing can leave from a buffer that
 * survived an outage, and everything on a link is in one order.
 *
 * Acknowledgements come to an inbox of the link's own, each under the token
 * the message was published with. libnats' threads only put them into a
 * bounded ring and ring the bell.
 *
 * Threads	publish, take and lost: the publisher's thread. Calls marked
 *		"blocks" wait for the network and belong on a pool thread.
 * Errors	A negative errno; where there are words for it, they are in
 *		struct nats_words.
 */
#ifndef EGRESS_NATS_LINK_H
#define EGRESS_NATS_LINK_H

#include "egress/nats_ack.h"
#include "egress/nats_servers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nats_link;

/* Called on a thread of libnats; must not wait. */
struct nats_bell {
	void (*ring)(void *arg);
	void *arg;
};

/* One message to be stored. */
struct nats_message {
	const char *subject;
	const void *bytes;
	size_t len;
	const char *id;	      /* Nats-Msg-Id */
	const char *after;    /* Nats-Expected-Last-Msg-Id; NULL: none */
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
 * Connect, with room for @window acknowledgements. -ECONNREFUSED, -EACCES
 * (credentials), -EPROTO (TLS), -EINVAL (options), -ETIMEDOUT. Blocks.
 */
int nats_link_open(const struct nats_options *options, uint32_t window,
		   struct nats_bell bell, struct nats_words *why,
		   struct nats_link **out);

/* NULL is fine. No callback runs any more when it returns. Blocks. */
void nats_link_close(struct nats_link *link);

/* Hand it to the connection. After an error the link is of no more use. */
int nats_link_publish(struct nats_link *link, const struct nats_message *m);

/* The next acknowledgement; false if there is none. */
bool nats_link_take(struct nats_link *link, struct nats_answer *out);

/*
 * From now on the bell rings for answers when @n of them are there, or one is
 * an error. False: so many are there already, and it may have rung.
 */
bool nats_link_await(struct nats_link *link, uint32_t n);

/* Whether the connection is gone, or acknowledgements were lost. */
bool nats_link_lost(struct nats_link *link);

/* What the server takes in one message, headers included. */
size_t nats_link_max_payload(struct nats_link *link);

/* Let go of what libnats keeps for the calling thread: its last error. */
void nats_thread_done(void);

/* Let go of what libnats keeps for the process. Blocks. At the very end. */
void nats_finish(void);

#endif
