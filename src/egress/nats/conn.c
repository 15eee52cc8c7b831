#include "egress/nats/conn.h"

#include "egress/nats/inbox.h"
#include "egress/nats/options.h"

#include <spargio/op.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long to wait for libnats to release a closed connection. */
#define CLOSE_S 10

#define SUBJECT_TEXT_MAX 128

struct nats_conn {
	struct nats_client client;
	natsSubscription *sub;
	char inbox[NATS_INBOX_MAX];
	size_t inbox_len;
	struct nats_wakeup wakeup;
	int fd;
	uint32_t awaited; /* send a wake-up at so many answers */

	/* Number of callbacks of libnats that will still come. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool closed;
	struct nats_error refusal; /* the first refusal of the server */

	/* Any thread */
	atomic_bool refused; /* refusal is set */
	atomic_bool lost;
	atomic_bool unwritten; /* the buffer of libnats has bytes to write */
};

/* Answers */

/* The token of an answer is the last part of its subject. */
static bool token_of(const struct nats_conn *link, const char *subject,
		     uint64_t *out)
{
	char *end;

	if (strlen(subject) <= link->inbox_len + 1)
		return false;
	*out = strtoull(subject + link->inbox_len + 1, &end, 16);
	return *end == '\0';
}

/*
 * libnats reports "no responders" without the message and its subject, so the
 * token is not known.
 */
static const struct nats_answer no_responders = {
	.ack.error = NATS_ACK_NO_RESPONDERS,
	.ack.text = "no stream takes this subject",
};

/* Callbacks, on any thread */

static void on_disconnect(natsConnection *nc, void *arg)
{
	struct nats_conn *link = arg;

	(void)nc;
	atomic_store(&link->lost, true);
	link->wakeup.ring(link->wakeup.arg);
}

static void on_closed(natsConnection *nc, void *arg)
{
	struct nats_conn *link = arg;

	on_disconnect(nc, arg);
	pthread_mutex_lock(&link->lock);
	link->closed = true;
	pthread_cond_signal(&link->changed);
	pthread_mutex_unlock(&link->lock);
}

/*
 * If the user may not publish a message, it gets no answer; the server reports
 * the refusal only here.
 */
static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus s,
		     void *arg)
{
	struct nats_conn *link = arg;
	const char *text = NULL;

	(void)sub;
	if (s != NATS_NOT_PERMITTED || atomic_load(&link->refused))
		return;
	(void)natsConnection_GetLastError(nc, &text);
	pthread_mutex_lock(&link->lock);
	nats_error_copy(&link->refusal,
			text != NULL ? text : "Permissions Violation");
	pthread_mutex_unlock(&link->lock);
	atomic_store(&link->refused, true);
	link->wakeup.ring(link->wakeup.arg);
}

/*
 * libnats regards the connection as its event loop; the publisher's fibers run
 * it.
 */

static natsStatus on_attach(void **data, void *loop, natsConnection *nc,
			    natsSock fd)
{
	struct nats_conn *link = loop;

	(void)nc;
	link->fd = fd;
	*data = link;
	return NATS_OK;
}

static natsStatus on_read_wanted(void *data, bool wanted)
{
	(void)data;
	(void)wanted;
	return NATS_OK; /* reads are always wanted */
}

/*
 * Called under libnats' lock when its buffer has bytes to write, and when it is
 * empty again.
 */
static natsStatus on_write_wanted(void *data, bool wanted)
{
	struct nats_conn *link = data;

	atomic_store(&link->unwritten, wanted);
	if (wanted)
		link->wakeup.write(link->wakeup.arg);
	return NATS_OK;
}

static natsStatus on_detach(void *data)
{
	(void)data;
	return NATS_OK;
}

static int make_options(struct nats_conn *link, const struct nats_options *from,
			struct nats_error *why, natsOptions **out)
{
	natsOptions *o = NULL;
	natsStatus s;
	int err = nats_options_make(from, why, &o);

