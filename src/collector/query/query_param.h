/*
 * collector/query/query_param.h - the parameters of a request, as rows
 *
 *	static const struct query_param params[] = {
 *		{ "view", offsetof(struct looking_glass, query.views),
 *		  parse_view, .hint = "adj-rib-in-pre, ..." },
 *		QUERY_PARAMS_END,
 *	};
 *
 * A row has the name of a parameter, the member of the query that it sets, and
 * the function that parses it. The rows are also used to report a wrong value
 * to a client, to know which names a route accepts, to check docs/openapi.yaml,
 * and for the options of "arancini rib".
 *
 * Pure functions: a parser takes any text.
 */
#ifndef COLLECTOR_QUERY_QUERY_PARAM_H
#define COLLECTOR_QUERY_QUERY_PARAM_H

#include "bmp/message.h"
#include "rib/types.h"

struct query_param {
	const char *name;
	size_t field; /* offset of the member in the query */
	/*
	 * Parse @text into *@field. Returns NULL, or what is wrong with the
	 * value. If parse is NULL, the HTTP server uses the text itself.
	 */
	const char *(*parse)(const char *text, void *field);
	const char *hint; /* description of valid values */
	/* name of another parameter that must be given, too */
	const char *needs;
	bool required;
};

#define QUERY_PARAMS_END     \
	{                    \
		.name = NULL \
	}

/* The number of rows per page: a parameter of all lists. */
#define QUERY_LIMIT_DEFAULT 100
#define QUERY_LIMIT_MAX	    1000

/* A router or peer, if the parameter was given. */
struct query_router {
	bool given;
	struct rib_identity identity;
};

struct query_peer {
	bool given;
	struct bmp_peer peer;
};

/* The row with this name, or NULL. */
const struct query_param *query_param_find(const struct query_param *params,
					   const char *name);

/*
 * Parse a number from @min to @max, digits only. False, with *@out unchanged,
 * if it is not valid.
 */
bool query_param_number(const char *text, unsigned long min, unsigned long max,
			unsigned long *out);

/*
 * Parsers for members of the types struct query_router, struct query_peer and
 * size_t.
 */
const char *query_parse_router(const char *text, void *field);
const char *query_parse_peer(const char *text, void *field);
const char *query_parse_limit(const char *text, void *field);

#define QUERY_ROUTER_HINT "a token as in subjects: v4_192_0_2_1, id_core1"
#define QUERY_PEER_HINT	  "type, distinguisher, address: 0-0-192.0.2.1"

/* clang-format off */
/*
 * Rows that all lists have; @type begins with a struct page_query named page.
 */
#define QUERY_ROUTER_ROW(type) \
	{ "router", offsetof(type, page.router), query_parse_router, \
	  .hint = QUERY_ROUTER_HINT }
#define QUERY_PAGE_ROWS(type) \
	{ "limit", offsetof(type, page.limit), query_parse_limit, \
	  .hint = "a number from 1 to 1000" }, \
	{ "cursor", .hint = "\"next\" of the page before" }
/* clang-format on */

#endif
