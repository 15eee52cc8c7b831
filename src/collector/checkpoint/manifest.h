/*
 * collector/checkpoint/manifest.h - the list of routers, and the log position
 * to replay from for each
 *
 *	arancini manifest 3
 *	collector ams1
 *	mark stream 1763251200123456789 4711
 *	held 4650 4711 0 1763251200123456789 1763251299123456789
 *	router v4_192_0_2_1 filed 1763251200123.42 stream 1763251200123456789 4700
 *	router v4_192_0_2_9 new - stream 1763251200123456789 4650
 *	sum 1a2b3c4d
 *
 *	filed	The snapshot file of the router contains everything that was
 *		published of the router up to this position. The position moves
 *		on as long as nothing changes, so that a quiet router's file
 *		stays good without being written again.
 *	new	The router has no valid snapshot file. So it is not known what
 *		its consumers have, and after a restart they get a RESYNC.
 *		Messages of the router before this position are not needed.
 *
 * The word after "filed" or "new" is the id of a record: the last one, by epoch
 * and sequence, that was made before the file was complete. The file relies on
 * this record: all records up to it were safe, in the stream or in the spool.
 * If neither contains it at a start, consumers do not have the content of the
 * file and get a RESYNC. "-" means no record: a file of an older version, or of
 * a run that published nothing. The file has the same word after its end mark:
 * if the two differ, the manifest was written for another file and its mark is
 * ignored.
 *
 * The line "held" records the extent of the stream when the manifest was
 * written (struct stream_extent). A start uses it to detect messages that were
 * removed meanwhile. Messages before the positions count, too, because
 * consumers may not have read them. The line is left out if the extent is not
 * known, and with a journal.
 *
 * Version 1 had no record word, and versions 1 and 2 had no line "held".
 *
 * The manifest's own position (the line "mark") applies to all routers that are
 * not listed: they are new, and the log has nothing of them before it.
 *
 * The sum is a CRC-32C over the lines before it. The format is text, so that an
 * operator can read it, and small, because it is written often: one line for
 * each router.
 *
 * Pure functions: no waiting, no I/O.
 */
#ifndef COLLECTOR_CHECKPOINT_MANIFEST_H
#define COLLECTOR_CHECKPOINT_MANIFEST_H

#include "collector/base/router_identity.h"
#include "egress/log_position.h"
#include "egress/message_id.h"

#define MANIFEST_NAME	 "manifest"
#define MANIFEST_VERSION 3
/* Larger than the manifest of a million routers. */
#define MANIFEST_MAX ((size_t)512 << 20)

struct manifest_entry {
	char token[IDENTITY_TOKEN_MAX + 1];
	bool filed;
	struct record_id relies_on; /* epoch 0 = no record is known */
	struct log_position since;
};

struct manifest {
	struct log_position mark;
	struct stream_extent held; /* created_ns 0 = the extent is not known */
	struct manifest_entry *entries;
	size_t count;
	size_t cap;
};

enum manifest_status {
	MANIFEST_OK,
	MANIFEST_DAMAGED,     /* the content is damaged */
	MANIFEST_VERSION_NEW, /* written by a later version */
	MANIFEST_FOREIGN,     /* written by another collector */
	MANIFEST_MEMORY,
};

/* The status as the end of a sentence, for log lines: "is damaged". */
const char *manifest_text(enum manifest_status status);

void manifest_release(struct manifest *m);

/* Append a copy of @entry. -ENOMEM. */
int manifest_add(struct manifest *m, const struct manifest_entry *entry);

/* The text of the manifest; the caller frees it. NULL if out of memory. */
char *manifest_format(const struct manifest *m, const char *collector,
		      size_t *len);

/*
 * Parse the output of manifest_format(). If @collector is NULL, the manifest of
 * any collector is accepted. *@out can always be released; it is empty unless
 * MANIFEST_OK is returned.
 */
enum manifest_status manifest_parse(struct wire_view text,
				    const char *collector,
				    struct manifest *out);

/*
 * Set *@out to the position from which the log must be replayed for a file: its
 * start mark, or the position of @entry if @entry is about that file and its
 * position is later. @entry may be NULL. False if the start mark cannot be
 * parsed.
 */
bool manifest_read_from(const struct manifest_entry *entry,
			struct wire_view start_mark, struct record_id relies_on,
			struct log_position *out);

/* The entry of a router in a parsed manifest; NULL if it is not listed. */
const struct manifest_entry *manifest_find(const struct manifest *m,
					   const char *token);

#endif