	if (err < 0)
		return err;
	/*
	 * Without this, a thread of libnats requests writes, with a delay of 1
	 * ms.
	 */
	s = natsOptions_SetSendAsap(o, true);
	if (s == NATS_OK)
		s = natsOptions_SetEventLoop(o, link, on_attach, on_read_wanted,
					     on_write_wanted, on_detach);
	if (s == NATS_OK)
		s = natsOptions_SetClosedCB(o, on_closed, link);
	if (s == NATS_OK)
		s = natsOptions_SetDisconnectedCB(o, on_disconnect, link);
	if (s == NATS_OK)
		s = natsOptions_SetErrorHandler(o, on_error, link);
	if (s != NATS_OK) {
		natsOptions_Destroy(o);
		return nats_failed(s, "options", why);
	}
	*out = o;
	return 0;
}

/* Life cycle */

static struct nats_conn *link_new(struct nats_wakeup wakeup)
{
	struct nats_conn *link = calloc(1, sizeof(*link));

	if (link == NULL)
		return NULL;
	link->wakeup = wakeup;
	link->fd = -1;
	pthread_mutex_init(&link->lock, NULL);
	pthread_cond_init(&link->changed, NULL);
	return link;
}

static natsStatus acks_subscribe(struct nats_conn *link,
				 const struct nats_options *options,
				 uint32_t window)
{
	char subject[SUBJECT_TEXT_MAX];
	natsStatus s;

	if (nats_inbox_make(options, link->inbox) < 0)
		return NATS_INVALID_ARG;
	link->inbox_len = strlen(link->inbox);
	snprintf(subject, sizeof(subject), "%s.*", link->inbox);
	s = natsConnection_SubscribeSync(&link->sub, link->client.nc, subject);
	/*
	 * Limit the answers that libnats keeps: a server that sends more
	 * answers than it got messages must not use up the memory.
	 */
	if (s == NATS_OK)
		s = natsSubscription_SetPendingLimits(link->sub,
						      2 * (int)window, INT_MAX);
	return s;
}

int nats_conn_open(const struct nats_options *options, uint32_t window,
		   struct nats_wakeup wakeup, struct nats_error *why,
		   struct nats_conn **out)
{
	struct nats_conn *link = link_new(wakeup);
	natsOptions *o = NULL;
	natsStatus s;
	int err;

	if (link == NULL)
		return -ENOMEM;
	link->client.domain = options->domain;
	err = make_options(link, options, why, &o);
	if (err < 0)
		goto fail;
	s = natsConnection_Connect(&link->client.nc, o);
	natsOptions_Destroy(o);
	if (s != NATS_OK) {
		err = nats_failed(s, "connect", why);
		goto fail;
	}
	s = acks_subscribe(link, options, window);
	if (s != NATS_OK) {
		err = nats_failed(s, "subscribe", why);
		goto fail;
	}
	*out = link;
	return 0;

fail:
	nats_conn_close(link);
	return err;
}

/*
 * Wait until no callback can come any more. False if an expected callback has
 * not come within CLOSE_S.
 */
static bool wait_callbacks(struct nats_conn *link)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CLOSE_S;
	pthread_mutex_lock(&link->lock);
	while (err == 0 && !link->closed)
		err = pthread_cond_timedwait(&link->changed, &link->lock,
					     &until);
	pthread_mutex_unlock(&link->lock);
	return err == 0;
}

void nats_conn_close(struct nats_conn *link)
{
	if (link == NULL)
		return;
	if (link->client.nc != NULL) {
		natsConnection_Close(link->client.nc);
		/* Leak the memory, because a callback could still use it. */
		if (!wait_callbacks(link))
			return;
		natsSubscription_Destroy(link->sub);
		natsConnection_Destroy(link->client.nc);
	}
	pthread_cond_destroy(&link->changed);
	pthread_mutex_destroy(&link->lock);
	free(link);
}

/* Publisher's side: bytes */

int nats_conn_wait_readable(struct nats_conn *link)
{
	int events = sp_wait_fd(link->fd, POLLIN); /* yields */

	return events < 0 ? events : 0;
}

int nats_conn_wait_writable(struct nats_conn *link)
{
	int events = sp_wait_fd(link->fd, POLLOUT); /* yields */

	return events < 0 ? events : 0;
}

static uint32_t acks_pending(struct nats_conn *link)
{
	int n = 0;

	return natsSubscription_GetPending(link->sub, &n, NULL) == NATS_OK
		       ? (uint32_t)n
		       : 0;
}

