#include "egress/nats_link.h"

#include "egress/nats_options.h"

#include <nats/nats.h>

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CACHE_LINE 64

/* How long to wait for libnats to let go of a closed connection. */
#define CLOSE_S 10

#define SUBJECT_TEXT_MAX 128

struct nats_link {
	natsConnection *nc;
	natsSubscription *sub;
	natsInbox *inbox;
	size_t inbox_len;
	struct nats_bell bell;

	/* Callbacks of libnats that will still come. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool closed;
	bool drained;

	atomic_bool lost;

	/* One writer (libnats' delivery thread), one reader (publisher). */
	struct nats_answer *ring;
	uint32_t mask;
	alignas(CACHE_LINE) _Atomic uint32_t tail;
	alignas(CACHE_LINE) _Atomic uint32_t head;
	_Atomic uint32_t awaited; /* answers that are worth a ring */
};

/* Callbacks, on threads of libnats */

/* The token is the last part of the subject. */
static bool token_of(const struct nats_link *link, const char *subject,
		     uint64_t *out)
{
	char *end;

	if (strlen(subject) <= link->inbox_len + 1)
		return false;
	*out = strtoull(subject + link->inbox_len + 1, &end, 16);
	return *end == '\0';
}

static void read_answer(natsMsg *msg, struct nats_ack *out)
{
	if (natsMsg_IsNoResponders(msg))
		*out = (struct nats_ack){
			.error = NATS_ACK_NO_RESPONDERS,
			.text = "no stream takes this subject",
		};
	else
		nats_ack_parse(natsMsg_GetData(msg),
			       (size_t)natsMsg_GetDataLength(msg), out);
}

/*
 * Hot: once per message. A wake-up costs more than all the rest, so the bell
 * is left alone until as many answers are there as the publisher waits for.
 * bench/egress, jetstream_acked.
 */
static void on_ack(natsConnection *nc, natsSubscription *sub, natsMsg *msg,
		   void *arg)
{
	struct nats_link *link = arg;
	uint32_t tail = atomic_load_explicit(&link->tail, memory_order_relaxed);
	/* Pairs with the release in take: the slot has been read. */
	uint32_t head = atomic_load_explicit(&link->head, memory_order_acquire);
	struct nats_answer *answer = &link->ring[tail & link->mask];
	bool urgent = true;

	(void)nc;
	(void)sub;
	if (tail - head > link->mask) {
		/* More answers than messages: not a server to go on with. */
		atomic_store(&link->lost, true);
	} else if (token_of(link, natsMsg_GetSubject(msg), &answer->token)) {
		read_answer(msg, &answer->ack);
		urgent = answer->ack.error != 0;
		/* The answer before its index; that before what is awaited. */
		atomic_store(&link->tail, tail + 1);
		urgent |= tail + 1 - head >= atomic_load(&link->awaited);
	}
	natsMsg_Destroy(msg);
	if (urgent)
		link->bell.ring(link->bell.arg);
}

static void mark(struct nats_link *link, bool *flag)
{
	pthread_mutex_lock(&link->lock);
	*flag = true;
	pthread_cond_signal(&link->changed);
	pthread_mutex_unlock(&link->lock);
}

static void on_disconnect(natsConnection *nc, void *arg)
{
	struct nats_link *link = arg;

	(void)nc;
	atomic_store(&link->lost, true);
	link->bell.ring(link->bell.arg);
}

static void on_closed(natsConnection *nc, void *arg)
{
	on_disconnect(nc, arg);
	mark(arg, &((struct nats_link *)arg)->closed);
}

static void on_drained(void *arg)
{
	mark(arg, &((struct nats_link *)arg)->drained);
}

static int make_options(struct nats_link *link, const struct nats_options *from,
			struct nats_words *why, natsOptions **out)
{
	natsOptions *o = NULL;
	natsStatus s;
	int err = nats_options_make(from, why, &o);

	if (err < 0)
		return err;
	s = natsOptions_SetAllowReconnect(o, false);
	if (s == NATS_OK)
		s = natsOptions_SetClosedCB(o, on_closed, link);
	if (s == NATS_OK)
		s = natsOptions_SetDisconnectedCB(o, on_disconnect, link);
	if (s != NATS_OK) {
		natsOptions_Destroy(o);
		return nats_failed(s, "options", why);
	}
	*out = o;
	return 0;
}

/* Life cycle */

static struct nats_link *link_new(uint32_t window, struct nats_bell bell)
{
	size_t size = (sizeof(struct nats_link) + CACHE_LINE - 1) &
		      ~(size_t)(CACHE_LINE - 1);
	struct nats_link *link = aligned_alloc(CACHE_LINE, size);
	uint32_t slots = 2;

	if (link == NULL)
		return NULL;
	memset(link, 0, sizeof(*link));
	while (slots < window)
		slots *= 2;
	link->ring = calloc(slots, sizeof(*link->ring));
	if (link->ring == NULL) {
		free(link);
		return NULL;
	}
	link->mask = slots - 1;
	link->bell = bell;
	pthread_mutex_init(&link->lock, NULL);
	pthread_cond_init(&link->changed, NULL);
	return link;
}

