/*
 * rib/attrset.h - interned attribute sets, and values with extra bytes
 *
 * A route stores a value: a number that stands for its attributes and its extra
 * bytes. The extra bytes are the data of a route that are neither attributes
 * nor key: the labels of a prefix, or the whole NLRI of a route that is not a
 * prefix. Routes of plain families have none and do not pay for them.
 *
 *	route without extra bytes	value = number of its attribute set
 *	route with extra bytes		value = number of { set, extra bytes },
 *					with bit 31 set
 *
 * Two routes with the same key are equal if their values are equal. In practice
 * five or six routes share a set, so the sets need most of the memory: each has
 * its canonical bytes (bmp/canonical.h) and eight more. Interning AS paths and
 * communities separately was measured and rejected: docs/decisions/0031.
 *
 * Sets and values have a reference count; a function that finds or makes one
 * adds a reference.
 */
#ifndef RIB_ATTRSET_H
#define RIB_ATTRSET_H

#include "rib/mem/hash_index.h"

#include "bmp/wire.h"

/* Values that are not the number of a set. */
#define RIB_VALUE_NONE 0u /* there is no route */
/* attributes are not known: differs from all other values */
#define RIB_VALUE_UNKNOWN 1u
#define RIB_VALUE_EXTRA	  0x80000000u

struct rib_attrsets {
	struct rib_handle_heap heap;
	struct rib_hash_index sets;
	struct rib_hash_index values; /* values with extra bytes */
	uint64_t seed;
};

void rib_attrsets_init(struct rib_attrsets *a, uint64_t seed);
void rib_attrsets_fini(struct rib_attrsets *a);

/* Find or make the set with these bytes. RIB_VALUE_NONE if out of memory. */
uint32_t rib_attrset_intern(struct rib_attrsets *a, struct wire_view bytes);

/*
 * The steps of rib_attrset_intern() one by one, so that the caller can do other
 * work while memory is fetched: hash, prefetch the slot, prefetch the bytes,
 * find or make the set.
 */
uint32_t rib_attrset_hash(const struct rib_attrsets *a, struct wire_view bytes);
void rib_attrset_prefetch(const struct rib_attrsets *a, uint32_t hash);
void rib_attrset_prefetch_bytes(const struct rib_attrsets *a, uint32_t hash);
uint32_t rib_attrset_intern_hashed(struct rib_attrsets *a, uint32_t hash,
				   struct wire_view bytes);

/*
 * The value for @set and @extra, which is not empty. @set may be
 * RIB_VALUE_UNKNOWN.
 */
uint32_t rib_value_intern(struct rib_attrsets *a, uint32_t set,
			  struct wire_view extra);

/* Prefetch the reference count that the next two functions change. */
void rib_value_prefetch(const struct rib_attrsets *a, uint32_t value);

/* Add and remove a reference. Accepts any value. */
void rib_value_get(struct rib_attrsets *a, uint32_t value);
void rib_value_put(struct rib_attrsets *a, uint32_t value);

/* The set of a value. A value without extra bytes is its own set. */
uint32_t rib_value_set(const struct rib_attrsets *a, uint32_t value);

/* The extra bytes of a value; empty if it has none. */
struct wire_view rib_value_extra(const struct rib_attrsets *a, uint32_t value);

/* The canonical bytes of a set; empty for RIB_VALUE_UNKNOWN. */
struct wire_view rib_attrset_bytes(const struct rib_attrsets *a, uint32_t set);

/* True if @set, which is not RIB_VALUE_UNKNOWN, has these bytes. */
bool rib_attrset_is(const struct rib_attrsets *a, uint32_t set,
		    struct wire_view bytes);

uint64_t rib_attrsets_bytes(const struct rib_attrsets *a);
/*
 * The number of references on sets and values, without the references that
 * values have on their sets.
 */
uint64_t rib_attrsets_references(const struct rib_attrsets *a);
bool rib_attrsets_validate(const struct rib_attrsets *a);

#endif
