/*
 * Longest match: in each table the longest prefix that contains the address.
 * Routes with path identifiers are found by reading the whole table twice,
 * because no index leads from a prefix to its pairs.
 */
#include "rib/query_internal.h"

#include "rib/rib_internal.h"

/* Find the keys of the stage's family that contain the address. */
static void find_covering(struct rib_asking *a)
{
	a->covering_count = 0;
	for (int len = a->q->prefix_len; len >= 0; len--) {
		uint32_t id = rib_query_find_prefix(a, (uint8_t)len);

		if (id == RIB_NO_ID)
			continue;
		a->covering_len[a->covering_count] = (uint8_t)len;
		a->covering[a->covering_count++] = id;
	}
}

static void longest_plain(struct rib_asking *a, const struct rib_table *t)
{
	for (unsigned i = 0; i < a->covering_count; i++) {
		struct rib_query_prefix p;

		rib_query_read_prefix(a, a->covering[i], &p);
		if (rib_query_ask_table(a, t, a->covering[i], &p))
			return;
	}
}

/* The length of the prefix of key @id if it contains the address, else -1. */
static int length_of(const struct rib_asking *a, uint32_t id)
{
	for (unsigned i = 0; i < a->covering_count; i++)
		if (a->covering[i] == id)
			return a->covering_len[i];
	return -1; /* the prefix does not match */
}

/* End a pass. True if it was the last pass over the table. */
static bool end_pass(struct rib_asking *a)
{
	bool last = a->c->pass == RIB_QUERY_PASS_TELL || a->c->longest == 0;

	a->c->id = 0;
	a->c->pass = last ? RIB_QUERY_PASS_NONE : RIB_QUERY_PASS_TELL;
	return last;
}

/* Handle path @id. Its prefix @prefix contains the address, with @len bits. */
static void longest_look(struct rib_asking *a, const struct rib_table *t,
			 uint32_t id, uint32_t prefix, int len)
{
	struct rib_query_prefix p;

	if (a->c->pass == RIB_QUERY_PASS_LENGTH && len + 1 > a->c->longest)
		a->c->longest = (uint8_t)(len + 1);
	if (a->c->pass != RIB_QUERY_PASS_TELL || len + 1 != a->c->longest)
		return;
	rib_query_read_prefix(a, prefix, &p);
	rib_query_ask_table(a, t, id, &p);
}

/* Read the paths of a table. True when the table is done. */
static bool longest_path(struct rib_asking *a, const struct rib_table *t)
{
	while (!rib_asking_is_spent(a)) {
		uint32_t id, prefix;
		int len;

		if (rib_route_array_next(&t->store.paths, a->c->id, &id) ==
		    NULL) {
			if (end_pass(a))
				return true;
			continue;
		}
		rib_asking_spend(a, 1);
		a->c->id = id + 1;
		prefix = rib_query_prefix_id(a, id);
		len = length_of(a, prefix);
		if (len >= 0)
			longest_look(a, t, id, prefix, len);
	}
	return false;
}

bool rib_query_longest(struct rib_asking *a)
{
	bool paths = a->c->stage == RIB_QUERY_PATHS;
	struct rib_table *t = NULL;

	if (rib_asking_has_rd(a) && !a->q->has_rd)
		return true;
	find_covering(a);
	if (a->covering_count == 0 || rib_query_keys(a)->pool.count == 0)
		return true;
	if (a->c->pass != RIB_QUERY_PASS_NONE)
		t = rib_query_same_table(a);
	for (;;) {
		if (t == NULL) {
			a->c->longest = 0;
			a->c->id = 0;
			a->c->pass = RIB_QUERY_PASS_NONE;
			t = rib_query_next_table(a);
			if (t == NULL)
				return a->c->router == 0;
			if (paths)
				a->c->pass = RIB_QUERY_PASS_LENGTH;
		}
		if (!paths)
			longest_plain(a, t);
		else if (!longest_path(a, t))
			return false;
		t = NULL;
	}
}
