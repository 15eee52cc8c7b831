/*
 * collector/checkpoint/manifest.h - which routers there are, and where to read on for each
 *
 *	arancini manifest 1
 *	collector ams1
 *	mark stream 1763251200123456789 4711
 *	router v4_192_0_2_1 filed stream 1763251200123456789 4700
 *	router v4_192_0_2_9 new stream 1763251200123456789 4650
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

#define MANIFEST_NAME	 "manifest"
#define MANIFEST_VERSION 1
/* More than a million routers have. */
#define MANIFEST_MAX ((size_t)512 << 20)

struct manifest_entry {
	char token[IDENTITY_TOKEN_MAX + 1];
	bool filed;
	struct log_position since;
};

struct manifest {
	struct log_position mark;
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

/* NULL if it is not named. Of a manifest that was parsed. */
const struct manifest_entry *manifest_find(const struct manifest *m,
					   const char *token);

#endif
