#include "egress/nats/reader.h"

#include "egress/codec.h"
#include "egress/nats/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEARTBEAT_NS INT64_C(2000000000)
#define STEP_MS	     250 /* how often to look whether the link broke */
#define AGAIN_MS     200 /* between attempts to subscribe */

struct nats_reader {
	struct nats_reader_options options;
	char *filter;
	natsConnection *nc;
	jsCtx *js;
	natsSubscription *sub;
	natsMsg *msg;		/* the one given out last */
	uint64_t last_seq;	/* of the stream; 0: none yet */
	uint64_t next_delivery; /* of this consumer */
};

static void unsubscribe(struct nats_reader *r)
{
	if (r->sub == NULL)
		return;
	natsSubscription_Unsubscribe(r->sub);
	natsSubscription_Destroy(r->sub);
	r->sub = NULL;
}

static void set_start(const struct nats_reader *r, jsConsumerConfig *config)
{
	if (r->last_seq != 0) {
		config->DeliverPolicy = js_DeliverByStartSequence;
		config->OptStartSeq = r->last_seq + 1;
		return;
	}
	switch (r->options.from) {
	case NATS_FROM_ALL:
		config->DeliverPolicy = js_DeliverAll;
		break;
	case NATS_FROM_NEW:
		config->DeliverPolicy = js_DeliverNew;
		break;
	case NATS_FROM_TIME:
		config->DeliverPolicy = js_DeliverByStartTime;
		config->OptStartTime = (int64_t)r->options.at;
		break;
	case NATS_FROM_SEQ:
		config->DeliverPolicy = js_DeliverByStartSequence;
		config->OptStartSeq = r->options.at > 0 ? r->options.at : 1;
		break;
	}
}

static natsStatus subscribe(struct nats_reader *r, jsErrCode *code)
{
	jsSubOptions options;
	natsStatus s;

	unsubscribe(r);
	jsSubOptions_Init(&options);
	options.Stream = r->options.stream;
	options.Config.AckPolicy = js_AckNone;
	options.Config.Heartbeat = HEARTBEAT_NS;
	options.Config.FlowControl = true;
	options.Config.MemoryStorage = true;
	options.Config.Replicas = 1;
	set_start(r, &options.Config);
	r->next_delivery = 1;
	s = js_SubscribeSync(&r->sub, r->js, r->filter, NULL, &options, code);
	if (s == NATS_OK)
		s = natsSubscription_SetPendingLimits(r->sub, -1, -1);
	return s;
}

static int connect_reader(struct nats_reader *r, struct nats_words *why)
{
	natsStatus s;
	int err = nats_connect(&r->options.nats, why, &r->nc);

	if (err < 0)
		return err;
	s = natsConnection_JetStream(&r->js, r->nc, NULL);
	return s == NATS_OK ? 0 : nats_failed(s, "connect", why);
}

static void disconnect(struct nats_reader *r)
{
	unsubscribe(r);
	jsCtx_Destroy(r->js);
	natsConnection_Destroy(r->nc);
	r->js = NULL;
	r->nc = NULL;
}

int nats_reader_open(const struct nats_reader_options *options,
		     struct nats_words *why, struct nats_reader **out)
{
	struct nats_reader *r = calloc(1, sizeof(*r));
	jsErrCode code = 0;
	natsStatus s;
	int err = -ENOMEM;

	if (r == NULL)
		return -ENOMEM;
	r->options = *options;
	r->filter = strdup(options->filter != NULL ? options->filter : ">");
	if (r->filter == NULL)
		goto fail;
	err = connect_reader(r, why);
	if (err < 0)
		goto fail;
	s = subscribe(r, &code);
	if (s != NATS_OK) {
		err = nats_failed(s, "subscribe", why);
		if (s == NATS_NOT_FOUND || code == JSStreamNotFoundErr)
			err = -ENOENT;
		goto fail;
	}
	*out = r;
	return 0;

fail:
	nats_reader_close(r);
	return err;
}

void nats_reader_close(struct nats_reader *r)
{
	if (r == NULL)
		return;
	natsMsg_Destroy(r->msg);
	disconnect(r);
	free(r->filter);
	free(r);
}

/* The consumer is of no more use: make another, if need be on a new link. */
static void again(struct nats_reader *r)
{
	struct nats_words why;
	jsErrCode code;

	if (r->nc != NULL &&
	    natsConnection_Status(r->nc) != NATS_CONN_STATUS_CONNECTED)
		disconnect(r);
	if ((r->nc != NULL || connect_reader(r, &why) == 0) &&
	    subscribe(r, &code) == NATS_OK)
		return;
	disconnect(r);
	nats_Sleep(AGAIN_MS);
}

/* Take what the message says of itself. False: one before it is missing. */
static bool examine(struct nats_reader *r, struct nats_read *out)
{
	jsMsgMetaData *meta = NULL;
	bool in_order;

	if (natsMsg_GetMetaData(&meta, r->msg) != NATS_OK)
		return false;
	in_order = meta->Sequence.Consumer == r->next_delivery;
	*out = (struct nats_read){
		.seq = meta->Sequence.Stream,
		.time_ns = (uint64_t)meta->Timestamp,
		.pending = meta->NumPending,
		.subject = natsMsg_GetSubject(r->msg),
		.bytes = (const uint8_t *)natsMsg_GetData(r->msg),
		.len = (size_t)natsMsg_GetDataLength(r->msg),
	};
	jsMsgMetaData_Destroy(meta);
	return in_order;
}

static int read_headers(natsMsg *msg, struct nats_read *out)
{
	const char *encoding = NULL;

	if (natsMsgHeader_Get(msg, "Nats-Msg-Id", &out->id) != NATS_OK)
		out->id = NULL;
	if (natsMsgHeader_Get(msg, "Content-Encoding", &encoding) != NATS_OK)
		return 0;
	return egress_encoding_find(encoding, strlen(encoding),
				    &out->encoding) < 0
		       ? -EBADMSG
		       : 0;
}

/* One attempt of at most @ms: 1 with a message, 0 without. */
static int attempt(struct nats_reader *r, int64_t ms, struct nats_read *out)
{
	natsStatus s;

	natsMsg_Destroy(r->msg);
	r->msg = NULL;
	if (r->sub == NULL ||
	    natsConnection_Status(r->nc) != NATS_CONN_STATUS_CONNECTED) {
		again(r);
		return 0;
	}
	s = natsSubscription_NextMsg(&r->msg, r->sub, ms);
	if (s == NATS_TIMEOUT)
		return 0;
	if (s != NATS_OK || !examine(r, out)) {
		unsubscribe(r);
		return 0;
	}
	r->next_delivery++;
	r->last_seq = out->seq;
	return 1;
}

int nats_reader_next(struct nats_reader *r, int64_t timeout_ms,
		     struct nats_read *out)
{
	int64_t until = nats_Now() + timeout_ms;
	struct nats_read read;

	for (;;) {
		int64_t left = until - nats_Now();

		if (left < 1)
			left = 1;
		if (attempt(r, left < STEP_MS ? left : STEP_MS, &read) == 1)
			break;
		if (nats_Now() >= until)
			return 0;
	}
	if (read_headers(r->msg, &read) < 0)
		return -EBADMSG;
	*out = read;
	return 1;
}
