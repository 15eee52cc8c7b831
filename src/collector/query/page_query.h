/*
 * collector/query/page_query.h - the head of a query whose result is a page
 *
 * A page of a list or of the looking glass is filled by one worker after the
 * other with the same query: the parameters of the client are parsed into it,
 * each worker continues at its position and adds rows to out.
 */
#ifndef COLLECTOR_QUERY_PAGE_QUERY_H
#define COLLECTOR_QUERY_PAGE_QUERY_H

#include "collector/base/json.h"
#include "collector/query/query_param.h"
#include "collector/query/worker_query.h"

struct page_query {
	struct worker_query head;
	/* The position in a worker, numbers only; all zero = the beginning. */
	void *place;
	size_t place_len;
	uint8_t kind; /* a number for each kind of list */
	/* Parameters */
	struct query_router router;
	struct query_peer peer;
	size_t limit;	  /* rows still wanted */
	size_t max_bytes; /* limit for out: the row that exceeds it is the last
			   */
	/* Result of a worker */
	struct json out; /* objects separated by commas */
	bool more;
	bool no_router; /* the router does not exist on this worker */
};

#endif
