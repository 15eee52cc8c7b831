/*
 * egress/journal/cursor.h - read a journal in order
 *
 * A cursor needs only the folder: it reads what a writer in this or another
 * process has appended so far, and can continue later.
 *
 * Blocking	Everything yields, and works only in a fiber.
 * Ownership	The pointers of a record are valid until the next call.
 */
#ifndef EGRESS_JOURNAL_CURSOR_H
#define EGRESS_JOURNAL_CURSOR_H

#include "egress/journal/journal.h"

struct journal_cursor;

/* Instead of a position: the oldest record, and the end after the newest. */
#define JOURNAL_OLDEST 0
#define JOURNAL_NEWEST UINT64_MAX

/*
 * Start at @position: that of a record, or an end. -ENOENT if there is no
 * journal in @dir, -ESTALE if the position was dropped or released, -ERANGE if
 * no record begins and no segment ends there: it was cut off, or never existed.
 * A segment that cannot be read is an error of the first next(), not of open.
 */
int journal_cursor_open(const char *dir, uint64_t position,
			struct journal_cursor **out);

/* Start at the first record of @time_ns or later. */
int journal_cursor_open_at(const char *dir, uint64_t time_ns,
			   struct journal_cursor **out);

/* NULL is fine. */
void journal_cursor_close(struct journal_cursor *c);

/*
 * Read the next record: 1. 0: there is none yet. -EBADMSG, -EPROTONOSUPPORT:
 * damage or a later version, see journal_cursor_fault(). -ESTALE: the segment
 * was dropped. -ERANGE: records that were returned have been cut off since.
 * -EIDRM: the folder has another journal. -ENOENT: the folder is gone.
 */
int journal_cursor_next(struct journal_cursor *c, struct journal_record *out);

/* After an error: continue with the next segment. -ENOENT if there is none. */
int journal_cursor_skip(struct journal_cursor *c);

/* The position of the next record to read. */
uint64_t journal_cursor_position(const struct journal_cursor *c);

/* The identity of the journal, as in a log position. */
uint64_t journal_cursor_identity(const struct journal_cursor *c);

/*
 * The place of the last error of journal_cursor_next(); if that returned 0, the
 * position of the cursor.
 */
const struct journal_fault *journal_cursor_fault(
	const struct journal_cursor *c);

#endif
