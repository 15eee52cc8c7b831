/*
 * egress/journal/cursor.h - read a journal in order
 *
 * A cursor needs only the folder: it reads what a writer in this or another
 * process appends, as far as it has come, and may be asked again later.
 *
 * Blocking	Everything yields, and works only in a fiber.
 * Ownership	What a record points to lives until the next call.
 */
#ifndef EGRESS_JOURNAL_CURSOR_H
#define EGRESS_JOURNAL_CURSOR_H

#include "egress/journal/journal.h"

struct journal_cursor;

/* Instead of a position: the oldest record there is. */
#define JOURNAL_OLDEST 0

/*
 * Start at @position: that of a record, or an end. -ENOENT without a journal
 * in @dir, -ESTALE if the position has been dropped or released.
 */
int journal_cursor_open(const char *dir, uint64_t position,
			struct journal_cursor **out);

/* Start at the first record of @time_ns or later. */
int journal_cursor_open_at(const char *dir, uint64_t time_ns,
			   struct journal_cursor **out);

/* NULL is fine. */
void journal_cursor_close(struct journal_cursor *c);

/*
 * The next record: 1. 0: there is none yet. -EBADMSG: damage, see
 * journal_cursor_fault(). -ESTALE: the segment was dropped under it.
 */
int journal_cursor_next(struct journal_cursor *c, struct journal_record *out);

/* Where the next record will be read. */
uint64_t journal_cursor_position(const struct journal_cursor *c);

/* The identity of the journal, as in a log position. */
uint64_t journal_cursor_identity(const struct journal_cursor *c);

const struct journal_fault *journal_cursor_fault(
	const struct journal_cursor *c);

#endif
