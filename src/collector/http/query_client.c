#include "collector/http/server_internal.h"

#include "collector/query/worker_query.h"
#include "collector/base/peer_id.h"
#include "collector/base/router_identity.h"
#include "collector/worker_state.h"

#include <spargio/time.h>

#include <errno.h>
#include <string.h>

#define LIMIT_DEFAULT 100
#define LIMIT_MAX     1000

void http_ask_failed(struct http_request *r, int err)
{
	if (err == -EPIPE || err == -ECANCELED)
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "the collector is stopping", NULL);
	else if (err == -ENOMEM)
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory",
			   "ask for less with limit=");
	else
		http_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
			   "a worker did not answer in time",
			   "it is busy; ask again");
}

bool http_ask(struct http_request *r, uint32_t worker, struct worker_query **q)
{
	struct worker *w = r->http->env->workers[worker];
	int err;

	(*q)->deadline = sp_in(HTTP_PATIENCE);
	err = worker_query_run(w->query_queue, q);
	if (err == 0)
		return true;
	if (*q != NULL)
		(*q)->free(*q);
	*q = NULL;
	http_ask_failed(r, err);
	return false;
}

bool http_take_limit(struct http_request *r, size_t *out)
{
	unsigned long limit = LIMIT_DEFAULT;

	if (!http_target_number(&r->target, "limit", 1, LIMIT_MAX, &limit)) {
		http_error_of(r, MHD_HTTP_BAD_REQUEST, "not a limit",
			      http_target_param(&r->target, "limit"),
			      "a number from 1 to 1000");
		return false;
	}
	*out = limit;
	return true;
}

bool http_take_router(struct http_request *r, const char *token,
		      struct rib_identity *out, uint32_t *worker)
{
	if (identity_from_token(token, out) < 0) {
		http_error_of(r, MHD_HTTP_BAD_REQUEST, "not a router", token,
			      "a token as in subjects: v4_192_0_2_1, id_core1");
		return false;
	}
	*worker = identity_shard(out, r->http->env->worker_count);
	return true;
}

bool http_take_peer(struct http_request *r, const char *id,
		    struct bmp_peer *out)
{
	if (peer_id_parse(id, out) == 0)
		return true;
	http_error_of(r, MHD_HTTP_BAD_REQUEST, "not a peer", id,
		      "type, distinguisher, address: 0-0-192.0.2.1");
	return false;
}
