#include "load/table.h"

#include "load/shape.h"

#include <errno.h>
#include <stdlib.h>

#define CHURN_SETS_MIN 16

static void list_shuffle(uint32_t *list, uint32_t n, struct load_random *random)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = load_random_below(random, i);
		uint32_t t = list[i - 1];

		list[i - 1] = list[j];
		list[j] = t;
	}
}

/*
 * Assign a set to each block: each set once, then random sets to the remaining
 * blocks, with a preference for few sets.
 */
static int assign_sets(struct load_half *half, struct load_random *random)
{
	half->set_of = malloc(half->blocks * sizeof(*half->set_of));
	if (half->set_of == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < half->blocks; i++) {
		uint32_t among = half->table_sets;

		if (i >= among) {
			uint64_t part = load_shape_draw(LOAD_SHARING, random);

			among = (uint32_t)((among * part + 999) / 1000);
			half->set_of[i] = load_random_below(random, among);
		} else {
			half->set_of[i] = i;
		}
	}
	list_shuffle(half->set_of, half->blocks, random);
	return 0;
}

/*
 * The number of sets of a half: as requested, at least one, at most one per
 * block.
 */
static uint32_t count_sets(const struct load_plan *plan, uint32_t prefixes,
			   uint32_t blocks)
{
	uint64_t sets =
		((uint64_t)prefixes * plan->attr_sets + LOAD_MILLION / 2) /
		LOAD_MILLION;

	if (sets > blocks)
		return blocks;
	return sets == 0 ? 1 : (uint32_t)sets;
}

static int init_half(struct load_half *half, const struct load_plan *plan,
		     enum bgp_family family, uint32_t prefixes)
{
	struct load_random random = load_random_fork(plan->seed, family);
	int err;

	if (prefixes == 0)
		return 0;
	err = load_prefixes_init(&half->prefixes, family, prefixes, &random);
	if (err < 0)
		return err;
	half->blocks = (prefixes - 1) / plan->per_update + 1;
	half->table_sets = count_sets(plan, prefixes, half->blocks);
	if (plan->churn > 0)
		half->churn_sets = CHURN_SETS_MIN + half->table_sets / 4;
	err = assign_sets(half, &random);
	if (err < 0)
		return err;
	return load_sets_init(&half->sets, family,
			      half->table_sets + half->churn_sets, &random);
}

int load_table_new(const struct load_plan *plan, struct load_table **out)
{
	struct load_table *table = calloc(1, sizeof(*table));
	uint32_t ipv6 = (uint32_t)(((uint64_t)plan->prefixes * plan->v6_share +
				    LOAD_MILLION / 2) /
				   LOAD_MILLION);
	int err;

	if (table == NULL)
		return -ENOMEM;
	table->plan = *plan;
	err = init_half(&table->halves[LOAD_IPV4], plan, BGP_IPV4_UNICAST,
			plan->prefixes - ipv6);
	if (err == 0)
		err = init_half(&table->halves[LOAD_IPV6], plan,
				BGP_IPV6_UNICAST, ipv6);
	if (err < 0) {
		load_table_free(table);
		return err;
	}
	*out = table;
	return 0;
}

void load_table_free(struct load_table *table)
{
	if (table == NULL)
		return;
	for (int i = 0; i < LOAD_HALVES; i++) {
		load_prefixes_fini(&table->halves[i].prefixes);
		load_sets_fini(&table->halves[i].sets);
		free(table->halves[i].set_of);
	}
	free(table);
}
