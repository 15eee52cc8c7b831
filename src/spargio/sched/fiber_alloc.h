/*
 * spargio/sched/fiber_alloc.h - memory for fibers
 *
 * Inline: both functions are called once per fiber, and each is a few
 * instructions if the shard's stack cache can serve it.
 */
#ifndef SPARGIO_SCHED_FIBER_ALLOC_H
#define SPARGIO_SCHED_FIBER_ALLOC_H

#include "spargio/sched/runtime.h"

/*
 * Get a fiber from the pool of stacks, without queueing it. NULL if out of
 * memory. @here is the caller's shard if that belongs to @rt, or NULL.
 */
static inline struct sp_fiber *sp__fiber_new(struct sp_rt *rt,
					     struct sp_shard *here,
					     size_t stack_size)
{
	int class = rt->stack_class;

	if (stack_size != 0)
		class = sp__stack_class(stack_size);
	return (struct sp_fiber *)(void *)sp__stack_get(
		&rt->stacks, here == NULL ? NULL : &here->stacks, class);
}

/* Return a fiber that has ended or never ran to the pool of stacks. */
static inline void sp__fiber_free(struct sp_rt *rt, struct sp_shard *here,
				  struct sp_fiber *fiber)
{
	/* From here on every sp_task of this fiber is stale. */
	atomic_store_explicit(&fiber->id, 0, memory_order_relaxed);
	atomic_store_explicit(&fiber->state, SP__FIBER_FREE,
			      memory_order_relaxed);
	sp__stack_put(&rt->stacks, here == NULL ? NULL : &here->stacks,
		      &fiber->slot);
}

#endif
