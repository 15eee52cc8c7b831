/*
 * capture/source.h - the bytes of a capture, whatever they are wrapped in
 *
 *	file, pipe or memory --> [gzip] --> [xz] ... --> capture_source_read()
 *
 * Compression is found by content and peeled off, layer by layer, while
 * reading; nothing is unpacked ahead. A file may hold several members (gzip),
 * streams (bzip2, xz) or frames (zstd) in a row, with zero padding between.
 *
 * Damage	Everything readable before the damage is delivered, then the
 *		status says what is wrong, for every further read.
 * Memory	64 KiB a layer and what the decompressor needs, which is bounded
 *		(capture/codec.h); at most CAPTURE_SOURCE_LAYERS layers.
 * Ownership	The source owns the descriptor it opened. Memory given to
 *		capture_source_open_memory() stays the caller's.
 */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include "capture/format.h"

#define CAPTURE_SOURCE_LAYERS 4

enum capture_source_status {
	CAPTURE_SOURCE_OK,
	CAPTURE_SOURCE_END,	  /* the end, and it is whole */
	CAPTURE_SOURCE_TRUNCATED, /* compressed data ends too early */
	CAPTURE_SOURCE_CORRUPT,	  /* compressed data is damaged */
	CAPTURE_SOURCE_TRAILING,  /* something else follows compressed data */
	CAPTURE_SOURCE_MEMORY,	  /* out of memory, or over its limit */
	CAPTURE_SOURCE_IO,	  /* read(2) failed */
	CAPTURE_SOURCE_STATUSES
};

struct capture_source;

/*
 * Open @path, or standard input if it is "-", and look at its beginning.
 * Damage found so early is not an error here: the first read reports it.
 * 0, -ENOMEM, or what open(2) or the first read(2) said.
 */
int capture_source_open(const char *path, struct capture_source **out);

/* The same over bytes in memory, which must outlive the source. */
int capture_source_open_memory(struct wire_view bytes,
			       struct capture_source **out);

void capture_source_close(struct capture_source *source);

/* What is inside all the compression. */
enum capture_format capture_source_format(const struct capture_source *source);

/*
 * Take up to @len bytes. CAPTURE_SOURCE_OK sets *@got, at least 1; any other
 * answer leaves it alone and stays the answer from then on.
 */
enum capture_source_status capture_source_read(struct capture_source *source,
					       uint8_t *to, size_t len,
					       size_t *got);

/* How far the file itself is read; *@total is 0 where that is not known. */
void capture_source_progress(const struct capture_source *source,
			     uint64_t *done, uint64_t *total);

/* A phrase for people: "the compressed data ends too early"; never NULL. */
const char *capture_source_text(enum capture_source_status status);

#endif
