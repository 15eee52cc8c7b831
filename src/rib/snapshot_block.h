/*
 * rib/snapshot_block.h - the compressed and checksummed blocks of a snapshot
 *
 *	file	magic "ARIBSNAP" | version | 0 | sum	16 bytes, for ever so
 *	block	number | kind | raw | stored | sum	20 bytes, then
 *		stored bytes				one zstd frame of raw bytes
 *
 * A block holds whole records (rib/snapshot_record.h) and is written when it
 * has RIB_BLOCK_TARGET bytes of them, so writing and reading need memory for
 * one block only. The sum is a CRC-32C of the block's header without the sum,
 * and of the stored bytes. Blocks are numbered and the last one is marked: a
 * missing, repeated or swapped block and a truncated stream are detected.
 *
 * This module does not interpret records. The input is not trusted:
 * docs/snapshot-format.md.
 */
#ifndef RIB_SNAPSHOT_BLOCK_H
#define RIB_SNAPSHOT_BLOCK_H

#include "bmp/wire.h"

/*
 * 1: attribute lengths are always two bytes. 2: the current canonical form. 3:
 * the ROUTER record has the curation mode.
 */
#define RIB_SNAPSHOT_VERSION 3

#define RIB_FILE_HEADER_LEN  16
#define RIB_BLOCK_HEADER_LEN 20
/* A block is closed from this size on; the maximum is never exceeded. */
#define RIB_BLOCK_TARGET (32 * 1024)
#define RIB_BLOCK_MAX	 (512 * 1024)

enum rib_snapshot_status {
	RIB_SNAPSHOT_OK,   /* reader: complete up to the end */
	RIB_SNAPSHOT_MORE, /* no error so far: call again */
	/* Errors in the bytes. */
	RIB_SNAPSHOT_TRUNCATED,	  /* they end before the last block */
	RIB_SNAPSHOT_NOT_ONE,	  /* they are not a snapshot */
	RIB_SNAPSHOT_VERSION_NEW, /* written by a later version */
	RIB_SNAPSHOT_CHECKSUM,	  /* a header or a block is damaged */
	RIB_SNAPSHOT_BLOCK_ORDER, /* a block is missing or repeated */
	RIB_SNAPSHOT_BLOCK_SIZE,  /* exceeds the maximum block size */
	RIB_SNAPSHOT_COMPRESSION, /* zstd cannot decompress it */
	RIB_SNAPSHOT_RECORD,	  /* an invalid record */
	/* the number of routes does not match the END record */
	RIB_SNAPSHOT_TOTALS,
	RIB_SNAPSHOT_ROUTER,   /* of another router than expected */
	RIB_SNAPSHOT_TRAILING, /* bytes after the last block */
	/* Not an error of the file: out of memory. */
	RIB_SNAPSHOT_MEMORY,
	RIB_SNAPSHOT_STATUSES
};

/* A phrase for display: "ends too early"; never NULL. */
const char *rib_snapshot_text(enum rib_snapshot_status status);

enum rib_block_kind {
	RIB_BLOCK_DATA = 1,
	RIB_BLOCK_LAST = 2,
};

/* Writing */

struct rib_block_writer {
	void *zstd;
	uint8_t *raw;
	size_t raw_len;
	size_t raw_cap;
	uint8_t *out;
	size_t out_len;
	size_t out_cap;
	uint32_t number;
};

int rib_block_writer_init(struct rib_block_writer *w);
void rib_block_writer_fini(struct rib_block_writer *w);

/* Reserve @n more bytes of a record; NULL if out of memory. */
uint8_t *rib_block_reserve(struct rib_block_writer *w, size_t n);

static inline bool rib_block_full(const struct rib_block_writer *w)
{
	return w->raw_len >= RIB_BLOCK_TARGET;
}

/*
 * Close the block: its bytes, with the file's header before the first block,
 * are w->out until the next seal. -ENOMEM.
 *
 * Cost: one zstd compression at level 1 and a checksum of the result, together
 * less than half a millisecond for a block of the usual size.
 */
int rib_block_seal(struct rib_block_writer *w, enum rib_block_kind kind);

/* Reading */

struct rib_block_reader {
	void *zstd;
	uint8_t *in; /* a header, or a header and its stored bytes */
	size_t in_len;
	size_t in_need;
	size_t in_cap;
	uint8_t *raw;
	size_t raw_len;
	size_t raw_cap;
	uint64_t whole;	 /* bytes of valid blocks */
	uint32_t number; /* number of the next block */
	uint16_t version;
	bool started; /* the file's header was read */
	bool ended;   /* the last block was read */
	bool ready;   /* raw is a block that was not taken yet */
	enum rib_snapshot_status status;
};

int rib_block_reader_init(struct rib_block_reader *r);
void rib_block_reader_fini(struct rib_block_reader *r);

/*
 * Take bytes, up to the end of the next block; returns how many. Afterwards
 * either r->ready is set and the records are at r->raw, or r->status is no
 * longer RIB_SNAPSHOT_MORE, or all bytes were taken and more are needed.
 */
size_t rib_block_feed(struct rib_block_reader *r, struct wire_view bytes);

/* Release the records at r->raw. */
static inline void rib_block_taken(struct rib_block_reader *r)
{
	r->ready = false;
}

/* There are no more bytes: return the final status. */
enum rib_snapshot_status rib_block_end(struct rib_block_reader *r);

#endif
