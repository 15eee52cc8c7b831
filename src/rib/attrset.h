/*
 * rib/attrset.h - interned attribute sets, and values with extra bytes
 *
 *	value of a plain route		= number of its attribute set
 *	value of any other		= number of { set, extra bytes }, bit 31
 *
 * Routes are compared by the number of their value: equal numbers are equal
 * routes. A real table has one set for five or six routes, so the sets are most
 * of the memory: each is its canonical bytes (bmp/canonical.h) and eight more.
 * Interning AS paths and communities separately was measured and rejected:
 * docs/decisions/0031.
 *
 * The extra bytes are what a route has besides attributes and key: the labels
 * of a prefix, or the whole NLRI of a route that is not a prefix. Routes of
 * plain families have none and do not pay for them.
 *
 * Sets and values have a reference count; finding or making one takes a
 * reference.
 */
#ifndef RIB_ATTRSET_H
#define RIB_ATTRSET_H

#include "rib/mem/hash_index.h"

#include "bmp/wire.h"

/* Values that are not a set. */
#define RIB_VALUE_NONE	  0u /* there is no route */
#define RIB_VALUE_UNKNOWN 1u /* unknown attributes: differ from all others */
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
 * The same in steps, so that a caller can work while memory is fetched: hash,
 * prefetch the slot, prefetch the bytes, find or make.
 */
uint32_t rib_attrset_hash(const struct rib_attrsets *a, struct wire_view bytes);
void rib_attrset_prefetch(const struct rib_attrsets *a, uint32_t hash);
void rib_attrset_prefetch_bytes(const struct rib_attrsets *a, uint32_t hash);
uint32_t rib_attrset_intern_hashed(struct rib_attrsets *a, uint32_t hash,
				   struct wire_view bytes);

/* The value of @set with @extra, which is not empty. @set may be unknown. */
uint32_t rib_value_intern(struct rib_attrsets *a, uint32_t set,
			  struct wire_view extra);

/* Prefetch the count that the next two functions change. */
void rib_value_prefetch(const struct rib_attrsets *a, uint32_t value);

/* Add and remove a reference. Accepts any value. */
void rib_value_get(struct rib_attrsets *a, uint32_t value);
void rib_value_put(struct rib_attrsets *a, uint32_t value);

/* The set of a value: the value itself, if it has no extra bytes. */
uint32_t rib_value_set(const struct rib_attrsets *a, uint32_t value);

/* Empty for values without extra bytes. */
struct wire_view rib_value_extra(const struct rib_attrsets *a, uint32_t value);

/* The canonical bytes of a set. Empty if unknown. */
struct wire_view rib_attrset_bytes(const struct rib_attrsets *a, uint32_t set);

/* True if @set, which must be known, has these bytes. */
bool rib_attrset_is(const struct rib_attrsets *a, uint32_t set,
		    struct wire_view bytes);

uint64_t rib_attrsets_bytes(const struct rib_attrsets *a);
/* References on sets and values, without those of values on their sets. */
uint64_t rib_attrsets_references(const struct rib_attrsets *a);
bool rib_attrsets_validate(const struct rib_attrsets *a);

#endif
