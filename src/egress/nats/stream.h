/*
 * egress/nats/stream.h - the stream: make it, look at its end, open an epoch
 *
 * Everything here blocks: it belongs on a pool thread.
 */
#ifndef EGRESS_NATS_STREAM_H
#define EGRESS_NATS_STREAM_H

#include "egress/message_id.h"
#include "egress/nats/conn.h"

struct nats_conn;

#define NATS_SUBJECTS_MAX 4

/* Of events that open an epoch: the last record that the stream holds. */
#define NATS_AFTER_HEADER "Arancini-After"

/* What to create, and what must be true of a stream that is there. */
struct nats_stream_options {
	const char *name;
	const char *subjects[NATS_SUBJECTS_MAX];
	size_t subject_count;
	bool no_create;
	bool memory;	     /* storage; default file */
	bool discard_new;    /* when full refuse, not drop the oldest */
	int64_t replicas;    /* default 1 */
	int64_t max_age_s;   /* default 24 h; -1: no limit */
	int64_t max_bytes;   /* default 32 GiB; -1: no limit */
	int64_t duplicate_s; /* default 120 */
	int64_t wait_ms;     /* for an answer; default 5000 */
};

/* The end of a stream, as far as a writer cares. */
struct nats_tail {
	int64_t created_ns; /* with the name: its identity */
	uint64_t last_seq;
	int64_t max_msg_size; /* headers included; 0 or less: no limit */

	/* The last message with an id that is one of ours. */
	bool has_id;
	uint64_t id_seq;
	char id_text[MESSAGE_ID_MAX];
	char collector[COLLECTOR_ID_MAX];
	struct message_id id;

	/* The record that the stream holds last, if that can be seen. */
	bool has_record;
	struct record_id record;

	/* The newest event that opened an epoch. */
	bool has_epoch;
	char epoch_collector[COLLECTOR_ID_MAX];
	uint64_t epoch;
};

/*
 * Find the stream, or create it, and see that it can be written to: -ENOENT
 * (and not to be created), -EINVAL (it does not take our subjects, or would
 * not keep them), -EAGAIN (its server is not ready), -ETIMEDOUT.
 */
int nats_stream_prepare(struct nats_conn *link,
			const struct nats_stream_options *options,
			const char *epoch_subject, struct nats_error *why,
			struct nats_tail *out);

/* The event that opens an epoch. */
struct nats_epoch {
	const char *subject;
	const void *bytes;
	size_t len;
	const char *collector;
	const char *schema;
	uint64_t epoch;
	/* What the stream holds of our records; carried on for recovery. */
	bool has_record;
	struct record_id record;
};

/*
 * Store it behind @tail and nothing else: -ESTALE if the stream has moved on.
 * With @tail NULL wherever the stream ends: look at it again afterwards. *@seq
 * is its place and @id its name.
 */
int nats_stream_open_epoch(struct nats_conn *link,
			   const struct nats_stream_options *options,
			   const struct nats_epoch *epoch,
			   const struct nats_tail *tail, struct nats_error *why,
			   uint64_t *seq, char id[MESSAGE_ID_MAX]);

/* What a stream holds, and may hold: 0 or less is no limit. */
struct nats_stream_state {
	int64_t created_ns;
	uint64_t messages;
	uint64_t bytes;
	uint64_t first_seq;
	uint64_t last_seq;
	uint64_t deleted; /* of the sequences in between */
	int64_t first_ns; /* when it was stored, by the server; 0: not known */
	int64_t last_ns;
	int64_t max_msgs;
	int64_t max_bytes;
	int64_t max_age_ns;
};

/* As it is now. -ENOENT if there is no such stream. */
int nats_stream_look(struct nats_conn *link,
		     const struct nats_stream_options *options,
		     struct nats_error *why, struct nats_stream_state *out);

/* Which messages a stream holds. */
struct nats_span {
	int64_t created_ns;
	uint64_t first_seq;
	uint64_t last_seq;
};

/* On a connection of its own. -ENOENT if there is no such stream. */
int nats_stream_span(const struct nats_options *options, const char *stream,
		     struct nats_error *why, struct nats_span *out);

/* Whether every subject that @subject stands for is one of @filter's. */
bool nats_subject_covers(const char *filter, const char *subject);

#endif
