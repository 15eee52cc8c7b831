/*
 * egress/nats/reply.h - parse JetStream's answers and deliveries
 *
 * Anyone who may publish to the client's inbox can forge an answer, so every
 * field is checked before use, and an answer without a required field is
 * refused. Pure functions; all views are into the parsed text.
 */
#ifndef EGRESS_NATS_REPLY_H
#define EGRESS_NATS_REPLY_H

#include "egress/nats/json.h"

#define NATS_STREAM_NAME_MAX   256 /* with its NUL */
#define NATS_CONSUMER_NAME_MAX 256
#define NATS_REPLY_TEXT_MAX    128

/* Error codes of JetStream, as in its errors.json. */
enum nats_js_error {
	NATS_JS_INSUFFICIENT_RESOURCES = 10023,
	NATS_JS_MEMORY_EXCEEDED = 10028,
	NATS_JS_NO_MESSAGE = 10037,
	NATS_JS_STORAGE_EXCEEDED = 10047,
	NATS_JS_MESSAGE_TOO_LONG = 10054,
	NATS_JS_NO_STREAM = 10059,
	NATS_JS_WRONG_LAST_ID = 10070,
	NATS_JS_WRONG_LAST_SEQ = 10071,
	NATS_JS_STORE_FAILED = 10077,
};

/* The "error" of an answer. */
struct nats_reply_error {
	uint32_t code;			/* member err_code; 0 if missing */
	char text[NATS_REPLY_TEXT_MAX]; /* has only printable characters */
};

/* True if @json is an error answer, or is not JSON. */
bool nats_reply_failed(struct wire_view json, struct nats_reply_error *out);

/* STREAM.INFO, STREAM.CREATE */
struct nats_reply_stream {
	int64_t created_ns;
	uint64_t messages;
	uint64_t first_seq;
	uint64_t last_seq;
	uint64_t bytes;
	/* number of deleted messages between first and last */
	uint64_t deleted;
	int64_t first_ns; /* when the first message was stored; 0 = missing */
	int64_t last_ns;
	bool by_limits; /* the stream removes messages only by its limits */
	/* the stream acknowledges before it writes to disk */
	bool persist_async;
	bool no_ack;
	bool sealed;
	bool mirror;
	bool transform; /* the stream stores messages under changed subjects */
	bool allow_direct;
	bool discard_new; /* when full, refuse; else drop the oldest */
	/* 0 or less = no limit */
	int64_t max_per_subject;
	int64_t max_msg_size;
	int64_t max_msgs;
	int64_t max_bytes;
	int64_t max_age_ns;
	struct wire_view subjects; /* a JSON array of strings, or empty */
};

bool nats_reply_stream(struct wire_view json, const char *name,
		       struct nats_reply_stream *out);

/*
 * The answer to STREAM.INFO with a filter of subjects. *@total is the number of
 * matching subjects, and *@out an object that has the subjects of this page as
 * its keys. False if the answer has no subjects.
 */
bool nats_reply_subjects(struct wire_view json, uint64_t *total,
			 struct wire_view *out);

/* The answer to STREAM.MSG.GET */
struct nats_reply_message {
	uint64_t seq;
	struct wire_view headers; /* strings in base64; empty if missing */
	struct wire_view data;
};

bool nats_reply_message(struct wire_view json, struct nats_reply_message *out);

/*
 * The answer to CONSUMER.CREATE: the name of the consumer, which is checked to
 * be a valid token of a subject.
 */
bool nats_reply_consumer(struct wire_view json,
			 char name[NATS_CONSUMER_NAME_MAX]);

/* True if STREAM.PURGE or CONSUMER.DELETE succeeded. */
bool nats_reply_success(struct wire_view json);

/*
 * Get the value of header @name from @block. The block has a line "NATS/1.0", a
 * line "Name: value" for each header, and an empty line, each ended by CR LF.
 * False if the header is missing, its value does not fit, or its value has a
 * control character.
 */
bool nats_reply_header(struct wire_view block, const char *name, char *out,
		       size_t size);

/* Metadata of a delivered message, from its reply subject. */
struct nats_reply_place {
	uint64_t stream_seq;
	uint64_t delivery; /* consumer sequence: counts deliveries, from 1 */
	uint64_t time_ns;
	uint64_t pending;
};

bool nats_reply_place(const char *subject, struct nats_reply_place *out);

#endif
