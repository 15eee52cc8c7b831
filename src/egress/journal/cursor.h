/*
 * egress/journal/cursor.h - read a journal in order
 *
 * A cursor needs only the folder: it reads what a writer in this or another
 * process has appended so far, and can continue later.
 *
 * Blocking	All functions yield; call them only in a fiber.
 * Ownership	The pointers of a record are valid until the next call.
 */
#ifndef EGRESS_JOURNAL_CURSOR_H
#define EGRESS_JOURNAL_CURSOR_H

#include "egress/journal/journal.h"

struct journal_cursor;

/*
 * Values of @position that are not positions: start at the oldest record, or at
 * the end after the newest record.
 */
#define JOURNAL_OLDEST 0
#define JOURNAL_NEWEST UINT64_MAX

/*
 * Start at @position: the start of a record, or the end of a segment. -ENOENT
 * if there is no journal in @dir, -ESTALE if the position was dropped or
 * released. -ERANGE if neither a record begins nor a segment ends at @position:
 * the record was cut off, or never existed. If a segment cannot be read, not
 * this call but the first journal_cursor_next() returns the error.
 */
int journal_cursor_open(const char *dir, uint64_t position,
			struct journal_cursor **out);

/* Start at the first record that was appended at @time_ns or later. */
int journal_cursor_open_at(const char *dir, uint64_t time_ns,
			   struct journal_cursor **out);

/* @c may be NULL. */
void journal_cursor_close(struct journal_cursor *c);

/*
 * Read the next record. Returns 1; 0 if there is none yet. -EBADMSG (damaged)
 * or -EPROTONOSUPPORT (written by a later version): see journal_cursor_fault().
 * -ESTALE: the segment was dropped. -ERANGE: records that this cursor returned
 * have been cut off since. -EIDRM: the folder now holds another journal.
 * -ENOENT: the folder was removed.
 */
int journal_cursor_next(struct journal_cursor *c, struct journal_record *out);

/*
 * After an error: continue with the next segment. -ENOENT if there is no next
 * segment.
 */
int journal_cursor_skip(struct journal_cursor *c);

/* The position of the next record to read. */
uint64_t journal_cursor_position(const struct journal_cursor *c);

/* The identity of the journal, as in a log position. */
uint64_t journal_cursor_identity(const struct journal_cursor *c);

/*
 * The segment and offset of the last error of journal_cursor_next(); if that
 * returned 0, those of the cursor.
 */
const struct journal_fault *journal_cursor_fault(
	const struct journal_cursor *c);

#endif
