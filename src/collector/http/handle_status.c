#include "collector/http/server_internal.h"

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
	struct publisher_stats stats;
	struct readiness o;

	publisher_stats(collector_publisher(r->http->collector), &stats);
	o = readiness_of(r->http->collector, &stats);
	r->status = o.ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
	json_object(&r->out);
	readiness_json(&r->out, &o);
	json_end_object(&r->out);
	json_end_line(&r->out);
}

void http_get_status(struct http_request *r)
{
	struct http *h = r->http;
	struct collector_stats_options options = { .each_router = true,
						   .patience = HTTP_PATIENCE };
	struct stats_poller_worker *stats_poller =
		calloc(collector_workers(h->collector), sizeof(*stats_poller));
	struct collector_stats picture;
	int err = -ENOMEM;

	if (stats_poller != NULL)
		err = collector_stats_collect(h->collector, &options, &picture);
	if (err < 0) {
		http_ask_failed(r, err);
		free(stats_poller);
		return;
	}
	stats_poller_get(h->stats_poller, stats_poller);
	stats_poller_recent(h->stats_poller, &picture.publisher);
	status_json(&r->out, h->collector, &picture, stats_poller);
	json_end_line(&r->out);
	collector_stats_release(&picture);
	free(stats_poller);
}
