/*
 * collector/checkpoint/manifest.h - which routers there are, and where to read on for each
 *
 *	arancini manifest 3
 *	collector ams1
 *	mark stream 1763251200123456789 4711
 *	held 4650 4711 0 1763251200123456789 1763251299123456789
 *	router v4_192_0_2_1 filed 1763251200123.42 stream 1763251200123456789 4700
 *	router v4_192_0_2_9 new - stream 1763251200123456789 4650
 *	sum 1a2b3c4d
 *
 *	filed	Everything that was published of it up to its position is
 *		in its snapshot file. The position moves on as long as nothing
 *		changes, so that a quiet router's file stays good without being
 *		written again.
 *	new	No file of it counts. The log has nothing of it before its
 *		position that is of use: what consumers have is not known, and
 *		after a restart they get a RESYNC.
 *
 * The word behind that is the last record, by epoch and sequence, that was made
 * before the file was complete. The file relies on it: all records up to it
 * were safe, in the stream or in the spool. If neither holds it at a start,
 * consumers do not have what the file says, and get a RESYNC. "-" is none: a
 * file of before, or one of a run that had nothing to publish. The file has the
 * same word behind its end mark: if the two differ the manifest was written
 * for another file, and its mark does not count.
 *
 * The line "held" says what the stream held when the manifest was written
 * (struct stream_extent): a start sees by it whether somebody removed messages
 * meanwhile, also those before the positions, that consumers may not have read.
 * It is left out where that is not known, and with a journal.
 *
 * Version 1 had no such word, and versions 1 and 2 no such line.
 *
 * The manifest's own position (the line "mark") is for all routers that are not
 * named: they are new, and the log has nothing of them before it.
 *
 * The sum is a CRC-32C over the lines before it. Text, so that an operator can
 * read it; written often, so it is small: a line for each router.
 *
 * Pure: nothing here waits or does I/O.
 */
#ifndef COLLECTOR_CHECKPOINT_MANIFEST_H
#define COLLECTOR_CHECKPOINT_MANIFEST_H

#include "collector/base/router_identity.h"
#include "egress/log_position.h"
#include "egress/message_id.h"

#define MANIFEST_NAME	 "manifest"
#define MANIFEST_VERSION 3
/* More than a million routers have. */
#define MANIFEST_MAX ((size_t)512 << 20)

struct manifest_entry {
	char token[IDENTITY_TOKEN_MAX + 1];
	bool filed;
	struct record_id relies_on; /* epoch 0: none */
	struct log_position since;
};

struct manifest {
	struct log_position mark;
	struct stream_extent held; /* created_ns 0: not known */
	struct manifest_entry *entries;
	size_t count;
	size_t cap;
};

enum manifest_status {
	MANIFEST_OK,
	MANIFEST_DAMAGED,     /* not as it was written */
	MANIFEST_VERSION_NEW, /* of a later version than this program */
	MANIFEST_FOREIGN,     /* of another collector */
	MANIFEST_MEMORY,
};

/* For people: "is damaged". */
const char *manifest_text(enum manifest_status status);

void manifest_release(struct manifest *m);

/* -ENOMEM */
int manifest_add(struct manifest *m, const struct manifest_entry *entry);

/* Its text, to free(); NULL: no memory. */
char *manifest_format(const struct manifest *m, const char *collector,
		      size_t *len);

/*
 * Read what manifest_format() wrote; @collector NULL: for any. Whatever the
 * bytes are, *@out can be released; unless MANIFEST_OK is returned it holds
 * nothing.
 */
enum manifest_status manifest_parse(struct wire_view text,
				    const char *collector,
				    struct manifest *out);

/*
 * From where on the log counts for a file: its start mark, or what @entry, of
 * the manifest, says if it speaks of that file and is later. @entry may be
 * NULL. False if the start mark is not one of ours.
 */
bool manifest_read_from(const struct manifest_entry *entry,
			struct wire_view start_mark, struct record_id relies_on,
			struct log_position *out);

/* NULL if it is not named. Of a manifest that was parsed. */
const struct manifest_entry *manifest_find(const struct manifest *m,
					   const char *token);

#endif
