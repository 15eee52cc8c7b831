#include "egress/nats/resend.h"

#include "egress/nats/api.h"
#include "egress/nats/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define WAIT_MS 5000

static natsStatus set_names(natsMsg *msg, const struct nats_resend *r,
			    const struct nats_resend_message *m)
{
	char after[MESSAGE_ID_MAX];
	natsStatus s = natsMsgHeader_Set(msg, "Nats-Msg-Id", m->id);

	if (s == NATS_OK)
		s = natsMsgHeader_Set(msg, "Arancini-Collector", r->collector);
	if (s == NATS_OK)
		s = natsMsgHeader_Set(msg, "Arancini-Schema", r->schema);
	if (s == NATS_OK && m->encoding != NULL)
		s = natsMsgHeader_Set(msg, "Content-Encoding", m->encoding);
	if (s == NATS_OK && m->has_after) {
		record_id_format(m->after, after);
		s = natsMsgHeader_Set(msg, NATS_AFTER_HEADER, after);
	}
	return s;
}

/*
 * By the sequence if it is known, else by the id: an estimated sequence could
 * let a message in after that of another writer.
 */
static natsStatus set_predecessor(natsMsg *msg, const struct nats_resend *r,
				  size_t i)
{
	char text[32];

	if (i > 0)
		return natsMsgHeader_Set(msg, "Nats-Expected-Last-Msg-Id",
					 r->messages[i - 1].id);
	snprintf(text, sizeof(text), "%" PRIu64, r->after_seq);
	return natsMsgHeader_Set(msg, "Nats-Expected-Last-Sequence", text);
}

static natsStatus message_make(const struct nats_resend *r, size_t i,
			       natsMsg **out)
{
	const struct nats_resend_message *m = &r->messages[i];
	natsStatus s =
		natsMsg_Create(out, m->subject, NULL, (const char *)m->bytes.p,
			       (int)m->bytes.len);

	if (s == NATS_OK)
		s = set_names(*out, r, m);
	if (s == NATS_OK)
		s = set_predecessor(*out, r, i);
	return s;
}

static int reply_judge(const struct nats_resend *r, natsMsg *reply,
		       struct nats_error *why)
{
	struct nats_ack ack;

	nats_ack_parse(nats_api_bytes(reply), &ack);
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
	if (ack.error == JSStreamWrongLastMsgIDErr ||
	    ack.error == JSStreamWrongLastSequenceErr)
		return -EBUSY;
	return -EAGAIN;
}

int nats_resend(struct nats_conn *link,
		const struct nats_stream_options *options,
		const struct nats_resend *r, struct nats_error *why)
{
	natsConnection *nc = nats_conn_connection(link);
	int64_t wait = options->wait_ms != 0 ? options->wait_ms : WAIT_MS;
	natsMsg *reply = NULL;
	natsStatus s = NATS_OK;
	int err;

	for (size_t i = 0; i < r->count && s == NATS_OK; i++) {
		natsMsg *msg = NULL;

		s = message_make(r, i, &msg);
		if (s == NATS_OK && i + 1 < r->count)
			s = natsConnection_PublishMsg(nc, msg);
		else if (s == NATS_OK)
			s = natsConnection_RequestMsg(&reply, nc, msg, wait);
		natsMsg_Destroy(msg);
	}
	if (s == NATS_NO_RESPONDERS)
		return -EAGAIN;
	if (s != NATS_OK)
		return nats_failed(s, "sending again", why);
	err = r->count == 0 ? 0 : reply_judge(r, reply, why);
	natsMsg_Destroy(reply);
	return err;
}
