/*
 * egress/journal/record.h - the format of a journal, without files
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
 * docs/journal-format.md has every byte. Pure functions: no waiting, no
 * allocation, no clock.
 */
#ifndef EGRESS_JOURNAL_RECORD_H
#define EGRESS_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_HEADER	      64 /* bytes of a segment header */
#define JOURNAL_RECORD_HEADER 64
#define JOURNAL_ALIGN	      8
#define JOURNAL_PAYLOAD_MAX   (16u << 20)

/* The header of a segment. */
struct journal_header {
	uint64_t base;	     /* position of its first byte in the journal */
	uint64_t created_ns; /* wall clock */
	uint64_t journal;    /* the same for all segments of one journal */
	/*
	 * The end of the previous segment. Less than base if positions were
	 * skipped because the old end may have been cut off; in version 1
	 * always base.
	 */
	uint64_t previous;
};

/* One record. After decoding, its pointers refer to the decoded bytes. */
struct journal_record {
	uint64_t position; /* its start in the journal; not stored */
	uint64_t time_ns;  /* wall clock, when it was appended */
	uint64_t epoch;
	uint64_t seq;
	/*
	 * Everything before this position was safe when the record was written.
	 */
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
	JOURNAL_SHORT, /* the record is longer than the available bytes */
	JOURNAL_BAD,   /* invalid sizes or a wrong checksum */
	JOURNAL_NEWER, /* valid, but of a later version */
};

void journal_header_encode(const struct journal_header *header,
			   uint8_t out[JOURNAL_HEADER]);

/*
 * The checksum is tested first: a damaged version field is JOURNAL_BAD, not
 * JOURNAL_NEWER.
 */
enum journal_verdict journal_header_decode(const uint8_t *bytes, size_t len,
					   struct journal_header *out);

/* The size of a record in a segment. */
size_t journal_record_size(const struct journal_record *record);

/*
 * Encode the fixed part of @record. Its subject, payload and padding follow it
 * in the file. Cost: one pass of xxh3 over all of it; bench/egress, journal.
 */
void journal_record_encode(const struct journal_record *record,
			   uint8_t out[JOURNAL_RECORD_HEADER]);

/*
 * Decode the record at the start of @bytes. *@size is its size, also for
 * JOURNAL_SHORT if the header is complete; else 0. The checksum covers
 * everything.
 */
enum journal_verdict journal_record_decode(const uint8_t *bytes, size_t len,
					   struct journal_record *out,
					   size_t *size);

/* The result of a scan of a segment. */
struct journal_scan {
	uint64_t end;	  /* offset after the last valid record */
	uint64_t records; /* valid records before it */
	struct journal_record last;
	bool damaged; /* the bytes after end were safe once */
};

/*
 * Scan the records of a segment at @base, of which @bytes are the first @len.
 * The bytes after scan.end are a torn tail, unless a later record shows that
 * they were synced: then they are damaged.
 */
void journal_scan(const uint8_t *bytes, size_t len, uint64_t base,
		  struct journal_scan *out);

#endif
