/*
 * collector/config/router_settings.h - the combined settings of a router
 *
 * All sections that match a router apply. If two of them set the same key, the
 * section by port overrides the one by address, and that overrides the one by
 * name. Filter rules are tested in that order, those of the collector last; for
 * add-path each family is set separately.
 */
#ifndef COLLECTOR_CONFIG_ROUTER_SETTINGS_H
#define COLLECTOR_CONFIG_ROUTER_SETTINGS_H

#include "bmp/decode_context.h"
#include "collector/policy/filter.h"
#include "collector/policy/route_limits.h"

struct config;
struct config_router;

/* The settings of one router, with the collector's values as default. */
struct config_router_settings {
	int bmp_v4; /* enum bmp_v4 */
	struct bgp_overrides overrides;
	struct route_limits routes;
	uint64_t output_rate;	     /* bytes/s; 0 = no limit */
	struct filter_chain filters; /* points into the configuration */
};

/*
 * For the session from @address and @port of the router called @name (NULL:
 * none). Cost: three lookups in a hash table; once for each session.
 */
void config_router_settings(const struct config *config,
			    const uint8_t address[16], uint16_t port,
			    const char *name,
			    struct config_router_settings *out);

/* The alias of a session, or NULL. */
const char *config_router_alias(const struct config *config,
				const uint8_t address[16], uint16_t port);

/* True if there is a section for the address of a session. */
bool config_router_is_configured(const struct config *config,
				 const uint8_t address[16], uint16_t port);

/* True if there is a section for its name. */
bool config_router_name_is_configured(const struct config *config,
				      const char *name);

/* True if a session from @address may use this name: key "networks". */
bool config_router_network_permits(const struct config *config,
				   const char *name, const uint8_t address[16]);

/*
 * The section about the same router, or NULL; and a new one, taking over, of a
 * router that has none. Kind, address, port and title of a section that was
 * added never change.
 */
struct config_router *config_router_same(const struct config *config,
					 const struct config_router *like);
struct config_router *config_router_add(struct config *config,
					const struct config_router *made);

#endif
