/*
 * egress/journal/journal.h - an append-only log of messages, in segments
 *
 *	DIR/00000000000000000000.seg	the oldest segment, complete
 *	DIR/00000000000000000000.idx	its index of times
 *	DIR/00000000000067108912.seg	the newest segment, which grows
 *
 * A position is a number of bytes from the journal's beginning, headers
 * included; a segment is named after the position of its first byte. So a
 * position is one number that only grows, and stays the same when old segments
 * are dropped. Each process that opens the journal begins a new segment, beyond
 * every position that an earlier one can have used: once a position was that of
 * a record, it is never that of another record, even if the record was cut off
 * or set aside.
 *
 * The journal has two uses. As the output it is kept for some time, and
 * retention then drops the oldest segments. As a spool it holds what the broker
 * has not accepted yet: no record is dropped before it was released, and a full
 * spool refuses new records.
 *
 * Threads	One fiber appends; any fiber of the same shard may sync, and
 *		one may retain. Readers use cursors (cursor.h), also in other
 *		processes.
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
	/* true = at max_bytes refuse records, do not drop old ones */
	bool spool;
};

/* The place of an error: a segment and the offset in it. */
struct journal_fault {
	char name[JOURNAL_NAME_MAX]; /* name of the file in the folder */
	uint64_t offset;
	/*
	 * the file is missing, or records before it are: the previous segment
	 * was cut between two records
	 */
	bool missing;
};

/* Damage by an earlier run that journal_open() found in the folder. */
struct journal_recovery {
	uint64_t cut;			 /* bytes of a torn tail */
	struct journal_fault cut_at;	 /* name "" = nothing was cut off */
	uint64_t damaged;		 /* segments set aside */
	struct journal_fault damaged_at; /* place in the newest of them */
	/*
	 * Places that were not reported before where records are missing: a
	 * segment between two others was removed, or an older one was cut.
	 */
	uint64_t gaps;
	struct journal_fault gap_at; /* the segment after the newest of them */
};

/* A gap: no record begins between these two positions. */
struct journal_gap {
	uint64_t from;
	uint64_t to;
};

/*
 * Open or create the journal and lock it against other writers. If another
 * process has the lock and is just ending, wait for it briefly. *@fault is set
 * only with -EPROTONOSUPPORT. A full disk is not an error here: the first
 * append returns it.
 */
int journal_open(const struct journal_options *options,
		 struct journal_fault *fault, struct journal **out);

/* Close the journal without a sync. @j may be NULL. */
void journal_close(struct journal *j);

/*
 * Append records in order. Returns the number appended, less than @count if the
 * disk became full; or the error, if the first one failed. Sets position and
 * synced of each. A record is safe once journal_synced() is beyond its end.
 */
int journal_append(struct journal *j, struct journal_record *records,
		   size_t count);

/*
 * Make everything that was appended before the call safe. After an error the
 * content of the disk is not known: call journal_rewind(), then append again.
 * Until journal_rewind() was called each further sync fails.
 */
int journal_sync(struct journal *j);

/* Remove the records that were appended and are not safe. */
int journal_rewind(struct journal *j);

/*
 * Drop the oldest segments that exceed max_age_ns or max_bytes at time @now_ns.
 * Not for a spool. To remove a segment takes the kernel tens of milliseconds on
 * a busy disk; other fibers may append and sync meanwhile.
 */
int journal_retain(struct journal *j, uint64_t now_ns);

/*
 * Check whether somebody removed the newest segment while it is written to; if
 * so, return -ENOENT. The records of the segment are lost, also those that were
 * synced; records appended later go to a new segment. Yields.
 */
int journal_check_newest(struct journal *j);

/* Records before @position are no longer needed. */
int journal_release(struct journal *j, uint64_t position);

/*
 * Close the newest segment, because it cannot be read, and begin another one.
 * Yields.
 */
int journal_leave(struct journal *j);

/* the position of the oldest record */
uint64_t journal_first(const struct journal *j);
uint64_t journal_end(const struct journal *j);
uint64_t journal_synced(const struct journal *j);
uint64_t journal_bytes(const struct journal *j); /* bytes on disk */
/* random; the same for all segments of the journal */
uint64_t journal_identity(const struct journal *j);

/* The number of bytes from @position to the end of the journal. */
uint64_t journal_bytes_behind(const struct journal *j, uint64_t position);

const struct journal_recovery *journal_recovery(const struct journal *j);

/*
 * List the gaps between the segments, in order: records in a gap were cut off,
 * set aside or never written. The caller frees *@out. Returns 0 or -ENOMEM.
 */
int journal_gaps(const struct journal *j, struct journal_gap **out,
		 size_t *count);

/*
 * Get the newest record, or return false if there is none. The pointers in
 * *@out are NULL.
 */
bool journal_last(const struct journal *j, struct journal_record *out);

#endif
