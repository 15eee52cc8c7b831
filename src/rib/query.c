/*
 * Two nested loops, and a cursor with their position:
 *
 *	exact, more-specific	for each key that matches
 *					for each table: look up the key
 *	longest			for each table
 *					for each length, longest first
 *
 * These loops run for each family, once for routes without path identifiers and
 * once for routes with them. Each such run is a stage.
 */
#include "rib/query.h"

#include "rib/rib_internal.h"

enum stage {
	STAGE_PLAIN,
	STAGE_PATHS,
	STAGES
};

/* The present pass over the table of the cursor. Paths are read twice. */
enum pass {
	PASS_NONE,   /* no pass has begun */
	PASS_LENGTH, /* find the length of the longest match */
	PASS_TELL,   /* return the paths with a prefix of that length */
};

/* The state of one call. */
struct asking {
	const struct rib *rib;
	const struct rib_query *q;
	struct rib_query_cursor *c;
	const struct rib_query_page *page;
	size_t budget;
	size_t answers;
	const struct bgp_family_info *family;
	/* LONGEST: prefix id of the query's address for each length. */
	uint32_t ids[129];
};

/* A prefix decoded from its key. */
struct prefix {
	uint64_t rd;
	uint8_t len;
	uint8_t address[16];
};

static bool budget_is_spent(const struct asking *a)
{
	return a->budget == 0 || a->answers == 0;
}

static void budget_spend(struct asking *a)
{
	if (a->budget > 0)
		a->budget--;
}

static bool has_rd(const struct asking *a)
{
	return a->family->flags & BGP_FAMILY_RD;
}

/* Prefixes */

/*
 * The key of the query's prefix truncated to @len bits, in the form of
 * bmp/nlri_key.h.
 */
static struct wire_view make_key(const struct asking *a, uint8_t len,
				 uint8_t out[32])
{
	const uint8_t *address = a->q->address + (a->q->ipv6 ? 0 : 12);
	size_t bytes = (len + 7u) / 8, n = 0;

	if (has_rd(a)) {
		wire_put_u64(out, a->q->rd);
		n = 8;
	}
	out[n++] = len;
	memcpy(out + n, address, bytes);
	if (len % 8 != 0)
		out[n + bytes - 1] &= (uint8_t)(0xff00 >> len % 8);
	return (struct wire_view){ out, n + bytes };
}

static bool read_key(const struct asking *a, struct wire_view key,
		     struct prefix *out)
{
	struct wire_cursor c = wire_start(key);
	struct wire_view bytes;

	*out = (struct prefix){ 0 };
	if ((has_rd(a) && !wire_u64(&c, &out->rd)) || !wire_u8(&c, &out->len))
		return false;
	bytes = wire_rest(&c);
	if (!a->q->ipv6)
		out->address[10] = out->address[11] = 0xff;
	if (bytes.len > (a->q->ipv6 ? 16u : 4u))
		return false;
	memcpy(out->address + (a->q->ipv6 ? 0 : 12), bytes.p, bytes.len);
	return true;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	if (memcmp(a, b, bits / 8) != 0)
		return false;
	return bits % 8 == 0 ||
	       ((a[bits / 8] ^ b[bits / 8]) & (0xff00 >> bits % 8) & 0xff) == 0;
}

static bool prefix_matches(const struct asking *a, const struct prefix *p)
{
	const struct rib_query *q = a->q;
	unsigned skip = q->ipv6 ? 0 : 96;
	unsigned bits = q->match == RIB_MATCH_LONGEST ? p->len : q->prefix_len;

	if (has_rd(a) && q->has_rd && q->rd != p->rd)
		return false;
	if (q->match == RIB_MATCH_EXACT && p->len != q->prefix_len)
		return false;
	if (q->match == RIB_MATCH_MORE_SPECIFIC && p->len < q->prefix_len)
		return false;
	if (q->match == RIB_MATCH_LONGEST && p->len > q->prefix_len)
		return false;
	return same_bits(p->address, q->address, skip + bits);
}

/* True if key @id of the family matches the query; *@out is its prefix. */
static bool key_matches(const struct asking *a, uint32_t id, struct prefix *out)
{
	uint8_t key[32];
	size_t len = rib_prefix_key(a->rib, a->c->family, id, key, sizeof(key));

	return len <= sizeof(key) &&
	       read_key(a, (struct wire_view){ key, len }, out) &&
	       prefix_matches(a, out);
}

/* Tables */

static bool wanted_peer(const struct rib_query *q, const struct rib_peer *p)
{
	return q->peer == NULL ||
	       (p->type == q->peer->type &&
		p->distinguisher == q->peer->distinguisher &&
		memcmp(p->address, q->peer->address, 16) == 0);
}

static bool wanted_table(const struct asking *a, const struct rib_table *t)
{
	return t->info.afi == a->family->afi &&
	       t->info.safi == a->family->safi &&
	       (a->q->views == 0 || a->q->views >> t->info.view & 1);
}

