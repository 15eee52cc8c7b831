/*
 * The duplicate table of a stream: ids of messages that are younger than the
 * window, also of messages that were removed. A restart loses it; it is then
 * made from the stored messages.
 */
#include "broker_stream.h"

#include <stdlib.h>
#include <string.h>

static void forget_oldest(struct broker_stream *s)
{
	struct broker_known_id *k = s->oldest_id;
	struct broker_known_id **at =
		&s->ids[broker_hash(k->id) % BROKER_ID_SLOTS];

	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	s->oldest_id = k->younger;
	if (s->oldest_id == NULL)
		s->youngest_id = NULL;
	free(k);
}

void broker_ids_expire(struct broker_stream *s, int64_t now_ns)
{
	while (s->oldest_id != NULL &&
	       s->oldest_id->time_ns <= now_ns - s->config.duplicate_window)
		forget_oldest(s);
}

uint64_t broker_ids_find(struct broker_stream *s, const char *id,
			 int64_t now_ns)
{
	const struct broker_known_id *k;

	broker_ids_load(s, now_ns);
	broker_ids_expire(s, now_ns);
	k = s->ids[broker_hash(id) % BROKER_ID_SLOTS];
	while (k != NULL && strcmp(k->id, id) != 0)
		k = k->next;
	return k != NULL ? k->seq : 0;
}

void broker_ids_add(struct broker_stream *s, const char *id, uint64_t seq,
		    int64_t time_ns)
{
	struct broker_known_id **slot =
		&s->ids[broker_hash(id) % BROKER_ID_SLOTS];
	struct broker_known_id *k = broker_alloc(sizeof(*k) + strlen(id) + 1);

	memcpy(k->id, id, strlen(id) + 1);
	k->seq = seq;
	k->time_ns = time_ns;
	k->next = *slot;
	*slot = k;
	if (s->youngest_id != NULL)
		s->youngest_id->younger = k;
	else
		s->oldest_id = k;
	s->youngest_id = k;
}

void broker_ids_set_last(struct broker_stream *s, const char *id)
{
	free(s->last_id);
	s->last_id = broker_strdup(id);
}

void broker_ids_load(struct broker_stream *s, int64_t now_ns)
{
	int64_t since = now_ns - s->config.duplicate_window;
	struct broker_message *m;
	char id[1024];

	if (s->ids_loaded)
		return;
	s->ids_loaded = true;
	for (m = broker_stream_from(s, s->first_seq); m != NULL;
	     m = broker_stream_from(s, m->seq + 1)) {
		if (m->time_ns < since)
			continue;
		if (!broker_header(broker_message_headers(m), "Nats-Msg-Id", id,
				   sizeof(id)))
			id[0] = '\0';
		if (id[0] != '\0')
			broker_ids_add(s, id, m->seq, m->time_ns);
		if (m->seq == s->last_seq)
			broker_ids_set_last(s, id);
	}
}

void broker_ids_forget(struct broker_stream *s)
{
	while (s->oldest_id != NULL)
		forget_oldest(s);
	s->ids_loaded = false;
	broker_ids_set_last(s, "");
}
