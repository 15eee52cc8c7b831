#include "collector/query/list_query.h"

#include "collector/worker_state.h"
#include "egress/subject.h"
#include "rib/counters.h"
#include "rib/read.h"
#include "rib/rib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Amount of work between two yields: an item that is skipped counts 1, a row
 * counts ROW.
 */
#define SLICE 1024
#define ROW   16

static const char *const state_names[LIST_QUERY_STATES] = {
	[LIST_QUERY_UP] = "up",
	[LIST_QUERY_IMPLIED] = "implied",
	[LIST_QUERY_STALE] = "stale",
	[LIST_QUERY_DOWN] = "down",
};

const char *list_query_state_name(enum list_query_state state)
{
	return state_names[state];
}

int list_query_state_find(const char *name)
{
	for (int i = 0; i < LIST_QUERY_STATES; i++)
		if (strcmp(state_names[i], name) == 0)
			return i;
	return -EINVAL;
}

bool list_query_wants(const struct list_query *list, const char *const *texts,
		      size_t n)
{
	if (list->filter[0] == '\0')
		return true;
	for (size_t i = 0; i < n; i++)
		if (texts[i] != NULL &&
		    strcasestr(texts[i], list->filter) != NULL)
			return true;
	return false;
}

void list_query_token(const struct rib_router *router,
		      char out[IDENTITY_TOKEN_MAX + 1])
{
	const struct rib_router_info *info = rib_router_info(router);

	if (info->name != NULL)
		subject_router_named(info->name, out);
	else
		subject_router(info->address, out);
}

void list_query_flow(struct json *j, const struct rib_flow *flow)
{
	uint64_t suppressed = 0, synthetic = 0;

	for (int i = 0; i < RIB_SUPPRESSED_KINDS; i++)
		suppressed += flow->suppressed[i];
	for (int i = 0; i < RIB_REASONS; i++)
		synthetic += flow->synthetic[i];
	json_uint_at(j, "received", flow->announced + flow->withdrawn);
	json_uint_at(j, "suppressed", suppressed);
	json_uint_at(j, "published",
		     flow->published_announced + flow->published_withdrawn +
			     flow->published_resync);
	json_uint_at(j, "synthetic", synthetic);
}

/* Parameters */

static const char *parse_state(const char *text, void *field)
{
	int state = list_query_state_find(text);

	if (state < 0)
		return "not a state";
	*(uint8_t *)field = (uint8_t)(1U << state);
	return NULL;
}

static const char *parse_filter(const char *text, void *field)
{
	size_t len = strlen(text);

	if (len > LIST_QUERY_FILTER_MAX)
		return "the filter is too long";
	memcpy(field, text, len + 1);
	return NULL;
}

/* clang-format off */
#define AT(member) offsetof(struct list_query, member)
#define STATE_ROW  { "state", AT(states), parse_state, \
		     .hint = "up, implied, stale, down" }
#define FILTER_ROW { "filter", AT(filter), parse_filter, \
		     .hint = "at most 128 bytes" }

const struct query_param list_query_router_params[] = {
	STATE_ROW,
	FILTER_ROW,
	QUERY_PAGE_ROWS(struct list_query),
	QUERY_PARAMS_END,
};

const struct query_param list_query_peer_params[] = {
	QUERY_ROUTER_ROW(struct list_query),
	STATE_ROW,
	FILTER_ROW,
	QUERY_PAGE_ROWS(struct list_query),
	QUERY_PARAMS_END,
};
/* clang-format on */

/* Iteration */

/* The first router at or after the position. */
static struct rib_router *router_from(struct list_query *list, struct rib *rib)
{
	struct rib_router_state state;
	struct rib_router *r;

	if (list->page.router.given) {
		r = rib_router_find(rib, &list->page.router.identity);
		list->page.no_router = r == NULL;
		if (r == NULL)
			return NULL;
		rib_router_state(r, &state);
		return state.serial >= list->place.router ? r : NULL;
	}
	return rib_router_from(rib, list->place.router);
}

static struct rib_peer *peer_behind(const struct list_query *list,
				    struct rib_router *router)
{
	struct rib_peer_state state;
	struct rib_peer *p;

