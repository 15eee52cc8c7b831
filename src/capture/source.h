/*
 * capture/source.h - the bytes of a capture, decompressed
 *
 *	file, pipe or memory --> [gzip] --> [xz] ... --> capture_source_read()
 *
 * Compression is detected by content and removed, layer by layer, while
 * reading; nothing is decompressed ahead. A file may have several members
 * (gzip), streams (bzip2, xz) or frames (zstd) in a row, with zero padding
 * between.
 *
 * Damage	All bytes before the damage are delivered. Then every further
 *		read returns a status that names the damage.
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
	/* the end of the capture; nothing is missing */
	CAPTURE_SOURCE_END,
	CAPTURE_SOURCE_TRUNCATED, /* compressed data ends too early */
	CAPTURE_SOURCE_CORRUPT,	  /* compressed data is damaged */
	CAPTURE_SOURCE_TRAILING,  /* other bytes follow compressed data */
	/* out of memory, or CAPTURE_CODEC_MEMORY is exceeded */
	CAPTURE_SOURCE_MEMORY,
	CAPTURE_SOURCE_IO, /* read(2) failed */
	CAPTURE_SOURCE_STATUSES
};

struct capture_source;

/*
 * Open @path, or standard input if @path is "-", and detect the format by its
 * first bytes. Damage in these bytes or a read error is not an error here: the
 * first capture_source_read() reports it. Returns 0, -ENOMEM, -EISDIR, or the
 * error of open(2), dup(2) or fstat(2).
 */
int capture_source_open(const char *path, struct capture_source **out);

/* Read a capture from @bytes in memory, which must outlive the source. */
int capture_source_open_memory(struct wire_view bytes,
			       struct capture_source **out);

void capture_source_close(struct capture_source *source);

/* The format of the data after all layers of compression were removed. */
enum capture_format capture_source_format(const struct capture_source *source);

/*
 * Take up to @len bytes. CAPTURE_SOURCE_OK sets *@got, at least 1. Any other
 * status does not change *@got, and all later calls return the same status.
 */
enum capture_source_status capture_source_read(struct capture_source *source,
					       uint8_t *to, size_t len,
					       size_t *got);

/*
 * Set *@done to the bytes of the file read so far, before decompression, and
 * *@total to its size; 0 = not known.
 */
void capture_source_progress(const struct capture_source *source,
			     uint64_t *done, uint64_t *total);

/* A phrase for the user: "the compressed data ends too early"; never NULL. */
const char *capture_source_text(enum capture_source_status status);

#endif
