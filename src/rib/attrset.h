/*
 * rib/attrset.h - attribute sets, each kept once, and what else a route is
 *
 *	value of a plain route		= number of its attribute set
 *	value of any other		= number of { set, extra bytes }, bit 31
 *
 * A route is compared by the number of its value: equal numbers are equal
 * routes. A real table has one set for five or six routes, so the sets are
 * most of the memory: each is its canonical bytes (bmp/canonical.h) and eight
 * more. Interning AS paths and communities apart was measured and not done:
 * docs/decisions/0031.
 *
 * The extra bytes are what a route has beside attributes and key: the labels
 * of a prefix, the whole NLRI of what is not a prefix. Routes of plain
 * families have none and do not pay for them.
 *
 * Sets and values are counted; finding or making one takes a reference.
 */
#ifndef RIB_ATTRSET_H
#define RIB_ATTRSET_H

#include "rib/mem/hash_index.h"

#include "bmp/wire.h"

/* Values that are no set. */
#define RIB_VALUE_NONE	  0u /* there is no route */
#define RIB_VALUE_UNKNOWN 1u /* attributes are unknown: like no others */
#define RIB_VALUE_EXTRA	  0x80000000u

struct rib_attrsets {
	struct rib_handle_heap heap;
	struct rib_hash_index sets;
	struct rib_hash_index values; /* those with extra bytes */
	uint64_t seed;
};

void rib_attrsets_init(struct rib_attrsets *a, uint64_t seed);
void rib_attrsets_fini(struct rib_attrsets *a);

/* The set with these bytes, found or made. RIB_VALUE_NONE: no memory. */
uint32_t rib_attrset_intern(struct rib_attrsets *a, struct wire_view bytes);

/*
 * The same in steps, for who has something to do while memory is waited for:
 * hash, ask for the slot, ask for the bytes, find or make.
 */
uint32_t rib_attrset_hash(const struct rib_attrsets *a, struct wire_view bytes);
void rib_attrset_prefetch(const struct rib_attrsets *a, uint32_t hash);
void rib_attrset_prefetch_bytes(const struct rib_attrsets *a, uint32_t hash);
uint32_t rib_attrset_intern_hashed(struct rib_attrsets *a, uint32_t hash,
				   struct wire_view bytes);

/* @set with @extra, which is not empty. @set may be unknown. */
uint32_t rib_value_intern(struct rib_attrsets *a, uint32_t set,
			  struct wire_view extra);

/* Ask for what the next two will count in. */
void rib_value_prefetch(const struct rib_attrsets *a, uint32_t value);

/* One more user, and one less. Any value will do. */
void rib_value_get(struct rib_attrsets *a, uint32_t value);
void rib_value_put(struct rib_attrsets *a, uint32_t value);

/* The set of a value: the value itself, if it has no extra bytes. */
uint32_t rib_value_set(const struct rib_attrsets *a, uint32_t value);

/* Empty of values without extra bytes. */
struct wire_view rib_value_extra(const struct rib_attrsets *a, uint32_t value);

/* The canonical bytes of a set. Empty if unknown. */
struct wire_view rib_attrset_bytes(const struct rib_attrsets *a, uint32_t set);

/* Whether @set, one that is known, has these. */
bool rib_attrset_is(const struct rib_attrsets *a, uint32_t set,
		    struct wire_view bytes);

uint64_t rib_attrsets_bytes(const struct rib_attrsets *a);
/* References on sets and values, less those of values on their sets. */
uint64_t rib_attrsets_references(const struct rib_attrsets *a);
bool rib_attrsets_validate(const struct rib_attrsets *a);

#endif
