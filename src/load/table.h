/*
 * load/table.h - prefixes and attributes that all simulated routers share
 *
 * A table has two halves, IPv4 and IPv6. The prefixes of a half are cut into
 * blocks of n; a block is sent as one UPDATE, with the attribute set
 * set_of[block]. Each of these sets is used by at least one block, with a
 * realistic distribution. The sets behind them, the churn sets, are used only
 * for updates after the table, so such an update always changes the attributes.
 *
 *	block		  0	     1		2 ...
 *	prefixes  | 0 .. n-1 | n .. 2n-1 | ...
 *	set_of	  |    3     |     0     | ...		(example)
 *	sets	  | 0 .. table_sets-1 | churn sets |
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
