/*
 * rib/snapshot_block.h - compressed and checked pieces of a snapshot
 *
 *	file	magic "ARIBSNAP" | version | 0 | sum	16 bytes, for ever so
 *	block	number | kind | raw | stored | sum	20 bytes, then
 *		stored bytes				one zstd frame of raw bytes
 *
 * A block holds whole records (rib/snapshot_record.h) and is written when it
 * has RIB_BLOCK_TARGET bytes of them, so writing and reading need one block of
 * memory whatever the size of the table. The sum is a CRC-32C of the block's
 * header without the sum and of the stored bytes. Blocks are numbered and the
 * last one says that it is: a missing, repeated or swapped block is found, and
 * a stream that just ends is.
 *
 * Nothing here knows what records mean. Every byte is read as if somebody had
 * made it up: docs/snapshot-format.md.
 */
#ifndef RIB_SNAPSHOT_BLOCK_H
#define RIB_SNAPSHOT_BLOCK_H

#include "bmp/wire.h"

/*
 * 1: attributes with lengths of two bytes always. 2: the canonical form of
 * today. 3: the ROUTER record says how the router was curated.
 */
#define RIB_SNAPSHOT_VERSION 3

#define RIB_FILE_HEADER_LEN  16
#define RIB_BLOCK_HEADER_LEN 20
/* A block is closed from this size on; no block has more than the maximum. */
#define RIB_BLOCK_TARGET (32 * 1024)
#define RIB_BLOCK_MAX	 (512 * 1024)

enum rib_snapshot_status {
	RIB_SNAPSHOT_OK,   /* of a reader: whole, up to its end */
	RIB_SNAPSHOT_MORE, /* nothing wrong so far: call again */
	/* What can be wrong with the bytes. */
	RIB_SNAPSHOT_TRUNCATED,	  /* they end before the last block does */
	RIB_SNAPSHOT_NOT_ONE,	  /* they do not begin like a snapshot */
	RIB_SNAPSHOT_VERSION_NEW, /* of a later version than this program */
	RIB_SNAPSHOT_CHECKSUM,	  /* a header or a block was damaged */
	RIB_SNAPSHOT_BLOCK_ORDER, /* a block is missing, or there twice */
	RIB_SNAPSHOT_BLOCK_SIZE,  /* larger than blocks can be */
	RIB_SNAPSHOT_COMPRESSION, /* zstd cannot read it */
	RIB_SNAPSHOT_RECORD,	  /* a record says what cannot be */
	RIB_SNAPSHOT_TOTALS,	  /* not as many routes as it says */
	RIB_SNAPSHOT_ROUTER,	  /* not of the one it should be */
	RIB_SNAPSHOT_TRAILING,	  /* something follows the last block */
	/* What else can be wrong. */
	RIB_SNAPSHOT_MEMORY,
	RIB_SNAPSHOT_STATUSES
};

/* A phrase for people: "ends too early"; never NULL. */
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

/* Room for @n more bytes of a record, or NULL if memory ran out. */
uint8_t *rib_block_reserve(struct rib_block_writer *w, size_t n);

static inline bool rib_block_full(const struct rib_block_writer *w)
{
	return w->raw_len >= RIB_BLOCK_TARGET;
}

/*
 * Close the block: its bytes, the file's header before the first of them, are
 * w->out until the next seal. -ENOMEM.
 *
 * Cost: one zstd compression at level 1 and a sum of the result, together less
 * than half a millisecond for a block of the usual size.
 */
int rib_block_seal(struct rib_block_writer *w, enum rib_block_kind kind);

/* Reading */

struct rib_block_reader {
	void *zstd;
	uint8_t *in; /* a header, or a header and its bytes */
	size_t in_len;
	size_t in_need;
	size_t in_cap;
	uint8_t *raw;
	size_t raw_len;
	size_t raw_cap;
	uint64_t whole;	 /* bytes of blocks that were right */
	uint32_t number; /* of the next block */
	uint16_t version;
	bool started; /* the file's header was read */
	bool ended;   /* the last block was */
	bool ready;   /* raw is a block that was not taken yet */
	enum rib_snapshot_status status;
};

int rib_block_reader_init(struct rib_block_reader *r);
void rib_block_reader_fini(struct rib_block_reader *r);

/*
 * Take bytes, up to the end of the next block; returns how many. Then either
 * r->ready is set and the records are at r->raw, or r->status is no longer
 * RIB_SNAPSHOT_MORE, or all bytes were taken and more are wanted.
 */
size_t rib_block_feed(struct rib_block_reader *r, struct wire_view bytes);

/* The records at r->raw are done with. */
static inline void rib_block_taken(struct rib_block_reader *r)
{
	r->ready = false;
}

/* There are no more bytes: what does that make of it? */
enum rib_snapshot_status rib_block_end(struct rib_block_reader *r);

#endif
