#include "collector/http/server_internal.h"

#include "collector/config/config.h"
#include "collector/http/connections.h"
#include "collector/http/stats_poller.h"
#include "collector/telemetry/peer_metrics.h"
#include "collector/telemetry/collector_stats.h"
#include "collector/telemetry/metrics.h"

#include <spargio/time.h>

#include <errno.h>

static void put_connections(struct http_request *r)
{
	struct http_connection_stats stats;

	http_connections_stats(r->http->connections, &stats);
	metrics_one(&r->out, "arancini_http_connections", METRICS_GAUGE,
		    (double)stats.open, "Open HTTP connections.");
	metrics_one(&r->out, "arancini_http_connections_evicted_total",
		    METRICS_COUNTER, (double)stats.evicted,
		    "HTTP connections closed to make room for another: they "
		    "had not sent a whole request.");
	metrics_one(&r->out, "arancini_http_connections_expired_total",
		    METRICS_COUNTER, (double)stats.expired,
		    "HTTP connections closed because a request or an answer "
		    "took too long.");
}

static void put_collector(struct http_request *r,
			  const struct collector_stats *p)
{
	struct http *h = r->http;
	int64_t up = p->now - h->env->started;
	struct metrics_labels labels = { .len = 0 };

	metrics_label(&labels, "version", ARANCINI_VERSION);
	metrics_label(&labels, "collector", h->config->identity.collector);
	metrics_label(&labels, "output",
		      h->config->nats.urls.count > 0 ? "jetstream" : "journal");
	metrics_family(&r->out, "arancini_build_info", METRICS_GAUGE,
		       "1, with what is running as labels.");
	metrics_uint(&r->out, "arancini_build_info", &labels, 1);
	metrics_one(&r->out, "arancini_start_time_seconds", METRICS_GAUGE,
		    (double)(p->wall_ns - (uint64_t)up) / 1e9,
		    "When the collector was started, since 1970.");
	metrics_one(&r->out, "arancini_log_lost_lines_total", METRICS_COUNTER,
		    (double)log_lost(h->log),
		    "Log lines that could not be written at once.");
	metrics_one(&r->out, "arancini_log_suppressed_lines_total",
		    METRICS_COUNTER, (double)log_suppressed(h->log),
		    "Log lines about routers and clients beyond their limits.");
	put_connections(r);
}

/*
 * Collect the metrics of all peers of one worker. False if it failed; the reply
 * is then an error. Yields.
 */
static bool count_worker(struct http_request *r, uint32_t worker,
			 struct json *up, struct json *routes)
{
	struct list_query_place place = { 0 };
	bool more;

	do {
		struct peer_metrics *c = peer_metrics_new();
		struct worker_query *q = &c->head;

		if (c == NULL) {
			http_ask_failed(r, -ENOMEM);
			return false;
		}
		c->place = place;
		if (!http_ask(r, worker, &q))
			return false;
		json_raw(up, c->up.bytes, c->up.len);
		json_raw(routes, c->routes.bytes, c->routes.len);
		place = c->place;
		more = c->more;
		peer_metrics_free(c);
	} while (more);
	return true;
}

static void put_peers(struct http_request *r)
{
	uint32_t workers = r->http->env->worker_count;
	struct json up = { 0 }, routes = { 0 };
	bool ok = true;

	metrics_family(&up, PEER_METRICS_UP, METRICS_GAUGE,
		       "1 if the peer is up.");
	metrics_family(&routes, PEER_METRICS_ROUTES, METRICS_GAUGE,
		       "Routes held of a peer, by table.");
	for (uint32_t i = 0; i < workers && ok; i++)
		ok = count_worker(r, i, &up, &routes);
	if (ok) {
		json_raw(&r->out, up.bytes, up.len);
		json_raw(&r->out, routes.bytes, routes.len);
		r->out.failed |= up.failed || routes.failed;
	}
	json_fini(&up);
	json_fini(&routes);
}

void http_get_metrics(struct http_request *r)
{
	struct http *h = r->http;
	struct collector_stats_options options = { .each_router = true,
						   .patience = HTTP_PATIENCE };
	struct collector_stats stats;
	int err =
		collector_stats_collect(h->env, &options, &stats); /* yields */

	if (err < 0) {
		http_ask_failed(r, err);
		return;
	}
	r->type = "text/plain; version=0.0.4; charset=utf-8";
	put_collector(r, &stats);
	metrics_workers(&r->out, &stats);
	metrics_output(&r->out, &stats,
		       stats_poller_spooling_since(h->stats_poller));
	metrics_runtime(&r->out, &stats);
	collector_stats_release(&stats);
	if (h->config->http.metrics_per_peer)
		put_peers(r);
}
