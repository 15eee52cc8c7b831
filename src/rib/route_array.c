#include "rib/route_array.h"

#include "rib/attrset.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BITS 8
#define PAGE_IDS  256u
#define LOW(id)	  ((id) & (PAGE_IDS - 1))

/*
 * A directory of at least this size is direct, if at least a quarter of it is
 * used.
 */
#define DIRECT_PAGES 64

/*
 * A page with up to PACKED_MAX routes is packed. A full page is packed again
 * only when it has PACKED_BACK routes.
 */
#define PACKED_MAX  128
#define PACKED_BACK 80

struct packed {
	uint64_t bits[4];
	struct rib_entry entries[];
};

static bool is_full(const struct rib_page *page)
{
	return page->room == PAGE_IDS;
}

/* The number of routes in a packed page before index @i. */
static unsigned packed_rank(const struct packed *p, unsigned i)
{
	unsigned before = 0;

	for (unsigned word = 0; word < i / 64; word++)
		before += (unsigned)__builtin_popcountll(p->bits[word]);
	return before +
	       (unsigned)__builtin_popcountll(p->bits[i / 64] &
					      ((UINT64_C(1) << (i % 64)) - 1));
}

static bool packed_has(const struct packed *p, unsigned i)
{
	return p->bits[i / 64] >> (i % 64) & 1;
}

void rib_route_array_init(struct rib_route_array *r)
{
	*r = (struct rib_route_array){ 0 };
}

/* The directory */

/* Allocate the array with @capacity pages, and report its size to the heap. */
static void set_capacity(struct rib_route_array *r,
			 struct rib_handle_heap *heap, uint32_t capacity)
{
	heap->beside -= rib_route_array_bytes(r);
	r->capacity = capacity;
	heap->beside += rib_route_array_bytes(r);
}

void rib_route_array_fini(struct rib_route_array *r,
			  struct rib_handle_heap *heap)
{
	for (uint32_t i = 0; i < r->used; i++)
		rib_handle_heap_free(heap, r->pages[i].p);
	free(r->pages);
	set_capacity(r, heap, 0);
	rib_route_array_init(r);
}

/*
 * The index of page @number in a sparse directory, or the index to insert it.
 */
static uint32_t page_search(const struct rib_route_array *r, uint32_t number)
{
	uint32_t low = 0;
	uint32_t high = r->used;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->pages[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct rib_page *find_page(const struct rib_route_array *r,
				  uint32_t number)
{
	uint32_t at;

	if (r->direct)
		return number < r->used && r->pages[number].p != NULL
			       ? &r->pages[number]
			       : NULL;
	at = page_search(r, number);
	return at < r->used && r->pages[at].number == number ? &r->pages[at]
							     : NULL;
}

static bool pages_reserve(struct rib_route_array *r,
			  struct rib_handle_heap *heap, uint32_t pages)
{
	uint32_t capacity = r->capacity + r->capacity / 2;
	struct rib_page *p;

	if (pages <= r->capacity)
		return true;
	if (capacity < pages)
		capacity = pages;
	p = realloc(r->pages, capacity * sizeof(*p));
	if (p == NULL)
		return false;
	r->pages = p;
	set_capacity(r, heap, capacity);
	return true;
}

/* Make the directory direct, that is, indexed by page number. */
static bool make_direct(struct rib_route_array *r, struct rib_handle_heap *heap,
			uint32_t span)
{
	struct rib_page *p = calloc(span, sizeof(*p));

	if (p == NULL)
		return false;
	for (uint32_t i = 0; i < r->used; i++)
		p[r->pages[i].number] = r->pages[i];
	free(r->pages);
	r->pages = p;
	r->used = span;
	set_capacity(r, heap, span);
	r->direct = true;
	return true;
}

/*
 * Make the directory sparse. The array keeps its length, because the directory
 * will grow again.
 */
static void make_sparse(struct rib_route_array *r, struct rib_handle_heap *heap)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->used; i++)
		if (r->pages[i].p != NULL)
			r->pages[kept++] = r->pages[i];
	r->used = kept;
	r->direct = false;
	if (kept == 0) {
		free(r->pages);
		r->pages = NULL;
		set_capacity(r, heap, 0);
	} else {
		struct rib_page *p = realloc(r->pages, kept * sizeof(*p));

		if (p != NULL) {
			r->pages = p;
			set_capacity(r, heap, kept);
		}
	}
}

static uint32_t span_of(const struct rib_route_array *r, uint32_t number)
{
	uint32_t last = r->used == 0 ? 0 : r->pages[r->used - 1].number;

	return (last > number ? last : number) + 1;
}

static struct rib_page *add_direct(struct rib_route_array *r,
				   struct rib_handle_heap *heap,
				   uint32_t number)
{
	if (number >= r->used) {
		if (!pages_reserve(r, heap, number + 1))
			return NULL;
		memset(r->pages + r->used, 0,
		       (number + 1 - r->used) * sizeof(*r->pages));
		r->used = number + 1;
	}
	return &r->pages[number];
}

