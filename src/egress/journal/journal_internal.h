/*
 * egress/journal/journal_internal.h - the writer's state
 *
 * Private to journal_open.c and journal_write.c.
 */
#ifndef EGRESS_JOURNAL_JOURNAL_INTERNAL_H
#define EGRESS_JOURNAL_JOURNAL_INTERNAL_H

#include "egress/journal/journal.h"

#include <spargio/sync.h>

/* A segment: the position of its first byte and that after its last byte. */
struct journal_span {
	uint64_t base;
	uint64_t end; /* not used for the newest segment; see journal.end */
};

struct journal {
	struct journal_options options;
	char *path; /* path of the folder */
	int dir;    /* descriptor of the folder */
	/*
	 * Descriptor of the newest segment. -1 if the next append must begin a
	 * segment: after a rewind, or if the disk had no space for one.
	 */
	int fd;

	struct journal_span *spans; /* oldest first */
	size_t count;
	size_t size;
	uint64_t older_bytes; /* bytes of all segments except the newest */

	uint64_t identity;
	uint64_t end;
	/*
	 * The next segment begins at this position or later, so that no
	 * position is used twice.
	 */
	uint64_t next_base;
	uint64_t synced;
	/*
	 * error of a sync, after which the state of the disk is not known; 0 =
	 * none
	 */
	int sync_error;
	/* a rewind has cut the newest segment and could not make that safe */
	bool cut_unsafe;
	struct journal_recovery recovery;
	bool has_last;
	struct journal_record last;

	/* Index of the newest segment. */
	struct journal_index *index;
	size_t index_count;
	size_t index_size;

	/*
	 * Held during a sync of the newest segment, so that its file is not
	 * closed.
	 */
	struct sp_mutex sync_lock;
	/*
	 * Held while journal_retain() removes a segment, so that the folder is
	 * not closed.
	 */
	struct sp_mutex drop_lock;
};

/* The base of the newest segment; call it only if there is a segment. */
static inline uint64_t journal_newest(const struct journal *j)
{
	return j->spans[j->count - 1].base;
}

/* Begin a segment after the end of the journal. */
int journal_begin_segment(struct journal *j);

/* Remove the @n oldest segments from the list, but leave their files. */
void journal_forget_oldest(struct journal *j, size_t n);

#endif
