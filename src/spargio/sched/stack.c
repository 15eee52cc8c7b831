#include "spargio/sched/stack.h"
#include "spargio/sched/context.h"
#include "spargio/sched/memcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Since Linux 6.13: guard pages that do not split the mapping. */
#define GUARD_INSTALL 102

#define GUARD_MIN 65536

/* Linux's default of vm.max_map_count, and the mappings that a guard takes. */
#define MAP_COUNT_DEFAULT 65530
#define GUARD_MAPPINGS	  2

#define BATCH 32 /* slots moved at a time between a cache and the shared pool */

/*
 * Number of free stacks of a class in the shared pool that keep their pages.
 */
#define WARM_MAX 1024

/*
 * Guards made by mprotect() in this process, for all runtimes: the limit on
 * mappings is per process.
 */
static _Atomic uint32_t mapped_guards;

static size_t class_size(int class)
{
	return (size_t)16384 << (2 * class);
}

int sp__stack_class(size_t size)
{
	for (int class = 0; class < SP__STACK_CLASSES; class ++)
		if (size <= class_size(class))
			return class;
	return -1; /* larger than every class */
}

static size_t round_up(size_t size, size_t unit)
{
	return (size + unit - 1) / unit * unit;
}

void sp__stacks_init(struct sp__stacks *stacks, size_t header_size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*stacks = (struct sp__stacks){
		.header_size = round_up(header_size, SP__CACHE_LINE),
		.page_size = page,
		/*
		 * The extra page puts the tops of neighbouring stacks into
		 * different TLB sets.
		 */
		.guard_size = round_up(GUARD_MIN, page) + page,
		/* qemu's user emulation accepts any advice and does nothing. */
		.trust_madvise = madvise(NULL, 0, -1) < 0,
	};
}

void sp__stacks_fini(struct sp__stacks *stacks)
{
	struct sp__slab *slab = atomic_load(&stacks->slabs);

	while (slab != NULL) {
		struct sp__slab *next = slab->next;

		sp__context_unmark(slab->base, slab->size);
		munmap(slab->base, slab->size);
		free(slab);
		slab = next;
	}
	atomic_store(&stacks->slabs, NULL);
	atomic_fetch_sub(&mapped_guards, stacks->mapped_guards);
	stacks->mapped_guards = 0;
}

static struct sp__slot *slot_at(const struct sp__stacks *stacks,
				const struct sp__slab *slab, size_t i)
{
	char *top = slab->base + (i + 1) * slab->slot_size;

	return (struct sp__slot *)(top - stacks->header_size);
}

static uint32_t read_map_count(void)
{
	int fd = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
	char text[24] = "";
	unsigned long count = 0;

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) > 0)
			count = strtoul(text, NULL, 10);
		close(fd);
	}
	if (count == 0)
		return MAP_COUNT_DEFAULT;
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/*
 * Maximum number of guards made by mprotect(). They use half of the process's
 * mappings; the other half is for the rest of the program.
 */
static uint32_t mapped_guards_max(void)
{
	static _Atomic uint32_t max;
	uint32_t found = atomic_load_explicit(&max, memory_order_relaxed);

	if (found == 0) {
		found = read_map_count() / GUARD_MAPPINGS / 2;
		atomic_store_explicit(&max, found, memory_order_relaxed);
	}
	return found;
}

/* The lock is held. */
static bool map_guard(struct sp__stacks *stacks, char *guard)
{
	if (atomic_fetch_add(&mapped_guards, 1) >= mapped_guards_max() ||
	    mprotect(guard, stacks->guard_size, PROT_NONE) < 0) {
		atomic_fetch_sub(&mapped_guards, 1);
		return false;
	}
	stacks->mapped_guards++;
	return true;
}

static bool install_guard(struct sp__stacks *stacks, char *guard)
{
	if (stacks->trust_madvise &&
	    madvise(guard, stacks->guard_size, GUARD_INSTALL) == 0)
		return true;
	return map_guard(stacks, guard);
}

