/*
 * The looking glass: /api/v1/rib. A page may contain only a part of one
 * worker's routes, because a query that scans every key of a family takes a
 * long time. The parameters are in query/looking_glass_params.c.
 */
#include "collector/http/paging.h"
#include "collector/query/looking_glass.h"

void http_get_rib(struct http_request *r)
{
	struct looking_glass *g = looking_glass_new();
	struct http_paging page;

	/* If g is NULL (out of memory), this replies 503. */
	if (!http_paging_start(&page, r, g != NULL ? &g->page : NULL) ||
	    g == NULL)
		return;
	json_object(&r->out);
	json_string_at(&r->out, "prefix",
		       http_target_param(&r->target, "prefix"));
	json_string_at(&r->out, "match",
		       looking_glass_match_name(g->query.match));
	json_key(&r->out, "routes");
	json_array(&r->out);
	http_paging_run(&page); /* yields */
}
