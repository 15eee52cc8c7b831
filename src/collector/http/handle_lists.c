#include "collector/http/paging.h"

#include "collector/query/list_query.h"

#include <string.h>

/* One list being read. */
struct reading {
	struct http_paging page; /* first */
	enum list_query_kind kind;
	struct list_query asked; /* what each worker is asked */
	struct list_query_place place;
};

static bool take_filter(struct reading *l)
{
	struct http_request *r = l->page.request;
	const char *filter = http_target_param(&r->target, "filter");
	const char *state = http_target_param(&r->target, "state");

	if (filter != NULL && strlen(filter) > LIST_QUERY_FILTER_MAX) {
		http_error(r, MHD_HTTP_BAD_REQUEST, "the filter is too long",
			   "at most 128 bytes");
		return false;
	}
	if (filter != NULL)
		memcpy(l->asked.filter, filter, strlen(filter) + 1);
	if (state != NULL && list_query_state_find(state) < 0) {
		http_error_of(r, MHD_HTTP_BAD_REQUEST, "not a state", state,
			      "up, implied, stale, down");
		return false;
	}
	if (state != NULL)
		l->asked.states = (uint8_t)(1U << list_query_state_find(state));
	return true;
}

static bool take_router(struct reading *l)
{
	const char *token =
		http_target_param(&l->page.request->target, "router");

	if (token == NULL)
		return true;
	l->asked.has_router = true;
	return http_paging_router(&l->page, token, &l->asked.router);
}

static struct worker_query *ask(struct http_paging *page)
{
	struct reading *l = (struct reading *)page;
	struct list_query *v = list_query_new(l->kind);

	if (v == NULL)
		return NULL;
	l->asked.head = v->head;
	l->asked.kind = l->kind;
	l->asked.limit = page->left;
	l->asked.place = l->place;
	*v = l->asked;
	return &v->head;
}

static bool take(struct http_paging *page, struct worker_query *q, bool *more)
{
	struct reading *l = (struct reading *)page;
	struct list_query *v = (struct list_query *)q;

	json_splice(&page->request->out, &v->out);
	page->left = v->limit;
	l->place = v->place;
	*more = v->more;
	return true;
}

static void list(struct http_request *r, enum list_query_kind kind,
		 const char *name)
{
	struct reading l = {
		.page = { .request = r,
			  .kind = (uint8_t)kind,
			  .place = &l.place,
			  .place_len = sizeof(l.place),
			  .ask = ask,
			  .take = take },
		.kind = kind,
	};

	if (!http_paging_start(&l.page) || !take_filter(&l) || !take_router(&l))
		return;
	json_object(&r->out);
	json_key(&r->out, name);
	json_array(&r->out);
	http_paging_run(&l.page); /* yields */
}

void http_get_routers(struct http_request *r)
{
	list(r, LIST_QUERY_ROUTERS, "routers");
}

void http_get_peers(struct http_request *r)
{
	list(r, LIST_QUERY_PEERS, "peers");
}

/* One router or peer, with its history. */
static void show(struct http_request *r, struct list_query *v, uint32_t worker)
{
	struct worker_query *q = &v->head;
	bool peer = v->kind == LIST_QUERY_PEERS;

	v->whole = true;
	v->limit = 1;
	if (!http_ask(r, worker, &q)) /* yields */
		return;
	if (v->count == 0) {
		http_error_of(r, MHD_HTTP_NOT_FOUND,
			      peer ? "no such peer" : "no such router",
			      r->args[peer ? 1 : 0],
			      peer ? "/api/v1/peers?router= lists them"
				   : "/api/v1/routers lists them");
	} else {
		json_splice(&r->out, &v->out);
		json_end_line(&r->out);
	}
	list_query_free(v);
}

static void show_one(struct http_request *r, enum list_query_kind kind)
{
	struct list_query *v = list_query_new(kind);
	uint32_t worker;

	if (v == NULL) {
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory",
			   NULL);
		return;
	}
	v->has_router = true;
	v->has_peer = kind == LIST_QUERY_PEERS;
	if (!http_take_router(r, r->args[0], &v->router, &worker) ||
	    (v->has_peer && !http_take_peer(r, r->args[1], &v->peer))) {
		list_query_free(v);
		return;
	}
	show(r, v, worker);
}

void http_get_router(struct http_request *r)
{
	show_one(r, LIST_QUERY_ROUTERS);
}

void http_get_peer(struct http_request *r)
{
	show_one(r, LIST_QUERY_PEERS);
}
