/*
 * collector/query/peer_metrics.h - metrics of every peer, for --metrics-per-peer
 *
 * As list_query.h, with samples instead of objects. Two families need two texts,
 * because the samples of a family stand together.
 */
#ifndef COLLECTOR_QUERY_PEER_METRICS_H
#define COLLECTOR_QUERY_PEER_METRICS_H

#include "collector/query/worker_query.h"
#include "collector/base/json.h"
#include "collector/query/list_query.h"

#define CENSUS_UP     "arancini_peer_up"
#define CENSUS_ROUTES "arancini_peer_routes"

struct census {
	struct desk_question question;
	struct survey_place place;
	struct json up;
	struct json routes;
	bool more;
};

/* NULL: no memory. */
struct census *census_new(void);
void census_free(struct census *c);

#endif
