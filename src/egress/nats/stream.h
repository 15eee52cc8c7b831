/*
 * egress/nats/stream.h - the stream: create it, read its end, open an epoch
 *
 * All functions block; call them on a pool thread.
 */
#ifndef EGRESS_NATS_STREAM_H
#define EGRESS_NATS_STREAM_H

#include "egress/message_id.h"
#include "egress/nats/conn.h"

struct nats_conn;

#define NATS_SUBJECTS_MAX 4

/* Header of epoch events: the last record that the stream held before. */
#define NATS_AFTER_HEADER "Arancini-After"

/* Settings of a new stream, and requirements for an existing one. */
struct nats_stream_options {
	const char *name;
	const char *subjects[NATS_SUBJECTS_MAX];
	size_t subject_count;
	bool no_create;
	bool memory; /* storage in memory; default on disk */
	/* a full stream refuses new messages instead of dropping the oldest */
	bool discard_new;
	int64_t replicas;    /* number of replicas; default 1 */
	int64_t max_age_s;   /* default 24 h; -1 = no limit */
	int64_t max_bytes;   /* default 32 GiB; -1 = no limit */
	int64_t duplicate_s; /* duplicate window; default 120 */
	int64_t wait_ms;     /* timeout for an answer; default 5000 */
};

/* The end of a stream, as a writer needs it. */
struct nats_tail {
	int64_t created_ns; /* identity of the stream, together with its name */
	uint64_t last_seq;
	int64_t max_msg_size; /* with headers; 0 or less = no limit */

	/*
	 * The last message with a message id in the format of a collector, this
	 * or another: valid if has_id.
	 */
	bool has_id;
	uint64_t id_seq;
	char id_text[MESSAGE_ID_MAX];
	char collector[COLLECTOR_ID_MAX];
	struct message_id id;

	/* The last record in the stream, if it can be determined. */
	bool has_record;
	struct record_id record;

	/* The newest event that opened an epoch. */
	bool has_epoch;
	char epoch_collector[COLLECTOR_ID_MAX];
	uint64_t epoch;
};

/*
 * Find or create the stream, and check that it is writable. -ENOENT if it does
 * not exist and must not be created. -EINVAL if it does not accept or would not
 * keep the subjects of @options, or has a message with an epoch above
 * EPOCH_MAX. -EAGAIN if its server is not ready. -ETIMEDOUT.
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
	/*
	 * The last record in the stream, which is stored in the event for
	 * recovery.
	 */
	bool has_record;
	struct record_id record;
};

/*
 * Store the event directly after @tail: -ESTALE if the stream has newer
 * messages. With @tail NULL, store it at the end of the stream; then read the
 * tail again. *@seq is the sequence of the event and @id its message id.
 */
int nats_stream_open_epoch(struct nats_conn *link,
			   const struct nats_stream_options *options,
			   const struct nats_epoch *epoch,
			   const struct nats_tail *tail, struct nats_error *why,
			   uint64_t *seq, char id[MESSAGE_ID_MAX]);

/* The content and the limits of a stream; 0 or less = no limit. */
struct nats_stream_state {
	int64_t created_ns;
	uint64_t messages;
	uint64_t bytes;
	uint64_t first_seq;
	uint64_t last_seq;
	/* number of deleted messages between first and last */
	uint64_t deleted;
	/* time of the first message by the server's clock; 0 = not known */
	int64_t first_ns;
	int64_t last_ns;
	int64_t max_msgs;
	int64_t max_bytes;
	int64_t max_msg_size;
	int64_t max_age_ns;
};

/*
 * Get the current state. -ENOENT if the stream does not exist; -EINVAL if its
 * settings were changed so that nats_stream_prepare() would refuse it.
 */
int nats_stream_look(struct nats_conn *link,
		     const struct nats_stream_options *options,
		     struct nats_error *why, struct nats_stream_state *out);

/* The range of messages of a stream. */
struct nats_span {
	int64_t created_ns;
	uint64_t first_seq;
	uint64_t last_seq;
};

/*
 * Get the range of messages of @stream, on a connection of its own. -ENOENT if
 * the stream does not exist.
 */
int nats_stream_span(const struct nats_options *options, const char *stream,
		     struct nats_error *why, struct nats_span *out);

/*
 * True if @filter matches every subject that @subject, which may have
 * wildcards, matches.
 */
bool nats_subject_covers(const char *filter, const char *subject);

#endif
