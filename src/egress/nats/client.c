#include "egress/nats/client.h"

#include "egress/nats/options.h"

#include <errno.h>
#include <stdlib.h>

/*
 * struct nats_received and struct nats_subscription exist only as pointers:
 * they are pointers to the types of libnats.
 */

static natsMsg *message_of(const struct nats_received *msg)
{
	return (natsMsg *)(uintptr_t)msg;
}

static natsSubscription *subscription_of(struct nats_subscription *sub)
{
	return (natsSubscription *)sub;
}

int nats_client_open(const struct nats_options *options, struct nats_error *why,
		     struct nats_client **out)
{
	struct nats_client *c = calloc(1, sizeof(*c));
	natsOptions *o = NULL;
	natsStatus s;
	int err;

	if (c == NULL)
		return -ENOMEM;
	err = nats_options_make(options, why, &o);
	if (err < 0)
		goto fail;
	s = natsConnection_Connect(&c->nc, o);
	natsOptions_Destroy(o);
	if (s != NATS_OK) {
		err = nats_failed(s, "connect", why);
		goto fail;
	}
	c->domain = options->domain;
	*out = c;
	return 0;

fail:
	free(c);
	return err;
}

void nats_client_stop(struct nats_client *c)
{
	if (c != NULL)
		natsConnection_Close(c->nc);
}

void nats_client_close(struct nats_client *c)
{
	if (c == NULL)
		return;
	natsConnection_Destroy(c->nc);
	free(c);
}

bool nats_client_connected(struct nats_client *c)
{
	return natsConnection_Status(c->nc) == NATS_CONN_STATUS_CONNECTED;
}

const char *nats_client_domain(const struct nats_client *c)
{
	return c->domain;
}

int64_t nats_client_max_payload(struct nats_client *c)
{
	return natsConnection_GetMaxPayload(c->nc);
}

static natsStatus message_make(const struct nats_send *m, natsMsg **out)
{
	natsStatus s =
		natsMsg_Create(out, m->subject, NULL, (const char *)m->data.p,
			       (int)m->data.len);

	for (size_t i = 0; i < m->header_count && s == NATS_OK; i++)
		s = natsMsgHeader_Set(*out, m->headers[i].name,
				      m->headers[i].value);
	return s;
}

int nats_client_publish(struct nats_client *c, const struct nats_send *m)
{
	natsMsg *msg = NULL;
	natsStatus s = message_make(m, &msg);

	if (s == NATS_OK)
		s = natsConnection_PublishMsg(c->nc, msg);
	natsMsg_Destroy(msg);
	return nats_errno(s);
}

int nats_client_request(struct nats_client *c, const struct nats_send *m,
			int64_t wait_ms, const char *doing,
			struct nats_error *why, struct nats_received **out)
{
	natsMsg *msg = NULL;
	natsMsg *reply = NULL;
	natsStatus s = message_make(m, &msg);

	if (s == NATS_OK)
		s = natsConnection_RequestMsg(&reply, c->nc, msg, wait_ms);
	natsMsg_Destroy(msg);
	if (s != NATS_OK)
		return nats_request_failed(c->nc, s, m->subject, doing, why);
	*out = (struct nats_received *)reply;
	return 0;
}

int nats_client_subscribe(struct nats_client *c, const char *subject,
			  struct nats_error *why,
			  struct nats_subscription **out)
{
	natsSubscription *sub = NULL;
	natsStatus s = natsConnection_SubscribeSync(&sub, c->nc, subject);

	if (s == NATS_OK)
		s = natsSubscription_SetPendingLimits(sub, -1, -1);
	if (s != NATS_OK) {
		natsSubscription_Destroy(sub);
		return nats_failed(s, "subscribe", why);
	}
	*out = (struct nats_subscription *)sub;
	return 0;
}

void nats_client_unsubscribe(struct nats_subscription *sub)
{
	if (sub == NULL)
		return;
	natsSubscription_Unsubscribe(subscription_of(sub));
	natsSubscription_Destroy(subscription_of(sub));
}

int nats_client_next(struct nats_subscription *sub, int64_t timeout_ms,
		     struct nats_received **out)
{
	natsMsg *msg = NULL;
	natsStatus s = natsSubscription_NextMsg(&msg, subscription_of(sub),
						timeout_ms);

	if (s != NATS_OK)
		return nats_errno(s);
	*out = (struct nats_received *)msg;
	return 0;
}

int64_t nats_client_now_ms(void)
{
	return nats_Now();
}

void nats_client_sleep_ms(int64_t ms)
{
	nats_Sleep(ms);
}

const char *nats_received_subject(const struct nats_received *msg)
{
	return natsMsg_GetSubject(message_of(msg));
}

const char *nats_received_reply(const struct nats_received *msg)
{
	return natsMsg_GetReply(message_of(msg));
}

struct wire_view nats_message_data(const natsMsg *msg)
{
	int len = natsMsg_GetDataLength(msg);

	return (struct wire_view){ (const uint8_t *)natsMsg_GetData(msg),
				   len > 0 ? (size_t)len : 0 };
}

struct wire_view nats_received_data(const struct nats_received *msg)
{
	return nats_message_data(message_of(msg));
}

const char *nats_received_header(struct nats_received *msg, const char *name)
{
	const char *value = NULL;

	if (natsMsgHeader_Get(message_of(msg), name, &value) != NATS_OK)
		return NULL;
	return value;
}

void nats_received_free(struct nats_received *msg)
{
	natsMsg_Destroy(message_of(msg));
}

void nats_thread_done(void)
{
	nats_ReleaseThreadMemory();
}

void nats_finish(void)
{
	nats_CloseAndWait(/* timeout= */ 0);
}
