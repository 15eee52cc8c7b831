/*
 * spargio/sched/stack.h - pooled stacks with guards
 *
 *	low address					high address
 *	+-------+----------------------------------+----------+
 *	| guard |  <-- stack grows this way        |  header  |
 *	+-------+----------------------------------+----------+
 *
 * A slot is one stack. The structure of its owner (the fiber) is a header at
 * the top of the slot, so that a new fiber touches one page. Slots are cut
 * from slabs, which stay mapped until the runtime ends: a pointer to a header
 * is always valid, but the slot may already belong to another fiber.
 *
 * A guard is more than 64 KiB of address space, as compilers assume with
 * -fstack-clash-protection. MADV_GUARD_INSTALL (Linux 6.13) makes a guard
 * without splitting the mapping. On older kernels mprotect() is used, and each
 * guard takes two of the vm.max_map_count mappings of the process. So guards
 * use at most half of the mappings (16,382 stacks by default). Later stacks
 * have no guard: the same address space is below them, but it is writable.
 *
 * Each shard has a cache of free slots and uses the shared pool only when the
 * cache is empty or full. If fibers are spawned on one shard and end on
 * another, their slots return to the first shard through the shared pool.
 */
#ifndef SPARGIO_SCHED_STACK_H
#define SPARGIO_SCHED_STACK_H

#include "spargio/sched/spin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SP__STACK_CLASSES = 4, /* 16, 64, 256 KiB and 1 MiB */
	SP__SLAB_SLOTS = 64,   /* slots of the first slabs */
	/* slots of a slab in a runtime with many fibers */
	SP__SLAB_SLOTS_MAX = 1024,
	SP__CACHE_MAX = 128, /* free slots in the cache of a shard */
};

/* First member of the structure at the top of a slot. */
struct sp__slot {
	struct sp__slot *next; /* link of a free list */
	char *bottom; /* lowest usable address; below it is the guard */
	uint8_t class;
};

struct sp__slab {
	struct sp__slab *next;
	char *base;
	size_t size;
	size_t slot_size;
	uint32_t slots;
	uint8_t class;
	_Atomic uint32_t carved; /* number of slots made of the slab so far */
};

/* The shared pool. */
struct sp__stacks {
	struct sp__spin lock;
	struct sp__slab *_Atomic slabs; /* list that only grows, at its head */
	/* slab that new slots are cut from */
	struct sp__slab *open[SP__STACK_CLASSES];
	struct sp__slot *free[SP__STACK_CLASSES];
	uint32_t nfree[SP__STACK_CLASSES];
	uint32_t nslabs;
	uint32_t mapped_guards;	    /* guards made by mprotect() */
	_Atomic uint64_t unguarded; /* stacks that have no guard */
	size_t header_size;
	size_t page_size;
	size_t guard_size;
	/*
	 * madvise() refuses unknown advice, so success means that the kernel
	 * did what was asked
	 */
	bool trust_madvise;
};

/* The cache of a shard. */
struct sp__stack_cache {
	struct sp__slot *free[SP__STACK_CLASSES];
	uint32_t nfree[SP__STACK_CLASSES];
};

void sp__stacks_init(struct sp__stacks *stacks, size_t header_size);

/* Unmap every slab; no fiber may use a stack any more. */
void sp__stacks_fini(struct sp__stacks *stacks);

/* The smallest class that offers @size bytes, or -1 if none does. */
int sp__stack_class(size_t size);

/* The slow paths of the functions below: the shared pool, under its lock. */
struct sp__slot *sp__stack_get_shared(struct sp__stacks *stacks,
				      struct sp__stack_cache *cache, int class);
void sp__stack_put_shared(struct sp__stacks *stacks,
			  struct sp__stack_cache *cache, struct sp__slot *slot);

/*
 * Get a slot of @class; the header of a new slot is zero. @cache is NULL if
 * the caller's thread is not a shard. Returns NULL if out of memory.
 *
 * Hot: once per spawn. Cost: two loads and two stores if the cache has a slot;
 * else a lock and a batch of 32 slots from the shared pool; if the pool has no
 * slot either, mmap of a slab.
 */
static inline struct sp__slot *sp__stack_get(struct sp__stacks *stacks,
					     struct sp__stack_cache *cache,
					     int class)
{
	struct sp__slot *slot;

	if (cache == NULL || cache->free[class] == NULL)
		return sp__stack_get_shared(stacks, cache, class);
	slot = cache->free[class];
	cache->free[class] = slot->next;
	cache->nfree[class]--;
	return slot;
}

static inline void sp__stack_put(struct sp__stacks *stacks,
				 struct sp__stack_cache *cache,
				 struct sp__slot *slot)
{
	int class = slot->class;

	if (cache == NULL || cache->nfree[class] >= SP__CACHE_MAX) {
		sp__stack_put_shared(stacks, cache, slot);
		return;
	}
	slot->next = cache->free[class];
	cache->free[class] = slot;
	cache->nfree[class]++;
}

/* Return all slots of @cache to the shared pool. */
void sp__stack_cache_drain(struct sp__stacks *stacks,
			   struct sp__stack_cache *cache);

/*
 * The slot whose guard contains @addr, or NULL. Async-signal-safe: used by the
 * handler that names the fiber that overflowed.
 */
struct sp__slot *sp__stack_guard_owner(struct sp__stacks *stacks,
				       const void *addr);

/* Call @visit for every slot that was ever used, without a lock. */
void sp__stacks_walk(struct sp__stacks *stacks,
		     void (*visit)(struct sp__slot *, void *), void *arg);

#endif
