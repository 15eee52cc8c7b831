/*
 * egress/nats/resend.h - publish messages in a chain and wait for the last
 *
 * For messages outside the publisher's window: those that open an epoch, and
 * those that the stream has lost. The stream refuses a message unless it
 * directly follows its predecessor, so the acknowledgement of the last message
 * covers all of them.
 *
 * Blocking	Blocks; call it on a pool thread.
 */
#ifndef EGRESS_NATS_RESEND_H
#define EGRESS_NATS_RESEND_H

#include "bmp/wire.h"
#include "egress/message_id.h"
#include "egress/nats/stream.h"

struct nats_resend_message {
	const char *subject;
	struct wire_view bytes;
	char id[MESSAGE_ID_MAX];
	const char *encoding; /* Content-Encoding; NULL = none */
	bool has_after;
	struct record_id after; /* value of the header Arancini-After */
};

struct nats_resend {
	const char *collector;
	const char *schema;
	uint64_t after_seq; /* sequence of the stream's last message */
	const struct nats_resend_message *messages;
	size_t count;
};

/*
 * Store all messages of @r after sequence @r->after_seq. Returns 0 if the last
 * one got the expected sequence. -EBUSY if the stream ends at another sequence,
 * -EAGAIN if the stream refuses a message for another reason, -ETIMEDOUT,
 * -ENOTCONN. After an error some messages may be stored.
 */
int nats_resend(struct nats_conn *link,
		const struct nats_stream_options *options,
		const struct nats_resend *r, struct nats_error *why);

#endif