void nats_conn_read(struct nats_conn *link)
{
	natsConnection_ProcessReadEvent(link->client.nc);
	/*
	 * A wake-up costs more than an answer, so do not send one for each
	 * answer.
	 */
	if (acks_pending(link) >= link->awaited)
		link->wakeup.ring(link->wakeup.arg);
}

bool nats_conn_write(struct nats_conn *link)
{
	if (atomic_load(&link->unwritten))
		natsConnection_ProcessWriteEvent(link->client.nc);
	return !atomic_load(&link->unwritten);
}

bool nats_conn_full(struct nats_conn *link)
{
	return natsConnection_Buffered(link->client.nc) >= NATS_IO_BUFFER;
}

/* Publisher's side: messages */

static natsStatus set_after_seq(natsMsg *msg, uint64_t seq)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, seq);
	return natsMsgHeader_Set(msg, "Nats-Expected-Last-Sequence", text);
}

static natsStatus set_headers(natsMsg *msg, const struct nats_message *m)
{
	natsStatus s = natsMsgHeader_Set(msg, "Nats-Msg-Id", m->id);

	if (s == NATS_OK && m->after_seq != 0)
		s = set_after_seq(msg, m->after_seq);
	if (s == NATS_OK && m->after != NULL)
		s = natsMsgHeader_Set(msg, "Nats-Expected-Last-Msg-Id",
				      m->after);
	if (s == NATS_OK)
		s = natsMsgHeader_Set(msg, "Arancini-Collector", m->collector);
	if (s == NATS_OK)
		s = natsMsgHeader_Set(msg, "Arancini-Schema", m->schema);
	if (s == NATS_OK && m->encoding != NULL)
		s = natsMsgHeader_Set(msg, "Content-Encoding", m->encoding);
	return s;
}

/*
 * Hot: once per batch. Cost: libnats makes its own message (it copies the
 * payload and allocates memory for the headers) and copies that message into
 * its write buffer; bench/egress, jetstream_acked.
 */
int nats_conn_publish(struct nats_conn *link, const struct nats_message *m)
{
	char reply[SUBJECT_TEXT_MAX];
	natsMsg *msg = NULL;
	natsStatus s;

	snprintf(reply, sizeof(reply), "%s.%" PRIx64, link->inbox, m->token);
	s = natsMsg_Create(&msg, m->subject, reply, m->bytes, (int)m->len);
	if (s == NATS_OK)
		s = set_headers(msg, m);
	if (s == NATS_OK)
		s = natsConnection_PublishMsg(link->client.nc, msg);
	natsMsg_Destroy(msg);
	return nats_errno(s);
}

/* Hot: once per message. bench/egress, jetstream_acked. */
bool nats_conn_take(struct nats_conn *link, struct nats_answer *out)
{
	natsMsg *msg = NULL;

	do {
		natsStatus s = natsSubscription_NextMsg(&msg, link->sub,
							/* timeout= */ 0);

		if (s == NATS_NO_RESPONDERS)
			*out = no_responders;
		if (s != NATS_OK)
			return s == NATS_NO_RESPONDERS;
		out->has_token =
			token_of(link, natsMsg_GetSubject(msg), &out->token);
		if (out->has_token)
			nats_ack_parse(nats_message_data(msg), &out->ack);
		natsMsg_Destroy(msg);
	} while (!out->has_token);
	return true;
}

bool nats_conn_await(struct nats_conn *link, uint32_t n)
{
	link->awaited = n;
	return acks_pending(link) < n;
}

bool nats_conn_lost(struct nats_conn *link)
{
	return atomic_load(&link->lost);
}

bool nats_conn_refused(struct nats_conn *link, struct nats_error *out)
{
	if (!atomic_load(&link->refused))
		return false;
	pthread_mutex_lock(&link->lock);
	*out = link->refusal;
	pthread_mutex_unlock(&link->lock);
	return true;
}

size_t nats_conn_max_payload(struct nats_conn *link)
{
	return (size_t)natsConnection_GetMaxPayload(link->client.nc);
}

struct nats_client *nats_conn_client(struct nats_conn *link)
{
	return &link->client;
}
