#include "broker_stream.h"

#include <stdlib.h>
#include <string.h>

/* Configuration */

void broker_config_free(struct broker_config *c)
{
	free(c->name);
	free(c->description);
	for (size_t i = 0; i < c->subject_count; i++)
		free(c->subjects[i]);
	*c = (struct broker_config){ 0 };
}

struct broker_config broker_config_copy(const struct broker_config *c)
{
	struct broker_config copy = *c;

	copy.name = broker_strdup(c->name);
	copy.description =
		c->description != NULL ? broker_strdup(c->description) : NULL;
	for (size_t i = 0; i < c->subject_count; i++)
		copy.subjects[i] = broker_strdup(c->subjects[i]);
	return copy;
}

/* Life cycle */

struct broker_stream *broker_stream_new(const struct broker_config *config,
					int64_t now_ns)
{
	struct broker_stream *s = broker_alloc(sizeof(*s));

	s->config = broker_config_copy(config);
	s->created_ns = now_ns;
	s->base = 1;
	s->first_seq = 1;
	s->fresh = true;
	s->synced_first = 1;
	s->last_id = broker_strdup("");
	s->ids_loaded = true;
	return s;
}

static void drop_subjects(struct broker_stream *s)
{
	for (size_t i = 0; i < s->subjects_size; i++) {
		struct broker_subject *next;

		for (struct broker_subject *j = s->subjects[i]; j != NULL;
		     j = next) {
			next = j->next;
			free(j);
		}
	}
	free(s->subjects);
	s->subjects = NULL;
	s->subjects_size = 0;
	s->subject_count = 0;
}

void broker_stream_free(struct broker_stream *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->count; i++)
		free(s->messages[i]);
	free(s->messages);
	drop_subjects(s);
	broker_ids_forget(s);
	free(s->last_id);
	broker_config_free(&s->config);
	free(s);
}

bool broker_stream_takes(const struct broker_stream *s, const char *subject)
{
	for (size_t i = 0; i < s->config.subject_count; i++)
		if (broker_subject_matches(s->config.subjects[i], subject))
			return true;
	return false;
}

/* Subjects */

size_t broker_hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 32);
}

struct broker_subject *broker_stream_subject(const struct broker_stream *s,
					     const char *subject)
{
	struct broker_subject *j;

	if (s->subjects_size == 0)
		return NULL;
	j = s->subjects[broker_hash(subject) & (s->subjects_size - 1)];
	while (j != NULL && strcmp(j->name, subject) != 0)
		j = j->next;
	return j;
}

static void grow_subjects(struct broker_stream *s)
{
	size_t size = s->subjects_size == 0 ? 64 : 2 * s->subjects_size;
	struct broker_subject **table = broker_alloc(size * sizeof(*table));

	for (size_t i = 0; i < s->subjects_size; i++) {
		struct broker_subject *next;

		for (struct broker_subject *j = s->subjects[i]; j != NULL;
		     j = next) {
			size_t slot = broker_hash(j->name) & (size - 1);

			next = j->next;
			j->next = table[slot];
			table[slot] = j;
		}
	}
	free(s->subjects);
	s->subjects = table;
	s->subjects_size = size;
}

static struct broker_subject *make_subject(struct broker_stream *s,
					   const char *name)
{
	struct broker_subject *j = broker_stream_subject(s, name);
	size_t len = strlen(name), slot;

	if (j != NULL)
		return j;
	if (s->subject_count >= s->subjects_size)
		grow_subjects(s);
	j = broker_alloc(sizeof(*j) + len + 1);
	memcpy(j->name, name, len + 1);
	slot = broker_hash(name) & (s->subjects_size - 1);
	j->next = s->subjects[slot];
	s->subjects[slot] = j;
	s->subject_count++;
	return j;
}

/*
 * Subjects without messages stay in the table: a message that was removed and
 * may come back points to its subject.
 */
static void link_message(struct broker_message *m)
{
	struct broker_subject *j = m->subject;
	struct broker_message *older = j->newest;

	while (older != NULL && older->seq > m->seq)
		older = older->older;
	m->older = older;
	m->newer = older != NULL ? older->newer : j->oldest;
	*(m->older != NULL ? &m->older->newer : &j->oldest) = m;
	*(m->newer != NULL ? &m->newer->older : &j->newest) = m;
	j->count++;
}

static void unlink_message(struct broker_message *m)
{
	struct broker_subject *j = m->subject;

	*(m->older != NULL ? &m->older->newer : &j->oldest) = m->newer;
	*(m->newer != NULL ? &m->newer->older : &j->newest) = m->older;
	m->older = NULL;
	m->newer = NULL;
	j->count--;
}

