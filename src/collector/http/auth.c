#include "collector/http/server_internal.h"

#include "collector/http/token.h"

#include <string.h>
#include <strings.h>

static const char *header_find(const struct http_request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND,
					   name);
}

/*
 * True if the request has the token, as "Bearer TOKEN" or as the password of
 * "Basic".
 */
static bool has_token(const struct http_request *r)
{
	const char *given = header_find(r, MHD_HTTP_HEADER_AUTHORIZATION);
	char *password = NULL, *user;
	bool equal;

	if (given == NULL || r->http->token == NULL)
		return false;
	if (strncasecmp(given, "Bearer ", 7) == 0)
		return http_token_equal(r->http->token, given + 7);
	user = MHD_basic_auth_get_username_password(r->connection, &password);
	equal = password != NULL && http_token_equal(r->http->token, password);
	MHD_free(user);
	MHD_free(password);
	return equal;
}

static bool token_refuse(struct http_request *r)
{
	bool given = header_find(r, MHD_HTTP_HEADER_AUTHORIZATION) != NULL;

	if (r->http->token == NULL)
		http_error(
			r, MHD_HTTP_FORBIDDEN,
			"this collector has no token, so no actions",
			"its log says why (event=http_without_token); start it "
			"with --http-token-file, or with a state folder that "
			"can be written");
	else
		http_error(r, MHD_HTTP_UNAUTHORIZED,
			   given ? "the token is not the right one"
				 : "this needs a token",
			   "Authorization: Bearer TOKEN, where TOKEN is in "
			   "the file http-token of the state folder, or in "
			   "that of --http-token-file");
	return false;
}

bool http_access_check(struct http_request *r)
{
	bool action = r->route->flags & HTTP_POST;
	const char *origin = header_find(r, MHD_HTTP_HEADER_ORIGIN);
	const char *host = header_find(r, MHD_HTTP_HEADER_HOST);

	if (r->route->flags & HTTP_OPEN)
		return true;
	/*
	 * A browser that has stored the token also sends it with requests that
	 * pages of other sites make: refuse the actions of such pages.
	 */
	if (action && origin != NULL &&
	    (host == NULL || !http_origin_is_own(origin, host))) {
		http_error(r, MHD_HTTP_FORBIDDEN,
			   "this comes from a page of another site", NULL);
		return false;
	}
	if (has_token(r))
		return true;
	if (action || !r->http->loopback)
		return token_refuse(r);
	if (host != NULL && !http_host_is_local(host)) {
		http_error(r, MHD_HTTP_MISDIRECTED_REQUEST,
			   "the Host header does not name this machine",
			   "ask for localhost or 127.0.0.1; a proxy in front "
			   "should send Host: localhost, or the token");
		return false;
	}
	return true;
}
