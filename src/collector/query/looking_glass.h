/*
 * collector/query/looking_glass.h - the looking glass: routes for a prefix, page by page
 *
 * As list_query.h, for the routes of a worker: rib/query.h in slices. The
 * parameters are in query, except the router, which is given by name because a
 * pointer may not live as long as a query.
 */
#ifndef COLLECTOR_QUERY_LOOKING_GLASS_H
#define COLLECTOR_QUERY_LOOKING_GLASS_H

#include "collector/query/worker_query.h"
#include "collector/base/router_identity.h"
#include "collector/base/json.h"
#include "rib/query.h"

struct looking_glass {
	struct worker_query head;
	struct rib_query query; /* router and peer must be NULL */
	bool has_router;
	bool has_peer;
	struct rib_identity router;
	struct bmp_peer peer;
	size_t limit;
	/* limit for out: the route that exceeds it is the last */
	size_t max_bytes;
	struct rib_query_cursor cursor;
	struct json out; /* objects separated by commas */
	size_t count;
	bool more;
	bool no_router; /* the named router does not exist on this worker */
};

/* NULL if out of memory. */
struct looking_glass *looking_glass_new(void);
void looking_glass_free(struct looking_glass *g);

#endif
