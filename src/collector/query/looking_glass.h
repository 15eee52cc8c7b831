/*
 * collector/query/looking_glass.h - the looking glass: routes for a prefix, page by page
 *
 * As list_query.h, for the routes of a worker: rib/query.h in slices. What is
 * asked for is in query, but for the router, which is named because a pointer
 * to one may not live as long as a question.
 */
#ifndef COLLECTOR_QUERY_LOOKING_GLASS_H
#define COLLECTOR_QUERY_LOOKING_GLASS_H

#include "collector/query/worker_query.h"
#include "collector/base/router_identity.h"
#include "collector/base/json.h"
#include "rib/query.h"

struct looking_glass {
	struct worker_query head;
	struct rib_query query; /* router and peer: NULL */
	bool has_router;
	bool has_peer;
	struct rib_identity router;
	struct bmp_peer peer;
	size_t limit;
	size_t max_bytes; /* of out: the route that reaches it is the last */
	struct rib_query_cursor cursor;
	struct json out; /* objects with commas between */
	size_t count;
	bool more;
	bool no_router; /* it was named, and this worker has none such */
};

/* NULL: no memory. */
struct looking_glass *looking_glass_new(void);
void looking_glass_free(struct looking_glass *g);

#endif
