/*
 * capture/bzip2_blocks.h - decompress a bzip2 file in several threads
 *
 *	file --> blocks, found by their magic --> threads --> read in order
 *
 * A bzip2 stream is a row of blocks that do not depend on each other, each of
 * up to 900,000 bytes with a checksum of its own. They begin anywhere in a
 * byte, so they are found by a pattern of 48 bits.
 *
 * Only what is certain is delivered: a block that decompressed, in a file that
 * is well-formed up to it. Anything else (damage, a pattern inside of a block,
 * other bytes behind a stream, too little memory) is CAPTURE_BLOCKS_DOUBT:
 * capture/source.c then reads the file again as it reads every other one, and
 * skips what was delivered. So damage is reported in one way only.
 *
 * Memory	A few blocks for each thread: at most CAPTURE_BLOCKS_MEMORY.
 * Ownership	The descriptor stays the caller's; its offset is not used.
 */
#ifndef CAPTURE_BZIP2_BLOCKS_H
#define CAPTURE_BZIP2_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define CAPTURE_BLOCKS_THREADS 4
#define CAPTURE_BLOCKS_MEMORY  (512u * 1024 * 1024)

enum capture_blocks_status {
	CAPTURE_BLOCKS_OK,
	CAPTURE_BLOCKS_END,
	CAPTURE_BLOCKS_DOUBT, /* read the file in another way */
};

struct capture_blocks;

/*
 * Start the threads on the file @fd of @size bytes, which is not empty. NULL
 * if it is no bzip2 file, too short to be worth it, or there is one CPU.
 */
struct capture_blocks *capture_blocks_new(int fd, uint64_t size);

void capture_blocks_free(struct capture_blocks *b);

/* Take up to @len bytes; of CAPTURE_BLOCKS_OK, *@got is at least 1. */
enum capture_blocks_status capture_blocks_read(struct capture_blocks *b,
					       uint8_t *to, size_t len,
					       size_t *got);

/* Bytes of the file that what was read so far took. */
uint64_t capture_blocks_done(const struct capture_blocks *b);

#endif
