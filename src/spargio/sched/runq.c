#include "spargio/sched/runq.h"

#define MASK (SP__RUNQ_SIZE - 1)

static uint64_t pack_head(uint32_t steal, uint32_t real)
{
	return (uint64_t)steal << 32 | real;
}

static uint32_t steal_of(uint64_t head)
{
	return (uint32_t)(head >> 32);
}

static uint32_t real_of(uint64_t head)
{
	return (uint32_t)head;
}

bool sp__runq_push(struct sp__runq *q, struct sp_fiber *fiber)
{
	/* Pairs with release_claim(): the stealing shard has copied. */
	uint64_t head = atomic_load_explicit(&q->head, memory_order_acquire);
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	if (tail - steal_of(head) >= SP__RUNQ_SIZE)
		return false;
	atomic_store_explicit(&q->slots[tail & MASK], fiber,
			      memory_order_relaxed);
	/* Pairs with the acquire of tail in sp__runq_steal(). */
	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
	return true;
}

struct sp_fiber *sp__runq_pop(struct sp__runq *q)
{
	uint64_t head = atomic_load_explicit(&q->head, memory_order_acquire);
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	for (;;) {
		uint32_t steal = steal_of(head), real = real_of(head);
		uint64_t next;

		if (real == tail)
			return NULL;
		/*
		 * While another shard steals, do not change the index steal.
		 */
		next = pack_head(steal == real ? real + 1 : steal, real + 1);
		if (atomic_compare_exchange_weak_explicit(&q->head, &head, next,
							  memory_order_acq_rel,
							  memory_order_acquire))
			return atomic_load_explicit(&q->slots[real & MASK],
						    memory_order_relaxed);
	}
}

uint32_t sp__runq_len(const struct sp__runq *q)
{
	uint64_t head = atomic_load_explicit(&q->head, memory_order_acquire);
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_acquire);
	uint32_t len = tail - real_of(head);

	/* The indices were read one after the other and may not match. */
	return len > SP__RUNQ_SIZE ? 0 : len;
}

/*
 * Claim half of the fibers by moving real ahead of steal. Returns the number
 * of fibers; 0 if there are none or another shard is stealing.
 */
static uint32_t claim_half(struct sp__runq *from, uint32_t max,
			   uint64_t *claimed)
{
	uint64_t head = atomic_load_explicit(&from->head, memory_order_acquire);

	for (;;) {
		uint32_t steal = steal_of(head), real = real_of(head);
		/* Pairs with the release in push: the slots are filled. */
		uint32_t tail =
			atomic_load_explicit(&from->tail, memory_order_acquire);
		uint32_t n = tail - real;

		if (steal != real || n == 0 || n > SP__RUNQ_SIZE)
			return 0;
		n -= n / 2;
		if (n > max)
			n = max;
		*claimed = pack_head(steal, real + n);
		if (atomic_compare_exchange_weak_explicit(&from->head, &head,
							  *claimed,
							  memory_order_acq_rel,
							  memory_order_acquire))
			return n;
	}
}

/* The copy is done: set steal to the current real. */
static void release_claim(struct sp__runq *from, uint64_t claimed)
{
	uint64_t head = claimed;

	while (!atomic_compare_exchange_weak_explicit(
		&from->head, &head, pack_head(real_of(head), real_of(head)),
		memory_order_acq_rel, memory_order_acquire))
		;
}

struct sp_fiber *sp__runq_steal(struct sp__runq *from, struct sp__runq *to,
				uint32_t max, uint32_t *moved)
{
	uint32_t to_tail =
		atomic_load_explicit(&to->tail, memory_order_relaxed);
	uint64_t to_head =
		atomic_load_explicit(&to->head, memory_order_acquire);
	struct sp_fiber *last;
	uint64_t claimed;
	uint32_t first, n;

	if (max > SP__RUNQ_SIZE / 2)
		max = SP__RUNQ_SIZE / 2;
	if (max == 0 || to_tail - steal_of(to_head) > SP__RUNQ_SIZE / 2)
		return NULL;
	n = claim_half(from, max, &claimed);
	if (n == 0)
		return NULL;
	first = real_of(claimed) - n;
	for (uint32_t i = 0; i < n - 1; i++) {
		struct sp_fiber *f =
			atomic_load_explicit(&from->slots[(first + i) & MASK],
					     memory_order_relaxed);

		atomic_store_explicit(&to->slots[(to_tail + i) & MASK], f,
				      memory_order_relaxed);
	}
	last = atomic_load_explicit(&from->slots[(first + n - 1) & MASK],
				    memory_order_relaxed);
	release_claim(from, claimed);
	if (n > 1)
		/* Pairs with the acquire of tail in sp__runq_steal(). */
		atomic_store_explicit(&to->tail, to_tail + n - 1,
				      memory_order_release);
	*moved = n;
	return last;
}
