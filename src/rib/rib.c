#include "rib/rib.h"

#include "rib/key.h"
#include "rib/peer.h"
#include "rib/plain.h"
#include "rib/policy.h"
#include "rib/rib_internal.h"
#include "rib/timer.h"

#include <errno.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SECOND UINT64_C(1000000000)

/* Defaults of the limits; a table without routes has 0.4 KiB. */
#define PEERS_MAX	  65536
#define PEER_TABLES_MAX	  256
#define ROUTER_TABLES_MAX 131072

void rib_config_defaults(struct rib_config *config)
{
	*config = (struct rib_config){
		.mode = RIB_MODE_ATTRIBUTES,
		.sweep_quiet_ns = 30 * SECOND,
		.sweep_max_ns = 300 * SECOND,
		.sweep_idle_ns = 3600 * SECOND,
		.stale_hold_ns = 600 * SECOND,
		.max_peers = PEERS_MAX,
		.max_tables = PEER_TABLES_MAX,
		.max_router_tables = ROUTER_TABLES_MAX,
	};
}

static void init_key_tables(struct rib *rib)
{
	for (int f = 0; f < BGP_FAMILIES; f++) {
		rib_key_table_init(&rib->prefixes[f], &rib->key_heap,
				   rib->config.seed,
				   rib_key_width((enum bgp_family)f));
		/*
		 * The keys of this table are pairs of a prefix id and a path
		 * id.
		 */
		rib_key_table_init(&rib->paths[f], &rib->key_heap,
				   rib->config.seed, 8);
	}
}

int rib_new(const struct rib_config *config, const struct rib_sink *sink,
	    struct rib **out)
{
	struct rib *rib = calloc(1, sizeof(*rib));

	if (rib == NULL)
		return -ENOMEM;
	rib->config = *config;
	rib->sink = *sink;
	if (sink->bytes == NULL)
		rib->sink.bytes = &rib->no_bytes;
	rib_plain_init(rib);
	rib->unlimited = (struct rib_budget){ UINT64_MAX, UINT64_MAX };
	rib->budget = &rib->unlimited;
	rib->slice_end = UINT64_MAX;
	rib->allowed = config->max_routes;
	rib_handle_heap_init(&rib->key_heap);
	rib_handle_heap_init(&rib->route_heap);
	rib_attrsets_init(&rib->attrsets, config->seed);
	init_key_tables(rib);
	rib_ptr_map_init(&rib->routers);
	TAILQ_INIT(&rib->router_list);
	TAILQ_INIT(&rib->work_list);
	*out = rib;
	return 0;
}

static void router_free(struct rib_router *router)
{
	struct rib *rib = router->rib;
	struct rib_peer *peer;

	while ((peer = TAILQ_FIRST(&router->peer_list)) != NULL)
		rib_peer_free(peer);
	if (rib->sequence_floor < router->sequence_floor)
		rib->sequence_floor = router->sequence_floor;
	rib_ptr_map_fini(&router->peers);
	rib_timer_remove(router);
	rib_ptr_map_remove(&rib->routers, router->hash, router->serial, router);
	TAILQ_REMOVE(&rib->router_list, router, link);
	free(router);
}

void rib_free(struct rib *rib)
{
	struct rib_router *router;

	if (rib == NULL)
		return;
	while ((router = TAILQ_FIRST(&rib->router_list)) != NULL)
		router_free(router);
	if (rib->cache.set != RIB_VALUE_NONE)
		rib_value_put(&rib->attrsets, rib->cache.set);
	for (int f = 0; f < BGP_FAMILIES; f++) {
		rib_key_table_fini(&rib->prefixes[f]);
		rib_key_table_fini(&rib->paths[f]);
	}
	rib_attrsets_fini(&rib->attrsets);
	rib_handle_heap_fini(&rib->route_heap);
	rib_handle_heap_fini(&rib->key_heap);
	rib_ptr_map_fini(&rib->routers);
	free(rib->timers);
	free(rib->cache.bytes);
	free(rib->scratch);
	free(rib->more);
	free(rib);
}

/* Set the limits of a router that has no limits of its own. */
static void set_limits(struct rib_router *router)
{
	const struct rib_config *c = &router->rib->config;

	if (router->own_limits)
		return;
	router->max_routes_router = c->max_routes_router;
	router->max_routes_peer = c->max_routes_peer;
}

void rib_configure(struct rib *rib, const struct rib_config *config)
{
	uint64_t seed = rib->config.seed;
	uint8_t mode = rib->config.mode;
	struct rib_router *router;

	rib->config = *config;
	rib->config.seed = seed;
	rib->config.mode = mode;
	rib->allowed = config->max_routes;
	/* Deadlines may be earlier with the new timers: check all of them. */
	TAILQ_FOREACH (router, &rib->router_list, link) {
		set_limits(router);
		rib_timer_set(router, 0);
	}
}

void rib_allow(struct rib *rib, uint64_t routes)
{
	rib->allowed = routes;
}

uint64_t rib_route_count(const struct rib *rib)
{
	return rib->routes;
}

/* Routers */

static uint64_t hash_of(const struct rib *rib, const struct rib_identity *id)
{
	if (rib_identity_named(id))
		return XXH3_64bits_withSeed(id->name, strlen(id->name),
					    rib->config.seed);
	return XXH3_64bits_withSeed(id->address, 16, rib->config.seed);
}

