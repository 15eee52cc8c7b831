#include "collector/http/server_internal.h"

#include <string.h>

/* clang-format off */
static const struct http_route routes[] = {
	{ "/healthz", "", HTTP_OPEN | HTTP_DIRECT | HTTP_RESERVED,
	  http_get_health },
	{ "/readyz", "", HTTP_OPEN | HTTP_DIRECT | HTTP_RESERVED,
	  http_get_ready },
	{ "/api/v1/status", "", 0, http_get_status },
	{ "/api/v1/routers", "state filter limit cursor", 0, http_get_routers },
	{ "/api/v1/routers/*", "", 0, http_get_router },
	{ "/api/v1/peers", "router state filter limit cursor", 0,
	  http_get_peers },
	{ "/api/v1/peers/*/*", "", 0, http_get_peer },
	{ "/api/v1/rib",
	  "prefix match router peer view family rd limit cursor", 0,
	  http_get_rib },
	{ "/api/v1/events", "", HTTP_DIRECT | HTTP_STREAM, http_get_events },
	{ "/metrics", "", HTTP_RESERVED, http_get_metrics },
	{ "/api/v1/routers/*/disconnect", "", HTTP_POST, http_post_disconnect },
	{ "/api/v1/peers/*/*/purge", "", HTTP_POST, http_post_purge },
	{ "/api/v1/snapshot", "", HTTP_POST, http_post_snapshot },
	{ "/api/v1/resync", "router", HTTP_POST, http_post_resync },
	{ "/api/v1/log-level", "level", HTTP_POST | HTTP_DIRECT,
	  http_post_log_level },
};
/* clang-format on */

static const struct http_route page_route = { "", "", HTTP_DIRECT,
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

/* True if @word is one of @words, which are separated by single blanks. */
static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	while (*words != '\0') {
		size_t n = strcspn(words, " ");

		if (n == len && memcmp(words, word, len) == 0)
			return true;
		words += n;
		words += *words == ' ';
	}
	return false;
}

bool http_route_check_params(struct http_request *r)
{
	for (size_t i = 0; i < r->target.param_count; i++) {
		const char *name = r->target.params[i].name;

		if (has_word(r->route->params, name))
			continue;
		http_error_of(r, MHD_HTTP_BAD_REQUEST,
			      "there is no such parameter here", name,
			      r->route->params[0] != '\0' ? r->route->params
							  : "it has none");
		return false;
	}
	return true;
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
