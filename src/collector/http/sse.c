#include "collector/http/sse.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* maximum number of events kept for new and returning streams */
#define EVENTS	1024
#define BEGIN	100 /* number of events that a new stream gets first */
#define STREAMS 64
#define BLOCK	(16 * 1024)

/* The text of an event, which streams share. */
struct text {
	_Atomic unsigned users;
	size_t len;
	char bytes[];
};

struct stream {
	struct stream *next, **link;
	struct sse *sse;
	struct MHD_Connection *connection;
	bool suspended;
	uint64_t event;	  /* number of the next event to send */
	uint64_t status;  /* number of the last status that was sent */
	struct text *now; /* the text being sent; NULL if none */
	size_t sent;	  /* bytes of now that were already sent */
};

struct sse {
	pthread_mutex_t lock; /* protects the members below */
	bool closed;
	struct stream *streams;
	unsigned count;
	uint64_t first; /* number of the first event */
	uint64_t next;	/* number of the next event */
	struct text *events[EVENTS];
	uint64_t status_number;
	struct text *status;
};

static struct text *text_new(const char *head, const struct json *json)
{
	size_t head_len = strlen(head);
	size_t len = head_len + json->len + 2;
	struct text *t = json->failed ? NULL : malloc(sizeof(*t) + len);

	if (t == NULL)
		return NULL;
	atomic_init(&t->users, 1);
	t->len = len;
	memcpy(t->bytes, head, head_len);
	memcpy(t->bytes + head_len, json->bytes, json->len);
	memcpy(t->bytes + head_len + json->len, "\n\n", 2);
	return t;
}

static struct text *text_get(struct text *t)
{
	atomic_fetch_add(&t->users, 1);
	return t;
}

static void text_put(struct text *t)
{
	if (t != NULL && atomic_fetch_sub(&t->users, 1) == 1)
		free(t);
}

/* Writing; the caller holds the lock */

static void wake_all(struct sse *sse)
{
	for (struct stream *s = sse->streams; s != NULL; s = s->next) {
		if (!s->suspended)
			continue;
		s->suspended = false;
		MHD_resume_connection(s->connection);
	}
}

static void event_add(struct sse *sse, struct text *t)
{
	struct text **slot = &sse->events[sse->next % EVENTS];

	/*
	 * If out of memory, @t is NULL: the slot stays empty, and streams skip
	 * the event.
	 */
	text_put(*slot);
	*slot = t;
	sse->next++;
}

void sse_event(struct sse *sse, const struct event_ring_entry *e)
{
	struct json j = { 0 };
	char head[64];

	pthread_mutex_lock(&sse->lock);
	snprintf(head, sizeof(head),
		 "id: %" PRIu64 "\nevent: event\ndata: ", sse->next);
	json_object(&j);
	json_uint_at(&j, "id", sse->next);
	event_ring_json(&j, e);
	json_end_object(&j);
	event_add(sse, text_new(head, &j));
	pthread_mutex_unlock(&sse->lock);
	json_fini(&j);
}

void sse_lost(struct sse *sse, uint64_t events)
{
	struct json j = { 0 };

	if (events == 0)
		return;
	json_object(&j);
	json_uint_at(&j, "events", events);
	json_end_object(&j);
	pthread_mutex_lock(&sse->lock);
	event_add(sse, text_new("event: lost\ndata: ", &j));
	pthread_mutex_unlock(&sse->lock);
	json_fini(&j);
}

void sse_status(struct sse *sse, const struct json *json)
{
	struct text *t = text_new("event: status\ndata: ", json);

	if (t == NULL)
		return;
	pthread_mutex_lock(&sse->lock);
	text_put(sse->status);
	sse->status = t;
	sse->status_number++;
	wake_all(sse);
	pthread_mutex_unlock(&sse->lock);
}

bool sse_is_read(struct sse *sse)
{
	bool read;

	pthread_mutex_lock(&sse->lock);
	read = sse->streams != NULL;
	pthread_mutex_unlock(&sse->lock);
	return read;
}

/* Reading */

static uint64_t event_oldest(const struct sse *sse)
{
	return sse->next - sse->first > EVENTS ? sse->next - EVENTS
					       : sse->first;
}

/*
 * The next text to send to @s; NULL if all were sent. The caller holds the
 * lock.
 */
