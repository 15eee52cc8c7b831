/*
 * egress/log_position.h - a position in the log that consumers read
 *
 * The log is the stream or, without a broker, the journal. A position includes
 * the identity of its log, because a stream that was deleted and created again
 * has other messages under the same numbers.
 *
 * As text, in manifests and snapshots:
 *
 *	stream 1763251200123456789 4711		creation time; sequence
 *	journal 9223372036854775807 65536	identity; offset in bytes
 */
#ifndef EGRESS_LOG_POSITION_H
#define EGRESS_LOG_POSITION_H

#include "bmp/wire.h"

#include <stdbool.h>
#include <stdint.h>

struct log_position {
	bool journal; /* false = the stream */
	/* the stream's creation time, or the journal's identity */
	uint64_t identity;
	uint64_t position; /* the stream's sequence, or the journal's end */
};

#define LOG_POSITION_MAX 64 /* bytes of the text, with the NUL */

/* False if the log is not known, because the broker was never reached. */
static inline bool log_position_known(const struct log_position *where)
{
	return where->identity != 0;
}

/* True if both are positions in the same log. */
static inline bool log_position_same_log(const struct log_position *a,
					 const struct log_position *b)
{
	return a->journal == b->journal && a->identity == b->identity;
}

/* Write the text to @out, NUL-terminated. Returns its length. */
size_t log_position_format(const struct log_position *where,
			   char out[LOG_POSITION_MAX]);

/* Parse @text. False, with *@out unchanged, if it is not a position. */
bool log_position_parse(struct wire_view text, struct log_position *out);

/*
 * The range of messages that a stream held at one time, to be compared later.
 * Its text, in manifests, has the first and the last sequence, the number of
 * deleted messages between them, and the times when the first and the last
 * message were stored, in nanoseconds of the server's clock:
 *
 *	4650 4711 0 1763251200123456789 1763251299123456789
 */
struct stream_extent {
	int64_t created_ns; /* identity of the stream; 0 = not known */
	uint64_t first_seq;
	uint64_t last_seq;
	uint64_t deleted;
	int64_t first_ns; /* 0 = not known */
	int64_t last_ns;
};

#define STREAM_EXTENT_MAX 112 /* bytes of the text, with the NUL */

/*
 * Write the text to @out, NUL-terminated and without created_ns. Returns its
 * length.
 */
size_t stream_extent_format(const struct stream_extent *extent,
			    char out[STREAM_EXTENT_MAX]);

/*
 * Parse the text for the stream created at @created_ns. False, with *@out
 * unchanged, if @text is not an extent.
 */
bool stream_extent_parse(struct wire_view text, int64_t created_ns,
			 struct stream_extent *out);

#endif