	if (list->page.peer.given) {
		p = rib_router_peer(router, &list->page.peer.peer);
		if (p == NULL)
			return NULL;
		rib_peer_state(p, &state);
		return state.serial > list->place.peer ? p : NULL;
	}
	return rib_peer_from(router, list->place.peer + 1);
}

/*
 * The current router and peer, as pointers that are valid until the end of the
 * slice.
 */
struct walk {
	struct rib_router *router;
	struct rib_peer *peer;
	size_t left;
};

static void walk_start(struct walk *at, struct list_query *list,
		       struct rib *rib)
{
	at->router = router_from(list, rib);
	at->peer = NULL;
	at->left = SLICE;
	if (at->router != NULL && list->kind == LIST_QUERY_PEERS) {
		struct rib_router_state state;

		rib_router_state(at->router, &state);
		/*
		 * The router of the position may have been removed; then all
		 * peers of the next router are listed.
		 */
		if (state.serial == list->place.router)
			at->peer = peer_behind(list, at->router);
		else
			at->peer =
				list->page.peer.given
					? rib_router_peer(at->router,
							  &list->page.peer.peer)
					: rib_peer_next(at->router, NULL);
	}
}

/* Advance to the next router: all peers of the present one were listed. */
static void next_router(struct walk *at, struct list_query *list,
			struct rib *rib)
{
	struct rib_router_state state;

	rib_router_state(at->router, &state);
	list->place = (struct list_query_place){ .router = state.serial + 1 };
	at->router = list->page.router.given ? NULL
					     : rib_router_next(rib, at->router);
	at->peer = NULL;
	if (at->router != NULL && list->kind == LIST_QUERY_PEERS)
		at->peer = rib_peer_next(at->router, NULL);
}

static void next_peer(struct walk *at, struct list_query *list)
{
	struct rib_router_state router;
	struct rib_peer_state peer;

	rib_router_state(at->router, &router);
	rib_peer_state(at->peer, &peer);
	list->place = (struct list_query_place){ router.serial, peer.serial };
	at->peer = list->page.peer.given ? NULL
					 : rib_peer_next(at->router, at->peer);
}

/* Process one router or peer. */
static void walk_step(struct walk *at, struct list_query *list,
		      struct worker *w)
{
	bool wanted = false;

	if (list->kind == LIST_QUERY_ROUTERS)
		wanted = list_query_router(list, w, at->router);
	else if (at->peer != NULL)
		wanted = list_query_peer(list, at->router, at->peer);
	if (wanted) {
		list->page.limit--;
		at->left -= ROW - 1;
	}
	if (at->peer != NULL)
		next_peer(at, list);
	else
		next_router(at, list, w->rib);
	at->left--;
}

static int list_query_run(struct worker_query *q, struct worker *w)
{
	struct list_query *list = (struct list_query *)q;
	struct page_query *page = &list->page;
	struct walk at;

	page->more = false;
	walk_start(&at, list, w->rib);
	while (at.router != NULL) {
		/*
		 * If all peers of the last router were listed, no further page
		 * is needed.
		 */
		if ((page->limit == 0 || page->out.len >= page->max_bytes) &&
		    (list->kind == LIST_QUERY_ROUTERS || at.peer != NULL)) {
			page->more = true;
			break;
		}
		walk_step(&at, list, w);
		if (at.left >= ROW)
			continue;
		if (!worker_query_yield(q)) { /* yields */
			page->more = true;
			break;
		}
		walk_start(&at, list, w->rib);
	}
	return page->out.failed ? -ENOMEM : 0;
}

/* Creation and removal */

static void list_query_drop(struct worker_query *q)
{
	list_query_free((struct list_query *)q);
}

struct list_query *list_query_new(enum list_query_kind kind)
{
	struct list_query *list = calloc(1, sizeof(*list));

	if (list == NULL)
		return NULL;
	list->page.head.run = list_query_run;
	list->page.head.free = list_query_drop;
	list->page.kind = (uint8_t)kind;
	list->page.place = &list->place;
	list->page.place_len = sizeof(list->place);
	list->page.limit = QUERY_LIMIT_DEFAULT;
	list->kind = kind;
	return list;
}

void list_query_free(struct list_query *list)
{
	if (list == NULL)
		return;
	json_fini(&list->page.out);
	free(list);
}
