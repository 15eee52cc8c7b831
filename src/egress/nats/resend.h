/*
 * egress/nats/resend.h - store messages in a row and wait for the last of them
 *
 * For messages that are not part of the publisher's window: those that open an
 * epoch, and those that the stream has lost. Each follows the one before it or
 * is refused, so the acknowledgement of the last one stands for all.
 *
 * Blocking	It belongs on a pool thread.
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
	const char *encoding; /* NULL: none */
	bool has_after;
	struct record_id after; /* for the header Arancini-After */
};

struct nats_resend {
	const char *collector;
	const char *schema;
	uint64_t after_seq; /* the stream ends there */
	const struct nats_resend_message *messages;
	size_t count;
};

/*
 * Store all of them behind @r->after_seq: 0 if the last one got the sequence
 * that it must have then. -EBUSY if the stream ends elsewhere, -EAGAIN for any
 * other refusal, -ETIMEDOUT, -ENOTCONN. Some may be stored.
 */
int nats_resend(struct nats_conn *link,
		const struct nats_stream_options *options,
		const struct nats_resend *r, struct nats_error *why);

#endif