/* Messages */

struct wire_view broker_message_headers(const struct broker_message *m)
{
	return (struct wire_view){ m->bytes, m->header_len };
}

struct wire_view broker_message_data(const struct broker_message *m)
{
	return (struct wire_view){ m->bytes + m->header_len, m->data_len };
}

uint64_t broker_stream_size(const struct broker_stream *s, size_t subject,
			    size_t headers, size_t data)
{
	if (s->config.memory)
		return subject + headers + data + 16;
	/* Length, sequence, time, checksum; and the length of the headers. */
	return 22 + subject + (headers > 0 ? 4 + headers : 0) + data + 8;
}

static uint64_t message_size(const struct broker_stream *s,
			     const struct broker_message *m)
{
	return broker_stream_size(s, strlen(m->subject->name), m->header_len,
				  m->data_len);
}

struct broker_message *broker_stream_at(const struct broker_stream *s,
					uint64_t seq)
{
	struct broker_message *m;

	if (seq < s->base || seq - s->base >= s->count)
		return NULL;
	m = s->messages[seq - s->base];
	return m == NULL || m->removed ? NULL : m;
}

struct broker_message *broker_stream_from(const struct broker_stream *s,
					  uint64_t seq)
{
	if (seq < s->first_seq)
		seq = s->first_seq;
	for (; seq <= s->last_seq; seq++) {
		struct broker_message *m = broker_stream_at(s, seq);

		if (m != NULL)
			return m;
	}
	return NULL;
}

struct broker_message *broker_stream_last(const struct broker_stream *s,
					  const char *subject)
{
	struct broker_message *newest = NULL;
	struct broker_subject *j = broker_stream_subject(s, subject);

	if (strpbrk(subject, "*>") == NULL)
		return j != NULL ? j->newest : NULL;
	for (size_t i = 0; i < s->subjects_size; i++)
		for (j = s->subjects[i]; j != NULL; j = j->next)
			if (j->newest != NULL &&
			    broker_subject_matches(subject, j->name) &&
			    (newest == NULL || j->newest->seq > newest->seq))
				newest = j->newest;
	return newest;
}

/* Free room at the front of the array, where nothing can come back. */
static void trim(struct broker_stream *s)
{
	size_t n = 0;

	while (n < s->count && s->messages[n] == NULL)
		n++;
	if (n < 64 || n < s->count / 2)
		return;
	memmove(s->messages, s->messages + n,
		(s->count - n) * sizeof(s->messages[0]));
	s->count -= n;
	s->base += n;
}

static void find_first(struct broker_stream *s)
{
	struct broker_message *m = broker_stream_from(s, s->first_seq);

	s->first_seq = m != NULL ? m->seq : s->last_seq + 1;
}

void broker_stream_remove(struct broker_stream *s, struct broker_message *m)
{
	uint64_t seq = m->seq;

	s->stored--;
	s->bytes -= message_size(s, m);
	unlink_message(m);
	if (m->seq <= s->synced_last) {
		m->removed = true;
	} else {
		s->messages[m->seq - s->base] = NULL;
		free(m);
	}
	if (seq == s->first_seq)
		find_first(s);
}

static void append(struct broker_stream *s, struct broker_message *m)
{
	if (s->count == s->size) {
		s->size = s->size == 0 ? 64 : 2 * s->size;
		s->messages = broker_realloc(s->messages,
					     s->size * sizeof(s->messages[0]));
	}
	s->messages[s->count++] = m;
}

uint64_t broker_stream_purge(struct broker_stream *s, const char *filter,
			     uint64_t before, uint64_t keep)
{
	uint64_t purged = 0, skip = 0;

	if (filter != NULL && strcmp(filter, ">") == 0)
		filter = NULL;
	if (filter == NULL && keep == 0)
		s->fresh = false;
	if (filter == NULL && before > s->last_seq + 1)
		skip = before - 1;
	for (uint64_t seq = s->last_seq; seq >= s->base && seq > 0; seq--) {
		struct broker_message *m = broker_stream_at(s, seq);

		if (m == NULL || (before != 0 && seq >= before) ||
		    (filter != NULL &&
		     !broker_subject_matches(filter, m->subject->name)))
			continue;
		if (keep > 0) {
			keep--;
			continue;
		}
		broker_stream_remove(s, m);
		purged++;
	}
	/* A purge up to beyond the end moves the end. */
	while (s->last_seq < skip) {
		s->last_seq++;
		append(s, NULL);
	}
	find_first(s);
	return purged;
}