static struct rib_page *add_sparse(struct rib_route_array *r,
				   struct rib_handle_heap *heap,
				   uint32_t number)
{
	uint32_t at = page_search(r, number);

	if (!pages_reserve(r, heap, r->used + 1))
		return NULL;
	memmove(&r->pages[at + 1], &r->pages[at],
		(r->used - at) * sizeof(*r->pages));
	r->used++;
	return &r->pages[at];
}

/* Add a directory entry for a new page. */
static struct rib_page *add_page(struct rib_route_array *r,
				 struct rib_handle_heap *heap, uint32_t number)
{
	/*
	 * Stay sparse, so that one large page number does not need a long
	 * array.
	 */
	if (r->direct && number >= r->used && (number + 1) / 8 > r->filled)
		make_sparse(r, heap);
	if (!r->direct && r->filled > DIRECT_PAGES &&
	    span_of(r, number) / 4 < r->filled &&
	    !make_direct(r, heap, span_of(r, number)))
		return NULL;
	return r->direct ? add_direct(r, heap, number)
			 : add_sparse(r, heap, number);
}

static void remove_page(struct rib_route_array *r, struct rib_handle_heap *heap,
			struct rib_page *page)
{
	uint32_t at = (uint32_t)(page - r->pages);

	r->filled--;
	if (r->direct) {
		page->p = NULL;
		if (r->used / 16 > r->filled)
			make_sparse(r, heap);
		return;
	}
	r->used--;
	memmove(page, page + 1, (r->used - at) * sizeof(*page));
	if (r->used == 0)
		make_sparse(r, heap);
}

/* Pages */

static unsigned room_for(unsigned count)
{
	unsigned room = 1;

	if (count > PACKED_MAX)
		return PAGE_IDS;
	/* possible values: 1 2 4 6 8 12 16 24 32 48 64 96 128 */
	while (room < count) {
		if (room >= 4 && room + room / 2 >= count)
			return room + room / 2;
		room *= 2;
	}
	return room;
}

static size_t page_size(unsigned room)
{
	if (room == PAGE_IDS)
		return PAGE_IDS * sizeof(struct rib_entry);
	return sizeof(struct packed) + room * sizeof(struct rib_entry);
}

static void page_unpack(const struct packed *from, struct rib_entry *to)
{
	unsigned k = 0;

	memset(to, 0, page_size(PAGE_IDS));
	for (unsigned i = 0; i < PAGE_IDS; i++)
		if (packed_has(from, i))
			to[i] = from->entries[k++];
}

static void page_pack(const struct rib_entry *from, struct packed *to)
{
	unsigned k = 0;

	memset(to->bits, 0, sizeof(to->bits));
	for (unsigned i = 0; i < PAGE_IDS; i++)
		if (from[i].value != RIB_VALUE_NONE) {
			to->bits[i / 64] |= UINT64_C(1) << (i % 64);
			to->entries[k++] = from[i];
		}
}

/* Move the routes of a page to an allocation for @room routes. */
static bool page_resize(struct rib_page *page, struct rib_handle_heap *heap,
			unsigned room)
{
	void *p = rib_handle_heap_alloc(heap, page_size(room));

	if (p == NULL)
		return false;
	if (is_full(page))
		page_pack(page->p, p);
	else if (room == PAGE_IDS)
		page_unpack(page->p, p);
	else
		memcpy(p, page->p, page_size(page->count));
	rib_handle_heap_free(heap, page->p);
	page->p = p;
	page->room = (uint16_t)room;
	return true;
}

static struct rib_entry *page_find(const struct rib_page *page, unsigned i)
{
	struct packed *p = page->p;

	if (is_full(page)) {
		struct rib_entry *e = (struct rib_entry *)page->p + i;

		return e->value != RIB_VALUE_NONE ? e : NULL;
	}
	return packed_has(p, i) ? &p->entries[packed_rank(p, i)] : NULL;
}

static struct rib_entry *page_add(struct rib_page *page,
				  struct rib_handle_heap *heap, unsigned i)
{
	struct packed *p;
	unsigned at;

	if (page->count == page->room &&
	    !page_resize(page, heap, room_for(page->count + 1u)))
		return NULL;
	page->count++;
	if (is_full(page))
		return (struct rib_entry *)page->p + i;
	p = page->p;
	at = packed_rank(p, i);
	memmove(&p->entries[at + 1], &p->entries[at],
		(page->count - 1u - at) * sizeof(*p->entries));
	p->bits[i / 64] |= UINT64_C(1) << (i % 64);
	return &p->entries[at];
}