/*
 * A runtime with many fibers uses larger slabs, because each slab may be a
 * mapping.
 */
static uint32_t slab_slots(const struct sp__stacks *stacks)
{
	uint32_t slots = (uint32_t)SP__SLAB_SLOTS;

	for (uint32_t n = stacks->nslabs;
	     n >= SP__SLAB_SLOTS && slots < SP__SLAB_SLOTS_MAX;
	     n -= SP__SLAB_SLOTS)
		slots *= 2;
	return slots;
}

static struct sp__slab *slab_new(size_t slot_size, uint32_t slots, int class)
{
	struct sp__slab *slab = malloc(sizeof(*slab));
	size_t size = slot_size * slots;
	void *base;

	if (slab == NULL)
		return NULL;
	base = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED) {
		free(slab);
		return NULL;
	}
	/* A huge page would commit all stacks it covers at the first touch. */
	(void)madvise(base, size, MADV_NOHUGEPAGE);
	*slab = (struct sp__slab){ .base = base,
				   .size = size,
				   .slot_size = slot_size,
				   .slots = slots,
				   .class = (uint8_t) class };
	return slab;
}

static int add_slab(struct sp__stacks *stacks, int class)
{
	size_t size = round_up(class_size(class), stacks->page_size);
	struct sp__slab *slab =
		slab_new(stacks->guard_size + size, slab_slots(stacks), class);

	if (slab == NULL)
		return -ENOMEM;
	slab->next = atomic_load_explicit(&stacks->slabs, memory_order_relaxed);
	/* Pairs with the acquire of the walkers, which take no lock. */
	atomic_store_explicit(&stacks->slabs, slab, memory_order_release);
	stacks->open[class] = slab;
	stacks->nslabs++;
	return 0;
}

/*
 * Make the next slot of the open slab. Slots are made one at a time, because
 * the header of each makes a page resident, and a small runtime should not use
 * 64 pages. The lock is held.
 */
static struct sp__slot *carve_slot(struct sp__stacks *stacks, int class)
{
	struct sp__slab *slab = stacks->open[class];
	struct sp__slot *slot;
	char *guard;
	uint32_t i;

	if (slab == NULL ||
	    atomic_load_explicit(&slab->carved, memory_order_relaxed) ==
		    slab->slots) {
		if (add_slab(stacks, class) < 0)
			return NULL;
		slab = stacks->open[class];
	}
	i = atomic_load_explicit(&slab->carved, memory_order_relaxed);
	guard = slab->base + i * slab->slot_size;
	if (!install_guard(stacks, guard))
		atomic_fetch_add_explicit(&stacks->unguarded, 1,
					  memory_order_relaxed);
	slot = slot_at(stacks, slab, i);
	slot->bottom = guard + stacks->guard_size;
	slot->class = (uint8_t) class;
	(void)VALGRIND_STACK_REGISTER(slot->bottom, (char *)slot);
	/* Pairs with the acquire of the walkers. */
	atomic_store_explicit(&slab->carved, i + 1, memory_order_release);
	return slot;
}

static struct sp__slot *take_shared(struct sp__stacks *stacks, int class)
{
	struct sp__slot *slot = stacks->free[class];

	if (slot == NULL)
		return carve_slot(stacks, class);
	stacks->free[class] = slot->next;
	stacks->nfree[class]--;
	return slot;
}

static void refill_cache(struct sp__stacks *stacks,
			 struct sp__stack_cache *cache, int class)
{
	sp__spin_lock(&stacks->lock);
	for (int i = 0; i < BATCH; i++) {
		struct sp__slot *slot;

		/* New slots cost page faults: make only those needed now. */
		if (stacks->free[class] == NULL && i > 0)
			break;
		slot = take_shared(stacks, class);
		if (slot == NULL)
			break;
		slot->next = cache->free[class];
		cache->free[class] = slot;
		cache->nfree[class]++;
	}
	sp__spin_unlock(&stacks->lock);
}

