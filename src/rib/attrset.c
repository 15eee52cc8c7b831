#include "rib/attrset.h"

#include <assert.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* An attribute set: a reference count and the bytes. */
struct attrset {
	uint32_t count;
	uint32_t len;
	uint8_t bytes[];
};

/* A set with extra bytes. */
struct value {
	uint32_t count;
	uint32_t len;
	uint32_t set;
	uint8_t bytes[];
};

void rib_attrsets_init(struct rib_attrsets *a, uint64_t seed)
{
	*a = (struct rib_attrsets){ .seed = seed };
	rib_handle_heap_init(&a->heap);
	rib_hash_index_init(&a->sets, &a->heap);
	rib_hash_index_init(&a->values, &a->heap);
}

void rib_attrsets_fini(struct rib_attrsets *a)
{
	rib_hash_index_fini(&a->sets);
	rib_hash_index_fini(&a->values);
	rib_handle_heap_fini(&a->heap);
}

static struct attrset *set_at(const struct rib_attrsets *a, uint32_t set)
{
	return rib_handle_heap_at(&a->heap, set);
}

static struct value *value_at(const struct rib_attrsets *a, uint32_t value)
{
	return rib_handle_heap_at(&a->heap, value & ~RIB_VALUE_EXTRA);
}

static uint32_t attrset_hash(const struct rib_attrsets *a, const uint8_t *p,
			     size_t len, uint32_t set)
{
	return (uint32_t)(XXH3_64bits_withSeed(p, len, a->seed + set) >> 32);
}

static uint32_t find_set(const struct rib_attrsets *a, uint32_t h,
			 struct wire_view bytes)
{
	struct rib_hash_index_probe p = rib_hash_index_probe(&a->sets, h);
	uint32_t number;

	while ((number = rib_hash_index_next(&p)) != 0)
		if (rib_attrset_is(a, number, bytes))
			return number;
	return RIB_VALUE_NONE;
}

uint32_t rib_attrset_hash(const struct rib_attrsets *a, struct wire_view bytes)
{
	return attrset_hash(a, bytes.p, bytes.len, 0);
}

void rib_attrset_prefetch(const struct rib_attrsets *a, uint32_t h)
{
	rib_hash_index_prefetch(&a->sets, h);
}

void rib_attrset_prefetch_bytes(const struct rib_attrsets *a, uint32_t h)
{
	struct rib_hash_index_probe p = rib_hash_index_probe(&a->sets, h);
	uint32_t number = rib_hash_index_next(&p);

	/* The bytes of a set usually span two cache lines. */
	if (number != 0) {
		__builtin_prefetch(set_at(a, number));
		__builtin_prefetch((uint8_t *)set_at(a, number) + 64);
	}
}

uint32_t rib_attrset_intern(struct rib_attrsets *a, struct wire_view bytes)
{
	return rib_attrset_intern_hashed(a, rib_attrset_hash(a, bytes), bytes);
}

uint32_t rib_attrset_intern_hashed(struct rib_attrsets *a, uint32_t h,
				   struct wire_view bytes)
{
	uint32_t number = find_set(a, h, bytes);
	struct attrset *s;

	if (number != RIB_VALUE_NONE) {
		rib_value_get(a, number);
		return number;
	}
	s = rib_handle_heap_alloc(&a->heap, sizeof(*s) + bytes.len);
	if (s == NULL)
		return RIB_VALUE_NONE;
	s->count = 1;
	s->len = (uint32_t)bytes.len;
	if (bytes.len != 0)
		memcpy(s->bytes, bytes.p, bytes.len);
	number = rib_handle_heap_number(s);
	if (rib_hash_index_add(&a->sets, h, number) == 0)
		return number;
	rib_handle_heap_free(&a->heap, s);
	return RIB_VALUE_NONE;
}

static uint32_t find_value(const struct rib_attrsets *a, uint32_t h,
			   uint32_t set, struct wire_view extra)
{
	struct rib_hash_index_probe p = rib_hash_index_probe(&a->values, h);
	uint32_t number;

	while ((number = rib_hash_index_next(&p)) != 0) {
		const struct value *v = value_at(a, number);

		if (v->set == set && v->len == extra.len &&
		    memcmp(v->bytes, extra.p, extra.len) == 0)
			return number;
	}
	return RIB_VALUE_NONE;
}

uint32_t rib_value_intern(struct rib_attrsets *a, uint32_t set,
			  struct wire_view extra)
{
	uint32_t h = attrset_hash(a, extra.p, extra.len, set);
	uint32_t number = find_value(a, h, set, extra);
	struct value *v;

	assert(extra.len != 0);
	if (number != RIB_VALUE_NONE) {
		rib_value_get(a, number);
		return number;
	}
	v = rib_handle_heap_alloc(&a->heap, sizeof(*v) + extra.len);
	if (v == NULL)
		return RIB_VALUE_NONE;
	v->count = 1;
	v->len = (uint32_t)extra.len;
	v->set = set;
	memcpy(v->bytes, extra.p, extra.len);
	number = rib_handle_heap_number(v) | RIB_VALUE_EXTRA;
	if (rib_hash_index_add(&a->values, h, number) == 0) {
		rib_value_get(a, set);
		return number;
	}
	rib_handle_heap_free(&a->heap, v);
	return RIB_VALUE_NONE;
}

void rib_value_prefetch(const struct rib_attrsets *a, uint32_t value)
{
	if (value != RIB_VALUE_UNKNOWN)
		__builtin_prefetch(set_at(a, value & ~RIB_VALUE_EXTRA), 1);
}

