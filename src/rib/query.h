/*
 * rib/query.h - which routes are there for a prefix, page by page
 *
 *	struct rib_query q = { .match = RIB_MATCH_LONGEST, ... };
 *	struct rib_query_page page = { .budget = 10000, .answers = 100, ... };
 *
 *	more = rib_query(rib, &q, &cursor, &page)	until false
 *
 * A query has no state but its cursor, which is a few numbers: it may travel
 * to a browser and back, and nothing has to be freed if nobody asks for the
 * next page. While changes go on, a route that is there all the time is
 * answered exactly once; what comes and goes may be answered or not.
 *
 * Work is counted in keys looked at and tables asked; a call does about
 * page->budget of it, so it holds the shard for a bounded time. Exact and
 * longest matches are a few look-ups a table. More-specifics, and prefixes of
 * families with a route distinguisher that the query does not name, look at
 * every key of the family; so do path identifiers, because nothing leads from
 * a prefix to its paths (that would cost memory for each).
 *
 * Threads	As the rib. Blocking: never. Errors: none.
 */
#ifndef RIB_QUERY_H
#define RIB_QUERY_H

#include "rib/read.h"

enum rib_match {
	RIB_MATCH_EXACT,
	/*
	 * In each table the longest prefix that has the address in it; of
	 * routes with and without path identifiers apart.
	 */
	RIB_MATCH_LONGEST,
	/* The prefix itself and all that are inside. */
	RIB_MATCH_MORE_SPECIFIC,
	RIB_MATCHES
};

struct rib_query {
	uint8_t match;	     /* enum rib_match */
	bool ipv6;	     /* what address is */
	uint8_t prefix_len;  /* LONGEST: a route is not longer than this */
	uint8_t address[16]; /* IPv4 mapped; bits beyond the length are zero */
	/* The rest narrows it down; zero means all. */
	bool has_rd;		 /* else of all; LONGEST then leaves them out */
	uint64_t rd;		 /* of families with a distinguisher */
	bgp_family_set families; /* prefix families of this kind of address */
	uint8_t views;		 /* 1 << enum bmp_view */
	const struct rib_router *router;
	const struct bmp_peer *peer; /* by type, distinguisher and address */
};

/* Where a query stands. Start with all zero. */
struct rib_query_cursor {
	uint8_t family;
	uint8_t stage;
	uint8_t longest; /* found so far in this table, and one more */
	uint8_t pass;	 /* over the paths of this table */
	uint32_t id;	 /* the last key that was looked at, and one more */
	uint64_t router; /* the last table that was asked: serial numbers */
	uint64_t peer;
	uint64_t table;
};

/* One route. Views die with the call. */
struct rib_answer {
	const struct rib_table *table;
	const struct rib_stored *route;
	uint64_t rd;
	uint8_t prefix_len;
	uint8_t address[16]; /* IPv4 mapped */
};

struct rib_query_page {
	size_t budget;	/* of work, in this call */
	size_t answers; /* at most, in this call */
	/* False: it was the last of this call. */
	bool (*answer)(void *arg, const struct rib_answer *answer);
	void *arg;
};

/* False when there is no more. */
bool rib_query(const struct rib *rib, const struct rib_query *query,
	       struct rib_query_cursor *cursor,
	       const struct rib_query_page *page);

#endif
