#include "collector/config/router_settings.h"

#include "collector/config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The key of a section. */
struct section_key {
	enum config_router_kind kind;
	const uint8_t *address; /* NULL for CONFIG_ROUTER_NAME */
	uint16_t port;		/* only for CONFIG_ROUTER_PORT */
	const char *name;	/* only for CONFIG_ROUTER_NAME */
};

static struct section_key section_key_of(const struct config_router *r)
{
	return (struct section_key){ r->kind, r->address, r->port, r->title };
}

static bool section_has_key(const struct config_router *r,
			    const struct section_key *key)
{
	if (r->kind != key->kind)
		return false;
	if (key->kind == CONFIG_ROUTER_NAME)
		return strcmp(r->title, key->name) == 0;
	return memcmp(r->address, key->address, 16) == 0 &&
	       (key->kind == CONFIG_ROUTER_ADDRESS || r->port == key->port);
}

/* FNV-1a */
static uint64_t bytes_hash(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t section_key_hash(const struct section_key *key)
{
	uint8_t kind = (uint8_t)key->kind;
	uint64_t hash = bytes_hash(UINT64_C(0xcbf29ce484222325), &kind, 1);

	if (key->kind == CONFIG_ROUTER_NAME)
		hash = bytes_hash(hash, key->name, strlen(key->name));
	else
		hash = bytes_hash(hash, key->address, 16);
	if (key->kind == CONFIG_ROUTER_PORT)
		hash = bytes_hash(hash, &key->port, sizeof(key->port));
	/*
	 * A slot is chosen by the low bits, which depend too little on the
	 * input of FNV.
	 */
	return hash ^ hash >> 32;
}

/* The slot with @key, or the free slot for it; there is always a free slot. */
static uint32_t *slot_find(const struct config *config,
			   const struct section_key *key)
{
	size_t last = 2 * config->router_capacity - 1;
	size_t i = section_key_hash(key) & last;

	while (config->router_slots[i] != 0 &&
	       !section_has_key(&config->routers[config->router_slots[i] - 1],
				key))
		i = (i + 1) & last;
	return &config->router_slots[i];
}

static struct config_router *section_find_key(const struct config *config,
					      const struct section_key *key)
{
	uint32_t slot = config->router_count > 0 ? *slot_find(config, key) : 0;

	return slot != 0 ? &config->routers[slot - 1] : NULL;
}

struct config_router *config_router_same(const struct config *config,
					 const struct config_router *like)
{
	struct section_key key = section_key_of(like);

	return section_find_key(config, &key);
}

/*
 * Make space for more sections. There are twice as many slots as sections, and
 * their number is a power of two.
 */
static int sections_grow(struct config *config)
{
	size_t capacity =
		config->router_capacity > 0 ? 2 * config->router_capacity : 16;
	struct config_router *routers =
		reallocarray(config->routers, capacity, sizeof(*routers));
	uint32_t *slots;

	if (routers == NULL)
		return -ENOMEM;
	config->routers = routers;
	slots = calloc(2 * capacity, sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	free(config->router_slots);
	config->router_slots = slots;
	config->router_capacity = capacity;
	for (size_t i = 0; i < config->router_count; i++) {
		struct section_key key = section_key_of(&routers[i]);

		*slot_find(config, &key) = (uint32_t)i + 1;
	}
	return 0;
}

struct config_router *config_router_add(struct config *config,
					const struct config_router *made)
{
	struct section_key key = section_key_of(made);

	if (config->router_count == config->router_capacity &&
	    sections_grow(config) < 0)
		return NULL;
	*slot_find(config, &key) = (uint32_t)config->router_count + 1;
	config->routers[config->router_count] = *made;
	return &config->routers[config->router_count++];
}

/* The section of @kind that matches, or NULL. */
static const struct config_router *section_find(const struct config *config,
						enum config_router_kind kind,
						const uint8_t address[16],
						uint16_t port, const char *name)
{
	struct section_key key = { kind, address, port, name };

	if (kind == CONFIG_ROUTER_NAME && name == NULL)
		return NULL;
	return section_find_key(config, &key);
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
	/*
	 * Set values beginning with the section of the lowest precedence, so
	 * that others replace them ...
	 */
	for (int kind = 0; kind < CONFIG_ROUTER_KINDS; kind++) {
		fit[kind] = section_find(config, kind, address, port, name);
		if (fit[kind] != NULL)
			section_apply(fit[kind], out);
	}
	/*
	 * ... and add rules in the opposite order, because the first match
	 * decides.
	 */
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
