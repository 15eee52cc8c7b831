#include "collector/config/router_settings.h"

#include "collector/config/config.h"

#include <stdlib.h>
#include <string.h>

static bool same_router(const struct config_router *a,
			const struct config_router *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == CONFIG_ROUTER_NAME)
		return strcmp(a->title, b->title) == 0;
	return a->port == b->port && memcmp(a->address, b->address, 16) == 0;
}

struct config_router *config_router_same(const struct config *config,
					 const struct config_router *like)
{
	for (size_t i = 0; i < config->router_count; i++)
		if (same_router(&config->routers[i], like))
			return &config->routers[i];
	return NULL;
}

struct config_router *config_router_add(struct config *config,
					const struct config_router *made)
{
	struct config_router *grown =
		reallocarray(config->routers, config->router_count + 1,
			     sizeof(*grown));

	if (grown == NULL)
		return NULL;
	config->routers = grown;
	grown[config->router_count] = *made;
	return &grown[config->router_count++];
}

/* The section of @kind that matches, or NULL. */
static const struct config_router *section_find(const struct config *config,
						enum config_router_kind kind,
						const uint8_t address[16],
						uint16_t port, const char *name)
{
	for (size_t i = 0; i < config->router_count; i++) {
		const struct config_router *r = &config->routers[i];

		if (r->kind != kind)
			continue;
		if (kind == CONFIG_ROUTER_NAME) {
			if (name != NULL && strcmp(r->title, name) == 0)
				return r;
		} else if (memcmp(r->address, address, 16) == 0 &&
			   (kind == CONFIG_ROUTER_ADDRESS || r->port == port)) {
			return r;
		}
	}
	return NULL;
}

static void section_apply(const struct config_router *r,
			  struct config_router_settings *out)
{
	config_router_overrides(r, &out->overrides);
	if (r->given & 1u << CONFIG_ROUTER_BMP_V4)
		out->bmp_v4 = r->bmp_v4;
	if (r->given & 1u << CONFIG_ROUTER_ROUTES_PER_ROUTER)
		out->routes.per_router = r->routes_per_router;
	if (r->given & 1u << CONFIG_ROUTER_ROUTES_PER_PEER)
		out->routes.per_peer = r->routes_per_peer;
	if (r->given & 1u << CONFIG_ROUTER_OUTPUT_RATE)
		out->output_rate = r->output_rate;
}

void config_router_settings(const struct config *config,
			    const uint8_t address[16], uint16_t port,
			    const char *name,
			    struct config_router_settings *out)
{
	const struct config_router *fit[CONFIG_ROUTER_KINDS];

	*out = (struct config_router_settings){
		.bmp_v4 = config->listen.bmp_v4,
		.routes = { .per_peer = config->limits.routes_per_peer,
			    .per_router = config->limits.routes_per_router,
			    .all = config->limits.routes },
		.output_rate = config->limits.output_rate,
	};
	/* Values: from the weakest to the strongest section ... */
	for (int kind = 0; kind < CONFIG_ROUTER_KINDS; kind++) {
		fit[kind] = section_find(config, kind, address, port, name);
		if (fit[kind] != NULL)
			section_apply(fit[kind], out);
	}
	/* ... rules: in the opposite order, because the first match decides. */
	for (int kind = CONFIG_ROUTER_KINDS - 1; kind >= 0; kind--)
		if (fit[kind] != NULL && fit[kind]->filter.count > 0)
			out->filters.at[out->filters.count++] =
				&fit[kind]->filter;
	out->filters.at[out->filters.count++] = &config->curation.filter;
}

const char *config_router_alias(const struct config *config,
				const uint8_t address[16], uint16_t port)
{
	const struct config_router *r =
		section_find(config, CONFIG_ROUTER_PORT, address, port, NULL);

	if (r == NULL || r->alias == NULL)
		r = section_find(config, CONFIG_ROUTER_ADDRESS, address, port,
				 NULL);
	return r != NULL ? r->alias : NULL;
}

bool config_router_is_configured(const struct config *config,
				 const uint8_t address[16], uint16_t port)
{
	return section_find(config, CONFIG_ROUTER_PORT, address, port, NULL) !=
		       NULL ||
	       section_find(config, CONFIG_ROUTER_ADDRESS, address, port,
			    NULL) != NULL;
}

bool config_router_name_is_configured(const struct config *config,
				      const char *name)
{
	static const uint8_t nowhere[16];

	return section_find(config, CONFIG_ROUTER_NAME, nowhere, 0, name) !=
	       NULL;
}

bool config_router_network_permits(const struct config *config,
				   const char *name, const uint8_t address[16])
{
	const struct config_router *r =
		section_find(config, CONFIG_ROUTER_NAME, address, 0, name);

	if (r == NULL || r->networks.count == 0)
		return true;
	for (size_t i = 0; i < r->networks.count; i++)
		if (acl_network_has(&r->networks.networks[i], address))
			return true;
	return false;
}
