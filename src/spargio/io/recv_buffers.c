#include "spargio/io/recv_buffers.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/wake.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/*
 * Write the entry, then the tail that publishes it; the kernel reads them in
 * the opposite order.
 */
static void put_buffer(struct sp__recv_buffers *b, uint32_t id)
{
	b->each[id].at = (uint16_t)(b->ring->tail & b->mask);
	io_uring_buf_ring_add(b->ring, sp__recv_buffers_data(b, id), b->size,
			      (uint16_t)id, (int)b->mask, 0);
	io_uring_buf_ring_advance(b->ring, 1);
}

/*
 * The smallest number of buffers that a receive is armed for: with fewer, the
 * arming would cost more than the receiving.
 */
static uint32_t least_share(const struct sp__recv_buffers *b)
{
	return b->count / 32 < 2 ? 2 : b->count / 32;
}

void sp__recv_buffers_offer(struct sp__recv_buffers *b)
{
	if (sp__waitlist_empty(&b->starved))
		return;
	/*
	 * If no stream holds a buffer, no buffer will be returned later, so
	 * nothing would wake the streams behind the first one. A woken stream
	 * may need no buffer, so wake all streams.
	 */
	if (b->out == 0)
		sp__waitlist_wake_all(&b->starved);
	else if (b->count - b->out >= least_share(b))
		sp__waitlist_wake_one(&b->starved);
}

void sp__recv_buffers_give(struct sp__recv_buffers *b, uint32_t id)
{
	put_buffer(b, id);
	b->out--;
	atomic_store_explicit(&b->shard->counts.recv_out, b->out,
			      memory_order_relaxed);
	sp__recv_buffers_offer(b);
}

bool sp__recv_buffers_ask(struct sp__recv_buffers *b, struct sp__waiter *w,
			  bool turn)
{
	if (turn && b->out < b->count)
		return true;
	w->code = SP__EVENT + SP__RECV_BUFFERS_TURN;
	sp__waitlist_add(&b->starved, w);
	sp__recv_buffers_offer(b);
	return false;
}

/*
 * A completion without bytes (the end of a stream) may still name a buffer. If
 * the completion was for one buffer, the kernel has taken that buffer out of
 * the ring; if it was a bundle, it has not. The next completion shows this: if
 * it names the same buffer, the buffer was still in the ring.
 */
void sp__recv_buffers_named(struct sp__recv_buffers *b, uint32_t id,
			    int32_t res)
{
	if (b->named >= 0 && b->named != (int32_t)id)
		put_buffer(b, (uint32_t)b->named);
	b->named = res > 0 ? -1 : (int32_t)id;
}

size_t sp__recv_buffers_share(const struct sp__recv_buffers *b)
{
	uint32_t share = b->count / 4 / (b->busy == 0 ? 1 : b->busy);

	return (size_t)(share < least_share(b) ? least_share(b) : share) *
	       b->size;
}

static int map_buffers(struct sp__recv_buffers *b)
{
	size_t entries = b->count * sizeof(struct io_uring_buf);

	/* The kernel requires that the entries start at a page boundary. */
	entries = (entries + 4095) & ~(size_t)4095;
	b->mapped = entries + (size_t)b->count * b->size;
	b->memory = mmap(NULL, b->mapped, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->memory == MAP_FAILED) {
		b->memory = NULL;
		return -ENOMEM;
	}
	b->ring = (struct io_uring_buf_ring *)(void *)b->memory;
	b->data = b->memory + entries;
	b->each = calloc(b->count, sizeof(*b->each));
	return b->each == NULL ? -ENOMEM : 0;
}

static int register_ring(struct sp__recv_buffers *b)
{
	const struct sp__backend *backend = b->shard->backend;
	enum sp_recv_mode mode = b->shard->rt->opts.recv_mode;
	int ret;

	if (backend->provide == NULL || mode == SP_RECV_READY)
		return -EOPNOTSUPP;
	ret = backend->provide(b->shard, b->ring, b->count);
	if (ret < 0)
		return -EOPNOTSUPP;
	b->bundles = mode == SP_RECV_BUNDLES && (ret & SP__PROVIDE_BUNDLES);
	/*
	 * Assume credits until the kernel refuses them. A kernel without
	 * bundles has no credits either.
	 */
	b->credits = b->bundles;
	return 0;
}

int sp__recv_buffers_of(struct sp_shard *shard, struct sp__recv_buffers **out)
{
	const struct sp_opts *opts = &shard->rt->opts;
	struct sp__recv_buffers *b = shard->recv_buffers;
	int err;

	if (b != NULL) {
		*out = b;
		return 0;
	}
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return -ENOMEM;
	b->shard = shard;
	b->count = opts->recv_buffers;
	b->mask = b->count - 1;
	b->size = opts->recv_buffer_size;
	b->named = -1;
	sp__waitlist_init(&b->starved);
	err = map_buffers(b);
	if (err == 0)
		err = register_ring(b);
	if (err < 0) {
		sp__recv_buffers_free(b);
		return err;
	}
	for (uint32_t i = 0; i < b->count; i++)
		put_buffer(b, i);
	shard->recv_buffers = b;
	*out = b;
	return 0;
}

void sp__recv_buffers_free(struct sp__recv_buffers *b)
{
	if (b == NULL)
		return;
	if (b->memory != NULL)
		munmap(b->memory, b->mapped);
	free(b->each);
	free(b);
}
