/*
 * load/table.h - prefixes and attributes that all simulated routers share
 *
 *	half (IPv4 or IPv6)
 *	prefixes  | 0 .. n-1 | n .. 2n-1 | ...		a block: one UPDATE
 *	set_of	  |    3     |     0     | ...		the set of each block
 *	sets	  | 0 ..            sets-1 | churn sets |
 *
 * A block is the prefixes of one UPDATE; they always share their attributes. In
 * the table each set is used at least once, with a realistic distribution.
 * Churn sets are not in the table, so a change to one of them is a real change.
 *
 * Threads	A table does not change after its creation, so routers on any
 *		thread may share it.
 */
#ifndef LOAD_TABLE_H
#define LOAD_TABLE_H

#include "load/plan.h"
#include "load/prefixes.h"
#include "load/attr_sets.h"

/* The two halves of a table, by family. */
enum load_half_id {
	LOAD_IPV4,
	LOAD_IPV6,
	LOAD_HALVES
};

struct load_half {
	struct load_prefixes prefixes;
	uint32_t blocks;
	uint32_t *set_of;
	uint32_t table_sets;
	uint32_t churn_sets; /* at least 2 if there is churn */
	struct load_sets sets;
};

struct load_table {
	struct load_plan plan;
	struct load_half halves[LOAD_HALVES];
};

/*
 * Make the table of @plan, which must have no load_plan_fault(). -ERANGE if the
 * plan needs more prefixes than the address space has (about 12 million of
 * IPv4), -ENOMEM.
 */
int load_table_new(const struct load_plan *plan, struct load_table **out);

void load_table_free(struct load_table *table);

/* Return the prefixes of @block, and their number in *@count. */
static inline const uint64_t *load_half_block(const struct load_half *half,
					      uint32_t per_update,
					      uint32_t block, uint32_t *count)
{
	uint32_t first = block * per_update;
	uint32_t left = half->prefixes.count - first;

	*count = left < per_update ? left : per_update;
	return half->prefixes.nlri + first;
}

#endif
