/*
 * A query runs for each family, once for routes without path identifiers and
 * once for routes with them. Each such run is a stage.
 */
#include "rib/query.h"

#include "rib/key.h"
#include "rib/query_internal.h"
#include "rib/rib_internal.h"

/* The stage */

const struct rib_key_table *rib_query_prefixes(const struct rib_asking *a)
{
	return &a->rib->prefixes[a->c->family];
}

const struct rib_key_table *rib_query_keys(const struct rib_asking *a)
{
	return a->c->stage == RIB_QUERY_PLAIN ? &a->rib->prefixes[a->c->family]
					      : &a->rib->paths[a->c->family];
}

uint32_t rib_query_prefix_id(const struct rib_asking *a, uint32_t id)
{
	uint32_t path_id;

	if (a->c->stage == RIB_QUERY_PLAIN)
		return id;
	return rib_path_prefix(a->rib, a->c->family, id, &path_id);
}

const struct rib_route_array *rib_query_routes(const struct rib_asking *a,
					       const struct rib_table *t)
{
	return a->c->stage == RIB_QUERY_PLAIN ? &t->store.plain
					      : &t->store.paths;
}

/* Prefixes */

/* The key of the query's prefix, truncated to @len bits: see rib/key.h. */
static struct wire_view make_key(const struct rib_asking *a, uint8_t len,
				 uint8_t out[RIB_KEY_FIXED])
{
	uint32_t n = a->family->addr_bits / 8u;

	out[0] = len;
	memcpy(out + 1, a->q->address + 16 - n, n);
	for (uint32_t i = 0; i < n; i++)
		if (8 * i + 8 > len)
			out[1 + i] =
				(uint8_t)(8 * i >= len
						  ? 0
						  : out[1 + i] &
							    0xff00 >> len % 8);
	if (!rib_asking_has_rd(a))
		return (struct wire_view){ out, 1 + n };
	wire_put_u64(out + 1 + n, a->q->rd);
	return (struct wire_view){ out, 1 + n + 8 };
}

uint32_t rib_query_find_prefix(const struct rib_asking *a, uint8_t len)
{
	const struct rib_key_table *d = rib_query_prefixes(a);
	uint8_t room[RIB_KEY_FIXED];
	struct wire_view key = make_key(a, len, room);

	return rib_key_table_find(d, rib_key_table_hash(d, key), key);
}

void rib_query_read_prefix(const struct rib_asking *a, uint32_t id,
			   struct rib_query_prefix *out)
{
	uint32_t n = a->family->addr_bits / 8u;
	uint8_t room[RIB_KEY_FIXED];
	struct wire_view key =
		rib_key_table_key(rib_query_prefixes(a), id, room);

	*out = (struct rib_query_prefix){ .len = key.p[0] };
	if (n == 4)
		out->address[10] = out->address[11] = 0xff;
	memcpy(out->address + 16 - n, key.p + 1, n);
	if (rib_asking_has_rd(a))
		out->rd = wire_get_u64(key.p + 1 + n);
}

/* Make the pattern of the keys that match exactly or are more specific. */
static void make_pattern(struct rib_asking *a)
{
	struct rib_key_pattern *p = &a->pattern;
	uint32_t n = a->family->addr_bits / 8u;
	uint8_t key[RIB_KEY_FIXED] = { 0 };

	(void)make_key(a, a->q->prefix_len, key);
	*p = (struct rib_key_pattern){
		.first_min = a->q->prefix_len,
		.first_max = a->q->match == RIB_MATCH_EXACT
				     ? a->q->prefix_len
				     : a->family->addr_bits,
	};
	for (uint32_t i = 0; i < n && 8 * i < a->q->prefix_len; i++)
		p->mask[i] =
			(uint8_t)(a->q->prefix_len >= 8 * i + 8
					  ? 0xff
					  : 0xff00 >> a->q->prefix_len % 8);
	if (rib_asking_has_rd(a) && a->q->has_rd)
		memset(p->mask + n, 0xff, 8);
	for (uint32_t i = 0; i < sizeof(p->mask); i++)
		p->value[i] = i + 1 < sizeof(key) ? key[1 + i] & p->mask[i] : 0;
}

/* Answers */

bool rib_query_ask_table(struct rib_asking *a, const struct rib_table *t,
			 uint32_t id, const struct rib_query_prefix *p)
{
	struct rib_stored route;
	struct rib_answer answer = {
		.table = t,
		.route = &route,
		.rd = p->rd,
		.prefix_len = p->len,
	};
	bool found = a->c->stage == RIB_QUERY_PLAIN
			     ? rib_table_route(t, id, &route)
			     : rib_table_path(t, id, &route);

	rib_asking_spend(a, 1);
	if (!found)
		return false;
	memcpy(answer.address, p->address, 16);
	if (a->page->answer(a->page->arg, &answer))
		a->answers--;
	else
		a->answers = 0;
	return true;
}

/* Families */

static bool wanted_family(const struct rib_asking *a)
{
	return a->family->kind == BGP_NLRI_PREFIX &&
	       a->family->addr_bits == (a->q->ipv6 ? 128 : 32) &&
	       (a->q->families == 0 ||
		a->q->families & bgp_family_bit(a->c->family));
}

static void next_stage(struct rib_query_cursor *c)
{
	uint8_t family = c->family;
	uint8_t stage = (uint8_t)(c->stage + 1);

	if (stage == RIB_QUERY_STAGES) {
		stage = RIB_QUERY_PLAIN;
		family++;
	}
	*c = (struct rib_query_cursor){ .family = family,
					.stage = stage,
					.work = c->work };
}

bool rib_query(const struct rib *rib, const struct rib_query *query,
	       struct rib_query_cursor *cursor,
	       const struct rib_query_page *page)
{
	struct rib_asking a = {
		.rib = rib,
		.q = query,
		.c = cursor,
		.page = page,
		.budget = page->budget,
		.answers = page->answers,
	};

	for (; cursor->family < BGP_FAMILIES; next_stage(cursor)) {
		a.family = bgp_family_info(cursor->family);
		if (!wanted_family(&a) || rib_query_keys(&a)->pool.count == 0)
			continue;
		if (rib_asking_is_spent(&a))
			return true;
		a.is_placed = false;
		make_pattern(&a);
		if (!(query->match == RIB_MATCH_LONGEST ? rib_query_longest(&a)
							: rib_query_by_key(&a)))
			return true;
	}
	return false;
}
