/*
 * The looking glass: /api/v1/rib. A page goes through the workers one after
 * the other; of one worker it may be a part only, because a query that has to
 * look at every key of a family takes its time.
 */
#include "collector/http/paging.h"

#include "collector/policy/filter.h"
#include "collector/query/looking_glass.h"
#include "collector/http/prefix_param.h"
#include "bmp/names.h"

#include <string.h>

/* Of cursors; lists have the numbers of their kinds. */
#define CURSOR_RIB 16

struct reading {
	struct http_paging page; /* first */
	struct rib_query query;
	bool has_router;
	bool has_peer;
	struct rib_identity router;
	struct bmp_peer peer;
	struct rib_query_cursor place;
};

static const char *const match_names[RIB_MATCHES] = {
	[RIB_MATCH_EXACT] = "exact",
	[RIB_MATCH_LONGEST] = "longest",
	[RIB_MATCH_MORE_SPECIFIC] = "more-specific",
};

static const char *param(const struct reading *l, const char *name)
{
	return http_target_param(&l->page.request->target, name);
}

static bool bad(struct reading *l, const char *error, const char *value,
		const char *hint)
{
	http_error_of(l->page.request, MHD_HTTP_BAD_REQUEST, error, value,
		      hint);
	return false;
}

static bool take_match(struct reading *l, bool is_address)
{
	const char *text = param(l, "match");

	l->query.match = is_address ? RIB_MATCH_LONGEST : RIB_MATCH_EXACT;
	if (text == NULL)
		return true;
	for (int i = 0; i < RIB_MATCHES; i++) {
		if (strcmp(match_names[i], text) != 0)
			continue;
		l->query.match = (uint8_t)i;
		return true;
	}
	return bad(l, "not a match", text, "exact, longest, more-specific");
}

static bool take_prefix(struct reading *l)
{
	const char *text = param(l, "prefix");
	struct http_prefix prefix;
	const char *why;

	if (text == NULL) {
		http_error(l->page.request, MHD_HTTP_BAD_REQUEST,
			   "a prefix is missing",
			   "?prefix=192.0.2.0/24 or ?prefix=2001:db8::1");
		return false;
	}
	why = http_prefix_parse(text, &prefix);
	if (why != NULL)
		return bad(l, why, text, "192.0.2.0/24 or 2001:db8::1");
	memcpy(l->query.address, prefix.address, 16);
	l->query.prefix_len = prefix.len;
	l->query.ipv6 = prefix.ipv6;
	return take_match(l, prefix.is_address);
}

static bool take_view(struct reading *l)
{
	const char *text = param(l, "view");

	for (unsigned i = 0; text != NULL && i < BMP_VIEWS; i++)
		if (strcmp(bmp_view_name(i), text) == 0)
			l->query.views = (uint8_t)(1U << i);
	if (text == NULL || l->query.views != 0)
		return true;
	return bad(l, "not a view", text,
		   "adj-rib-in-pre, adj-rib-in-post, adj-rib-out-pre, "
		   "adj-rib-out-post, loc-rib");
}

static bool take_family(struct reading *l)
{
	const char *text = param(l, "family");

	for (int f = 1; text != NULL && f < BGP_FAMILIES; f++)
		if (strcmp(bgp_family_info((enum bgp_family)f)->name, text) ==
		    0)
			l->query.families = bgp_family_bit((enum bgp_family)f);
	if (text == NULL || l->query.families != 0)
		return true;
	return bad(l, "not a family", text, "as ipv4-unicast, ipv6-vpn");
}

static bool take_rd(struct reading *l)
{
	const char *text = param(l, "rd");

	if (text == NULL)
		return true;
	l->query.has_rd = true;
	return filter_rd_parse(text, &l->query.rd) == 0 ||
	       bad(l, "not a route distinguisher", text,
		   "64500:1, 192.0.2.1:1 or 0x and 16 hex digits");
}

static bool take_who(struct reading *l)
{
	const char *router = param(l, "router");
	const char *peer = param(l, "peer");

	if (peer != NULL && router == NULL)
		return bad(l, "a peer is of a router", peer, "give router=");
	if (router == NULL)
		return true;
	l->has_router = true;
	l->has_peer = peer != NULL;
	return http_paging_router(&l->page, router, &l->router) &&
	       (peer == NULL ||
		http_take_peer(l->page.request, peer, &l->peer));
}

static struct worker_query *ask(struct http_paging *page)
{
	const struct reading *l = (struct reading *)page;
	struct looking_glass *g = looking_glass_new();

	if (g == NULL)
		return NULL;
	g->query = l->query;
	g->has_router = l->has_router;
	g->has_peer = l->has_peer;
	g->router = l->router;
	g->peer = l->peer;
	g->limit = page->left;
	g->cursor = l->place;
	return &g->head;
}

static bool take(struct http_paging *page, struct worker_query *q, bool *more)
{
	struct reading *l = (struct reading *)page;
	struct looking_glass *g = (struct looking_glass *)q;

	if (g->no_router) {
		http_error_of(page->request, MHD_HTTP_NOT_FOUND,
			      "no such router", param(l, "router"),
			      "/api/v1/routers lists them");
		return false;
	}
	json_splice(&page->request->out, &g->out);
	page->left = g->limit;
	l->place = g->cursor;
	*more = g->more;
	return true;
}

void http_get_rib(struct http_request *r)
{
	struct reading l = {
		.page = { .request = r,
			  .kind = CURSOR_RIB,
			  .place = &l.place,
			  .place_len = sizeof(l.place),
			  .ask = ask,
			  .take = take },
	};

	if (!take_prefix(&l) || !take_view(&l) || !take_family(&l) ||
	    !take_rd(&l) || !http_paging_start(&l.page) || !take_who(&l))
		return;
	json_object(&r->out);
	json_string_at(&r->out, "prefix", param(&l, "prefix"));
	json_string_at(&r->out, "match", match_names[l.query.match]);
	json_key(&r->out, "routes");
	json_array(&r->out);
	http_paging_run(&l.page); /* yields */
}
