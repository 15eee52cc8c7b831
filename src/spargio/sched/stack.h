/*
 * spargio/sched/stack.h - pooled stacks with guards
 *
 *	low address					high address
 *	+-------+----------------------------------+----------+
 *	| guard |  <-- stack grows this way        |  header  |
 *	+-------+----------------------------------+----------+
 *
 * A slot is one stack; its owner's structure (the fiber) is the header at its
 * top, so that a fresh fiber touches one page. Slots are cut from slabs, which
 * stay mapped while the runtime lives: a pointer to a header never dangles,
 * though the slot may serve somebody else by then.
 *
 * A guard is more than 64 KiB of address space, which is what compilers take
 * for granted with -fstack-clash-protection. MADV_GUARD_INSTALL (Linux 6.13)
 * makes one without splitting the mapping. Before that mprotect() does, and
 * each guard takes two of the vm.max_map_count mappings of the process. So a
 * quarter of that number is guarded (16,382 stacks by default) and later
 * stacks are not: below them is the same address space, but it can be written.
 *
 * Each shard keeps a cache of free slots and touches the shared part only
 * when the cache runs empty or over. What flows from the shard that spawns to
 * the shard that finishes comes back that way.
 */
#ifndef SPARGIO_SCHED_STACK_H
#define SPARGIO_SCHED_STACK_H

#include "spargio/sched/spin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SP__STACK_CLASSES = 4,	   /* 16, 64, 256 KiB and 1 MiB */
	SP__SLAB_SLOTS = 64,	   /* of the first slabs */
	SP__SLAB_SLOTS_MAX = 1024, /* of those of a runtime that has many */
	SP__CACHE_MAX = 128,	   /* free slots a shard keeps to itself */
};

/* First member of what lives at the top of a slot. */
struct sp__slot {
	struct sp__slot *next; /* in a free list */
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
	_Atomic uint32_t carved; /* slots made of it so far */
};

/* The shared part. */
struct sp__stacks {
	struct sp__spin lock;
	struct sp__slab *_Atomic slabs; /* only ever grows, at its head */
	struct sp__slab *open[SP__STACK_CLASSES]; /* the one being carved */
	struct sp__slot *free[SP__STACK_CLASSES];
	uint32_t nfree[SP__STACK_CLASSES];
	uint32_t nslabs;
	uint32_t mapped_guards;	    /* made by mprotect() */
	_Atomic uint64_t unguarded; /* stacks that have no guard */
	size_t header_size;
	size_t page_size;
	size_t guard_size;
	bool trust_madvise; /* it refuses what it does not know */
};

/* A shard's part. */
struct sp__stack_cache {
	struct sp__slot *free[SP__STACK_CLASSES];
	uint32_t nfree[SP__STACK_CLASSES];
};

void sp__stacks_init(struct sp__stacks *stacks, size_t header_size);

/* Unmaps every slab: no fiber may be left. */
void sp__stacks_fini(struct sp__stacks *stacks);

/* The smallest class that offers @size bytes, or -1 if none does. */
int sp__stack_class(size_t size);

/* The slow halves of what follows: the shared part, under its lock. */
struct sp__slot *sp__stack_get_shared(struct sp__stacks *stacks,
				      struct sp__stack_cache *cache, int class);
void sp__stack_put_shared(struct sp__stacks *stacks,
			  struct sp__stack_cache *cache, struct sp__slot *slot);

/*
 * A slot of @class, its header zero when it was never used before. @cache may
 * be NULL (a thread that is no shard). NULL if memory is out.
 *
 * Hot: once per spawn. Cost: two loads and two stores while the cache has
 * one; a lock and a batch of 32 when not; mmap of a slab when neither has.
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

/* Give all of @cache back to the shared part. */
void sp__stack_cache_drain(struct sp__stacks *stacks,
			   struct sp__stack_cache *cache);

/*
 * The slot whose guard holds @addr, or NULL. Async-signal-safe: for the
 * handler that names the fiber which overflowed.
 */
struct sp__slot *sp__stack_guard_owner(struct sp__stacks *stacks,
				       const void *addr);

/* Call @visit for every slot that was ever handed out; racy by nature. */
void sp__stacks_walk(struct sp__stacks *stacks,
		     void (*visit)(struct sp__slot *, void *), void *arg);

#endif
