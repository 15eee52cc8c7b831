/*
 * spargio/io/recv_buffers.h - buffers that the kernel fills when bytes arrive
 *
 *	       given                    named by a completion
 *	us --------------> [ ring ] --------------------------> a stream
 *	 ^                                                        |
 *	 +--------------------------------------------------------+
 *			sp__recv_buffers_give()
 *
 * Each shard has one ring, which its receive streams share, so that a thousand
 * idle connections hold no buffer. A completion names the first buffer that
 * the kernel has filled. With bundles the kernel has also filled the following
 * buffers of the ring, so the position of each buffer is recorded.
 *
 * Threads	The shard's own thread.
 */
#ifndef SPARGIO_IO_RECV_BUFFERS_H
#define SPARGIO_IO_RECV_BUFFERS_H

#include "spargio/io/uring_abi.h"
#include "spargio/sched/shard.h"

#define SP__RECV_BUFFERS_GROUP 0

/* State of a buffer. A stream that holds the buffer uses len and next. */
struct sp__recv_buffer {
	uint32_t len;  /* bytes of data in the buffer */
	uint16_t next; /* next buffer in the queue of a stream */
	uint16_t at;   /* position where the buffer was put into the ring */
};

struct sp__recv_buffers {
	struct sp_shard *shard;
	uint8_t *memory; /* the ring's entries, then the buffers */
	size_t mapped;
	struct io_uring_buf_ring *ring;
	uint8_t *data;
	uint32_t size, count, mask;
	struct sp__recv_buffer *each;
	uint32_t out;  /* buffers held by streams */
	uint32_t busy; /* streams that hold a buffer */
	bool bundles;  /* one completion may fill several buffers */
	bool credits;  /* the kernel can limit the bytes of a receive */
	int32_t named; /* buffer named by a completion without bytes, or -1 */
	struct sp__waitlist starved; /* streams that wait for a buffer */
};

/*
 * The buffers of @shard, made on first use. -EOPNOTSUPP if the kernel or the
 * back end does not support them, -ENOMEM.
 */
int sp__recv_buffers_of(struct sp_shard *shard, struct sp__recv_buffers **out);

/* No operation that could use the buffers may be in flight. NULL is fine. */
void sp__recv_buffers_free(struct sp__recv_buffers *b);

/*
 * Return a stream's buffer to the ring; another stream may then get its turn.
 */
void sp__recv_buffers_give(struct sp__recv_buffers *b, uint32_t id);

/*
 * sp__recv_buffers_ask() is called for a stream that found no buffer. It
 * returns true if the stream may receive again. Otherwise it adds @w to the
 * waiting streams, in order of arrival, and @w is woken with the code
 * SP__EVENT + SP__RECV_BUFFERS_TURN when it is the stream's turn; the stream
 * then calls the function again with @turn. A stream that has a turn and takes
 * no buffer passes the turn on by sp__recv_buffers_offer().
 */
enum {
	SP__RECV_BUFFERS_TURN = 1
};
void sp__recv_buffers_offer(struct sp__recv_buffers *b);
bool sp__recv_buffers_ask(struct sp__recv_buffers *b, struct sp__waiter *w,
			  bool turn);

/*
 * Called for each completion that names a buffer, @id, in order; @res is the
 * result of the completion.
 */
void sp__recv_buffers_named(struct sp__recv_buffers *b, uint32_t id,
			    int32_t res);

/* The buffer after @id in the ring. */
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

/*
 * The number of bytes one stream may receive before other streams get a turn.
 */
size_t sp__recv_buffers_share(const struct sp__recv_buffers *b);

#endif