/* The first table of @peer after that of the cursor. */
static struct rib_table *table_of_peer(struct asking *a,
				       const struct rib_peer *peer)
{
	uint64_t behind = a->c->peer == peer->serial ? a->c->table : 0;
	struct rib_table *t;

	if (!wanted_peer(a->q, peer))
		return NULL;
	TAILQ_FOREACH (t, &peer->tables, link) {
		if (t->serial <= behind || !wanted_table(a, t))
			continue;
		a->c->peer = peer->serial;
		a->c->table = t->serial;
		return t;
	}
	return NULL;
}

static struct rib_table *table_of_router(struct asking *a,
					 const struct rib_router *router)
{
	uint64_t from = a->c->router == router->serial ? a->c->peer : 0;
	struct rib_peer *p;
	struct rib_table *t;

	TAILQ_FOREACH (p, &router->peer_list, link) {
		if (p->serial < from)
			continue;
		budget_spend(a);
		t = table_of_peer(a, p);
		if (t != NULL) {
			a->c->router = router->serial;
			return t;
		}
	}
	return NULL;
}

/*
 * Advance the cursor to the next table. After the last one returns NULL and
 * sets the cursor to the start.
 */
static struct rib_table *next_table(struct asking *a)
{
	struct rib_router *r;
	struct rib_table *t;

	TAILQ_FOREACH (r, &a->rib->router_list, link) {
		if (r->serial < a->c->router ||
		    (a->q->router != NULL && a->q->router != r))
			continue;
		t = table_of_router(a, r);
		if (t != NULL)
			return t;
	}
	a->c->router = a->c->peer = a->c->table = 0;
	return NULL;
}

static bool ask_table(struct asking *a, const struct rib_table *t, uint32_t id,
		      const struct prefix *p)
{
	struct rib_stored route;
	struct rib_answer answer = {
		.table = t,
		.route = &route,
		.rd = p->rd,
		.prefix_len = p->len,
	};
	bool found = a->c->stage == STAGE_PLAIN ? rib_table_route(t, id, &route)
						: rib_table_path(t, id, &route);

	budget_spend(a);
	if (!found)
		return false;
	memcpy(answer.address, p->address, 16);
	if (a->page->answer(a->page->arg, &answer))
		a->answers--;
	else
		a->answers = 0;
	return true;
}

/* Keys */

/* Advance @id to the next key of the stage. */
static bool next_key(const struct asking *a, uint32_t *id)
{
	return a->c->stage == STAGE_PLAIN
		       ? rib_prefix_next(a->rib, a->c->family, id)
		       : rib_path_next(a->rib, a->c->family, id);
}

/* True if the cursor's key still exists. */
static bool key_lives(const struct asking *a)
{
	uint32_t id = a->c->id == 1 ? RIB_NO_ID : a->c->id - 2;

	return next_key(a, &id) && id == a->c->id - 1;
}

/* The key of a path is that of its prefix. */
static uint32_t prefix_of(const struct asking *a, uint32_t id)
{
	uint32_t path_id;

	if (a->c->stage == STAGE_PLAIN)
		return id;
	return rib_path_prefix(a->rib, a->c->family, id, &path_id);
}

/* True if only one key can match, so that it can be looked up. */
static bool is_direct(const struct asking *a)
{
	return a->q->match == RIB_MATCH_EXACT && a->c->stage == STAGE_PLAIN &&
	       (!has_rd(a) || a->q->has_rd);
}

/*
 * Go to the key of the cursor, if it still exists, or to the next one that
 * matches.
 */
static bool step_key(struct asking *a, struct prefix *out)
{
	uint32_t id = a->c->id - 1;
	uint8_t key[32];

	if (is_direct(a)) {
		if (a->c->id != 0)
			return false;
		id = rib_prefix_find(a->rib, a->family->afi, a->family->safi,
				     make_key(a, a->q->prefix_len, key));
		a->c->id = id + 1;
		return id != RIB_NO_ID && key_matches(a, id, out);
	}
	while (!budget_is_spent(a)) {
		if (!next_key(a, &id))
			return false;
		budget_spend(a);
		a->c->id = id + 1;
		if (key_matches(a, prefix_of(a, id), out))
			return true;
	}
	return false;
}

/* Do an exact or more-specific query. True when the stage is done. */
static bool ask_by_key(struct asking *a)
{
	struct prefix p;
	struct rib_table *t;

	for (;;) {
		/*
		 * If the last call ended between the tables of a key, continue
		 * with that key.
		 */
		bool inside = a->c->table != 0;

		if (!inside && !step_key(a, &p))
			return !budget_is_spent(a);
		if (inside &&
		    !(key_lives(a) &&
		      key_matches(a, prefix_of(a, a->c->id - 1), &p))) {
			/* The key was removed meanwhile. */
			a->c->router = a->c->peer = a->c->table = 0;
			continue;
		}
		do {
			if (budget_is_spent(a) && a->c->table != 0)
				return false;
			t = next_table(a);
			if (t != NULL)
				ask_table(a, t, a->c->id - 1, &p);
		} while (t != NULL);
		if (budget_is_spent(a))
			return false;
	}
}

/* Longest match */

