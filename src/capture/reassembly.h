/*
 * capture/reassembly.h - one direction of a TCP connection, put in order
 *
 *	segments as captured			bytes as sent
 *	push(seq, payload) ---> [ waiting ] ---> next()
 *
 * Segments come late, twice, overlapping, in any order, or never. Bytes are
 * delivered once, in order, as soon as nothing is missing before them. A hole
 * is waited for until the connection is closed or the waiting segments reach
 * a limit; then it is skipped, and the next chunk says how much is missing.
 *
 * Sequence numbers wrap; all comparisons are of signed 32-bit differences.
 *
 * Memory	Segments that wait are copied, at most CAPTURE_WAITING_BYTES of
 *		payload and CAPTURE_WAITING_PIECES of them. What arrives in
 *		order is not copied.
 */
#ifndef CAPTURE_REASSEMBLY_H
#define CAPTURE_REASSEMBLY_H

#include "bmp/wire.h"

#define CAPTURE_WAITING_BYTES  (4 * 1024 * 1024)
#define CAPTURE_WAITING_PIECES 8192

struct capture_piece;

/* What arrived and what came of it, in bytes of payload. */
struct capture_reassembly_counts {
	uint64_t delivered;
	uint64_t repeated;  /* had been delivered before */
	uint64_t reordered; /* had to wait */
	uint64_t missing;   /* never captured */
};

struct capture_reassembly {
	uint32_t next; /* the first byte not delivered yet */
	bool closing;  /* holes are not waited for any more */
	uint64_t hole; /* bytes skipped before the next chunk */

	/* The segment pushed last, if it is in order: not copied. */
	struct wire_view current;
	bool current_whole;
	uint32_t current_cut;

	/* By sequence; the tail makes the usual append cheap. */
	struct capture_piece *waiting;
	struct capture_piece *tail;
	size_t waiting_bytes;
	size_t waiting_pieces;

	struct capture_piece *lent; /* behind the chunk handed out last */
	struct capture_reassembly_counts counts;
};

struct capture_chunk {
	struct wire_view bytes; /* never empty */
	uint64_t missing;	/* bytes lost just before it */
	bool segment_start;	/* its first byte was the first of a segment */
};

/* @sequence is that of the first byte to come (a SYN's plus one). */
void capture_reassembly_init(struct capture_reassembly *r, uint32_t sequence);

void capture_reassembly_fini(struct capture_reassembly *r);

/*
 * A segment arrived, of which @payload was captured and @wire_len was sent.
 * Call capture_reassembly_next() until it returns false before pushing again:
 * @payload is borrowed till then. -ENOMEM: the segment is dropped.
 */
int capture_reassembly_push(struct capture_reassembly *r, uint32_t sequence,
			    struct wire_view payload, uint32_t wire_len);

/* Nothing more will come: deliver what waits, whatever is missing. */
void capture_reassembly_close(struct capture_reassembly *r);

/* The next bytes in order; a view that lives until the next call. */
bool capture_reassembly_next(struct capture_reassembly *r,
			     struct capture_chunk *out);

#endif
