#include "collector/http/server_internal.h"

#include "collector/http/stats_poller.h"
#include "collector/telemetry/collector_stats.h"
#include "collector/telemetry/status_json.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

void http_get_health(struct http_request *r)
{
	r->type = "text/plain; charset=utf-8";
	json_raw(&r->out, "ok\n", 3);
}

void http_get_ready(struct http_request *r)
{
	struct publisher_stats publisher;
	struct readiness readiness;

	publisher_stats(r->http->env->publisher, &publisher);
	readiness = readiness_of(r->http->env, &publisher);
	r->status =
		readiness.ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
	json_object(&r->out);
	readiness_json(&r->out, &readiness);
	json_end_object(&r->out);
	json_end_line(&r->out);
}

void http_get_status(struct http_request *r)
{
	struct http *h = r->http;
	struct collector_stats_options options = { .each_router = true,
						   .patience = HTTP_PATIENCE };
	struct worker_rates *rates =
		calloc(h->env->worker_count, sizeof(*rates));
	struct collector_stats stats;
	int err = -ENOMEM;

	if (rates != NULL)
		err = collector_stats_collect(h->env, &options, &stats);
	if (err < 0) {
		http_ask_failed(r, err);
		free(rates);
		return;
	}
	stats_poller_get(h->stats_poller, rates);
	stats_poller_recent(h->stats_poller, &stats.publisher);
	status_json(&r->out, h->env, &stats, rates);
	json_end_line(&r->out);
	collector_stats_release(&stats);
	free(rates);
}
