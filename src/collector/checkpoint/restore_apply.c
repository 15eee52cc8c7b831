#include "collector/checkpoint/restore_apply.h"

#include "collector/router/router.h"
#include "bmp/nlri_key.h"
#include "egress/encode/decode.h"
#include "rib/restore.h"

#include <errno.h>
#include <string.h>

/* Maximum bytes of a prefix key: route distinguisher, length, address. */
#define KEY_MAX (8 + 1 + 16)

static uint8_t view_of(const struct egress_update *u)
{
	if (u->is_loc_rib)
		return BMP_VIEW_LOC_RIB;
	return (uint8_t)(2 * u->is_adj_rib_out + u->is_post_policy);
}

/*
 * Write the key of the update's prefix, as in bmp/nlri_key.h. Returns its
 * length; 0 if the update has no prefix.
 */
static size_t prefix_key(const struct egress_update *u,
			 const struct bgp_family_info *family,
			 uint8_t out[KEY_MAX])
{
	size_t bytes = (u->prefix_len + 7U) / 8;
	size_t n = 0;

	if (u->prefix_addr == NULL || u->prefix_len > family->addr_bits)
		return 0;
	if ((family->flags & BGP_FAMILY_RD) != 0) {
		wire_put_u64(out, u->route_distinguisher);
		n = 8;
	}
	out[n++] = u->prefix_len;
	memcpy(out + n, u->prefix_addr + 16 - family->addr_bits / 8, bytes);
	return n + bytes;
}

static int find_table(struct router *router, const struct egress_update *u,
		      struct rib_table **out)
{
	static const uint8_t none[16];
	struct rib_peer_state state = {
		.type = u->peer_type,
		.filtered = u->is_filtered,
		.distinguisher = u->peer_distinguisher,
		.as = u->peer_asn,
		.bgp_id = u->peer_bgp_id,
		.table_name = u->table_name,
	};
	struct rib_peer *peer;
	int err;

	memcpy(state.address, u->peer_addr != NULL ? u->peer_addr : none, 16);
	state.ipv6 = !wire_is_mapped(state.address) &&
		     memcmp(state.address, none, 16) != 0;
	err = rib_restore_peer(router->rib_router, &state, &peer);
	if (err < 0)
		return err;
	return rib_restore_table(peer, view_of(u), u->afi, u->safi, u->sequence,
				 out);
}

static int restore_update(struct router *router, const struct egress_update *u)
{
	const struct bgp_family_info *family =
		bgp_family_info(bgp_family_find(u->afi, u->safi));
	struct rib_stored route = {
		.has_path_id = u->has_path_id,
		.path_id = u->path_id,
		.changed_s = u->time_received_ns / 1000000000U,
	};
	uint8_t key[KEY_MAX];
	struct rib_table *table;
	int err;

	if (u->router_addr != NULL)
		rib_restore_source(router->rib_router, u->router_addr,
				   u->router_port);
	if (family->kind == BGP_NLRI_PREFIX) {
		route.key =
			(struct wire_view){ key, prefix_key(u, family, key) };
	} else {
		route.key = u->nlri_key;
		route.extra = u->nlri;
	}
	if (route.key.len == 0)
		return -EINVAL;
	err = find_table(router, u, &table);
	if (err < 0)
		return err;
	return rib_restore_seen(table, &route, u->announced, u->sequence);
}

/*
 * Apply only the sequence number of an update. A peer that exists already keeps
 * the properties from its file, which may be newer.
 */
static int restore_sequence(struct router *router,
			    const struct egress_update *u)
{
	struct bmp_peer header = {
		.type = u->peer_type,
		.distinguisher = u->peer_distinguisher,
	};
	struct rib_table *table;
	struct rib_peer *peer;

	if (u->peer_addr != NULL)
		memcpy(header.address, u->peer_addr, 16);
	peer = rib_router_peer(router->rib_router, &header);
	if (peer == NULL)
		return find_table(router, u, &table);
	return rib_restore_table(peer, view_of(u), u->afi, u->safi, u->sequence,
				 &table);
}

static int restore_each(struct router *router, struct wire_view batch,
			int (*take)(struct router *router,
				    const struct egress_update *u),
			uint64_t *bad)
{
	struct egress_decoder r = egress_decode_start(batch);
	struct egress_message m;
	struct egress_update u;
	int got;

	while ((got = egress_decode_next(&r, &m)) > 0) {
		int err = egress_decode_route(&m, &u);

		if (err == 0)
			err = take(router, &u);
		if (err == -ENOMEM)
			return err;
		*bad += err < 0;
		router->snapshot.replayed++;
	}
	*bad += got < 0;
	return 0;
}

int restore_updates(struct router *router, struct wire_view batch,
		    uint64_t *bad)
{
	return restore_each(router, batch, restore_update, bad);
}

int restore_sequences(struct router *router, struct wire_view batch,
		      uint64_t *bad)
{
	return restore_each(router, batch, restore_sequence, bad);
}

void restore_events(struct router *router, struct wire_view batch)
{
	struct egress_decoder r = egress_decode_start(batch);
	struct egress_message m;
	struct egress_event e;

	while (egress_decode_next(&r, &m) > 0)
		if (egress_decode_event(&m, &e) == 0 &&
		    e.kind == RIB_EVENT_RESYNC)
			router->resync = true;
}
