#include "collector/query/query_param.h"

#include "collector/base/peer_id.h"
#include "collector/base/router_identity.h"

#include <string.h>

const struct query_param *query_param_find(const struct query_param *params,
					   const char *name)
{
	for (; params->name != NULL; params++)
		if (strcmp(params->name, name) == 0)
			return params;
	return NULL;
}

bool query_param_number(const char *text, unsigned long min, unsigned long max,
			unsigned long *out)
{
	unsigned long value = 0;

	if (*text == '\0')
		return false;
	for (const char *p = text; *p != '\0'; p++) {
		if (*p < '0' || *p > '9' || value > max)
			return false;
		value = value * 10 + (unsigned long)(*p - '0');
	}
	if (value < min || value > max)
		return false;
	*out = value;
	return true;
}

const char *query_parse_router(const char *text, void *field)
{
	struct query_router *router = field;

	router->given = true;
	return identity_from_token(text, &router->identity) < 0 ? "not a router"
								: NULL;
}

const char *query_parse_peer(const char *text, void *field)
{
	struct query_peer *peer = field;

	peer->given = true;
	return peer_id_parse(text, &peer->peer) < 0 ? "not a peer" : NULL;
}

const char *query_parse_limit(const char *text, void *field)
{
	unsigned long limit;

	if (!query_param_number(text, 1, QUERY_LIMIT_MAX, &limit))
		return "not a limit";
	*(size_t *)field = limit;
	return NULL;
}
