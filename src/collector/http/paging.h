/*
 * collector/http/paging.h - a page of a list, over all workers
 *
 * A page goes through the workers in order until it is full, or until a worker
 * has used up its time; its cursor has the worker and a position there. One
 * query has the parameters of the client and goes from worker to worker.
 */
#ifndef COLLECTOR_HTTP_PAGING_H
#define COLLECTOR_HTTP_PAGING_H

#include "collector/http/server_internal.h"
#include "collector/query/page_query.h"

struct http_paging {
	struct http_request *request;
	struct page_query *query; /* NULL after an error */
	uint64_t seed;
	uint32_t worker;
	uint32_t end; /* the worker after the last */
};

/*
 * Parse the parameters of the request into @query, which may be NULL (out of
 * memory) and belongs to the page from here on. False on error; the reply then
 * says so, and the query is freed.
 */
bool http_paging_start(struct http_paging *page, struct http_request *r,
		       struct page_query *query);

/*
 * The rest of an answer whose array was begun: its elements, "next", and the
 * end of the object. Frees the query. Yields.
 */
void http_paging_run(struct http_paging *page);

#endif
