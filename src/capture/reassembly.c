#include "capture/reassembly.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct capture_piece {
	struct capture_piece *following;
	uint32_t sequence;
	/* bytes that followed on the wire but were not captured */
	uint32_t cut;
	size_t len;
	uint8_t bytes[];
};

/* The distance from @b to @a, negative if @a is before @b. */
static int32_t sequence_distance(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

void capture_reassembly_init(struct capture_reassembly *r, uint32_t sequence)
{
	*r = (struct capture_reassembly){ .next = sequence };
}

void capture_reassembly_fini(struct capture_reassembly *r)
{
	struct capture_piece *following;

	for (struct capture_piece *p = r->waiting; p != NULL; p = following) {
		following = p->following;
		free(p);
	}
	free(r->lent);
	*r = (struct capture_reassembly){ 0 };
}

/* Insert @piece before the first piece that starts after it. */
static void piece_insert(struct capture_reassembly *r,
			 struct capture_piece *piece)
{
	struct capture_piece **at = &r->waiting;

	if (r->tail != NULL &&
	    sequence_distance(piece->sequence, r->tail->sequence) >= 0)
		at = &r->tail->following;
	while (*at != NULL &&
	       sequence_distance(piece->sequence, (*at)->sequence) >= 0)
		at = &(*at)->following;
	piece->following = *at;
	*at = piece;
	if (piece->following == NULL)
		r->tail = piece;
	r->waiting_bytes += piece->len;
	r->waiting_pieces++;
}

static int wait_for_the_hole(struct capture_reassembly *r, uint32_t sequence,
			     struct wire_view payload, uint32_t cut)
{
	struct capture_piece *piece = malloc(sizeof(*piece) + payload.len);

	if (piece == NULL)
		return -ENOMEM;
	*piece = (struct capture_piece){
		.sequence = sequence,
		.cut = cut,
		.len = payload.len,
	};
	memcpy(piece->bytes, payload.p, payload.len);
	piece_insert(r, piece);
	r->counts.reordered += payload.len;
	return 0;
}

int capture_reassembly_push(struct capture_reassembly *r, uint32_t sequence,
			    struct wire_view payload, uint32_t wire_len)
{
	int32_t ahead = sequence_distance(sequence, r->next);
	uint32_t cut = 0;
	size_t old;

	/* the caller has taken the previous segment */
	assert(r->current.len == 0);
	if (payload.len == 0)
		return 0;
	if (wire_len > payload.len)
		cut = wire_len - (uint32_t)payload.len;
	if (ahead > 0)
		return wait_for_the_hole(r, sequence, payload, cut);

	old = (size_t) - (int64_t)ahead;
	if (old >= payload.len) {
		r->counts.repeated += payload.len;
		return 0;
	}
	r->counts.repeated += old;
	r->current = (struct wire_view){ payload.p + old, payload.len - old };
	r->current_whole = old == 0;
	r->current_cut = cut;
	return 0;
}

void capture_reassembly_close(struct capture_reassembly *r)
{
	r->closing = true;
}

/*
 * Deliver @bytes, which start at r->next; the @cut bytes after them were not
 * captured.
 */
static void chunk_deliver(struct capture_reassembly *r, struct wire_view bytes,
			  bool segment_start, uint32_t cut,
			  struct capture_chunk *out)
{
	*out = (struct capture_chunk){
		.bytes = bytes,
		.missing = r->hole,
		.segment_start = segment_start,
	};
	r->counts.delivered += bytes.len;
	r->counts.missing += cut;
	r->hole = cut;
	r->next += (uint32_t)bytes.len + cut;
}

static struct capture_piece *take_first(struct capture_reassembly *r)
{
	struct capture_piece *first = r->waiting;

	r->waiting = first->following;
	if (r->waiting == NULL)
		r->tail = NULL;
	r->waiting_bytes -= first->len;
	r->waiting_pieces--;
	free(r->lent);
	r->lent = first;
	return first;
}

static bool over_limit(const struct capture_reassembly *r)
{
	return r->waiting_bytes > CAPTURE_WAITING_BYTES ||
	       r->waiting_pieces > CAPTURE_WAITING_PIECES;
}

bool capture_reassembly_next(struct capture_reassembly *r,
			     struct capture_chunk *out)
{
	if (r->current.len > 0) {
		chunk_deliver(r, r->current, r->current_whole, r->current_cut,
			      out);
		r->current = (struct wire_view){ 0 };
		return true;
	}
	while (r->waiting != NULL) {
		int32_t ahead =
			sequence_distance(r->waiting->sequence, r->next);
		struct capture_piece *piece;
		size_t old;

		if (ahead > 0 && !r->closing && !over_limit(r))
			return false;
		piece = take_first(r);
		if (ahead > 0) {
			r->hole += (uint32_t)ahead;
			r->counts.missing += (uint32_t)ahead;
			r->next += (uint32_t)ahead;
			ahead = 0;
		}
		old = (size_t) - (int64_t)ahead;
		if (old >= piece->len) {
			r->counts.repeated += piece->len;
			continue;
		}
		r->counts.repeated += old;
		chunk_deliver(r,
			      (struct wire_view){ piece->bytes + old,
						  piece->len - old },
			      old == 0, piece->cut, out);
		return true;
	}
	return false;
}
