/*
 * collector/query/looking_glass.h - the looking glass: routes for a prefix,
 * page by page
 *
 * Like list_query.h, but for the routes of a worker: it runs rib/query.h in
 * slices. The parameters of the client are parsed into the query;
 * looking_glass_params.c has the list of them.
 */
#ifndef COLLECTOR_QUERY_LOOKING_GLASS_H
#define COLLECTOR_QUERY_LOOKING_GLASS_H

#include "collector/query/page_query.h"
#include "rib/query.h"

struct looking_glass {
	struct page_query page; /* must be the first member */
	/* router and peer are set by the query itself; leave them NULL */
	struct rib_query query;
	struct rib_query_cursor cursor;
};

/* clang-format off */
/*
 * The parameters that restrict the routes, each also an option of "arancini
 * rib", whose name has "-" where the parameter has "_":
 *	X(name, option, argument, member, parser, valid values, help of option)
 * The parsers are in looking_glass_params.c.
 */
#define LOOKING_GLASS_FILTERS(X) \
	X(view, "view", "VIEW", query.views, parse_view, \
	  "adj-rib-in-pre, adj-rib-in-post, adj-rib-out-pre, " \
	  "adj-rib-out-post, loc-rib", \
	  "only of this view: adj-rib-in-pre, adj-rib-in-post,\n" \
	  "adj-rib-out-pre, adj-rib-out-post, loc-rib") \
	X(family, "family", "FAMILY", query.families, parse_family, \
	  "as ipv4-unicast, ipv6-vpn", \
	  "only of this family, as ipv4-unicast, ipv6-vpn") \
	X(rd, "rd", "RD", query, parse_rd, \
	  "64500:1, 192.0.2.1:1 or 0x and 16 hex digits", \
	  "only with this route distinguisher, as 64500:1")
/* clang-format on */

/* All parameters, for query_param.h: members of struct looking_glass. */
extern const struct query_param looking_glass_params[];

/* The name of @match: "exact", "longest", "more-specific". */
const char *looking_glass_match_name(enum rib_match match);

/* Make a query for routes; NULL if out of memory. */
struct looking_glass *looking_glass_new(void);
void looking_glass_free(struct looking_glass *g);

#endif