struct sp__slot *sp__stack_get_shared(struct sp__stacks *stacks,
				      struct sp__stack_cache *cache, int class)
{
	struct sp__slot *slot;

	if (cache == NULL) {
		sp__spin_lock(&stacks->lock);
		slot = take_shared(stacks, class);
		sp__spin_unlock(&stacks->lock);
		return slot;
	}
	refill_cache(stacks, cache, class);
	return cache->free[class] == NULL ? NULL
					  : sp__stack_get(stacks, cache, class);
}

/* Return all pages but the top one, which holds the header, to the kernel. */
static void release_pages(const struct sp__stacks *stacks,
			  struct sp__slot *slot)
{
	uintptr_t top = (uintptr_t)slot & ~(stacks->page_size - 1);

	if (top > (uintptr_t)slot->bottom)
		(void)madvise(slot->bottom, top - (uintptr_t)slot->bottom,
			      MADV_DONTNEED);
}

static void put_shared(struct sp__stacks *stacks, struct sp__slot *slot)
{
	int class = slot->class;

	if (stacks->nfree[class] >= WARM_MAX)
		release_pages(stacks, slot);
	slot->next = stacks->free[class];
	stacks->free[class] = slot;
	stacks->nfree[class]++;
}

static void give_back(struct sp__stacks *stacks, struct sp__stack_cache *cache,
		      int class, uint32_t count)
{
	sp__spin_lock(&stacks->lock);
	while (count-- > 0) {
		struct sp__slot *slot = cache->free[class];

		cache->free[class] = slot->next;
		cache->nfree[class]--;
		put_shared(stacks, slot);
	}
	sp__spin_unlock(&stacks->lock);
}

void sp__stack_put_shared(struct sp__stacks *stacks,
			  struct sp__stack_cache *cache, struct sp__slot *slot)
{
	if (cache == NULL) {
		sp__spin_lock(&stacks->lock);
		put_shared(stacks, slot);
		sp__spin_unlock(&stacks->lock);
		return;
	}
	give_back(stacks, cache, slot->class, SP__CACHE_MAX / 2);
	sp__stack_put(stacks, cache, slot);
}

void sp__stack_cache_drain(struct sp__stacks *stacks,
			   struct sp__stack_cache *cache)
{
	for (int class = 0; class < SP__STACK_CLASSES; class ++)
		give_back(stacks, cache, class, cache->nfree[class]);
}

struct sp__slot *sp__stack_guard_owner(struct sp__stacks *stacks,
				       const void *addr)
{
	/* Pairs with the release in add_slab(). */
	const struct sp__slab *slab =
		atomic_load_explicit(&stacks->slabs, memory_order_acquire);
	const char *at = addr;

	for (; slab != NULL; slab = slab->next) {
		size_t offset;

		if (at < slab->base || at >= slab->base + slab->size)
			continue;
		offset = (size_t)(at - slab->base);
		if (offset % slab->slot_size >= stacks->guard_size ||
		    offset / slab->slot_size >=
			    atomic_load_explicit(&slab->carved,
						 memory_order_acquire))
			return NULL;
		return slot_at(stacks, slab, offset / slab->slot_size);
	}
	return NULL;
}

void sp__stacks_walk(struct sp__stacks *stacks,
		     void (*visit)(struct sp__slot *, void *), void *arg)
{
	/* Pairs with the release in add_slab(). */
	const struct sp__slab *slab =
		atomic_load_explicit(&stacks->slabs, memory_order_acquire);

	for (; slab != NULL; slab = slab->next) {
		uint32_t carved = atomic_load_explicit(&slab->carved,
						       memory_order_acquire);

		for (uint32_t i = 0; i < carved; i++)
			visit(slot_at(stacks, slab, i), arg);
	}
}