static void page_remove(struct rib_page *page, struct rib_handle_heap *heap,
			unsigned i)
{
	page->count--;
	if (is_full(page)) {
		((struct rib_entry *)page->p)[i] = (struct rib_entry){ 0 };
		/*
		 * If out of memory for a smaller allocation, keep the page as
		 * it is.
		 */
		if (page->count == PACKED_BACK)
			(void)page_resize(page, heap, PACKED_MAX);
	} else {
		struct packed *p = page->p;
		unsigned at = packed_rank(p, i);

		memmove(&p->entries[at], &p->entries[at + 1],
			(page->count - at) * sizeof(*p->entries));
		p->bits[i / 64] &= ~(UINT64_C(1) << (i % 64));
		if (page->count != 0 && page->count < page->room / 3)
			(void)page_resize(page, heap,
					  room_for(page->count * 3u / 2));
	}
}

/* The table */

/*
 * Hot: once per route. Cost: one cache line of the directory, which is small
 * enough to stay cached, and one of the page. bench/rib.c
 */
struct rib_entry *rib_route_array_find(const struct rib_route_array *r,
				       uint32_t id)
{
	const struct rib_page *page = find_page(r, id >> PAGE_BITS);

	return page == NULL ? NULL : page_find(page, LOW(id));
}

void rib_route_array_prefetch(const struct rib_route_array *r, uint32_t id)
{
	const struct rib_page *page = find_page(r, id >> PAGE_BITS);

	if (page != NULL && is_full(page))
		__builtin_prefetch((struct rib_entry *)page->p + LOW(id), 1);
	else if (page != NULL)
		__builtin_prefetch(page->p, 1);
}

struct rib_entry *rib_route_array_add(struct rib_route_array *r,
				      struct rib_handle_heap *heap, uint32_t id)
{
	uint32_t number = id >> PAGE_BITS;
	struct rib_page *page = find_page(r, number);
	struct rib_entry *e;

	if (page == NULL) {
		void *p = rib_handle_heap_alloc(heap, page_size(1));

		if (p == NULL)
			return NULL;
		page = add_page(r, heap, number);
		if (page == NULL) {
			rib_handle_heap_free(heap, p);
			return NULL;
		}
		memset(p, 0, page_size(1));
		*page = (struct rib_page){ .p = p,
					   .number = number,
					   .room = 1 };
		r->filled++;
	}
	e = page_add(page, heap, LOW(id));
	if (e != NULL)
		r->count++;
	return e;
}

void rib_route_array_remove(struct rib_route_array *r,
			    struct rib_handle_heap *heap, uint32_t id)
{
	struct rib_page *page = find_page(r, id >> PAGE_BITS);

	assert(page != NULL && page_find(page, LOW(id)) != NULL);
	page_remove(page, heap, LOW(id));
	r->count--;
	if (page->count != 0)
		return;
	rib_handle_heap_free(heap, page->p);
	remove_page(r, heap, page);
}

static struct rib_entry *page_next(const struct rib_page *page, unsigned from,
				   unsigned *low)
{
	struct packed *p = page->p;

	for (unsigned i = from; i < PAGE_IDS; i++) {
		if (!is_full(page) && i % 64 == 0 && p->bits[i / 64] == 0) {
			i += 63;
			continue;
		}
		if (page_find(page, i) != NULL) {
			*low = i;
			return page_find(page, i);
		}
	}
	return NULL;
}

struct rib_entry *rib_route_array_next(const struct rib_route_array *r,
				       uint32_t from, uint32_t *id)
{
	uint32_t number = from >> PAGE_BITS;
	uint32_t at = r->direct ? number : page_search(r, number);

	for (; at < r->used; at++) {
		const struct rib_page *page = &r->pages[at];
		struct rib_entry *e;
		unsigned low;

		if (page->p == NULL)
			continue;
		e = page_next(page, page->number == number ? LOW(from) : 0,
			      &low);
		if (e == NULL)
			continue;
		*id = page->number << PAGE_BITS | low;
		return e;
	}
	return NULL;
}

uint64_t rib_route_array_bytes(const struct rib_route_array *r)
{
	return (uint64_t)r->capacity * sizeof(*r->pages);
}

static bool page_valid(const struct rib_page *page)
{
	unsigned count = 0;

	for (unsigned i = 0; i < PAGE_IDS; i++) {
		const struct rib_entry *e = page_find(page, i);

		if (e == NULL)
			continue;
		count++;
		if (e->value == RIB_VALUE_NONE)
			return false;
	}
	return count == page->count && count != 0 && count <= page->room;
}

bool rib_route_array_validate(const struct rib_route_array *r)
{
	uint64_t count = 0;
	uint32_t filled = 0;

	for (uint32_t i = 0; i < r->used; i++) {
		const struct rib_page *page = &r->pages[i];

		if (r->direct && page->p == NULL)
			continue;
		if (r->direct ? page->number != i
			      : i > 0 && page[-1].number >= page->number)
			return false;
		if (!page_valid(page))
			return false;
		count += page->count;
		filled++;
	}
	return count == r->count && filled == r->filled &&
	       r->used <= r->capacity;
}
