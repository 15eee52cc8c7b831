/*
 * collector/http/paging.h - a page of a list, over all workers
 *
 * A page is filled by one worker after the other, until it is full or a worker
 * has used up its time. The cursor of the page has the worker and the position
 * in it. There is one query, which has the parameters of the client and is
 * passed from worker to worker.
 */
#ifndef COLLECTOR_HTTP_PAGING_H
#define COLLECTOR_HTTP_PAGING_H

#include "collector/http/server_internal.h"
#include "collector/query/page_query.h"

struct http_paging {
	struct http_request *request;
	struct page_query *query; /* freed and NULL after an error */
	uint64_t seed;
	uint32_t worker;
	uint32_t end; /* number of the worker after the last one */
};

/*
 * Parse the parameters of the request into @query, which from here on belongs
 * to the page; NULL means out of memory. Returns false on an error; the reply
 * is then an error, and the query is freed.
 */
bool http_paging_start(struct http_paging *page, struct http_request *r,
		       struct page_query *query);

/*
 * Complete an answer whose array was begun: write the elements, "next", and the
 * end of the object. Frees the query. Yields.
 */
void http_paging_run(struct http_paging *page);

#endif
