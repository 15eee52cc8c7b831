/*
 * collector/http/paging.h - a page of a list, over all workers
 *
 * A page goes through the workers in order until it is full, or until a worker
 * has used up its time; its cursor has the worker and a position there. The
 * list defines the query and how a result is added to the page.
 */
#ifndef COLLECTOR_HTTP_PAGING_H
#define COLLECTOR_HTTP_PAGING_H

#include "collector/http/server_internal.h"

/* Common state of a list request. */
struct http_paging {
	/* Set by the list */
	struct http_request *request;
	uint8_t kind; /* kind of its cursors */
	void *place;  /* position in a worker; all zero = the beginning */
	size_t place_len;
	/* Make the next query, on the heap. NULL if out of memory. */
	struct worker_query *(*ask)(struct http_paging *page);
	/*
	 * Add a result to the page and advance left and place; *@more: the
	 * worker has more. False if it failed; the reply is then an error.
	 */
	bool (*take)(struct http_paging *page, struct worker_query *q,
		     bool *more);

	/* Set by http_paging_start() */
	uint64_t seed;
	uint32_t worker;
	uint32_t end; /* the worker after the last */
	size_t left;  /* rows left for the page */
};

/* Parse limit and cursor. False on error; the reply then says so. */
bool http_paging_start(struct http_paging *page);

/*
 * Restrict the page to the router @token, which becomes *@out. False on error,
 * likewise.
 */
bool http_paging_router(struct http_paging *page, const char *token,
			struct rib_identity *out);

/*
 * The rest of an answer whose array was begun: its elements, "next", and the
 * end of the object. Yields.
 */
void http_paging_run(struct http_paging *page);

#endif
