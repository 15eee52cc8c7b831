/*
 * Time, life cycle, and the functions for the world. Nothing runs by itself:
 * broker_run() processes what is due since the last call, in the order of its
 * time.
 */
#include "broker_internal.h"

#include <spargio/sim.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS	     INT64_C(1000000000)
#define LATENCY_MIN  (NS / 10000)
#define LATENCY_MAX  (NS / 500)
#define SYNC_NS	     (120 * NS)
#define MAX_PAYLOAD  (1 << 20)
#define MAX_STORE    (INT64_C(1) << 40)
#define WALL_NS	     (INT64_C(1767225600) * NS) /* 2026-01-01 */
#define STALLED_NS   (30 * NS)	/* until pings break a connection */
#define FORGOTTEN_NS (600 * NS) /* of a client whose host is gone */

/* All in the process: a client finds its broker by the address. */
static struct broker *brokers;

struct broker *broker_find(const char *address)
{
	const char *scheme = strstr(address, "://");
	struct broker *b = brokers;

	if (scheme != NULL)
		address = scheme + 3;
	while (b != NULL && strcmp(b->address, address) != 0)
		b = b->next;
	return b;
}

uint64_t broker_random(struct broker *b)
{
	uint64_t z = b->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int64_t clock_now(const struct broker *b)
{
	const struct broker_options *o = &b->options;

	return b->waited + (o->clock != NULL ? o->clock(o->clock_arg)
					     : sp_sim_time(o->sim));
}

int64_t broker_wall(const struct broker *b)
{
	return b->options.wall_ns + b->now;
}

struct broker_stream *broker_stream_find(struct broker *b, const char *name)
{
	struct broker_stream *s = b->streams;

	while (s != NULL && strcmp(s->config.name, name) != 0)
		s = s->next;
	return s;
}

void broker_stream_drop(struct broker *b, struct broker_stream *s)
{
	struct broker_stream **at = &b->streams;

	broker_consumers_drop(b, s);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	broker_stream_free(s);
}

uint64_t broker_stored_bytes(const struct broker *b)
{
	uint64_t bytes = 0;

	for (const struct broker_stream *s = b->streams; s != NULL; s = s->next)
		bytes += s->bytes;
	return bytes;
}

/* Time */

static void sync_streams(struct broker *b)
{
	for (struct broker_stream *s = b->streams; s != NULL; s = s->next)
		broker_stream_sync(s);
	b->synced = b->now;
}

static void pass_time(struct broker *b, int64_t to)
{
	if (b->up && b->options.sync_ns > 0 &&
	    b->synced + b->options.sync_ns <= to) {
		b->now = b->synced + b->options.sync_ns;
		sync_streams(b);
		b->synced = to - (to - b->synced) % b->options.sync_ns;
	}
	if (to > b->now)
		b->now = to;
	for (struct broker_conn *c = b->conns; c != NULL; c = c->next)
		if ((c->stalled && b->now - c->stalled_since > STALLED_NS) ||
		    b->now - c->touched > FORGOTTEN_NS)
			broker_conn_break(c);
	for (struct broker_stream *s = b->streams; s != NULL; s = s->next)
		if (s->config.max_age > 0 && b->up)
			broker_stream_enforce(s, broker_wall(b));
}

/* The connection whose next message is due first, up to @until, or NULL. */
static struct broker_conn *next_sender(struct broker *b, int64_t until)
{
	struct broker_conn *next = NULL;

	for (struct broker_conn *c = b->conns; c != NULL; c = c->next)
		if (!c->stalled && c->up.head != NULL &&
		    c->up.head->due <= until &&
		    (next == NULL || c->up.head->due < next->up.head->due))
			next = c;
	return next;
}

static void free_closed(struct broker *b)
{
	struct broker_conn **at = &b->conns;

	while (*at != NULL) {
		struct broker_conn *c = *at;

		if (!c->closed || (c->up.head != NULL && !c->lost)) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		broker_queue_clear(&c->up);
		broker_queue_clear(&c->down);
		free(c->name);
		free(c);
	}
}

void broker_run(struct broker *b)
{
	int64_t until = clock_now(b);
	struct broker_conn *c;

	while ((c = next_sender(b, until)) != NULL) {
		int64_t start = c->up.head->due;

		if (start < b->busy_until)
			start = b->busy_until;
		if (start > until)
			break;
		b->busy_until = start + b->pace;
		pass_time(b, start);
		broker_route(c, broker_queue_pop(&c->up));
		broker_consumers_run(b);
	}
	pass_time(b, until);
	broker_consumers_run(b);
	free_closed(b);
}

void broker_wait(struct broker *b, int64_t ns)
{
	b->waited += ns;
	broker_run(b);
}

/* Life cycle */

static int64_t or_default(int64_t value, int64_t other)
{
	return value != 0 ? value : other;
}

int broker_start(const struct broker_options *options, struct broker **out)
{
	struct broker *b;

	if (broker_find(options->address) != NULL)
		return -EADDRINUSE;
	b = broker_alloc(sizeof(*b));
	b->options = *options;
	b->options.latency_min = or_default(options->latency_min, LATENCY_MIN);
	b->options.latency_max = or_default(options->latency_max, LATENCY_MAX);
	if (b->options.latency_max < b->options.latency_min)
		b->options.latency_max = b->options.latency_min;
	b->options.sync_ns = or_default(options->sync_ns, SYNC_NS);
	b->options.wall_ns = or_default(options->wall_ns, WALL_NS);
	b->max_payload = or_default(options->max_payload, MAX_PAYLOAD);
	b->max_store = or_default(options->max_store, MAX_STORE);
	b->address = broker_strdup(options->address);
	b->random = options->seed;
	b->up = true;
	b->now = clock_now(b);
	b->synced = b->now;
	b->next = brokers;
	brokers = b;
	*out = b;
	return 0;
}

void broker_free(struct broker *b)
{
	struct broker **at = &brokers;

	if (b == NULL)
		return;
	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	while (b->streams != NULL)
		broker_stream_drop(b, b->streams);
	for (struct broker_conn *c = b->conns; c != NULL; c = c->next) {
		broker_conn_break(c);
		broker_conn_close(c);
	}
	free_closed(b);
	broker_allow_all(b);
	broker_partition(b, NULL, false);
	broker_text_free(&b->text);
	broker_text_free(&b->kept);
	free(b->address);
	free(b);
}

void broker_crash(struct broker *b)
{
	broker_run(b);
	b->up = false;
	for (struct broker_conn *c = b->conns; c != NULL; c = c->next)
		broker_conn_break(c);
	broker_consumers_drop(b, NULL);
}

void broker_lose_unsynced(struct broker *b)
{
	for (struct broker_stream *s = b->streams; s != NULL; s = s->next)
		b->counters.lost += broker_stream_lose_unsynced(s);
}

void broker_restart(struct broker *b)
{
	struct broker_stream *next;

	broker_run(b);
	for (struct broker_stream *s = b->streams; s != NULL; s = next) {
		next = s->next;
		if (s->config.memory) {
			broker_stream_drop(b, s);
			continue;
		}
		broker_ids_forget(s);
		s->fresh = false;
		s->expected_seq = s->last_seq;
		broker_stream_enforce(s, broker_wall(b));
		broker_stream_enforce_subjects(s);
		/* What it read at its start is on the disk. */
		broker_stream_sync(s);
	}
	b->busy_until = 0;
	b->synced = b->now;
	b->up = true;
}

bool broker_is_up(const struct broker *b)
{
	return b->up;
}

void broker_sync(struct broker *b)
{
	broker_run(b);
	sync_streams(b);
}

/* Connections */

static bool is_client(const struct broker_conn *c, const char *client)
{
	return client == NULL || strcmp(c->name, client) == 0;
}

void broker_disconnect(struct broker *b, const char *client)
{
	broker_run(b);
	for (struct broker_conn *c = b->conns; c != NULL; c = c->next)
		if (is_client(c, client))
			broker_conn_break(c);
}

bool broker_is_parted(const struct broker *b, const char *client)
{
	for (size_t i = 0; i < b->parted_count; i++)
		if (b->parted[i][0] == '\0' ||
		    strcmp(b->parted[i], client) == 0)
			return true;
	return false;
}

static void note_parted(struct broker *b, const char *client, bool lost)
{
	const char *name = client != NULL ? client : "";
	size_t kept = 0;

	for (size_t i = 0; i < b->parted_count; i++)
		if (client == NULL || strcmp(b->parted[i], name) == 0)
			free(b->parted[i]);
		else
			b->parted[kept++] = b->parted[i];
	b->parted_count = kept;
	if (lost && kept < sizeof(b->parted) / sizeof(b->parted[0]))
		b->parted[b->parted_count++] = broker_strdup(name);
}

void broker_partition(struct broker *b, const char *client, bool lost)
{
	if (b->conns != NULL)
		broker_run(b);
	note_parted(b, client, lost);
	for (struct broker_conn *c = b->conns; c != NULL; c = c->next) {
		bool stalled = broker_is_parted(b, c->name);

		if (stalled && !c->stalled)
			c->stalled_since = b->now;
		c->stalled = stalled;
	}
}

/* Answers and rights */

void broker_delay_acks(struct broker *b, int64_t ns)
{
	broker_run(b);
	b->ack_delay = ns;
}

void broker_lose_acks(struct broker *b, uint32_t n)
{
	broker_run(b);
	b->lose_acks = n;
}

void broker_set_pace(struct broker *b, int64_t ns_per_message)
{
	broker_run(b);
	b->pace = ns_per_message;
}

void broker_change_leader(struct broker *b, int64_t ns)
{
	broker_run(b);
	b->leaderless_until = b->now + ns;
	broker_consumers_drop(b, NULL);
}

void broker_deny(struct broker *b, const char *pattern)
{
	broker_run(b);
	if (b->denied_count < sizeof(b->denied) / sizeof(b->denied[0]))
		b->denied[b->denied_count++] = broker_strdup(pattern);
}

void broker_allow_all(struct broker *b)
{
	while (b->denied_count > 0)
		free(b->denied[--b->denied_count]);
}

/* Streams */

static struct broker_stream *find_now(struct broker *b, const char *stream)
{
	broker_run(b);
	return broker_stream_find(b, stream);
}

bool broker_set_limit(struct broker *b, const char *stream,
		      enum broker_limit limit, int64_t value)
{
	struct broker_stream *s = find_now(b, stream);
	struct broker_config *c;

	if (s == NULL)
		return false;
	c = &s->config;
	switch (limit) {
	case BROKER_MAX_MSGS:
		c->max_msgs = value;
		break;
	case BROKER_MAX_BYTES:
		c->max_bytes = value;
		break;
	case BROKER_MAX_AGE:
		c->max_age = value;
		break;
	case BROKER_MAX_MSG_SIZE:
		c->max_msg_size = value;
		break;
	case BROKER_MAX_PER_SUBJECT:
		c->max_per_subject = value;
		break;
	case BROKER_DUPLICATE_WINDOW:
		c->duplicate_window = value;
		break;
	case BROKER_DISCARD_NEW:
		c->discard_new = value != 0;
		break;
	}
	broker_stream_enforce(s, broker_wall(b));
	broker_stream_enforce_subjects(s);
	return true;
}

bool broker_delete_stream(struct broker *b, const char *stream)
{
	struct broker_stream *s = find_now(b, stream);

	if (s != NULL)
		broker_stream_drop(b, s);
	return s != NULL;
}

bool broker_purge(struct broker *b, const char *stream, uint64_t before)
{
	struct broker_stream *s = find_now(b, stream);

	if (s != NULL)
		broker_stream_purge(s, NULL, before, 0);
	return s != NULL;
}

bool broker_delete_message(struct broker *b, const char *stream, uint64_t seq)
{
	struct broker_stream *s = find_now(b, stream);
	struct broker_message *m = s != NULL ? broker_stream_at(s, seq) : NULL;

	if (m != NULL)
		broker_stream_remove(s, m);
	return m != NULL;
}

void broker_set_room(struct broker *b, int64_t bytes)
{
	broker_run(b);
	b->max_store = bytes;
}

void broker_set_max_payload(struct broker *b, int64_t bytes)
{
	broker_run(b);
	b->max_payload = bytes;
}

const char *broker_request(struct broker *b, const char *what, const char *body)
{
	struct broker_text subject = { 0 };
	struct wire_view view = { 0 };

	broker_run(b);
	if (body != NULL)
		view = (struct wire_view){ (const uint8_t *)body,
					   strlen(body) };
	broker_text_add(&subject, "$JS.API.%s", what);
	broker_text_clear(&b->text);
	broker_api(b, subject.at, "", view);
	broker_text_free(&subject);
	broker_text_clear(&b->kept);
	broker_text_bytes(&b->kept, b->text.at, b->text.len);
	return b->kept.at;
}

/* What is stored */

bool broker_look(struct broker *b, const char *stream, struct broker_state *out)
{
	struct broker_stream *s = find_now(b, stream);

	if (s == NULL)
		return false;
	*out = (struct broker_state){
		.created_ns = s->created_ns,
		.messages = s->stored,
		.bytes = s->bytes,
		.first_seq = s->first_seq,
		.last_seq = s->last_seq,
	};
	return true;
}

/* The header's text in b->kept, from @at on; NULL if it is missing. */
static bool keep_header(struct broker *b, const struct broker_message *m,
			const char *name)
{
	char text[1024];

	if (!broker_header(broker_message_headers(m), name, text, sizeof(text)))
		return false;
	broker_text_bytes(&b->kept, text, strlen(text) + 1);
	return true;
}

bool broker_read(struct broker *b, const char *stream, uint64_t seq,
		 struct broker_stored *out)
{
	struct broker_stream *s = find_now(b, stream);
	const struct broker_message *m =
		s != NULL ? broker_stream_from(s, seq) : NULL;
	bool has_id, has_encoding;
	size_t id_len;

	if (m == NULL)
		return false;
	broker_text_clear(&b->kept);
	has_id = keep_header(b, m, "Nats-Msg-Id");
	id_len = b->kept.len;
	has_encoding = keep_header(b, m, "Content-Encoding");
	*out = (struct broker_stored){
		.seq = m->seq,
		.time_ns = m->time_ns,
		.subject = m->subject->name,
		.id = has_id ? b->kept.at : NULL,
		.encoding = has_encoding ? b->kept.at + id_len : NULL,
		.data = broker_message_data(m).p,
		.len = m->data_len,
	};
	return true;
}

struct broker_counters broker_count(const struct broker *b)
{
	return b->counters;
}
