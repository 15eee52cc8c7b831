/*
 * rib/query.h - find the routes for a prefix, page by page
 *
 *	struct rib_query q = { .match = RIB_MATCH_LONGEST, ... };
 *	struct rib_query_page page = { .budget = 10000, .answers = 100, ... };
 *
 *	more = rib_query(rib, &q, &cursor, &page)	until false
 *
 * A query has no state except its cursor, a few numbers that can be sent to a
 * browser and back; nothing has to be freed if the next page is never
 * requested. A route that exists during the whole query is returned exactly
 * once; a route that is added or removed meanwhile may be returned or not.
 *
 * Work is counted in keys and tables read; a call does about page->budget of
 * it, so it uses the shard for a bounded time. Exact and longest matches are a
 * few lookups per table. More-specifics, and prefixes of families with a route
 * distinguisher that the query does not give, read every key of the family; so
 * do path identifiers, because there is no index from a prefix to its paths (it
 * would cost memory for each).
 *
 * Threads	As the rib. Blocking: never. Errors: none.
 */
#ifndef RIB_QUERY_H
#define RIB_QUERY_H

#include "rib/read.h"

enum rib_match {
	RIB_MATCH_EXACT,
	/*
	 * In each table the longest prefix that contains the address; routes
	 * with and without path identifiers separately.
	 */
	RIB_MATCH_LONGEST,
	/* The prefix itself and all more-specifics. */
	RIB_MATCH_MORE_SPECIFIC,
	RIB_MATCHES
};

struct rib_query {
	uint8_t match;	     /* enum rib_match */
	bool ipv6;	     /* family of address */
	uint8_t prefix_len;  /* LONGEST: maximum length of a route */
	uint8_t address[16]; /* IPv4 mapped; bits beyond the length are zero */
	/* Restrictions; zero means all. */
	/* false = all; LONGEST then ignores such families */
	bool has_rd;
	uint64_t rd;		 /* for families with a distinguisher */
	bgp_family_set families; /* prefix families of this address family */
	uint8_t views;		 /* 1 << enum bmp_view */
	const struct rib_router *router;
	/* matched by type, distinguisher and address */
	const struct bmp_peer *peer;
};

/* The position of a query. Start with all zero. */
struct rib_query_cursor {
	uint8_t family;
	uint8_t stage;
	uint8_t longest; /* longest length found in this table, plus one */
	uint8_t pass;	 /* pass over the paths of this table */
	uint32_t id;	 /* last key read, plus one */
	uint64_t router; /* last table read: serial numbers */
	uint64_t peer;
	uint64_t table;
};

/* One route. Its views are valid during the call only. */
struct rib_answer {
	const struct rib_table *table;
	const struct rib_stored *route;
	uint64_t rd;
	uint8_t prefix_len;
	uint8_t address[16]; /* IPv4 mapped */
};

struct rib_query_page {
	size_t budget;	/* work of this call */
	size_t answers; /* maximum answers of this call */
	/* Return false to end this call. */
	bool (*answer)(void *arg, const struct rib_answer *answer);
	void *arg;
};

/* False at the end. */
bool rib_query(const struct rib *rib, const struct rib_query *query,
	       struct rib_query_cursor *cursor,
	       const struct rib_query_page *page);

#endif
