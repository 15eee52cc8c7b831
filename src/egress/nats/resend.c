#include "egress/nats/resend.h"

#include "egress/nats/api.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define WAIT_MS 5000

/* Texts of the headers of one message. */
struct header_text {
	char after[MESSAGE_ID_MAX];
	char predecessor[32];
};

/*
 * Make message @i. It names its predecessor by the sequence if that is known,
 * else by the id: with an estimated sequence, the message could be stored after
 * a message of another writer.
 */
static struct nats_send message_make(const struct nats_resend *r, size_t i,
				     struct header_text *text)
{
	const struct nats_resend_message *m = &r->messages[i];
	struct nats_send out = { .subject = m->subject, .data = m->bytes };

	nats_send_header(&out, "Nats-Msg-Id", m->id);
	nats_send_header(&out, "Arancini-Collector", r->collector);
	nats_send_header(&out, "Arancini-Schema", r->schema);
	if (m->encoding != NULL)
		nats_send_header(&out, "Content-Encoding", m->encoding);
	if (m->has_after) {
		record_id_format(m->after, text->after);
		nats_send_header(&out, NATS_AFTER_HEADER, text->after);
	}
	if (i > 0) {
		nats_send_header(&out, "Nats-Expected-Last-Msg-Id",
				 r->messages[i - 1].id);
		return out;
	}
	snprintf(text->predecessor, sizeof(text->predecessor), "%" PRIu64,
		 r->after_seq);
	nats_send_header(&out, "Nats-Expected-Last-Sequence",
			 text->predecessor);
	return out;
}

static int reply_judge(const struct nats_resend *r, struct nats_received *reply,
		       struct nats_error *why)
{
	struct nats_ack ack;

	nats_ack_parse(nats_received_data(reply), &ack);
	if (ack.error == 0 && !ack.duplicate &&
	    ack.seq == r->after_seq + r->count)
		return 0;
	if (ack.error == 0 && ack.duplicate) {
		snprintf(why->text, sizeof(why->text),
			 "the server takes %s for a duplicate, which it does "
			 "not hold",
			 r->messages[r->count - 1].id);
		return -EBUSY;
	}
	if (ack.error == 0) {
		snprintf(why->text, sizeof(why->text),
			 "stored at %" PRIu64 ", not behind %" PRIu64, ack.seq,
			 r->after_seq);
		return -EBUSY;
	}
	snprintf(why->text, sizeof(why->text), "not stored: %u %s", ack.error,
		 ack.text);
	if (ack.error == NATS_JS_WRONG_LAST_ID ||
	    ack.error == NATS_JS_WRONG_LAST_SEQ)
		return -EBUSY;
	return -EAGAIN;
}

int nats_resend(struct nats_conn *link,
		const struct nats_stream_options *options,
		const struct nats_resend *r, struct nats_error *why)
{
	struct nats_client *c = nats_conn_client(link);
	int64_t wait = options->wait_ms != 0 ? options->wait_ms : WAIT_MS;
	struct nats_received *reply = NULL;
	int err = 0;

	for (size_t i = 0; i < r->count && err == 0; i++) {
		struct header_text text;
		struct nats_send m = message_make(r, i, &text);

		if (i + 1 < r->count)
			err = nats_client_publish(c, &m);
		else
			err = nats_client_request(c, &m, wait, "sending again",
						  why, &reply);
	}
	if (err == -EOPNOTSUPP)
		return -EAGAIN;
	if (err < 0)
		return err;
	err = r->count == 0 ? 0 : reply_judge(r, reply, why);
	nats_received_free(reply);
	return err;
}