static struct text *next_text(struct sse *sse, struct stream *s)
{
	if (s->event < event_oldest(sse))
		s->event = event_oldest(sse);
	while (s->event < sse->next) {
		struct text *t = sse->events[s->event++ % EVENTS];

		if (t != NULL)
			return text_get(t);
	}
	if (sse->status != NULL && s->status != sse->status_number) {
		s->status = sse->status_number;
		return text_get(sse->status);
	}
	return NULL;
}

/* Copy as much of the current text as fits into @max bytes. */
static ssize_t send_some(struct stream *s, char *to, size_t max)
{
	size_t left = s->now->len - s->sent;
	size_t n = left < max ? left : max;

	memcpy(to, s->now->bytes + s->sent, n);
	s->sent += n;
	if (s->sent == s->now->len) {
		text_put(s->now);
		s->now = NULL;
		s->sent = 0;
	}
	return (ssize_t)n;
}

/*
 * Copy the next bytes for a stream to @to. libmicrohttpd calls it on its thread
 * when it can send; if there is nothing to send, the connection is suspended.
 */
static ssize_t read_stream(void *stream, uint64_t at, char *to, size_t max)
{
	struct stream *s = stream;
	struct sse *sse = s->sse;
	ssize_t n = 0;

	(void)at;
	pthread_mutex_lock(&sse->lock);
	if (s->now == NULL)
		s->now = next_text(sse, s);
	if (s->now != NULL) {
		n = send_some(s, to, max);
	} else if (sse->closed) {
		n = MHD_CONTENT_READER_END_OF_STREAM;
	} else {
		s->suspended = true;
		MHD_suspend_connection(s->connection);
	}
	pthread_mutex_unlock(&sse->lock);
	return n;
}

static void end_stream(void *stream)
{
	struct stream *s = stream;
	struct sse *sse = s->sse;

	pthread_mutex_lock(&sse->lock);
	*s->link = s->next;
	if (s->next != NULL)
		s->next->link = s->link;
	sse->count--;
	pthread_mutex_unlock(&sse->lock);
	text_put(s->now);
	free(s);
}

/*
 * The number of the first event to send: the one after the last event that the
 * browser has received; or, if that is not known, the first of the latest BEGIN
 * events.
 */
static uint64_t begin_at(const struct sse *sse, const char *last_id)
{
	uint64_t seen = last_id != NULL ? strtoull(last_id, NULL, 10) : 0;
	uint64_t few = sse->next - event_oldest(sse) > BEGIN
			       ? sse->next - BEGIN
			       : event_oldest(sse);

	return seen >= sse->first && seen < sse->next ? seen + 1 : few;
}

static int add_stream(struct sse *sse, struct stream *s, const char *last_id)
{
	int err = 0;

	pthread_mutex_lock(&sse->lock);
	if (sse->closed) {
		err = -EPIPE;
	} else if (sse->count == STREAMS) {
		err = -EAGAIN;
	} else {
		s->event = begin_at(sse, last_id);
		s->next = sse->streams;
		s->link = &sse->streams;
		if (s->next != NULL)
			s->next->link = &s->next;
		sse->streams = s;
		sse->count++;
	}
	pthread_mutex_unlock(&sse->lock);
	return err;
}

int sse_stream(struct sse *sse, struct MHD_Connection *connection,
	       const char *last_id, struct MHD_Response **out)
{
	struct stream *s = calloc(1, sizeof(*s));
	struct MHD_Response *response;
	int err;

	if (s == NULL)
		return -ENOMEM;
	s->sse = sse;
	s->connection = connection;
	err = add_stream(sse, s, last_id);
	if (err < 0) {
		free(s);
		return err;
	}
	response =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK,
						  read_stream, s, end_stream);
	if (response == NULL) {
		end_stream(s);
		return -ENOMEM;
	}
	*out = response;
	return 0;
}

/* Life */

int sse_new(uint64_t first_id, struct sse **out)
{
	struct sse *sse = calloc(1, sizeof(*sse));

	if (sse == NULL)
		return -ENOMEM;
	pthread_mutex_init(&sse->lock, NULL);
	sse->first = sse->next = first_id;
	*out = sse;
	return 0;
}

void sse_close(struct sse *sse)
{
	if (sse == NULL)
		return;
	pthread_mutex_lock(&sse->lock);
	sse->closed = true;
	wake_all(sse);
	pthread_mutex_unlock(&sse->lock);
}

void sse_free(struct sse *sse)
{
	if (sse == NULL)
		return;
	for (size_t i = 0; i < EVENTS; i++)
		text_put(sse->events[i]);
	text_put(sse->status);
	pthread_mutex_destroy(&sse->lock);
	free(sse);
}
