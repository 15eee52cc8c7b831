/*
 * collector/telemetry/peer_metrics.h - metrics of every peer, for
 * --metrics-per-peer
 *
 * Like list_query.h, but writes samples instead of objects. Each of the two
 * families has a buffer of its own, because the samples of a family must be
 * contiguous.
 */
#ifndef COLLECTOR_TELEMETRY_PEER_METRICS_H
#define COLLECTOR_TELEMETRY_PEER_METRICS_H

#include "collector/query/worker_query.h"
#include "collector/base/json.h"
#include "collector/query/list_query.h"

#define PEER_METRICS_UP	    "arancini_peer_up"
#define PEER_METRICS_ROUTES "arancini_peer_routes"

struct peer_metrics {
	struct worker_query head;
	struct list_query_place place;
	struct json up;
	struct json routes;
	bool more;
};

/* Make a query for the metrics of peers; NULL if out of memory. */
struct peer_metrics *peer_metrics_new(void);
void peer_metrics_free(struct peer_metrics *c);

#endif
