/*
 * egress/journal/journal.h - an append-only log of messages, in segments
 *
 *	DIR/00000000000000000000.seg	the oldest, whole and never changed
 *	DIR/00000000000000000000.idx	times in it, for seeking
 *	DIR/00000000000067108912.seg	the newest, which grows
 *
 * A position is a number of bytes from the journal's beginning, headers
 * included; a segment is named after the position of its first byte. So a
 * position is one number that only grows, and stays the same when old segments
 * are dropped. Each process that opens the journal begins a new segment, beyond
 * every position that an earlier one can have used: a position names one record
 * forever, or none, whatever was cut off or set aside.
 *
 * The journal has two uses. As the output it is kept for a while: retention
 * drops the oldest segments. As a spool it holds what the broker has not
 * accepted yet: nothing is dropped before it was released, and a full spool
 * refuses.
 *
 * Threads	One fiber appends; any fiber of the same shard may sync. Reading
 *		is done by cursors (cursor.h), also in other processes.
 * Blocking	All functions yield except those that only return a value.
 * Errors	Negative errno. -ENOSPC, -EDQUOT: full. -EBUSY: another process
 *		writes it. -EPROTONOSUPPORT: a later version wrote it; struct
 *		journal_fault names the file. A torn tail is cut off and a
 *		damaged segment set aside: these are not errors, but
 *		journal_recovery() reports them.
 */
#ifndef EGRESS_JOURNAL_JOURNAL_H
#define EGRESS_JOURNAL_JOURNAL_H

#include "egress/journal/segment.h"

struct journal;

#define JOURNAL_SEGMENT_BYTES (64u << 20)

struct journal_options {
	const char *dir;	/* created if necessary */
	uint64_t segment_bytes; /* default JOURNAL_SEGMENT_BYTES */
	uint64_t max_bytes;	/* 0 = no limit */
	uint64_t max_age_ns;	/* 0 = no limit; not used for a spool */
	bool spool;		/* refuse at max_bytes, do not drop */
};

/* The place of an error. */
struct journal_fault {
	char name[JOURNAL_NAME_MAX]; /* name of the file in the folder */
	uint64_t offset;
	/* no such file, or the one before it was cut between two records */
	bool missing;
};

/* What journal_open() found in the folder of an earlier run. */
struct journal_recovery {
	uint64_t cut;			 /* bytes of a torn tail */
	struct journal_fault cut_at;	 /* no name if nothing was cut off */
	uint64_t damaged;		 /* segments set aside */
	struct journal_fault damaged_at; /* place in the newest of them */
	/*
	 * Places that were not reported before where records are missing: a
	 * segment between two others was removed, or an older one was cut.
	 */
	uint64_t gaps;
	struct journal_fault gap_at; /* the segment after the newest of them */
};

/* Positions without a record: all between these two. */
struct journal_gap {
	uint64_t from;
	uint64_t to;
};

/*
 * Open or create the journal and lock it against other writers; a process that
 * is ending is waited for briefly. *@fault is set only with -EPROTONOSUPPORT. A
 * full disk is not an error here: the first append returns it.
 */
int journal_open(const struct journal_options *options,
		 struct journal_fault *fault, struct journal **out);

/* Closes without syncing. NULL is fine. */
void journal_close(struct journal *j);

/*
 * Append records in order. Returns how many were appended, fewer than @count if
 * the disk became full, or the error of the first. Sets position and synced of
 * each. They are safe once journal_synced() is beyond them.
 */
int journal_append(struct journal *j, struct journal_record *records,
		   size_t count);

/*
 * Make everything appended before the call safe. After an error the content of
 * the disk is not known: call journal_rewind(), then append again. Until then
 * sync fails.
 */
int journal_sync(struct journal *j);

/* Remove what was appended and is not safe. */
int journal_rewind(struct journal *j);

/* Drop segments that are too old or too many at @now_ns. Not for a spool. */
int journal_retain(struct journal *j, uint64_t now_ns);

/* Records before @position are no longer needed. */
int journal_release(struct journal *j, uint64_t position);

/*
 * Close the newest segment, because it cannot be read back, and begin another.
 * Yields.
 */
int journal_leave(struct journal *j);

/* position of the oldest record */
uint64_t journal_first(const struct journal *j);
uint64_t journal_end(const struct journal *j);
uint64_t journal_synced(const struct journal *j);
uint64_t journal_bytes(const struct journal *j); /* bytes on disk */
/* random; constant for the journal's life */
uint64_t journal_identity(const struct journal *j);

/* Bytes of the records from @position on. */
uint64_t journal_bytes_behind(const struct journal *j, uint64_t position);

const struct journal_recovery *journal_recovery(const struct journal *j);

/*
 * The gaps between the segments, in order: records there were cut off, set
 * aside or never written. The caller frees *@out. 0 or -ENOMEM.
 */
int journal_gaps(const struct journal *j, struct journal_gap **out,
		 size_t *count);

/* The newest record, or false if there is none. Pointers in it are NULL. */
bool journal_last(const struct journal *j, struct journal_record *out);

#endif
