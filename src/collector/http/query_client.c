#include "collector/http/server_internal.h"

#include "collector/query/query_param.h"
#include "collector/query/worker_query.h"
#include "collector/base/router_identity.h"
#include "collector/worker_state.h"

#include <spargio/time.h>

#include <errno.h>

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

void http_no_router(struct http_request *r, const char *token)
{
	http_error_of(r, MHD_HTTP_NOT_FOUND, "no such router",
		      token != NULL ? token : "", "/api/v1/routers lists them");
}

void http_no_peer(struct http_request *r, const char *id)
{
	http_error_of(r, MHD_HTTP_NOT_FOUND, "no such peer", id,
		      "/api/v1/peers?router= lists them");
}

bool http_take_router(struct http_request *r, const char *token,
		      struct query_router *out, uint32_t *worker)
{
	const char *why = query_parse_router(token, out);

	if (why != NULL) {
		http_error_of(r, MHD_HTTP_BAD_REQUEST, why, token,
			      QUERY_ROUTER_HINT);
		return false;
	}
	*worker = identity_shard(&out->identity, r->http->env->worker_count);
	return true;
}

bool http_take_peer(struct http_request *r, const char *id,
		    struct query_peer *out)
{
	const char *why = query_parse_peer(id, out);

	if (why == NULL)
		return true;
	http_error_of(r, MHD_HTTP_BAD_REQUEST, why, id, QUERY_PEER_HINT);
	return false;
}
