/*
 * rib/query_internal.h - shared data of the files of a query
 *
 * Private to query*.c.
 */
#ifndef RIB_QUERY_INTERNAL_H
#define RIB_QUERY_INTERNAL_H

#include "rib/mem/key_table.h"
#include "rib/query.h"

struct rib_route_array;

enum rib_query_stage {
	RIB_QUERY_PLAIN,
	RIB_QUERY_PATHS,
	RIB_QUERY_STAGES
};

/* State of a stage between two calls: the member pass of the cursor. */
enum rib_query_pass {
	/* nothing was decided, or longest match is between two tables */
	RIB_QUERY_PASS_NONE,
	/* Longest match reads the paths of a table twice: */
	RIB_QUERY_PASS_LENGTH, /* find the length of the longest match */
	RIB_QUERY_PASS_TELL,   /* return the paths with that length */
	/* Exact match and more-specifics have one of two orders: */
	RIB_QUERY_PASS_KEYS, /* for each key, ask each table */
	/* read the routes of each table; between two tables */
	RIB_QUERY_PASS_TABLES,
	RIB_QUERY_PASS_ROUTES, /* as TABLES, but inside a table */
};

/* A prefix decoded from its key. */
struct rib_query_prefix {
	uint64_t rd;
	uint8_t len;
	uint8_t address[16];
};

/* The state of one call. Pointers are valid until its end. */
struct rib_asking {
	const struct rib *rib;
	const struct rib_query *q;
	struct rib_query_cursor *c;
	const struct rib_query_page *page;
	size_t budget;
	size_t answers;
	const struct bgp_family_info *family;
	struct rib_key_pattern pattern; /* condition that matching keys meet */
	/*
	 * The position of the walk, valid if is_placed; table is the next one
	 * to visit.
	 */
	bool is_placed;
	struct rib_router *router;
	struct rib_peer *peer;
	struct rib_table *table;
	/*
	 * LONGEST: the prefixes that contain the address, longest first, with
	 * their ids.
	 */
	unsigned covering_count;
	uint8_t covering_len[129];
	uint32_t covering[129];
};

static inline bool rib_asking_is_spent(const struct rib_asking *a)
{
	return a->budget == 0 || a->answers == 0;
}

static inline void rib_asking_spend(struct rib_asking *a, size_t n)
{
	a->c->work += n;
	a->budget -= n < a->budget ? n : a->budget;
}

static inline bool rib_asking_has_rd(const struct rib_asking *a)
{
	return a->family->flags & BGP_FAMILY_RD;
}

/* query_families.c */

/* The keys of the stage: prefixes, or pairs of prefix and path id. */
const struct rib_key_table *rib_query_keys(const struct rib_asking *a);

/* The prefixes of the family. */
const struct rib_key_table *rib_query_prefixes(const struct rib_asking *a);

/* The prefix id of a key of the stage. */
uint32_t rib_query_prefix_id(const struct rib_asking *a, uint32_t id);

/* The routes of a table in this stage. */
const struct rib_route_array *rib_query_routes(const struct rib_asking *a,
					       const struct rib_table *t);

/* The id of the query's prefix, truncated to @len bits, or RIB_NO_ID. */
uint32_t rib_query_find_prefix(const struct rib_asking *a, uint8_t len);

/* The prefix of an id of the family. */
void rib_query_read_prefix(const struct rib_asking *a, uint32_t id,
			   struct rib_query_prefix *out);

/* Answer with the route of key @id in table @t, if there is one. */
bool rib_query_ask_table(struct rib_asking *a, const struct rib_table *t,
			 uint32_t id, const struct rib_query_prefix *p);

/* query_walk.c */

/*
 * Go to the next table that the query selects. Each router, peer and table that
 * is visited uses up budget. NULL means that there is no other table if the
 * cursor has router 0, and then the cursor is at the start again; otherwise
 * that the budget is spent.
 */
struct rib_table *rib_query_next_table(struct rib_asking *a);

/* The table of the cursor; NULL if it was removed. */
struct rib_table *rib_query_same_table(struct rib_asking *a);

/*
 * About the number of routers, peers and tables that a walk over the tables of
 * the query visits; *@routes is about the number of their routes.
 */
uint64_t rib_query_walk_length(const struct rib_asking *a, uint64_t *routes);

/*
 * query_keys.c: exact match and more-specifics. Returns true when the stage is
 * done.
 */
bool rib_query_by_key(struct rib_asking *a);

/* query_longest.c: longest match. Returns true when the stage is done. */
bool rib_query_longest(struct rib_asking *a);

#endif
