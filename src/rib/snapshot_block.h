/*
 * rib/snapshot_block.h - the compressed and checksummed blocks of a snapshot
 *
 *	file	magic "ARIBSNAP" | version | 0 | sum	16 bytes, always
 *	block	number | kind | raw | stored | sum	20 bytes, then
 *		stored bytes				zstd frame of raw bytes
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
 * Versions. 1: attribute lengths always have two bytes. 2: the present
 * canonical form. 3: the ROUTER record has the curation mode.
 */
#define RIB_SNAPSHOT_VERSION 3

#define RIB_FILE_HEADER_LEN  16
#define RIB_BLOCK_HEADER_LEN 20
/*
 * A block is closed when it has this size or more; it never exceeds the
 * maximum.
 */
#define RIB_BLOCK_TARGET (32 * 1024)
#define RIB_BLOCK_MAX	 (512 * 1024)

enum rib_snapshot_status {
	RIB_SNAPSHOT_OK,   /* reader: the snapshot is complete and valid */
	RIB_SNAPSHOT_MORE, /* reader: no error so far, more bytes are needed */
	/* Errors in the bytes of the snapshot: */
	RIB_SNAPSHOT_TRUNCATED,	  /* the bytes end before the last block */
	RIB_SNAPSHOT_NOT_ONE,	  /* the bytes are not a snapshot */
	RIB_SNAPSHOT_VERSION_NEW, /* a later version has written it */
	RIB_SNAPSHOT_CHECKSUM,	  /* a header or a block is damaged */
	RIB_SNAPSHOT_BLOCK_ORDER, /* a block is missing or repeated */
	RIB_SNAPSHOT_BLOCK_SIZE,  /* a block exceeds the maximum size */
	RIB_SNAPSHOT_COMPRESSION, /* zstd cannot decompress a block */
	RIB_SNAPSHOT_RECORD,	  /* a record is not valid */
	/* the number of routes does not match the END record */
	RIB_SNAPSHOT_TOTALS,
	/* it is a snapshot of another router than expected */
	RIB_SNAPSHOT_ROUTER,
	RIB_SNAPSHOT_TRAILING, /* there are bytes after the last block */
	/* Out of memory: not an error of the snapshot. */
	RIB_SNAPSHOT_MEMORY,
	RIB_SNAPSHOT_STATUSES
};

/* A phrase for people, for example "ends too early"; never NULL. */
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
 * Close the block. Afterwards w->out has its bytes, for the first block after
 * the file header; valid until the next call. -ENOMEM.
 *
 * Cost: one zstd compression at level 1 and a checksum of the result, together
 * less than half a millisecond for a block of the usual size.
 */
int rib_block_seal(struct rib_block_writer *w, enum rib_block_kind kind);

/* Reading */

struct rib_block_reader {
	void *zstd;
	/* the present header, with its stored bytes if they were taken */
	uint8_t *in;
	size_t in_len;
	size_t in_need;
	size_t in_cap;
	uint8_t *raw;
	size_t raw_len;
	size_t raw_cap;
	uint64_t whole;	 /* number of bytes in valid blocks */
	uint32_t number; /* number of the next block */
	uint16_t version;
	bool started; /* the file header was read */
	bool ended;   /* the last block was read */
	bool ready;   /* raw has a block that the caller has not taken yet */
	enum rib_snapshot_status status;
};

int rib_block_reader_init(struct rib_block_reader *r);
void rib_block_reader_fini(struct rib_block_reader *r);

/*
 * Take bytes from @bytes, up to the end of the next block. Returns how many
 * were taken. Afterwards either r->ready is set and r->raw has the records; or
 * r->status is not RIB_SNAPSHOT_MORE any more; or all bytes were taken and more
 * are needed.
 */
size_t rib_block_feed(struct rib_block_reader *r, struct wire_view bytes);

/* The caller has taken the records of r->raw. */
static inline void rib_block_taken(struct rib_block_reader *r)
{
	r->ready = false;
}

/* End the input and return the final status. */
enum rib_snapshot_status rib_block_end(struct rib_block_reader *r);

#endif