/* What the limits say of a message when new ones are refused. */
static const char *check_room(const struct broker_stream *s,
			      const char *subject, size_t len)
{
	const struct broker_config *c = &s->config;
	const struct broker_subject *j = broker_stream_subject(s, subject);
	bool replaces = c->max_per_subject > 0 && j != NULL &&
			j->count >= (uint64_t)c->max_per_subject;

	if (!c->discard_new)
		return NULL;
	if (c->max_msgs > 0 && s->stored >= (uint64_t)c->max_msgs && !replaces)
		return "maximum messages exceeded";
	if (c->max_bytes > 0 && s->bytes + len >= (uint64_t)c->max_bytes &&
	    (!replaces || message_size(s, j->oldest) <= len))
		return "maximum bytes exceeded";
	if (replaces && c->discard_new_per_subject)
		return "maximum messages per subject exceeded";
	return NULL;
}

void broker_stream_enforce(struct broker_stream *s, int64_t now_ns)
{
	const struct broker_config *c = &s->config;
	struct broker_message *m;

	while (s->stored > 0) {
		m = broker_stream_from(s, s->first_seq);
		if (m == NULL ||
		    !((c->max_msgs > 0 && s->stored > (uint64_t)c->max_msgs) ||
		      (c->max_bytes > 0 && s->bytes > (uint64_t)c->max_bytes) ||
		      (c->max_age > 0 && m->time_ns <= now_ns - c->max_age)))
			break;
		broker_stream_remove(s, m);
	}
	trim(s);
}

static void enforce_subject(struct broker_stream *s, struct broker_subject *j)
{
	/* At least one message is left, so the subject is not freed. */
	while (s->config.max_per_subject > 0 &&
	       j->count > (uint64_t)s->config.max_per_subject)
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
		broker_stream_remove(s, j->oldest);
}

void broker_stream_enforce_subjects(struct broker_stream *s)
{
	for (size_t i = 0; i < s->subjects_size; i++)
		for (struct broker_subject *j = s->subjects[i]; j != NULL;
		     j = j->next)
			enforce_subject(s, j);
}

const char *broker_stream_store(struct broker_stream *s, const char *subject,
				struct wire_view headers, struct wire_view data,
				int64_t now_ns)
{
	/* 2.12 counts all that it writes, 2.9.10 what came. */
	size_t len = s->current ? broker_stream_size(s, strlen(subject),
						     headers.len, data.len)
				: headers.len + data.len;
	const char *error = check_room(s, subject, len);
	struct broker_message *m;

	if (error != NULL)
		return error;
	m = broker_alloc(sizeof(*m) + headers.len + data.len);
	m->seq = ++s->last_seq;
	s->expected_seq++;
	m->time_ns = now_ns;
	m->subject = make_subject(s, subject);
	m->header_len = headers.len;
	m->data_len = data.len;
	if (headers.len > 0)
		memcpy(m->bytes, headers.p, headers.len);
	if (data.len > 0)
		memcpy(m->bytes + headers.len, data.p, data.len);
	append(s, m);
	link_message(m);
	s->stored++;
	s->bytes += message_size(s, m);
	s->last_ns = now_ns;
	if (s->stored == 1)
		s->first_seq = m->seq;
	/* One for one: what a lowered limit left remains. */
	if (s->config.max_per_subject > 0 &&
	    m->subject->count > (uint64_t)s->config.max_per_subject)
		broker_stream_remove(s, m->subject->oldest);
	broker_stream_enforce(s, now_ns);
	return NULL;
}

/* Durability */

void broker_stream_sync(struct broker_stream *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->messages[i] != NULL && s->messages[i]->removed) {
			free(s->messages[i]);
			s->messages[i] = NULL;
		}
	s->synced_first = s->first_seq;
	s->synced_last = s->last_seq;
	s->synced_last_ns = s->last_ns;
	trim(s);
}

uint64_t broker_stream_lose_unsynced(struct broker_stream *s)
{
	uint64_t lost = 0;

	while (s->last_seq > s->synced_last) {
		struct broker_message *m = broker_stream_at(s, s->last_seq);

		if (m != NULL) {
			broker_stream_remove(s, m);
			lost++;
		}
		/* Removed ones may be gone from the front. */
		if (s->count > 0)
			s->count--;
		else
			s->base--;
		s->last_seq--;
	}
	for (size_t i = 0; i < s->count; i++) {
		struct broker_message *m = s->messages[i];

		if (m == NULL || !m->removed)
			continue;
		m->removed = false;
		link_message(m);
		s->stored++;
		s->bytes += message_size(s, m);
	}
	s->last_ns = s->synced_last_ns;
	s->first_seq = s->synced_first;
	return lost;
}
