/*
 * collector/config/router_settings.h - the combined settings of a router
 *
 * All sections that match a router apply. If two of them set the same key, the
 * section by port overrides the section by address, which overrides the section
 * by name. Filter rules of all sections are tested, in the same order of
 * precedence, and the collector's rules last. The keys for add-path are
 * combined for each family separately.
 */
#ifndef COLLECTOR_CONFIG_ROUTER_SETTINGS_H
#define COLLECTOR_CONFIG_ROUTER_SETTINGS_H

#include "bmp/decode_context.h"
#include "collector/policy/filter.h"
#include "collector/policy/route_limits.h"

struct config;
struct config_router;

/*
 * The settings of one router. Where no section sets a key, they have the
 * collector's value.
 */
struct config_router_settings {
	int bmp_v4; /* enum bmp_v4 */
	struct bgp_overrides overrides;
	struct route_limits routes;
	uint64_t output_rate;	     /* bytes/s; 0 = no limit */
	struct filter_chain filters; /* refers to rules in the configuration */
};

/*
 * Get the settings for a session from @address and @port; @name is the name of
 * its router, or NULL. Cost: three lookups in a hash table, once for each
 * session.
 */
void config_router_settings(const struct config *config,
			    const uint8_t address[16], uint16_t port,
			    const char *name,
			    struct config_router_settings *out);

/* The alias of a session from @address and @port, or NULL. */
const char *config_router_alias(const struct config *config,
				const uint8_t address[16], uint16_t port);

/* True if there is a section for the address or port of a session. */
bool config_router_is_configured(const struct config *config,
				 const uint8_t address[16], uint16_t port);

/* True if there is a section for the router name @name. */
bool config_router_name_is_configured(const struct config *config,
				      const char *name);

/* True if the key "networks" allows a session from @address to use @name. */
bool config_router_network_permits(const struct config *config,
				   const char *name, const uint8_t address[16]);

/*
 * The section of @config with the same key as @like, or NULL. The key is the
 * kind with the address, the address and port, or the title.
 */
struct config_router *config_router_same(const struct config *config,
					 const struct config_router *like);

/*
 * Add a section whose key is not in @config yet, and take the ownership of the
 * memory that *@made refers to. Returns the section, whose key must not be
 * changed; NULL if out of memory: the caller then still owns *@made.
 */
struct config_router *config_router_add(struct config *config,
					const struct config_router *made);

#endif
