/*
 * rib/query.h - find the routes for a prefix, page by page
 *
 *	struct rib_query q = { .match = RIB_MATCH_LONGEST, ... };
 *	struct rib_query_page page = { .budget = 10000, .answers = 100, ... };
 *
 *	more = rib_query(rib, &q, &cursor, &page)	repeat while true
 *
 * A query has no state except its cursor, a few numbers that can be sent to a
 * browser and back; nothing has to be freed if the next page is never
 * requested. A route that exists during the whole query is returned exactly
 * once; a route that is added or removed meanwhile may be returned or not.
 *
 * A unit of work is one router, peer, table or route visited, whether it
 * matches or not, or the keys that a scan compares: 32 prefixes, or one pair of
 * prefix and path identifier. A call does about page->budget units. Cost by
 * match:
 *
 *	exact		A few lookups per table. A scan as for "more specific"
 *			among routes with path identifiers, and if the family
 *			has route distinguishers and the query gives none.
 *	longest		A few lookups per table. Among routes with path
 *			identifiers, a read of all such routes.
 *	more specific	A scan of the keys of the family or, if that is less
 *			work, of the routes of all tables.
 *
 * There is no index from a prefix to its path identifiers, because it would
 * cost memory for each prefix.
 *
 * Threads	As the rib. Blocking: never. Errors: none.
 */
#ifndef RIB_QUERY_H
#define RIB_QUERY_H

#include "rib/read.h"

enum rib_match {
	RIB_MATCH_EXACT,
	/*
	 * In each table, the longest prefix that contains the address. Done
	 * separately for routes with and without path identifiers.
	 */
	RIB_MATCH_LONGEST,
	/* The prefix itself and all more-specifics. */
	RIB_MATCH_MORE_SPECIFIC,
	RIB_MATCHES
};

struct rib_query {
	uint8_t match;	     /* enum rib_match */
	bool ipv6;	     /* address is an IPv6 address */
	uint8_t prefix_len;  /* LONGEST: maximum length of a route */
	uint8_t address[16]; /* IPv4-mapped; bits beyond the length are zero */
	/* Restrictions of the result; zero means no restriction. */
	/* false = any RD; LONGEST then skips families with RDs */
	bool has_rd;
	/* route distinguisher, for families with one */
	uint64_t rd;
	bgp_family_set families; /* families of prefixes; others are ignored */
	uint8_t views;		 /* bit mask of 1 << enum bmp_view */
	const struct rib_router *router;
	/* compared by type, distinguisher and address */
	const struct bmp_peer *peer;
};

/* The position of a query. Set all to zero at the start. */
struct rib_query_cursor {
	uint8_t family;
	uint8_t stage;
	uint8_t longest;  /* longest length found in this table, plus one */
	uint8_t pass;	  /* enum rib_query_pass */
	uint32_t id;	  /* id of the last key read, plus one */
	uint64_t matches; /* keys that match, counted to choose the order */
	uint64_t work;	  /* units of work of all calls so far */
	/* serial numbers of the last table read, its peer and its router */
	uint64_t router;
	uint64_t peer;
	uint64_t table;
};

/* One route of the result. Its views are valid only during the call. */
struct rib_answer {
	const struct rib_table *table;
	const struct rib_stored *route;
	uint64_t rd;
	uint8_t prefix_len;
	uint8_t address[16]; /* IPv4-mapped */
};

struct rib_query_page {
	size_t budget;	/* units of work of this call, about */
	size_t answers; /* maximum number of answers of this call */
	/* Called for each route. Return false to end this call. */
	bool (*answer)(void *arg, const struct rib_answer *answer);
	void *arg;
};

/* Do one page of the query. Returns true if there is more, false at the end. */
bool rib_query(const struct rib *rib, const struct rib_query *query,
	       struct rib_query_cursor *cursor,
	       const struct rib_query_page *page);

#endif
