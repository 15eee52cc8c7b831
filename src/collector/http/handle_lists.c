#include "collector/http/paging.h"

#include "collector/query/list_query.h"

#include <errno.h>

static void list_reply(struct http_request *r, enum list_query_kind kind,
		       const char *name)
{
	struct list_query *list = list_query_new(kind);
	struct http_paging page;

	if (!http_paging_start(&page, r, list != NULL ? &list->page : NULL))
		return;
	json_object(&r->out);
	json_key(&r->out, name);
	json_array(&r->out);
	http_paging_run(&page); /* yields */
}

void http_get_routers(struct http_request *r)
{
	list_reply(r, LIST_QUERY_ROUTERS, "routers");
}

void http_get_peers(struct http_request *r)
{
	list_reply(r, LIST_QUERY_PEERS, "peers");
}

/* Reply with one router or peer and its history. Yields. */
static void item_reply(struct http_request *r, struct list_query *list,
		       uint32_t worker)
{
	struct worker_query *q = &list->page.head;
	bool peer = list->kind == LIST_QUERY_PEERS;

	list->whole = true;
	list->page.limit = 1;
	list->page.max_bytes = HTTP_PAGE_BYTES;
	if (!http_ask(r, worker, &q)) /* yields */
		return;
	if (list->page.no_router || (list->page.out.len == 0 && !peer)) {
		http_no_router(r, r->args[0]);
	} else if (list->page.out.len == 0) {
		http_no_peer(r, r->args[1]);
	} else {
		json_splice(&r->out, &list->page.out);
		json_end_line(&r->out);
	}
	list_query_free(list);
}

static void show_one(struct http_request *r, enum list_query_kind kind)
{
	struct list_query *list = list_query_new(kind);
	uint32_t worker;

	if (list == NULL) {
		http_ask_failed(r, -ENOMEM);
		return;
	}
	if (!http_take_router(r, r->args[0], &list->page.router, &worker) ||
	    (kind == LIST_QUERY_PEERS &&
	     !http_take_peer(r, r->args[1], &list->page.peer))) {
		list_query_free(list);
		return;
	}
	item_reply(r, list, worker);
}

void http_get_router(struct http_request *r)
{
	show_one(r, LIST_QUERY_ROUTERS);
}

void http_get_peer(struct http_request *r)
{
	show_one(r, LIST_QUERY_PEERS);
}
