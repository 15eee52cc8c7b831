/*
 * spargio/io/recv_buffers.h - buffers the kernel fills when bytes have come
 *
 *	       given                    named by a completion
 *	us --------------> [ ring ] --------------------------> a stream
 *	 ^                                                        |
 *	 +--------------------------------------------------------+
 *			sp__recv_buffers_give()
 *
 * One ring for each shard, shared by its receive streams, so that a thousand
 * connections that wait hold no memory. A completion names the first buffer it
 * filled; with bundles it filled those behind it in the ring, too, so we
 * remember where in the ring each one was put.
 *
 * Threads	The shard's own.
 */
#ifndef SPARGIO_IO_RECV_BUFFERS_H
#define SPARGIO_IO_RECV_BUFFERS_H

#include "spargio/io/uring_abi.h"
#include "spargio/sched/shard.h"

#define SP__RECV_BUFFERS_GROUP 0

/* One of them, while it is not in the ring. */
struct sp__recv_buffer {
	uint32_t len;  /* bytes in it */
	uint16_t next; /* in the queue of a stream */
	uint16_t at;   /* where it was in the ring */
};

struct sp__recv_buffers {
	struct sp_shard *shard;
	uint8_t *memory; /* the ring's entries, then the buffers */
	size_t mapped;
	struct io_uring_buf_ring *ring;
	uint8_t *data;
	uint32_t size, count, mask;
	struct sp__recv_buffer *each;
	uint32_t out;  /* that are with streams */
	uint32_t busy; /* streams that have some */
	bool bundles;  /* a completion may be of several */
	bool credits;  /* the kernel can bound a multishot receive */
	int32_t named; /* by a completion without bytes; or -1 */
	struct sp__waitlist starved; /* streams that wait for one */
};

/*
 * Those of @shard, made when first asked for. -EOPNOTSUPP where the kernel or
 * the back end has no such thing, -ENOMEM.
 */
int sp__recv_buffers_of(struct sp_shard *shard, struct sp__recv_buffers **out);

/* No operation that could use them is in flight. NULL is fine. */
void sp__recv_buffers_free(struct sp__recv_buffers *b);

/* Put a stream's buffer into the ring; it may be another's turn then. */
void sp__recv_buffers_give(struct sp__recv_buffers *b, uint32_t id);

/*
 * True if a stream that found no buffer may receive again. If it is not its
 * turn, @w waits for that, in order of arrival: it is woken with the code
 * SP__EVENT + SP__RECV_BUFFERS_TURN, and then calls this with @turn. A stream
 * that has a turn and takes no buffer passes the turn on by
 * sp__recv_buffers_offer().
 */
enum {
	SP__RECV_BUFFERS_TURN = 1
};
void sp__recv_buffers_offer(struct sp__recv_buffers *b);
bool sp__recv_buffers_ask(struct sp__recv_buffers *b, struct sp__waiter *w,
			  bool turn);

/* A completion with @res bytes names @id: to be asked for each, in order. */
void sp__recv_buffers_named(struct sp__recv_buffers *b, uint32_t id,
			    int32_t res);

/* The one behind @id in the ring. */
static inline uint32_t sp__recv_buffers_behind(const struct sp__recv_buffers *b,
					       uint32_t id)
{
	return b->ring->bufs[(b->each[id].at + 1U) & b->mask].bid;
}

static inline uint8_t *sp__recv_buffers_data(const struct sp__recv_buffers *b,
					     uint32_t id)
{
	return b->data + (size_t)id * b->size;
}

/* How many bytes one stream may be given before others had their turn. */
size_t sp__recv_buffers_share(const struct sp__recv_buffers *b);

#endif