static natsStatus subscribe(struct nats_link *link)
{
	char subject[SUBJECT_TEXT_MAX];
	natsStatus s = natsInbox_Create(&link->inbox);

	if (s != NATS_OK)
		return s;
	link->inbox_len = strlen(link->inbox);
	snprintf(subject, sizeof(subject), "%s.*", link->inbox);
	s = natsConnection_Subscribe(&link->sub, link->nc, subject, on_ack,
				     link);
	if (s == NATS_OK)
		s = natsSubscription_SetOnCompleteCB(link->sub, on_drained,
						     link);
	/* The window bounds what can wait there. */
	if (s == NATS_OK)
		s = natsSubscription_SetPendingLimits(link->sub, -1, -1);
	return s;
}

int nats_link_open(const struct nats_options *options, uint32_t window,
		   struct nats_bell bell, struct nats_words *why,
		   struct nats_link **out)
{
	struct nats_link *link = link_new(window, bell);
	natsOptions *o = NULL;
	natsStatus s;
	int err;

	if (link == NULL)
		return -ENOMEM;
	err = make_options(link, options, why, &o);
	if (err < 0)
		goto fail;
	s = natsConnection_Connect(&link->nc, o);
	natsOptions_Destroy(o);
	if (s != NATS_OK) {
		err = nats_failed(s, "connect", why);
		goto fail;
	}
	s = subscribe(link);
	if (s != NATS_OK) {
		err = nats_failed(s, "subscribe", why);
		goto fail;
	}
	*out = link;
	return 0;

fail:
	nats_link_close(link);
	return err;
}

/* Until no callback can come any more. False if libnats forgot one. */
static bool wait_callbacks(struct nats_link *link)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CLOSE_S;
	pthread_mutex_lock(&link->lock);
	while (err == 0 &&
	       !(link->closed && (link->sub == NULL || link->drained)))
		err = pthread_cond_timedwait(&link->changed, &link->lock,
					     &until);
	pthread_mutex_unlock(&link->lock);
	return err == 0;
}

void nats_link_close(struct nats_link *link)
{
	if (link == NULL)
		return;
	if (link->nc != NULL) {
		natsConnection_Close(link->nc);
		/* Rather a leak than a callback into freed memory. */
		if (!wait_callbacks(link))
			return;
		natsSubscription_Destroy(link->sub);
		natsConnection_Destroy(link->nc);
	}
	natsInbox_Destroy(link->inbox);
	pthread_cond_destroy(&link->changed);
	pthread_mutex_destroy(&link->lock);
	free(link->ring);
	free(link);
}

/* Publisher's side */

static natsStatus set_headers(natsMsg *msg, const struct nats_message *m)
{
	natsStatus s = natsMsgHeader_Set(msg, "Nats-Msg-Id", m->id);

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
 * Hot: once per batch. Cost: libnats makes a message of it (a copy of the
 * payload, a few allocations for the headers) and copies that into its write
 * buffer; bench/egress, jetstream_acked.
 */
int nats_link_publish(struct nats_link *link, const struct nats_message *m)
{
	char reply[SUBJECT_TEXT_MAX];
	natsMsg *msg = NULL;
	natsStatus s;

	snprintf(reply, sizeof(reply), "%s.%" PRIx64, link->inbox, m->token);
	s = natsMsg_Create(&msg, m->subject, reply, m->bytes, (int)m->len);
	if (s == NATS_OK)
		s = set_headers(msg, m);
	if (s == NATS_OK)
		s = natsConnection_PublishMsg(link->nc, msg);
	natsMsg_Destroy(msg);
	return nats_errno(s);
}

bool nats_link_take(struct nats_link *link, struct nats_answer *out)
{
	uint32_t head = atomic_load_explicit(&link->head, memory_order_relaxed);
	/* Pairs with the release in on_ack: the slot has been filled. */
	uint32_t tail = atomic_load_explicit(&link->tail, memory_order_acquire);

	if (head == tail)
		return false;
	*out = link->ring[head & link->mask];
	/* The slot must be read before the index that gives it back. */
	atomic_store_explicit(&link->head, head + 1, memory_order_release);
	return true;
}

bool nats_link_await(struct nats_link *link, uint32_t n)
{
	uint32_t head = atomic_load_explicit(&link->head, memory_order_relaxed);

	/* Pairs with on_ack, which counts first: one of us sees the other. */
	atomic_store(&link->awaited, n);
	return atomic_load(&link->tail) - head < n;
}

bool nats_link_lost(struct nats_link *link)
{
	return atomic_load(&link->lost);
}

size_t nats_link_max_payload(struct nats_link *link)
{
	return (size_t)natsConnection_GetMaxPayload(link->nc);
}

natsConnection *nats_link_connection(struct nats_link *link)
{
	return link->nc;
}

void nats_thread_done(void)
{
	nats_ReleaseThreadMemory();
}

void nats_finish(void)
{
	nats_CloseAndWait(/* timeout= */ 0);
}
