/*
 * collector/http/paging.h - a page of a list, over the workers one by one
 *
 * A page goes through the workers in their order until it is full, or until
 * one of them has used up its time; its cursor tells the worker and a place
 * there. What is asked and what an answer adds to the page is the list's.
 */
#ifndef COLLECTOR_HTTP_PAGING_H
#define COLLECTOR_HTTP_PAGING_H

#include "collector/http/server_internal.h"

/* The head of a list that is being read. */
struct http_paging {
	/* Set by the list */
	struct http_request *request;
	uint8_t kind; /* of its cursors */
	void *place;  /* in a worker; all zero is the beginning */
	size_t place_len;
	/* The next question, on the heap. NULL: no memory. */
	struct worker_query *(*ask)(struct http_paging *page);
	/*
	 * Add an answer to the page, move left and place on; *@more: the worker
	 * has more. False: the request has its error.
	 */
	bool (*take)(struct http_paging *page, struct worker_query *q,
		     bool *more);

	/* Set by http_paging_start() */
	uint64_t seed;
	uint32_t worker;
	uint32_t end; /* the worker behind the last */
	size_t left;  /* of the page */
};

/* Take limit and cursor. False: the request has its error. */
bool http_paging_start(struct http_paging *page);

/* Only of the router @token, which is *@out. False: likewise. */
bool http_paging_router(struct http_paging *page, const char *token,
			struct rib_identity *out);

/*
 * The rest of an answer whose array was begun: its elements, "next", and the
 * end of the object. Yields.
 */
void http_paging_run(struct http_paging *page);

#endif
