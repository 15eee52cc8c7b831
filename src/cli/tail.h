/*
 * cli/tail.h - shared parts of "arancini tail"
 *
 *	tail.c		options
 *	tail_source.c	messages out of JetStream or a journal
 *	tail_json.c	an update or event as a JSON object
 *	tail_text.c	an update or event as a line of text
 */
#ifndef CLI_TAIL_H
#define CLI_TAIL_H

#include "cli/nats_flags.h"

#include "collector/base/json.h"
#include "egress/codec.h"
#include "egress/log_position.h"
#include "egress/message_id.h"
#include "egress/nats/reader.h"
#include "egress/encode/decode.h"

enum tail_form {
	TAIL_TEXT,
	TAIL_JSON,
	TAIL_RAW, /* uncompressed Cap'n Proto messages back to back */
};

struct tail {
	/* servers and credentials for JetStream */
	struct nats_access access;
	struct nats_reader_options nats; /* options of the stream */
	/* folder of a journal; NULL = read from JetStream */
	const char *journal;
	/* start position, with NATS_FROM_SEQ */
	struct log_position mark;
	enum tail_form form;
	uint64_t count;	 /* maximum updates and events; 0 = no limit */
	int64_t idle_ms; /* end after this time without a message; 0 = never */
	struct egress_codec *codec;
	struct json out;
	/* the collector that wrote the last message; "" = not known */
	char collector[COLLECTOR_ID_MAX];
	uint64_t printed;
	bool failed; /* output or input failed */
};

/* A message from JetStream or from a journal. */
struct tail_message {
	const char *subject;
	const char *id; /* id of the message, or NULL */
	uint64_t position;
	enum egress_encoding encoding;
	struct wire_view bytes;
};

/* Print the updates or events in @m. False if reading must end. */
bool tail_message(struct tail *t, const struct tail_message *m);

/* Read messages and print them until the end. Returns the exit code. */
int tail_from_nats(struct tail *t);
int tail_from_journal(struct tail *t);

/*
 * Write "kind" of an event: its name, or the number if a later schema added it.
 */
void tail_json_kind(struct json *j, uint16_t kind);
void tail_json_update(struct json *j, const struct egress_update *u);
void tail_json_event(struct json *j, const struct egress_event *e);
/* Print one line to standard output. */
void tail_text_update(const struct egress_update *u);
void tail_text_event(const struct egress_event *e);

#endif