struct rib_router *rib_router_find(struct rib *rib,
				   const struct rib_identity *id)
{
	uint64_t hash = hash_of(rib, id);
	struct rib_router *router;
	size_t at = 0;

	while ((router = rib_ptr_map_next(&rib->routers, hash, &at)) != NULL)
		if (rib_identity_equal(&router->id, id))
			return router;
	return NULL;
}

static struct rib_router *router_new(struct rib *rib,
				     const struct rib_identity *id)
{
	struct rib_router *router = calloc(1, sizeof(*router));

	if (router == NULL)
		return NULL;
	router->rib = rib;
	router->serial = ++rib->serial;
	router->sequence_floor = rib->sequence_floor;
	router->hash = hash_of(rib, id);
	router->id = *id;
	if (rib_identity_named(id))
		router->info.name = router->id.name;
	memcpy(router->info.address, id->address, 16);
	router->first_ns = RIB_NEVER;
	set_limits(router);
	rib_ptr_map_init(&router->peers);
	TAILQ_INIT(&router->peer_list);
	TAILQ_INIT(&router->waiting_list);
	return router;
}

int rib_router_get(struct rib *rib, const struct rib_identity *id,
		   struct rib_router **out)
{
	struct rib_router *router = rib_router_find(rib, id);

	if (router != NULL) {
		*out = router;
		return 0;
	}
	router = router_new(rib, id);
	if (router == NULL)
		return -ENOMEM;
	if (rib_timer_add(router) < 0)
		goto fail;
	if (rib_ptr_map_add(&rib->routers, router->hash, router->serial,
			    router) < 0) {
		rib_timer_remove(router);
		goto fail;
	}
	TAILQ_INSERT_TAIL(&rib->router_list, router, link);
	*out = router;
	return 0;
fail:
	free(router);
	return -ENOMEM;
}

void rib_router_purge(struct rib_router *router, const struct rib_time *when)
{
	struct rib_peer *peer;

	TAILQ_FOREACH (peer, &router->peer_list, link)
		rib_peer_withdraw_all(peer, when, RIB_REASON_ADMIN,
				      RIB_WITHDRAW_NOW);
	router_free(router);
}

void rib_router_limits(struct rib_router *router, uint64_t max_routes_router,
		       uint64_t max_routes_peer)
{
	router->own_limits = true;
	router->max_routes_router = max_routes_router;
	router->max_routes_peer = max_routes_peer;
}

bool rib_router_has_tables(const struct rib_router *router)
{
	const struct rib_peer *peer;

	TAILQ_FOREACH (peer, &router->peer_list, link)
		if (!TAILQ_EMPTY(&peer->tables))
			return true;
	return false;
}

bool rib_router_subject_changing(const struct rib_router *router)
{
	return router->subject_changed_count != 0;
}

void **rib_router_slot(struct rib_router *router)
{
	return &router->slot;
}

const struct rib_router_info *rib_router_info(const struct rib_router *router)
{
	return &router->info;
}

enum rib_mode rib_router_mode(const struct rib_router *router)
{
	return router->rib->config.mode;
}

/* Counters */

void rib_flow(const struct rib *rib, struct rib_flow *out)
{
	*out = rib->flow;
}

void rib_router_flow(const struct rib_router *router, struct rib_flow *out)
{
	*out = router->flow;
}

uint64_t rib_router_pending_withdraw(const struct rib_router *router)
{
	return router->pending_withdraw;
}

uint64_t rib_router_output_bytes(const struct rib_router *router)
{
	return router->output_bytes;
}

uint64_t rib_router_routes(const struct rib_router *router)
{
	return router->routes;
}

void rib_sizes(const struct rib *rib, struct rib_sizes *out)
{
	*out = (struct rib_sizes){
		.routers = rib->routers.count,
		.peers = rib->peers,
		.peers_up = rib->peers_up,
		.peers_stale = rib->peers_stale,
		.tables = rib->tables,
		.syncing = rib->syncing,
		.routes = rib->routes,
		.pending_withdraw = rib->pending_withdraw,
		.attribute_sets = rib->attrsets.sets.count,
		.values = rib->attrsets.values.count,
	};
	out->bytes[RIB_BYTES_PREFIXES] = rib_handle_heap_bytes(&rib->key_heap);
	out->bytes[RIB_BYTES_ATTRS] = rib_attrsets_bytes(&rib->attrsets);
	out->bytes[RIB_BYTES_ROUTES] = rib_handle_heap_bytes(&rib->route_heap);
	for (int f = 0; f < BGP_FAMILIES; f++) {
		out->prefixes += rib->prefixes[f].pool.count;
		out->paths += rib->paths[f].pool.count;
		out->bytes[RIB_BYTES_PREFIXES] +=
			rib_key_table_bytes(&rib->prefixes[f]) +
			rib_key_table_bytes(&rib->paths[f]);
	}
	out->bytes[RIB_BYTES_PEERS] =
		sizeof(*rib) + rib_ptr_map_bytes(&rib->routers) +
		rib->routers.count * sizeof(struct rib_router) +
		rib->peers * sizeof(struct rib_peer) +
		rib->tables * sizeof(struct rib_table);
}
