#include "collector/http/server_internal.h"

#include "collector/query/admin_command.h"
#include "collector/query/list_query.h"
#include "collector/query/looking_glass.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct http_route routes[] = {
	{ "/healthz", NULL, HTTP_OPEN | HTTP_DIRECT | HTTP_RESERVED,
	  http_get_health },
	{ "/readyz", NULL, HTTP_OPEN | HTTP_DIRECT | HTTP_RESERVED,
	  http_get_ready },
	{ "/api/v1/status", NULL, 0, http_get_status },
	{ "/api/v1/routers", list_query_router_params, 0,
	  http_get_routers },
	{ "/api/v1/routers/*", NULL, 0, http_get_router },
	{ "/api/v1/peers", list_query_peer_params, 0,
	  http_get_peers },
	{ "/api/v1/peers/*/*", NULL, 0, http_get_peer },
	{ "/api/v1/rib", looking_glass_params, 0, http_get_rib },
	{ "/api/v1/events", NULL, HTTP_DIRECT | HTTP_STREAM, http_get_events },
	{ "/metrics", NULL, HTTP_RESERVED, http_get_metrics },
	{ "/api/v1/routers/*/disconnect", NULL, HTTP_POST, http_post_disconnect },
	{ "/api/v1/peers/*/*/purge", NULL, HTTP_POST, http_post_purge },
	{ "/api/v1/snapshot", NULL, HTTP_POST, http_post_snapshot },
	{ "/api/v1/resync", admin_command_resync_params, HTTP_POST,
	  http_post_resync },
	{ "/api/v1/log-level", http_log_level_params, HTTP_POST | HTTP_DIRECT,
	  http_post_log_level },
};
/* clang-format on */

static const struct http_route page_route = { "", NULL, HTTP_DIRECT,
					      http_get_page };

#define ROUTES (sizeof(routes) / sizeof(routes[0]))

/*
 * True if the path matches @route; the segments that "*" matches go to @args.
 */
static bool route_matches(const struct http_route *route,
			  const struct http_target *t,
			  const char *args[HTTP_ARGS_MAX])
{
	const char *p = route->path;
	size_t n = 0, arg = 0;

	while (*p != '\0') {
		size_t len = strcspn(++p, "/");

		if (n == t->segment_count || n == HTTP_SEGMENTS_MAX)
			return false;
		if (len == 1 && *p == '*')
			args[arg++] = t->segments[n];
		else if (strncmp(t->segments[n], p, len) != 0 ||
			 t->segments[n][len] != '\0')
			return false;
		p += len;
		n++;
	}
	return n == t->segment_count;
}

/* Write the names of the parameters, separated by blanks, to @out. */
static void names_of(const struct query_param *params, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (; params->name != NULL && len < size; params++)
		len += (size_t)snprintf(out + len, size - len, "%s%s",
					len > 0 ? " " : "", params->name);
}

bool http_route_check_params(struct http_request *r)
{
	static const struct query_param none[] = { QUERY_PARAMS_END };
	const struct query_param *params =
		r->route->params != NULL ? r->route->params : none;
	char names[256];

	for (size_t i = 0; i < r->target.param_count; i++) {
		const char *name = r->target.params[i].name;

		if (query_param_find(params, name) != NULL)
			continue;
		names_of(params, names, sizeof(names));
		http_error_of(r, MHD_HTTP_BAD_REQUEST,
			      "there is no such parameter here", name,
			      names[0] != '\0' ? names : "it has none");
		return false;
	}
	return true;
}

bool http_params_read(struct http_request *r, void *into)
{
	for (const struct query_param *p = r->route->params; p->name != NULL;
	     p++) {
		const char *text = http_target_param(&r->target, p->name);
		const char *why = NULL;

		if (text == NULL && p->required) {
			http_error_of(r, MHD_HTTP_BAD_REQUEST,
				      "a parameter is missing", p->name,
				      p->hint);
			return false;
		}
		if (text == NULL)
			continue;
		if (p->needs != NULL &&
		    http_target_param(&r->target, p->needs) == NULL) {
			http_error_of(r, MHD_HTTP_BAD_REQUEST,
				      "a parameter that this one needs is "
				      "missing",
				      p->needs, p->hint);
			return false;
		}
		if (p->parse != NULL)
			why = p->parse(text, (char *)into + p->field);
		if (why == NULL)
			continue;
		http_error_of(r, MHD_HTTP_BAD_REQUEST, why, text, p->hint);
		return false;
	}
	return true;
}

const struct http_route *http_route_at(size_t i)
{
	return i < ROUTES ? &routes[i] : NULL;
}

bool http_route_find(struct http_request *r, const char *method)
{
	bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
	bool get = strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
		   strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;

	for (size_t i = 0; i < ROUTES; i++) {
		bool wants_post = routes[i].flags & HTTP_POST;

		if (!route_matches(&routes[i], &r->target, r->args))
			continue;
		r->allow = wants_post ? "POST" : "GET, HEAD";
		if (wants_post ? !post : !get)
			continue;
		r->allow = NULL;
		r->route = &routes[i];
		return true;
	}
	if (http_page_exists(&r->target)) {
		r->route = &page_route;
		if (get)
			return true;
		r->allow = "GET, HEAD";
	}
	if (r->allow != NULL)
		http_error_of(r, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "not a method of this path", method, r->allow);
	else
		http_error(r, MHD_HTTP_NOT_FOUND, "there is no such path",
			   "docs/http.md lists them; the API is below /api/v1");
	return false;
}
