/*
 * egress/journal/journal_internal.h - the writer's state
 *
 * Private to journal_open.c and journal_write.c.
 */
#ifndef EGRESS_JOURNAL_JOURNAL_INTERNAL_H
#define EGRESS_JOURNAL_JOURNAL_INTERNAL_H

#include "egress/journal/journal.h"

#include <spargio/sync.h>

/* A segment: position of its first byte and position after its last. */
struct journal_span {
	uint64_t base;
	uint64_t end; /* for the newest segment journal.end is used */
};

struct journal {
	struct journal_options options;
	int dir;
	/*
	 * Descriptor of the newest segment; -1 if the next append has to begin
	 * one: after a rewind, or if the disk had no space for it.
	 */
	int fd;

	struct journal_span *spans; /* oldest first */
	size_t count;
	size_t size;
	uint64_t older_bytes; /* bytes of all segments except the newest */

	uint64_t identity;
	uint64_t end;
	/* The next segment begins here or later; positions are never reused. */
	uint64_t next_base;
	uint64_t synced;
	/* the disk's state after it is not known; 0 = no error */
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

	/* Held while the newest segment is synced, so that it is not closed. */
	struct sp_mutex sync_lock;
};

/* The base of the newest segment; there must be one. */
static inline uint64_t journal_newest(const struct journal *j)
{
	return j->spans[j->count - 1].base;
}

/* Begin a segment after the end of the journal. */
int journal_begin_segment(struct journal *j);

/* Remove the @n oldest segments from the list, without touching the files. */
void journal_forget_oldest(struct journal *j, size_t n);

#endif
