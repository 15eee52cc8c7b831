/*
 * egress/journal/record.h - the format of a journal, without files
 *
 *	segment header, 64 bytes
 *    +----------+---------+------+------+---------+---------+----------+-----+
 *    | ARAJRNL1 | version | size | base | created | journal | previous | ... |
 *    +----------+---------+------+------+---------+---------+----------+-----+
 *
 *	record, a multiple of 8 bytes
 *    +----------+------+--------+----------+---------+---------+-----+
 *    | checksum | size | length | subject, | updates | time,   | ... |
 *    |          |      |        | kind,    |         | epoch,  |     |
 *    |          |      |        | encoding |         | seq,    |     |
 *    |          |      |        |          |         | synced  |     |
 *    +----------+------+--------+----------+---------+---------+-----+
 *    | subject bytes | payload bytes | zeroes up to a multiple of 8  |
 *    +---------------+---------------+-------------------------------+
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
	/* position of the segment's first byte in the journal */
	uint64_t base;
	uint64_t created_ns; /* wall clock when the segment was created */
	uint64_t journal;    /* the same for all segments of one journal */
	/*
	 * The end of the previous segment. It is less than base if positions
	 * were skipped because records after that end may have been cut off. In
	 * version 1 it is always base.
	 */
	uint64_t previous;
};

/* One record. After decoding, its pointers refer to the decoded bytes. */
struct journal_record {
	uint64_t position; /* position of its first byte; not stored */
	uint64_t time_ns;  /* wall clock at the append */
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
	uint32_t len; /* length of the payload */
	const char *subject;
	const uint8_t *payload;
};

enum journal_verdict {
	JOURNAL_OK,
	JOURNAL_SHORT, /* the bytes end before the record ends */
	JOURNAL_BAD,   /* invalid sizes or a wrong checksum */
	JOURNAL_NEWER, /* valid, but of a later version */
};

void journal_header_encode(const struct journal_header *header,
			   uint8_t out[JOURNAL_HEADER]);

/*
 * Decode a segment header. The checksum is tested first: a damaged version
 * field gives JOURNAL_BAD, not JOURNAL_NEWER.
 */
enum journal_verdict journal_header_decode(const uint8_t *bytes, size_t len,
					   struct journal_header *out);

/* The number of bytes of a record in a segment. */
size_t journal_record_size(const struct journal_record *record);

/*
 * Encode the fixed part of @record. Its subject, payload and padding follow it
 * in the file. Cost: one pass of xxh3 over the whole record; bench/egress,
 * journal.
 */
void journal_record_encode(const struct journal_record *record,
			   uint8_t out[JOURNAL_RECORD_HEADER]);

/*
 * Decode the record at the start of @bytes. *@size is the size of the record;
 * for JOURNAL_SHORT only if its header is complete, else 0. The checksum covers
 * the whole record.
 */
enum journal_verdict journal_record_decode(const uint8_t *bytes, size_t len,
					   struct journal_record *out,
					   size_t *size);

/* The result of a scan of a segment. */
struct journal_scan {
	uint64_t end;	  /* offset after the last valid record */
	uint64_t records; /* number of valid records before end */
	struct journal_record last;
	bool damaged; /* the bytes after end were safe before */
};

/*
 * Scan the records of the segment at @base. @bytes holds its first @len bytes.
 * The bytes after scan.end are a torn tail, unless a later record shows that
 * they were synced: then they are damaged.
 */
void journal_scan(const uint8_t *bytes, size_t len, uint64_t base,
		  struct journal_scan *out);

#endif
