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
	struct outlook o;

	publisher_stats(collector_publisher(r->http->collector), &stats);
	o = outlook_of(r->http->collector, &stats);
	r->status = o.ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
	json_object(&r->out);
	outlook_json(&r->out, &o);
	json_end_object(&r->out);
	json_end_line(&r->out);
}

void http_get_status(struct http_request *r)
{
	struct http *h = r->http;
	struct picture_options options = { .each_router = true,
					   .patience = HTTP_PATIENCE };
	struct vitals_worker *vitals =
		calloc(collector_workers(h->collector), sizeof(*vitals));
	struct picture picture;
	int err = -ENOMEM;

	if (vitals != NULL)
		err = picture_take(h->collector, &options, &picture);
	if (err < 0) {
		http_ask_failed(r, err);
		free(vitals);
		return;
	}
	vitals_get(h->vitals, vitals);
	vitals_recent(h->vitals, &picture.publisher);
	status_json(&r->out, h->collector, &picture, vitals);
	json_end_line(&r->out);
	picture_release(&picture);
	free(vitals);
}
