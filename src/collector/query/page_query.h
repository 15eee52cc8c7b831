/*
 * collector/query/page_query.h - the first member of a query whose result is a
 * page
 *
 * A page of a list or of the looking glass is filled by one worker after the
 * other, with the same query. The query has the parameters of the client; each
 * worker starts at place and appends rows to out.
 */
#ifndef COLLECTOR_QUERY_PAGE_QUERY_H
#define COLLECTOR_QUERY_PAGE_QUERY_H

#include "collector/base/json.h"
#include "collector/query/query_param.h"
#include "collector/query/worker_query.h"

struct page_query {
	struct worker_query head;
	/*
	 * The position in the present worker; consists of numbers only. All
	 * zero = the beginning.
	 */
	void *place;
	size_t place_len;
	uint8_t kind; /* number of the kind of list, for cursors */
	/* Parameters */
	struct query_router router;
	struct query_peer peer;
	size_t limit; /* number of rows still wanted */
	/* maximum bytes of out; it is exceeded by one row at most */
	size_t max_bytes;
	/* Result */
	struct json out; /* the rows: objects separated by commas */
	/* the page ended before the last row of this worker */
	bool more;
	bool no_router; /* the router does not exist on this worker */
};

#endif
