/*
 * egress/journal/record.h - the bytes of a journal, without any file
 *
 *	segment header, 64 bytes
 *	+----------+---------+------+------+---------+---------+----------+-----+
 *	| ARAJRNL1 | version | size | base | created | journal | previous | ... |
 *	+----------+---------+------+------+---------+---------+----------+-----+
 *
 *	record, a multiple of 8 bytes
 *	+----------+------+--------+----------+---------+---------+-----+
 *	| checksum | size | length | subject, | updates | time,   | ... |
 *	|          |      |        | kind,    |         | epoch,  |     |
 *	|          |      |        | encoding |         | seq,    |     |
 *	|          |      |        |          |         | synced  |     |
 *	+----------+------+--------+----------+---------+---------+-----+
 *	| subject bytes | payload bytes | zeroes up to a multiple of 8  |
 *	+---------------+---------------+-------------------------------+
 *
 * docs/journal-format.md has every byte. Pure: nothing here waits, allocates
 * or tells time.
 */
#ifndef EGRESS_JOURNAL_RECORD_H
#define EGRESS_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_HEADER	      64 /* of a segment */
#define JOURNAL_RECORD_HEADER 64
#define JOURNAL_ALIGN	      8
#define JOURNAL_PAYLOAD_MAX   (16u << 20)

/* What one segment says of itself. */
struct journal_header {
	uint64_t base;	     /* position of its first byte in the journal */
	uint64_t created_ns; /* wall clock */
	uint64_t journal;    /* of all segments of one journal the same */
	/*
	 * Where the segment before this one ends. Less than base if positions
	 * were skipped because the old end may have been cut off; in version
	 * 1, always base.
	 */
	uint64_t previous;
};

/* One record. In a decoded one, pointers point into the decoded bytes. */
struct journal_record {
	uint64_t position; /* where it starts in the journal; not stored */
	uint64_t time_ns;  /* wall clock, when it was appended */
	uint64_t epoch;
	uint64_t seq;
	/* Everything before this position was safe when it was written. */
	uint64_t synced;
	uint32_t updates;
	uint8_t kind;	  /* enum egress_batch_kind */
	uint8_t encoding; /* enum egress_encoding */
	uint16_t subject_len;
	uint32_t len; /* of payload */
	const char *subject;
	const uint8_t *payload;
};

enum journal_verdict {
	JOURNAL_OK,
	JOURNAL_SHORT, /* its end is past the end of the bytes */
	JOURNAL_BAD,   /* sizes that cannot be, or the checksum is wrong */
	JOURNAL_NEWER, /* whole, but of a version that this program lacks */
};

void journal_header_encode(const struct journal_header *header,
			   uint8_t out[JOURNAL_HEADER]);

/*
 * The checksum is judged first: a damaged version field is JOURNAL_BAD, not
 * JOURNAL_NEWER.
 */
enum journal_verdict journal_header_decode(const uint8_t *bytes, size_t len,
					   struct journal_header *out);

/* What a record takes in a segment. */
size_t journal_record_size(const struct journal_record *record);

/*
 * The fixed part of @record. Its subject, payload and padding follow it in
 * the file. Cost: one pass of xxh3 over all of it; bench/egress, journal.
 */
void journal_record_encode(const struct journal_record *record,
			   uint8_t out[JOURNAL_RECORD_HEADER]);

/*
 * The record at the start of @bytes. *@size is what it takes, also of a short
 * one if its header is there; else 0. The checksum covers everything.
 */
enum journal_verdict journal_record_decode(const uint8_t *bytes, size_t len,
					   struct journal_record *out,
					   size_t *size);

/* What a walk through the bytes of a segment found. */
struct journal_scan {
	uint64_t end;	  /* offset behind the last good record */
	uint64_t records; /* good ones before it */
	struct journal_record last;
	bool damaged; /* what is behind end had been safe once */
};

/*
 * Walk the records of a whole segment at @base, of which @bytes hold the
 * first @len. What follows scan.end is a torn tail, unless a record behind it
 * knows that the place had been synced: then it is damage.
 */
void journal_scan(const uint8_t *bytes, size_t len, uint64_t base,
		  struct journal_scan *out);

#endif
