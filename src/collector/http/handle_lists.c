#include "collector/http/paging.h"

#include "collector/query/list_query.h"

#include <string.h>

/* State of one list request. */
struct reading {
	struct http_paging page; /* must be the first member */
	enum list_query_kind kind;
	struct list_query asked; /* query for each worker */
	struct list_query_place place;
};

static bool take_filter(struct reading *reading)
{
	struct http_request *r = reading->page.request;
	const char *filter = http_target_param(&r->target, "filter");
	const char *state = http_target_param(&r->target, "state");

	if (filter != NULL && strlen(filter) > LIST_QUERY_FILTER_MAX) {
		http_error(r, MHD_HTTP_BAD_REQUEST, "the filter is too long",
			   "at most 128 bytes");
		return false;
	}
	if (filter != NULL)
		memcpy(reading->asked.filter, filter, strlen(filter) + 1);
	if (state != NULL && list_query_state_find(state) < 0) {
		http_error_of(r, MHD_HTTP_BAD_REQUEST, "not a state", state,
			      "up, implied, stale, down");
		return false;
	}
	if (state != NULL)
		reading->asked.states =
			(uint8_t)(1U << list_query_state_find(state));
	return true;
}

static bool take_router(struct reading *reading)
{
	const char *token =
		http_target_param(&reading->page.request->target, "router");

	if (token == NULL)
		return true;
	reading->asked.has_router = true;
	return http_paging_router(&reading->page, token,
				  &reading->asked.router);
}

static struct worker_query *list_page_ask(struct http_paging *page)
{
	struct reading *reading = (struct reading *)page;
	struct list_query *list = list_query_new(reading->kind);

	if (list == NULL)
		return NULL;
	reading->asked.head = list->head;
	reading->asked.kind = reading->kind;
	reading->asked.limit = page->left;
	reading->asked.place = reading->place;
	*list = reading->asked;
	return &list->head;
}

static bool list_page_take(struct http_paging *page, struct worker_query *q,
			   bool *more)
{
	struct reading *reading = (struct reading *)page;
	struct list_query *list = (struct list_query *)q;

	json_splice(&page->request->out, &list->out);
	page->left = list->limit;
	reading->place = list->place;
	*more = list->more;
	return true;
}

static void list_reply(struct http_request *r, enum list_query_kind kind,
		       const char *name)
{
	struct reading reading = {
		.page = { .request = r,
			  .kind = (uint8_t)kind,
			  .place = &reading.place,
			  .place_len = sizeof(reading.place),
			  .ask = list_page_ask,
			  .take = list_page_take },
		.kind = kind,
	};

	if (!http_paging_start(&reading.page) || !take_filter(&reading) ||
	    !take_router(&reading))
		return;
	json_object(&r->out);
	json_key(&r->out, name);
	json_array(&r->out);
	http_paging_run(&reading.page); /* yields */
}

void http_get_routers(struct http_request *r)
{
	list_reply(r, LIST_QUERY_ROUTERS, "routers");
}

void http_get_peers(struct http_request *r)
{
	list_reply(r, LIST_QUERY_PEERS, "peers");
}

/* One router or peer, with its history. */
static void item_reply(struct http_request *r, struct list_query *list,
		       uint32_t worker)
{
	struct worker_query *q = &list->head;
	bool peer = list->kind == LIST_QUERY_PEERS;

	list->whole = true;
	list->limit = 1;
	if (!http_ask(r, worker, &q)) /* yields */
		return;
	if (list->count == 0) {
		http_error_of(r, MHD_HTTP_NOT_FOUND,
			      peer ? "no such peer" : "no such router",
			      r->args[peer ? 1 : 0],
			      peer ? "/api/v1/peers?router= lists them"
				   : "/api/v1/routers lists them");
	} else {
		json_splice(&r->out, &list->out);
		json_end_line(&r->out);
	}
	list_query_free(list);
}

static void show_one(struct http_request *r, enum list_query_kind kind)
{
	struct list_query *list = list_query_new(kind);
	uint32_t worker;

	if (list == NULL) {
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory",
			   NULL);
		return;
	}
	list->has_router = true;
	list->has_peer = kind == LIST_QUERY_PEERS;
	if (!http_take_router(r, r->args[0], &list->router, &worker) ||
	    (list->has_peer && !http_take_peer(r, r->args[1], &list->peer))) {
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
