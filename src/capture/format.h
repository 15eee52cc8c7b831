/*
 * capture/format.h - detect a file's format by its first bytes
 *
 * File names are not reliable and pipes have none, so only the content is used.
 * Compression is removed first, and the result is examined again.
 */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include "bmp/wire.h"

enum capture_format {
	CAPTURE_UNKNOWN,
	CAPTURE_GZIP,
	CAPTURE_BZIP2,
	CAPTURE_XZ,
	CAPTURE_ZSTD,
	CAPTURE_PCAP,
	CAPTURE_PCAPNG,
	CAPTURE_BMP,
	CAPTURE_MRT,
	CAPTURE_FORMATS
};

/* Enough bytes to detect any format. */
#define CAPTURE_FORMAT_PEEK 12

/*
 * Detect the format from @start, the first bytes of the file: up to
 * CAPTURE_FORMAT_PEEK, fewer if the file is shorter.
 */
enum capture_format capture_format_of(struct wire_view start);

/* The name of @format: "gzip", "pcapng", ...; never NULL. */
const char *capture_format_name(enum capture_format format);

#endif
