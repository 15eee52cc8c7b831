/*
 * capture/reassembly.h - reassemble one direction of a TCP connection
 *
 *	segments as captured			bytes as sent
 *	push(seq, payload) ---> [ waiting ] ---> next()
 *
 * Segments may be late, repeated, overlapping, out of order, or missing. Bytes
 * are delivered once, in order, as soon as nothing before them is missing. A
 * gap is waited for until the connection is closed or the waiting segments
 * reach a limit; then it is skipped, and the next chunk has the number of
 * missing bytes.
 *
 * Sequence numbers wrap; all comparisons use signed 32-bit differences.
 *
 * Memory	Waiting segments are copied, at most CAPTURE_WAITING_BYTES of
 *		payload and CAPTURE_WAITING_PIECES segments. Segments in order
 *		are not copied.
 */
#ifndef CAPTURE_REASSEMBLY_H
#define CAPTURE_REASSEMBLY_H

#include "bmp/wire.h"

#define CAPTURE_WAITING_BYTES  (4 * 1024 * 1024)
#define CAPTURE_WAITING_PIECES 8192

struct capture_piece;

/* Counters, in bytes of payload. */
struct capture_reassembly_counts {
	uint64_t delivered;
	uint64_t repeated;  /* bytes that had been delivered before */
	uint64_t reordered; /* bytes that had to wait for earlier ones */
	uint64_t missing;   /* bytes that were never captured */
};

struct capture_reassembly {
	/* sequence number of the first byte that was not delivered yet */
	uint32_t next;
	bool closing;  /* gaps are no longer waited for */
	uint64_t hole; /* bytes skipped before the next chunk */

	/* The segment of the last push, if it is in order; not copied. */
	struct wire_view current;
	bool current_whole;
	uint32_t current_cut;

	/*
	 * Waiting segments, sorted by sequence number. A segment usually
	 * belongs at the end, so the tail is stored, too.
	 */
	struct capture_piece *waiting;
	struct capture_piece *tail;
	size_t waiting_bytes;
	size_t waiting_pieces;

	struct capture_piece *lent; /* segment of the last chunk returned */
	struct capture_reassembly_counts counts;
};

struct capture_chunk {
	struct wire_view bytes; /* never empty */
	uint64_t missing;	/* bytes missing just before this chunk */
	/* the first byte of the chunk was the first of a segment */
	bool segment_start;
};

/*
 * Initialise *@r. @sequence is the sequence number of the first byte: that of
 * the SYN plus one.
 */
void capture_reassembly_init(struct capture_reassembly *r, uint32_t sequence);

void capture_reassembly_fini(struct capture_reassembly *r);

/*
 * Add a segment, of which @payload was captured and @wire_len was sent. Call
 * capture_reassembly_next() until it returns false before the next push:
 * @payload is borrowed until then. -ENOMEM: the segment is dropped.
 */
int capture_reassembly_push(struct capture_reassembly *r, uint32_t sequence,
			    struct wire_view payload, uint32_t wire_len);

/*
 * Call it when no more segments come: waiting segments are then delivered in
 * spite of gaps.
 */
void capture_reassembly_close(struct capture_reassembly *r);

/*
 * Set *@out to the next bytes in order, valid until the next call; false if
 * there are none yet.
 */
bool capture_reassembly_next(struct capture_reassembly *r,
			     struct capture_chunk *out);

#endif
