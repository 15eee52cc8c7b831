/*
 * tests/sim/broker_stream.h - what a stream stores, and its limits
 *
 *	messages[0]			messages[count - 1]
 *	sequence base			sequence base + count - 1
 *	[ removed ][ stored ][ NULL ][ stored ] ...
 *
 * A message that was removed after the last sync stays until the next sync as
 * removed: a power failure brings it back. So what survives a power failure is
 * the stream as it was at the last sync.
 *
 * Streams know no connections: what comes in is decided in broker_publish.c and
 * broker_api.c.
 */
#ifndef TESTS_SIM_BROKER_STREAM_H
#define TESTS_SIM_BROKER_STREAM_H

#include "broker_text.h"

#define BROKER_SUBJECTS 16 /* of a stream */

struct broker_config {
	char *name;
	char *description;
	char *subjects[BROKER_SUBJECTS];
	size_t subject_count;
	int64_t max_consumers;
	int64_t max_msgs;
	int64_t max_bytes;
	int64_t max_age;
	int64_t max_per_subject;
	int64_t max_msg_size;
	int64_t replicas;
	int64_t duplicate_window;
	bool memory;
	bool discard_new;
	bool discard_new_per_subject;
	bool no_ack;
	bool sealed;
	bool deny_delete;
	bool deny_purge;
	bool allow_rollup;
	bool allow_direct;
};

struct broker_message {
	uint64_t seq;
	int64_t time_ns; /* wall clock */
	bool removed;
	struct broker_subject *subject;
	/* neighbours among the stored messages of the subject */
	struct broker_message *older, *newer;
	size_t header_len;
	size_t data_len;
	uint8_t bytes[]; /* headers, then data */
};

/* A subject that has messages. */
struct broker_subject {
	struct broker_subject *next; /* of its slot in the table */
	struct broker_message *newest;
	struct broker_message *oldest;
	uint64_t count;
	char name[];
};

/* An id that is known. */
struct broker_known_id {
	struct broker_known_id *next;	 /* of its slot in the table */
	struct broker_known_id *younger; /* in the order of their messages */
	uint64_t seq;
	int64_t time_ns;
	char id[];
};

#define BROKER_ID_SLOTS 4096

struct broker_stream {
	struct broker_stream *next;
	struct broker_config config;
	int64_t created_ns;

	struct broker_message **messages;
	size_t count, size;
	uint64_t base;
	uint64_t first_seq, last_seq;
	/* For Nats-Expected-Last-Sequence: a purge does not move it. */
	uint64_t expected_seq;
	int64_t last_ns;
	uint64_t stored, bytes;
	/* New: its first sequence is 0, not 1, until a purge or a restart. */
	bool fresh;
	struct broker_subject **subjects; /* hash table */
	size_t subjects_size, subject_count;

	/* As of the last sync. */
	uint64_t synced_first, synced_last;
	int64_t synced_last_ns;

	/* The duplicate table. */
	struct broker_known_id *ids[BROKER_ID_SLOTS];
	struct broker_known_id *oldest_id, *youngest_id;
	bool ids_loaded;
	char *last_id; /* of the last message; "" = it has none, or not known */

	uint64_t consumer_count;
};

struct broker_stream *broker_stream_new(const struct broker_config *config,
					int64_t now_ns);
void broker_stream_free(struct broker_stream *s);
void broker_config_free(struct broker_config *c);
struct broker_config broker_config_copy(const struct broker_config *c);

size_t broker_hash(const char *text);

bool broker_stream_takes(const struct broker_stream *s, const char *subject);

/*
 * Store a message at the end and remove what is over the limits. NULL if it was
 * stored, else the text of the server's error.
 */
const char *broker_stream_store(struct broker_stream *s, const char *subject,
				struct wire_view headers, struct wire_view data,
				int64_t now_ns);

/* A stored message, or NULL. */
struct broker_message *broker_stream_at(const struct broker_stream *s,
					uint64_t seq);
/* The first stored message at or after @seq, or NULL. */
struct broker_message *broker_stream_from(const struct broker_stream *s,
					  uint64_t seq);
/* The last one of a subject, which may be a pattern, or NULL. */
struct broker_message *broker_stream_last(const struct broker_stream *s,
					  const char *subject);
struct broker_subject *broker_stream_subject(const struct broker_stream *s,
					     const char *subject);
struct wire_view broker_message_headers(const struct broker_message *m);
struct wire_view broker_message_data(const struct broker_message *m);
/* Bytes that the server counts for a message. */
uint64_t broker_stream_size(const struct broker_stream *s, size_t subject,
			    size_t headers, size_t data);

void broker_stream_remove(struct broker_stream *s, struct broker_message *m);
/*
 * Remove messages that match @filter (NULL = all) and are below @before (0 =
 * no limit), but the last @keep. Returns their number.
 */
uint64_t broker_stream_purge(struct broker_stream *s, const char *filter,
			     uint64_t before, uint64_t keep);
/* Remove what is over the limits of the stream, or too old. */
void broker_stream_enforce(struct broker_stream *s, int64_t now_ns);
/* Remove what is over the limit of its subject. */
void broker_stream_enforce_subjects(struct broker_stream *s);

void broker_stream_sync(struct broker_stream *s);
/* Go back to the last sync. Returns the number of messages that are lost. */
uint64_t broker_stream_lose_unsynced(struct broker_stream *s);

/* The duplicate table */

/* The sequence of the message with this id; 0 = not known. */
uint64_t broker_ids_find(struct broker_stream *s, const char *id,
			 int64_t now_ns);
void broker_ids_add(struct broker_stream *s, const char *id, uint64_t seq,
		    int64_t time_ns);
/* The id of the last message, "" if it has none. */
void broker_ids_set_last(struct broker_stream *s, const char *id);
/* Make it from the stored messages, unless that was done. */
void broker_ids_load(struct broker_stream *s, int64_t now_ns);
/* Forget ids that are older than the window. */
void broker_ids_expire(struct broker_stream *s, int64_t now_ns);
void broker_ids_forget(struct broker_stream *s);

#endif
