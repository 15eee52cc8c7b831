/*
 * egress/journal/journal_internal.h - the writer's state
 *
 * Private to journal_open.c and journal_write.c.
 */
#ifndef EGRESS_JOURNAL_JOURNAL_INTERNAL_H
#define EGRESS_JOURNAL_JOURNAL_INTERNAL_H

#include "egress/journal/journal.h"

#include <spargio/sync.h>

/* A segment: positions of its first byte and behind its last one. */
struct journal_span {
	uint64_t base;
	uint64_t end; /* of the newest, journal.end counts */
};

struct journal {
	struct journal_options options;
	int dir;
	/*
	 * Of the newest segment; -1 if the next append has to begin one: after
	 * a rewind, and on a disk that had no room for it.
	 */
	int fd;

	struct journal_span *spans; /* oldest first */
	size_t count;
	size_t size;
	uint64_t older_bytes; /* of all segments but the newest */

	uint64_t identity;
	uint64_t end;
	/* The next segment begins here or later; positions are never reused. */
	uint64_t next_base;
	uint64_t synced;
	int sync_error; /* nobody knows what is behind it; 0: all is well */
	struct journal_recovery recovery;
	bool has_last;
	struct journal_record last;

	/* Of the newest segment. */
	struct journal_index *index;
	size_t index_count;
	size_t index_size;

	/* Nobody may close the newest segment while it is synced. */
	struct sp_mutex sync_lock;
};

/* The base of the newest segment; there must be one. */
static inline uint64_t journal_newest(const struct journal *j)
{
	return j->spans[j->count - 1].base;
}

/* Begin a segment behind the end of the journal. */
int journal_begin_segment(struct journal *j);

/* Leave out the @n oldest segments: the files are not touched. */
void journal_forget_oldest(struct journal *j, size_t n);

#endif
