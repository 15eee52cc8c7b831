/*
 * collector/config/router_section.h - the options of one router
 *
 *	[router 192.0.2.1]		by address
 *	alias = core1
 *	md5-key-file = /etc/arancini/core1.key
 *
 *	[router 198.51.100.7:50001]	by address and source port
 *	alias = branch-a
 *
 *	[router core1]			by name: an alias, or the name found by
 *	max-routes-per-peer = 2000000	--router-id sysname or bgp-id
 *	filter = drop view=post
 *	add-path = ipv4-unicast		although no OPEN announces it
 *	no-add-path = post:ipv6-unicast	although the OPENs announce it; both
 *
 * router_settings.h combines all sections of one router.
 */
#ifndef COLLECTOR_CONFIG_ROUTER_SECTION_H
#define COLLECTOR_CONFIG_ROUTER_SECTION_H

#include "collector/config/value.h"
#include "collector/policy/filter.h"
#include "bmp/decode_context.h"

enum config_router_kind {
	CONFIG_ROUTER_NAME,
	CONFIG_ROUTER_ADDRESS,
	CONFIG_ROUTER_PORT,
	CONFIG_ROUTER_KINDS
};

/* Keys of a section; also indices of config_router_keys. */
enum config_router_key {
	CONFIG_ROUTER_ALIAS,
	CONFIG_ROUTER_NETWORKS,
	CONFIG_ROUTER_MD5_KEY,
	CONFIG_ROUTER_BMP_V4,
	CONFIG_ROUTER_ADD_PATH,
	CONFIG_ROUTER_NO_ADD_PATH,
	CONFIG_ROUTER_AS_WIDTH,
	CONFIG_ROUTER_ROUTES_PER_ROUTER,
	CONFIG_ROUTER_ROUTES_PER_PEER,
	CONFIG_ROUTER_OUTPUT_RATE,
	CONFIG_ROUTER_FILTER,
	CONFIG_ROUTER_KEYS
};

struct config_router {
	char *title; /* the text after "router" in the heading */
	uint8_t kind;
	uint8_t address[16];
	uint16_t port;
	unsigned int line;
	/* bit mask of the keys that are given: 1 << enum config_router_key */
	uint32_t given;

	char *alias;
	/* for a section by name; not given = all networks */
	struct acl_list networks;
	struct config_secret md5_key;
	int bmp_v4;
	struct config_families add_path;
	struct config_families no_add_path;
	int as_width; /* "as-width": 2 or 4 bytes */
	uint64_t routes_per_router;
	uint64_t routes_per_peer;
	uint64_t output_rate;
	struct filter filter;
};

/*
 * Set kind, address and port from the title of a section. Returns NULL, or why
 * the title is not valid.
 */
const char *config_router_parse_title(const char *title,
				      struct config_router *out);

/*
 * Set @key to @text, or append @text to a list. -EINVAL with the reason in
 * @why, also if it contradicts another key; or -ENOMEM.
 */
int config_router_parse(struct config_router *router,
			enum config_router_key key, const char *text,
			char why[CONFIG_WHY_MAX]);

/* Set those members of *@out that the keys of the section set. */
void config_router_overrides(const struct config_router *router,
			     struct bgp_overrides *out);

void config_router_release(struct config_router *router);

/* A row of the table of keys: struct config_option for sections. */
struct config_router_option {
	const char *key;
	size_t offset; /* offset in struct config_router */
	struct config_form form;
	bool reload;
	const char *value; /* placeholder of the value, in the help */
	const char *help;
};

extern const struct config_router_option config_router_keys[CONFIG_ROUTER_KEYS];

/* Words for enum bmp_v4, of a section and of --bmp-v4; NULL-terminated. */
extern const char *const config_bmp_v4_words[];

static inline void *config_router_at(struct config_router *router, size_t key)
{
	return (char *)router + config_router_keys[key].offset;
}

static inline const void *config_router_at_const(
	const struct config_router *router, size_t key)
{
	return (const char *)router + config_router_keys[key].offset;
}

#endif