void rib_value_get(struct rib_attrsets *a, uint32_t value)
{
	if (value == RIB_VALUE_UNKNOWN)
		return;
	assert(value != RIB_VALUE_NONE);
	/* Sets and values both begin with their reference count. */
	set_at(a, value & ~RIB_VALUE_EXTRA)->count++;
}

static void put_set(struct rib_attrsets *a, uint32_t set)
{
	struct attrset *s;

	if (set == RIB_VALUE_UNKNOWN)
		return;
	s = set_at(a, set);
	assert(s->count != 0);
	if (--s->count != 0)
		return;
	rib_hash_index_remove(&a->sets, attrset_hash(a, s->bytes, s->len, 0),
			      set);
	rib_handle_heap_free(&a->heap, s);
}

void rib_value_put(struct rib_attrsets *a, uint32_t value)
{
	struct value *v;
	uint32_t set;

	assert(value != RIB_VALUE_NONE);
	if (!(value & RIB_VALUE_EXTRA)) {
		put_set(a, value);
		return;
	}
	v = value_at(a, value);
	assert(v->count != 0);
	if (--v->count != 0)
		return;
	set = v->set;
	rib_hash_index_remove(&a->values,
			      attrset_hash(a, v->bytes, v->len, set), value);
	rib_handle_heap_free(&a->heap, v);
	put_set(a, set);
}

uint32_t rib_value_set(const struct rib_attrsets *a, uint32_t value)
{
	return value & RIB_VALUE_EXTRA ? value_at(a, value)->set : value;
}

struct wire_view rib_value_extra(const struct rib_attrsets *a, uint32_t value)
{
	const struct value *v;

	if (!(value & RIB_VALUE_EXTRA))
		return (struct wire_view){ 0 };
	v = value_at(a, value);
	return (struct wire_view){ v->bytes, v->len };
}

struct wire_view rib_attrset_bytes(const struct rib_attrsets *a, uint32_t set)
{
	const struct attrset *s;

	if (set == RIB_VALUE_UNKNOWN)
		return (struct wire_view){ 0 };
	s = set_at(a, set);
	return (struct wire_view){ s->bytes, s->len };
}

bool rib_attrset_is(const struct rib_attrsets *a, uint32_t set,
		    struct wire_view bytes)
{
	const struct attrset *s = set_at(a, set);

	return s->len == bytes.len &&
	       (s->len == 0 || memcmp(s->bytes, bytes.p, bytes.len) == 0);
}

uint64_t rib_attrsets_bytes(const struct rib_attrsets *a)
{
	return rib_handle_heap_bytes(&a->heap) +
	       rib_hash_index_bytes(&a->sets) +
	       rib_hash_index_bytes(&a->values);
}

static uint64_t page_references(const struct rib_attrsets *a,
				const struct rib_hash_index_page *page)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < RIB_HASH_INDEX_SLOTS; i++) {
		uint32_t n = (uint32_t)page->slots[i];

		if (n == 0)
			continue;
		sum += set_at(a, n & ~RIB_VALUE_EXTRA)->count;
		/* Do not count the reference that a value has on its set. */
		if (n & RIB_VALUE_EXTRA &&
		    rib_value_set(a, n) != RIB_VALUE_UNKNOWN)
			sum--;
	}
	return sum;
}

uint64_t rib_attrsets_references(const struct rib_attrsets *a)
{
	const struct rib_hash_index *both[2] = { &a->sets, &a->values };
	uint64_t sum = 0;

	for (int k = 0; k < 2; k++) {
		const struct rib_hash_index *index = both[k];
		size_t i = 0;

		while (index->directory != NULL &&
		       i < (size_t)1 << index->depth) {
			const struct rib_hash_index_page *page =
				index->directory[i];

			sum += page_references(a, page);
			i += (size_t)1 << (index->depth - page->depth);
		}
	}
	return sum;
}

/* True if each entry of the page can be found by its own bytes. */
static bool page_valid(const struct rib_attrsets *a, bool extra,
		       const struct rib_hash_index_page *page)
{
	for (unsigned i = 0; i < RIB_HASH_INDEX_SLOTS; i++) {
		uint32_t n = (uint32_t)page->slots[i];
		uint32_t h = (uint32_t)(page->slots[i] >> 32);
		struct wire_view bytes;

		if (n == 0)
			continue;
		if (((n & RIB_VALUE_EXTRA) != 0) != extra)
			return false;
		if (set_at(a, n & ~RIB_VALUE_EXTRA)->count == 0)
			return false;
		bytes = extra ? rib_value_extra(a, n) : rib_attrset_bytes(a, n);
		if ((extra ? find_value(a, h, rib_value_set(a, n), bytes)
			   : find_set(a, h, bytes)) != n)
			return false;
	}
	return true;
}

bool rib_attrsets_validate(const struct rib_attrsets *a)
{
	const struct rib_hash_index *both[2] = { &a->sets, &a->values };

	for (int k = 0; k < 2; k++) {
		const struct rib_hash_index *index = both[k];

		if (!rib_hash_index_validate(index))
			return false;
		if (index->directory == NULL)
			continue;
		for (size_t i = 0; i < (size_t)1 << index->depth; i++)
			if (!page_valid(a, k == 1, index->directory[i]))
				return false;
	}
	return rib_handle_heap_validate(&a->heap);
}
