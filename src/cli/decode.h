/*
 * cli/decode.h - shared parts of "arancini decode"
 *
 *	decode.c		options, lines, files (cli/capture_file.h)
 *	decode_message.c	a BMP message into lines
 *	decode_update.c		an UPDATE into lines, one per route
 *	decode_mrt.c		an MRT record into lines
 *	decode_fields.c		JSON members of a peer
 *	decode_rm_tlv.c		TLVs of a Route Monitoring of BMP version 4
 *	decode_text.c		lines for reading, made of lines of JSON
 *	decode_bgpdump.c	lines as of "bgpdump -m"
 *	decode_explain.c	messages byte by byte
 *	decode_summary.c	counts instead of lines
 *
 * A line is one JSON object. Lines of one message share most of their fields,
 * so these are written once, into shared and attributes, and copied.
 */
#ifndef CLI_DECODE_H
#define CLI_DECODE_H

#include "bmp/rm_tlv.h"
#include "bmp/update.h"
#include "capture/mrt.h"
#include "capture/packet.h"
#include "cli/decode_summary.h"
#include "collector/base/json.h"
#include "cli/peers.h"

/* What the lines look like. */
enum decode_form {
	DECODE_JSON,
	DECODE_TEXT,	/* for reading */
	DECODE_BGPDUMP, /* routes and states alone */
};

struct decode {
	enum decode_form form;
	bool explains; /* messages byte by byte, not what they say */
	enum bmp_v4 v4;
	struct bgp_overrides over; /* overrides for all peers */
	const char *file;	   /* file name for the lines, or NULL */
	struct summary *summary;   /* NULL = print lines */
	struct json out;	   /* lines not written yet */
	bool out_failed;	   /* writing to standard output failed */

	/* Members of the current message, without the braces of the object. */
	struct json shared;
	struct json attributes;

	/* The current line: where it begins in out, and whether it is said. */
	size_t line_at;
	bool is_error;
	uint64_t unread; /* lines of kind error that this form does not have */

	struct {
		const char *record;
		struct json peer; /* of the current message */
		bool add_path;
		bool table;
	} bgpdump;
};

/* Whether lines are made of JSON objects. */
static inline bool decode_has_objects(const struct decode *d)
{
	return d->summary == NULL && d->form != DECODE_BGPDUMP;
}

/* One BMP session: a raw stream, or a session of a packet capture. */
struct decode_session {
	struct peers peers;
	uint64_t message;	   /* number of the current message, from 0 */
	uint64_t time_received_ns; /* 0 = not known */
	/* number of the session in a packet capture; 0 = a raw stream */
	unsigned number;
	struct capture_endpoint router;
	struct bmp_sequence sequence;
};

/* Lines */

/* Begin a line of this kind; its fields follow. */
void decode_begin(struct decode *d, const char *kind);
/* End the line. */
void decode_end(struct decode *d);
/* A line is whole. Output is written in larger pieces. */
void decode_line_done(struct decode *d);
/* Write the pending output. */
void decode_flush(struct decode *d);
/* Write a whole line of kind "error" with the shared members. */
void decode_error(struct decode *d, const char *what);

/* Inputs */

void decode_message(struct decode *d, struct decode_session *session,
		    const struct bmp_frame *frame);

/* Write the lines of an UPDATE. d->shared must have the members of the peer. */
void decode_update(struct decode *d, struct summary_peer *peer,
		   const struct bgp_update *update);

/*
 * Write the line of an entry of a table: its attributes as in an UPDATE, and
 * one route. @path_id is NULL if the entry has none.
 */
void decode_rib_entry(struct decode *d, struct summary_peer *peer,
		      const struct bgp_update *update, const uint32_t *path_id);

/*
 * Write a mirrored UPDATE as one object, because its routes belong to no table.
 */
void decode_update_object(struct json *j, const struct bgp_update *update);

struct decode_mrt;

struct decode_mrt *decode_mrt_new(struct decode *d);
void decode_mrt_free(struct decode_mrt *mrt);
void decode_mrt_record(struct decode_mrt *mrt,
		       const struct capture_mrt_record *record);

#endif
