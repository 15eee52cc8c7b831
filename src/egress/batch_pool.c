#include "egress/batch_pool.h"

#include "egress/batch.h"

#include <malloc.h>
#include <string.h>

/* After freeing this many bytes, trim the heap. */
#define TRIM_BYTES (1u << 20)

static uint32_t class_bytes(const struct egress_batch_pool *pool,
			    unsigned class)
{
	uint64_t bytes = (uint64_t)EGRESS_POOL_FIRST << (2 * class);

	if (class == EGRESS_POOL_CLASSES - 1 || bytes > pool->max_bytes)
		return pool->max_bytes;
	return (uint32_t)bytes;
}

/* The smallest class with space for @bytes; EGRESS_POOL_CLASSES if none has. */
static unsigned class_of(const struct egress_batch_pool *pool, uint32_t bytes)
{
	unsigned class = 0;

	if (bytes > pool->max_bytes)
		return EGRESS_POOL_CLASSES;
	while (class_bytes(pool, class) < bytes)
		class ++;
	return class;
}

void egress_batch_pool_init(struct egress_batch_pool *pool,
			    struct egress_bridge *bridge, uint32_t worker,
			    uint32_t max_bytes)
{
	*pool = (struct egress_batch_pool){
		.bridge = bridge,
		.worker = worker,
		.max_bytes = max_bytes,
	};
}

void egress_batch_pool_fini(struct egress_batch_pool *pool)
{
	for (unsigned i = 0; i < EGRESS_POOL_CLASSES; i++)
		egress_batch_free_all(pool->unused[i]);
	egress_batch_free_all(pool->fences);
}

void egress_batch_pool_put(struct egress_batch_pool *pool,
			   struct egress_batch *batch)
{
	struct egress_batch **list;
	unsigned class;

	if (batch->kind == EGRESS_BATCH_FENCE) {
		list = &pool->fences;
	} else if (batch->cap > pool->max_bytes) {
		/*
		 * The batch was made for one large update, which may never
		 * occur again.
		 */
		egress_batch_free(batch);
		pool->allocated--;
		return;
	} else {
		class = class_of(pool, batch->cap);
		list = &pool->unused[class];
		pool->counts[class]++;
	}
	batch->next = *list;
	*list = batch;
}

static void take_back(struct egress_batch_pool *pool)
{
	struct egress_batch *back =
		egress_bridge_take_back(pool->bridge, pool->worker);

	while (back != NULL) {
		struct egress_batch *next = back->next;

		egress_batch_pool_put(pool, back);
		back = next;
	}
}

static struct egress_batch *free_list_pop(struct egress_batch **list)
{
	struct egress_batch *batch = *list;

	if (batch != NULL)
		*list = batch->next;
	return batch;
}

static struct egress_batch *pop_class(struct egress_batch_pool *pool,
				      unsigned class)
{
	struct egress_batch *batch = free_list_pop(&pool->unused[class]);

	if (batch == NULL)
		return NULL;
	pool->counts[class]--;
	if (pool->counts[class] < pool->idle[class])
		pool->idle[class] = pool->counts[class];
	return batch;
}

void egress_batch_pool_trim(struct egress_batch_pool *pool)
{
	uint64_t freed = 0;

	take_back(pool);
	pool->spare = false;
	pool->trimmed = pool->made;
	for (unsigned i = 0; i < EGRESS_POOL_CLASSES; i++) {
		uint32_t spare = pool->idle[i] > EGRESS_POOL_KEEP
					 ? pool->idle[i] - EGRESS_POOL_KEEP
					 : 0;

		for (uint32_t n = (spare + 1) / 2; n > 0; n--) {
			egress_batch_free(pop_class(pool, i));
			pool->allocated--;
			freed += class_bytes(pool, i);
		}
		pool->idle[i] = pool->counts[i];
		pool->spare |= pool->counts[i] > EGRESS_POOL_KEEP;
	}
	/*
	 * Without malloc_trim() the heap would keep the memory, because blocks
	 * in use follow it.
	 */
	if (freed >= TRIM_BYTES)
		(void)malloc_trim(0);
}

/* Reset all members except the buffer. */
static struct egress_batch *batch_reset(struct egress_batch *batch)
{
	batch->next = NULL;
	batch->kind = EGRESS_BATCH_UPDATES;
	batch->encoding = EGRESS_PLAIN;
	batch->updates = 0;
	batch->len = 0;
	batch->plain_len = 0;
	batch->subject_len = 0;
	batch->fence_number = 0;
	batch->position = 0;
	return batch;
}

static void count_made(struct egress_batch_pool *pool)
{
	pool->allocated++;
	pool->made++;
}

struct egress_batch *egress_batch_pool_take(struct egress_batch_pool *pool,
					    uint32_t bytes)
{
	unsigned class = class_of(pool, bytes);
	struct egress_batch *batch;

	if (class == EGRESS_POOL_CLASSES) {
		/*
		 * take_back() frees batches that are too large: see
		 * egress_batch_pool_put().
		 */
		take_back(pool);
		batch = egress_batch_new(bytes);
	} else {
		if (pool->unused[class] == NULL)
			take_back(pool);
		batch = pop_class(pool, class);
		if (batch != NULL)
			return batch_reset(batch);
		batch = egress_batch_new(class_bytes(pool, class));
	}
	if (batch != NULL)
		count_made(pool);
	return batch;
}

struct egress_batch *egress_batch_pool_take_fence(
	struct egress_batch_pool *pool)
{
	struct egress_batch *fence = free_list_pop(&pool->fences);

	if (fence == NULL) {
		fence = egress_batch_new(0);
		if (fence == NULL)
			return NULL;
		count_made(pool);
	}
	batch_reset(fence)->kind = EGRESS_BATCH_FENCE;
	return fence;
}

struct egress_batch *egress_batch_pool_grow(struct egress_batch_pool *pool,
					    struct egress_batch *batch,
					    uint32_t bytes)
{
	struct egress_batch *bigger = egress_batch_pool_take(pool, bytes);

	if (bigger == NULL)
		return NULL;
	bigger->kind = batch->kind;
	bigger->updates = batch->updates;
	bigger->len = batch->len;
	bigger->subject_len = batch->subject_len;
	bigger->opened_ns = batch->opened_ns;
	memcpy(bigger->subject, batch->subject, batch->subject_len + 1);
	memcpy(bigger->bytes, batch->bytes, batch->len);
	egress_batch_pool_put(pool, batch);
	return bigger;
}