static void find_lengths(struct asking *a)
{
	for (unsigned len = 0; len <= a->q->prefix_len; len++) {
		uint8_t key[32];

		a->ids[len] =
			rib_prefix_find(a->rib, a->family->afi, a->family->safi,
					make_key(a, (uint8_t)len, key));
	}
}

static struct prefix prefix_of_len(const struct asking *a, uint8_t len)
{
	struct prefix p = { 0 };
	uint8_t key[32];

	(void)read_key(a, make_key(a, len, key), &p);
	return p;
}

static void longest_plain(struct asking *a, const struct rib_table *t)
{
	for (int len = a->q->prefix_len; len >= 0; len--) {
		struct prefix p;

		if (a->ids[len] == RIB_NO_ID)
			continue;
		p = prefix_of_len(a, (uint8_t)len);
		if (ask_table(a, t, a->ids[len], &p))
			return;
	}
}

/* The length of the prefix of key @id if it contains the address, else -1. */
static int length_of(const struct asking *a, uint32_t id)
{
	for (int len = a->q->prefix_len; len >= 0; len--)
		if (a->ids[len] == id)
			return id == RIB_NO_ID ? -1 : len;
	return -1; /* the prefix does not match */
}

/* End a pass. True if it was the last pass over the table. */
static bool end_pass(struct asking *a)
{
	bool last = a->c->pass == PASS_TELL || a->c->longest == 0;

	a->c->id = 0;
	a->c->pass = last ? PASS_NONE : PASS_TELL;
	return last;
}

/* Handle path @id. Its prefix contains the address and has @len bits. */
static void longest_look(struct asking *a, const struct rib_table *t,
			 uint32_t id, int len)
{
	struct rib_stored route;

	if (a->c->pass == PASS_TELL && len + 1 == a->c->longest) {
		struct prefix p = prefix_of_len(a, (uint8_t)len);

		ask_table(a, t, id, &p);
	} else if (a->c->pass == PASS_LENGTH && len + 1 > a->c->longest &&
		   rib_table_path(t, id, &route)) {
		a->c->longest = (uint8_t)(len + 1);
	}
}

/* Read the paths of a table. True when the table is done. */
static bool longest_path(struct asking *a, const struct rib_table *t)
{
	while (!budget_is_spent(a)) {
		uint32_t id = a->c->id - 1;
		int len;

		if (!next_key(a, &id)) {
			if (end_pass(a))
				return true;
			continue;
		}
		budget_spend(a);
		a->c->id = id + 1;
		len = length_of(a, prefix_of(a, id));
		if (len >= 0)
			longest_look(a, t, id, len);
	}
	return false;
}

/* The table at which the last call ended, if it still exists. */
static struct rib_table *same_table(struct asking *a)
{
	struct rib_query_cursor at = *a->c;
	size_t budget = a->budget;
	struct rib_table *t;

	a->c->table--;
	t = next_table(a);
	/*
	 * Going back to the position of the cursor must not use up the whole
	 * budget.
	 */
	a->budget = budget;
	if (t != NULL && t->serial == at.table)
		return t;
	*a->c = at;
	a->c->pass = PASS_NONE;
	return NULL;
}

static bool has_paths(const struct asking *a)
{
	uint32_t id = RIB_NO_ID;

	return next_key(a, &id);
}

/* Do a longest match. True when the stage is done. */
static bool ask_longest(struct asking *a)
{
	bool paths = a->c->stage == STAGE_PATHS;
	struct rib_table *t = NULL;

	if ((has_rd(a) && !a->q->has_rd) || (paths && !has_paths(a)))
		return true;
	find_lengths(a);
	if (a->c->pass != PASS_NONE)
		t = same_table(a);
	while (!budget_is_spent(a)) {
		if (t == NULL) {
			t = next_table(a);
			a->c->longest = 0;
			a->c->id = 0;
			a->c->pass = paths ? PASS_LENGTH : PASS_NONE;
		}
		if (t == NULL)
			return true;
		if (!paths)
			longest_plain(a, t);
		else if (!longest_path(a, t))
			return false;
		t = NULL;
	}
	return false;
}

/* Families */

static bool wanted_family(const struct asking *a)
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

	if (stage == STAGES) {
		stage = STAGE_PLAIN;
		family++;
	}
	*c = (struct rib_query_cursor){ .family = family, .stage = stage };
}

bool rib_query(const struct rib *rib, const struct rib_query *query,
	       struct rib_query_cursor *cursor,
	       const struct rib_query_page *page)
{
	struct asking a = {
		.rib = rib,
		.q = query,
		.c = cursor,
		.page = page,
		.budget = page->budget,
		.answers = page->answers,
	};

	for (; cursor->family < BGP_FAMILIES; next_stage(cursor)) {
		a.family = bgp_family_info(cursor->family);
		if (!wanted_family(&a))
			continue;
		if (budget_is_spent(&a))
			return true;
		if (!(query->match == RIB_MATCH_LONGEST ? ask_longest(&a)
							: ask_by_key(&a)))
			return true;
	}
	return false;
}
