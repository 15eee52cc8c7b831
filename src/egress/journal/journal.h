/*
 * egress/journal/journal.h - an append-only log of messages, in segments
 *
 *	DIR/00000000000000000000.seg	the oldest, whole and never changed
 *	DIR/00000000000000000000.idx	times in it, for seeking
 *	DIR/00000000000067108912.seg	the newest, which grows
 *
 * A position is a count of bytes from the journal's beginning, headers
 * included; a segment is named after the position of its first byte. So a
 * position is one number, grows for ever and stays the same when old segments
 * go away. Each process that opens the journal begins a segment of its own,
 * beyond every position that an older one can have used: whatever was cut off
 * or set aside, a position names one record for ever, or none.
 *
 * The same log serves twice. As the output it is kept for a while: retention
 * drops the oldest segments. As a spool it holds what the broker has yet to
 * get: nothing is dropped before it was released, and a full one refuses.
 *
 * Threads	One fiber appends; any fiber of the same shard may sync. Reading
 *		is done by cursors (cursor.h), also in other processes.
 * Blocking	Everything but the small questions yields.
 * Errors	A negative errno. -ENOSPC, -EDQUOT: full.
 *		-EBUSY: another process writes it.
 *		-EPROTONOSUPPORT: a later version wrote it; struct
 *		journal_fault says which file. A torn tail is cut, a damaged
 *		segment set aside: no error, but journal_recovery() tells.
 */
#ifndef EGRESS_JOURNAL_JOURNAL_H
#define EGRESS_JOURNAL_JOURNAL_H

#include "egress/journal/segment.h"

struct journal;

#define JOURNAL_SEGMENT_BYTES (64u << 20)

struct journal_options {
	const char *dir;	/* made if it is not there */
	uint64_t segment_bytes; /* default JOURNAL_SEGMENT_BYTES */
	uint64_t max_bytes;	/* 0: no limit */
	uint64_t max_age_ns;	/* 0: no limit; not of a spool */
	bool spool;		/* at max_bytes refuse, do not drop */
};

/* Where something is wrong. */
struct journal_fault {
	char name[JOURNAL_NAME_MAX]; /* of the file in the folder */
	uint64_t offset;
};

/* What journal_open() found in the folder of a run before it. */
struct journal_recovery {
	uint64_t cut;			 /* bytes of a torn tail */
	struct journal_fault cut_at;	 /* without a name: nothing was cut */
	uint64_t damaged;		 /* segments set aside */
	struct journal_fault damaged_at; /* of the newest of them */
};

/* Positions that no record has: all that are between these two. */
struct journal_gap {
	uint64_t from;
	uint64_t to;
};

/*
 * Open or begin the journal, and keep other writers out until it is closed; a
 * process that is ending is waited for, for a moment. *@fault is written with
 * -EPROTONOSUPPORT only. A full disk is no error: the first append tells.
 */
int journal_open(const struct journal_options *options,
		 struct journal_fault *fault, struct journal **out);

/* Closes without syncing. NULL is fine. */
void journal_close(struct journal *j);

/*
 * Append records in order. How many, from the first on, or why not even one:
 * fewer than @count if the disk got full on the way. Position and synced are
 * written into them. They are safe once journal_synced() is beyond them.
 */
int journal_append(struct journal *j, struct journal_record *records,
		   size_t count);

/*
 * Make all that was appended before the call safe. After an error nobody
 * knows what is on the disk: journal_rewind(), then append again. Until then
 * it fails again.
 */
int journal_sync(struct journal *j);

/* Forget what was appended and is not safe. */
int journal_rewind(struct journal *j);

/* Drop segments that are too old or too many at @now_ns. Not of a spool. */
int journal_retain(struct journal *j, uint64_t now_ns);

/* Nothing before @position is needed any more. */
int journal_release(struct journal *j, uint64_t position);

/*
 * Append no more to the newest segment, because it cannot be read back: begin
 * another one. Yields.
 */
int journal_leave(struct journal *j);

uint64_t journal_first(const struct journal *j); /* position, the oldest */
uint64_t journal_end(const struct journal *j);
uint64_t journal_synced(const struct journal *j);
uint64_t journal_bytes(const struct journal *j);    /* on disk */
uint64_t journal_identity(const struct journal *j); /* random, for ever */

/* Bytes of records at @position and behind it. */
uint64_t journal_bytes_behind(const struct journal *j, uint64_t position);

const struct journal_recovery *journal_recovery(const struct journal *j);

/*
 * The gaps between the segments, in order: what was there was cut off, set
 * aside or never written. *@out is freed by you. 0 or -ENOMEM.
 */
int journal_gaps(const struct journal *j, struct journal_gap **out,
		 size_t *count);

/* The newest record, or false if there is none. Pointers in it are NULL. */
bool journal_last(const struct journal *j, struct journal_record *out);

#endif
