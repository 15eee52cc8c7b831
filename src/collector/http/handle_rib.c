/*
 * The looking glass: /api/v1/rib. A page goes through the workers in turn. It
 * may contain only a part of one worker's routes, because a query that scans
 * every key of a family takes a long time.
 */
#include "collector/http/paging.h"

#include "collector/policy/filter.h"
#include "collector/query/looking_glass.h"
#include "collector/http/prefix_param.h"
#include "bmp/names.h"

#include <string.h>

/* Kind of its cursors; lists use the numbers of their kinds. */
#define CURSOR_RIB 16

struct reading {
	struct http_paging page; /* must be the first member */
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

static const char *param_find(const struct reading *reading, const char *name)
{
	return http_target_param(&reading->page.request->target, name);
}

static bool param_refuse(struct reading *reading, const char *error,
			 const char *value, const char *hint)
{
	http_error_of(reading->page.request, MHD_HTTP_BAD_REQUEST, error, value,
		      hint);
	return false;
}

static bool take_match(struct reading *reading, bool is_address)
{
	const char *text = param_find(reading, "match");

	reading->query.match = is_address ? RIB_MATCH_LONGEST : RIB_MATCH_EXACT;
	if (text == NULL)
		return true;
	for (int i = 0; i < RIB_MATCHES; i++) {
		if (strcmp(match_names[i], text) != 0)
			continue;
		reading->query.match = (uint8_t)i;
		return true;
	}
	return param_refuse(reading, "not a match", text,
			    "exact, longest, more-specific");
}

static bool take_prefix(struct reading *reading)
{
	const char *text = param_find(reading, "prefix");
	struct http_prefix prefix;
	const char *why;

	if (text == NULL) {
		http_error(reading->page.request, MHD_HTTP_BAD_REQUEST,
			   "a prefix is missing",
			   "?prefix=192.0.2.0/24 or ?prefix=2001:db8::1");
		return false;
	}
	why = http_prefix_parse(text, &prefix);
	if (why != NULL)
		return param_refuse(reading, why, text,
				    "192.0.2.0/24 or 2001:db8::1");
	memcpy(reading->query.address, prefix.address, 16);
	reading->query.prefix_len = prefix.len;
	reading->query.ipv6 = prefix.ipv6;
	return take_match(reading, prefix.is_address);
}

static bool take_view(struct reading *reading)
{
	const char *text = param_find(reading, "view");

	for (unsigned i = 0; text != NULL && i < BMP_VIEWS; i++)
		if (strcmp(bmp_view_name(i), text) == 0)
			reading->query.views = (uint8_t)(1U << i);
	if (text == NULL || reading->query.views != 0)
		return true;
	return param_refuse(reading, "not a view", text,
			    "adj-rib-in-pre, adj-rib-in-post, adj-rib-out-pre, "
			    "adj-rib-out-post, loc-rib");
}

static bool take_family(struct reading *reading)
{
	const char *text = param_find(reading, "family");

	for (int f = 1; text != NULL && f < BGP_FAMILIES; f++)
		if (strcmp(bgp_family_info((enum bgp_family)f)->name, text) ==
		    0)
			reading->query.families =
				bgp_family_bit((enum bgp_family)f);
	if (text == NULL || reading->query.families != 0)
		return true;
	return param_refuse(reading, "not a family", text,
			    "as ipv4-unicast, ipv6-vpn");
}

static bool take_rd(struct reading *reading)
{
	const char *text = param_find(reading, "rd");

	if (text == NULL)
		return true;
	reading->query.has_rd = true;
	return filter_rd_parse(text, &reading->query.rd) == 0 ||
	       param_refuse(reading, "not a route distinguisher", text,
			    "64500:1, 192.0.2.1:1 or 0x and 16 hex digits");
}

static bool take_who(struct reading *reading)
{
	const char *router = param_find(reading, "router");
	const char *peer = param_find(reading, "peer");

	if (peer != NULL && router == NULL)
		return param_refuse(reading, "a peer is of a router", peer,
				    "give router=");
	if (router == NULL)
		return true;
	reading->has_router = true;
	reading->has_peer = peer != NULL;
	return http_paging_router(&reading->page, router, &reading->router) &&
	       (peer == NULL ||
		http_take_peer(reading->page.request, peer, &reading->peer));
}

static struct worker_query *rib_page_ask(struct http_paging *page)
{
	const struct reading *reading = (struct reading *)page;
	struct looking_glass *g = looking_glass_new();

	if (g == NULL)
		return NULL;
	g->query = reading->query;
	g->has_router = reading->has_router;
	g->has_peer = reading->has_peer;
	g->router = reading->router;
	g->peer = reading->peer;
	g->limit = page->left;
	g->max_bytes = HTTP_PAGE_BYTES - page->request->out.len;
	g->cursor = reading->place;
	return &g->head;
}

static bool rib_page_take(struct http_paging *page, struct worker_query *q,
			  bool *more)
{
	struct reading *reading = (struct reading *)page;
	struct looking_glass *g = (struct looking_glass *)q;

	if (g->no_router) {
		http_error_of(page->request, MHD_HTTP_NOT_FOUND,
			      "no such router", param_find(reading, "router"),
			      "/api/v1/routers lists them");
		return false;
	}
	json_splice(&page->request->out, &g->out);
	page->left = g->limit;
	reading->place = g->cursor;
	*more = g->more;
	return true;
}

void http_get_rib(struct http_request *r)
{
	struct reading reading = {
		.page = { .request = r,
			  .kind = CURSOR_RIB,
			  .place = &reading.place,
			  .place_len = sizeof(reading.place),
			  .ask = rib_page_ask,
			  .take = rib_page_take },
	};

	if (!take_prefix(&reading) || !take_view(&reading) ||
	    !take_family(&reading) || !take_rd(&reading) ||
	    !http_paging_start(&reading.page) || !take_who(&reading))
		return;
	json_object(&r->out);
	json_string_at(&r->out, "prefix", param_find(&reading, "prefix"));
	json_string_at(&r->out, "match", match_names[reading.query.match]);
	json_key(&r->out, "routes");
	json_array(&r->out);
	http_paging_run(&reading.page); /* yields */
}
