#include "rib/peer.h"

#include "rib/emit.h"
#include "rib/policy.h"
#include "rib/rib_internal.h"
#include "rib/scratch.h"
#include "rib/table.h"
#include "rib/timer.h"
#include "rib/visibility.h"

#include "bmp/message.h"
#include "bmp/text.h"

#include <errno.h>
#include <stdlib.h>

/*
 * The maximum number of routes that are withdrawn immediately, and not in
 * slices, over all small tables of a peer.
 */
#define SMALL_PEER_ROUTES 512

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Creation and removal */

static uint64_t hash_of(const struct rib_router *router,
			const struct bmp_peer *header)
{
	uint8_t key[25];

	key[0] = header->type;
	memcpy(key + 1, &header->distinguisher, 8);
	memcpy(key + 9, header->address, 16);
	return XXH3_64bits_withSeed(key, sizeof(key), router->rib->config.seed);
}

static bool is_peer(const struct rib_peer *peer, const struct bmp_peer *header)
{
	return peer->type == header->type &&
	       peer->distinguisher == header->distinguisher &&
	       memcmp(peer->address, header->address, 16) == 0;
}

/*
 * The place of a peer among the recent ones. A router can choose it: then its
 * peers are found by their hash.
 */
static struct rib_peer **recent_of(struct rib_router *router, uint8_t type,
				   uint64_t distinguisher,
				   const uint8_t address[16])
{
	uint64_t mixed = wire_get_u64(address) ^ wire_get_u64(address + 8) ^
			 distinguisher ^ type;

	mixed *= UINT64_C(0x9e3779b97f4a7c15);
	return &router->recent[mixed >> 59];
}

static struct rib_peer **recent_of_header(struct rib_router *router,
					  const struct bmp_peer *header)
{
	_Static_assert(RIB_RECENT_PEERS == 1 << (64 - 59), "five bits");
	return recent_of(router, header->type, header->distinguisher,
			 header->address);
}

/*
 * Hot: once per message. Cost: a multiplication and a comparison of 25 bytes;
 * if another peer had the place, a hash and a look-up.
 */
struct rib_peer *rib_peer_find(struct rib_router *router,
			       const struct bmp_peer *header)
{
	struct rib_peer **recent = recent_of_header(router, header);
	struct rib_peer *peer = *recent;
	uint64_t hash;
	size_t at = 0;

	if (peer != NULL && is_peer(peer, header))
		return peer;
	hash = hash_of(router, header);
	while ((peer = rib_ptr_map_next(&router->peers, hash, &at)) != NULL) {
		if (!is_peer(peer, header))
			continue;
		*recent = peer;
		return peer;
	}
	return NULL;
}

static struct rib_peer *peer_new(struct rib_router *router,
				 const struct bmp_peer *header,
				 const struct rib_policy_mask *policy)
{
	struct rib_peer *peer = calloc(1, sizeof(*peer));

	if (peer == NULL)
		return NULL;
	*peer = (struct rib_peer){
		.router = router,
		.serial = ++router->rib->serial,
		.hash = hash_of(router, header),
		.type = header->type,
		.ipv6 = header->ipv6,
		.filtered = header->filtered,
		.distinguisher = header->distinguisher,
		.as = header->as,
		.bgp_id = header->bgp_id,
	};
	memcpy(peer->address, header->address, sizeof(peer->address));
	bgp_context_init(&peer->context);
	rib_policy_set(peer, policy);
	TAILQ_INIT(&peer->tables);
	return peer;
}

int rib_peer_get(struct rib_router *router, const struct bmp_peer *header,
		 const struct rib_policy_mask *policy, struct rib_peer **out)
{
	struct rib_peer *peer = rib_peer_find(router, header);

	if (peer != NULL) {
		*out = peer;
		return 0;
	}
	if (router->peer_count >= router->rib->config.max_peers)
		return -ENOSPC;
	peer = peer_new(router, header, policy);
	if (peer == NULL)
		return -ENOMEM;
	if (rib_ptr_map_add(&router->peers, peer->hash, peer->serial, peer) <
	    0) {
		free(peer);
		return -ENOMEM;
	}
	TAILQ_INSERT_TAIL(&router->peer_list, peer, link);
	router->peer_count++;
	router->rib->peers++;
	*recent_of_header(router, header) = peer;
	*out = peer;
	return 0;
}

int rib_peer_keep(struct wire_view *owned, struct wire_view bytes)
{
	uint8_t *p = NULL;

	if (bytes.len != 0) {
		p = malloc(bytes.len);
		if (p == NULL)
			return -ENOMEM;
		memcpy(p, bytes.p, bytes.len);
	}
	free((void *)owned->p);
	*owned = (struct wire_view){ p, bytes.len };
	return 0;
}

/*
 * Set the phase, and count the peers that are up or stale in the router and the
 * rib.
 */
static void set_phase(struct rib_peer *peer, enum rib_peer_phase phase)
{
	struct rib_router *router = peer->router;
	int up = rib_peer_phase_up(phase) - rib_peer_phase_up(peer->phase);
	int stale = (phase == RIB_PEER_STALE) - (peer->phase == RIB_PEER_STALE);

	peer->phase = (uint8_t)phase;
	router->up_count += (uint32_t)up;
	router->rib->peers_up += (uint64_t)up;
	router->stale_count += (uint32_t)stale;
	router->rib->peers_stale += (uint64_t)stale;
}

void rib_peer_event(struct rib_peer *peer, enum rib_peer_event event)
{
	set_phase(peer, rib_peer_step(peer->phase, event));
}

void rib_peer_free(struct rib_peer *peer)
{
	struct rib_router *router = peer->router;
	struct rib_peer **recent;
	struct rib_table *t;

	while ((t = TAILQ_FIRST(&peer->tables)) != NULL)
		rib_table_free(t);
	set_phase(peer, RIB_PEER_DOWN);
	if (peer->slot != NULL && router->rib->sink.forget != NULL)
		router->rib->sink.forget(router->rib->sink.event_arg,
					 peer->slot);
	rib_ptr_map_remove(&router->peers, peer->hash, peer->serial, peer);
	TAILQ_REMOVE(&router->peer_list, peer, link);
	router->peer_count--;
	router->rib->peers--;
	recent = recent_of(router, peer->type, peer->distinguisher,
			   peer->address);
	if (*recent == peer)
		*recent = NULL;
	free((void *)peer->table_name.p);
	free(peer);
}

void rib_peer_reap(struct rib_peer *peer)
{
	const struct rib_table *t;

	if (peer->phase != RIB_PEER_LEAVING)
		return;
	TAILQ_FOREACH (t, &peer->tables, link)
		if (!TAILQ_EMPTY(&t->withdraw_queues))
			return;
	rib_peer_free(peer);
}

void rib_peer_withdraw_all(struct rib_peer *peer, const struct rib_time *when,
			   enum rib_reason reason, enum rib_withdraw_mode mode)
{
	uint64_t small = SMALL_PEER_ROUTES;
	struct rib_table *t;

	TAILQ_FOREACH (t, &peer->tables, link) {
		uint64_t cost = rib_table_withdraw_cost(t);

		/*
		 * A peer may have hundreds of tables of which each is small, so
		 * limit the total.
		 */
		if (mode == RIB_WITHDRAW_NOW_IF_SMALL &&
		    cost <= RIB_WITHDRAW_SMALL_TABLE) {
			if (cost > small)
				mode = RIB_WITHDRAW_IN_SLICES;
			else
				small -= cost;
		}
		rib_table_withdraw_all(t, when, reason, mode);
	}
}

static void mark_subject_changed(struct rib_peer *peer)
{
	struct rib_table *t;

	TAILQ_FOREACH (t, &peer->tables, link)
		rib_table_mark_subject_changed(t);
}

/* Coming up */

/*
 * A table is published under the AS of its peer. If the peer has another AS
 * now, the routes of the table are withdrawn under the old AS before a route is
 * announced under the new AS.
 */
static void set_subject(struct rib_peer *peer, const struct rib_time *when,
			const struct bmp_peer *header,
			const struct rib_policy_mask *policy,
			enum rib_withdraw_mode mode)
{
	bool as_changed = peer->as != header->as;

	if (as_changed)
		mark_subject_changed(peer);
	if (!TAILQ_EMPTY(&peer->tables) &&
	    (as_changed || peer->bgp_id != header->bgp_id)) {
		RIB_COUNT(peer->router, as_changes, 1);
		rib_peer_withdraw_all(peer, when, RIB_REASON_PEER_DOWN, mode);
	}
	if (as_changed) {
		/*
		 * Also mark the withdraw queues that rib_peer_withdraw_all()
		 * has just made.
		 */
		mark_subject_changed(peer);
		peer->as = header->as;
		rib_peer_policy(peer, when, policy);
	}
	peer->bgp_id = header->bgp_id;
	peer->ipv6 = header->ipv6;
	peer->filtered = header->filtered;
}

#define ALL_FAMILIES (~(bgp_family_set)0)

/*
 * Start a new generation of the tables of @families. A table of an unknown
 * family is included only if @families is ALL_FAMILIES.
 */
static void start_generation(struct rib_peer *peer, const struct rib_time *when,
			     bgp_family_set families)
{
	uint64_t clock = rib_clock(peer->router, when->now_ns);
	struct rib_table *t;

	peer->reported &= (uint8_t)~RIB_REPORTED_LIMIT;
	/*
	 * A dropped or unreadable message may have been of any family, so
	 * forget it only if all families begin a new generation.
	 */
	if (families == ALL_FAMILIES) {
		peer->reported = 0;
		peer->suspect_views = 0;
	}
	TAILQ_FOREACH (t, &peer->tables, link) {
		bgp_family_set bit =
			bgp_family_bit((enum bgp_family)t->info.family);

		rib_table_refresh(t);
		if (families == ALL_FAMILIES || (families & bit) != 0)
			rib_table_generation(t, clock);
	}
	rib_timer_soon(peer->router, when->now_ns);
}

void rib_peer_bring_up(struct rib_peer *peer, const struct rib_time *when,
		       const struct bmp_peer *header,
		       const struct rib_policy_mask *policy,
		       enum rib_withdraw_mode mode)
{
	set_subject(peer, when, header, policy, mode);
	rib_peer_event(peer, RIB_PEER_EV_ROUTES);
	bgp_context_reset(&peer->context);
	RIB_COUNT(peer->router, implied_peers, 1);
	start_generation(peer, when, ALL_FAMILIES);
}

/*
 * Compute a hash of addresses, ports and OPENs, by which two Peer Ups are
 * compared. It is seeded and has 128 bits. The bytes are not kept, because an
 * OPEN may have 4096 bytes and a router may have very many peers.
 */
static bool hash_peer_up(struct rib *rib, const struct bmp_peer_up *up,
			 uint64_t out[2])
{
	const struct wire_view *opens[2] = { &up->sent_open.whole,
					     &up->received_open.whole };
	uint8_t *p = rib_scratch(rib, 24 + opens[0]->len + opens[1]->len);
	XXH128_hash_t hash;
	size_t len = 20;

	if (p == NULL)
		return false;
	memcpy(p, up->local_address, 16);
	wire_put_u16(p + 16, up->local_port);
	wire_put_u16(p + 18, up->remote_port);
	for (int i = 0; i < 2; i++) {
		wire_put_u16(p + len, (uint16_t)opens[i]->len);
		len += 2;
		if (opens[i]->len != 0)
			memcpy(p + len, opens[i]->p, opens[i]->len);
		len += opens[i]->len;
	}
	hash = XXH3_128bits_withSeed(p, len, rib->config.seed);
	out[0] = hash.low64;
	out[1] = hash.high64;
	return true;
}

static struct wire_view table_name_of(const struct bmp_message *msg)
{
	struct tlv_iter it = tlv_start(msg->tlvs, (enum tlv_form)msg->tlv_form);
	struct tlv tlv;

	while (tlv_next(&it, &tlv))
		if (tlv.type == BMP_PEER_UP_TABLE_NAME)
			return tlv.value;
	return (struct wire_view){ 0 };
}

static int keep_table_name(struct rib_peer *peer, const struct bmp_message *msg)
{
	struct wire_view name = table_name_of(msg);

	if (name.len > TEXT_NAME_MAX)
		RIB_COUNT(peer->router, names_cut, 1);
	return rib_peer_keep(&peer->table_name, text_cut(name, TEXT_NAME_MAX));
}

static void emit_peer_up(struct rib_peer *peer, const struct rib_time *when,
			 const struct bmp_message *msg)
{
	struct rib_event e = {
		.kind = RIB_EVENT_PEER_UP,
		.bmp_ns = msg->peer.time_ns,
		.sent_open = msg->up.sent_open.whole,
		.received_open = msg->up.received_open.whole,
		.local_port = msg->up.local_port,
		.remote_port = msg->up.remote_port,
	};

	memcpy(e.local_address, msg->up.local_address, 16);
	rib_emit_event_peer(peer, when, &e);
}

/*
 * Handle another Peer Up of a Loc-RIB that is up. It describes another emulated
 * peer with its own families: add these families.
 */
static void merge_up(struct rib_peer *peer, const struct rib_time *when,
		     const struct bmp_message *msg)
{
	bgp_family_set before = peer->context.families;

	RIB_COUNT(peer->router, peer_up_merges, 1);
	(void)bgp_context_peer_up(&peer->context, &msg->peer, &msg->up);
	emit_peer_up(peer, when, msg);
	if ((peer->context.families & ~before) != 0)
		start_generation(peer, when, peer->context.families & ~before);
}

int rib_peer_up(struct rib_router *router, const struct rib_time *when,
		const struct bmp_message *msg,
		const struct rib_policy_mask *policy)
{
	struct rib_peer *peer;
	uint64_t peer_up_hash[2];
	int err;

	RIB_COUNT(router, peer_ups, 1);
	if (!hash_peer_up(router->rib, &msg->up, peer_up_hash))
		return -ENOMEM;
	err = rib_peer_get(router, &msg->peer, policy, &peer);
	if (err < 0) {
		RIB_COUNT(router, refused_peers, 1);
		return err == -ENOSPC ? 0 : err;
	}
	if (rib_peer_phase_up(peer->phase) &&
	    memcmp(peer->peer_up_hash, peer_up_hash, 16) == 0) {
		RIB_COUNT(router, peer_up_repeats, 1);
		return 0;
	}
	memcpy(peer->peer_up_hash, peer_up_hash, sizeof(peer_up_hash));
	if (peer->phase == RIB_PEER_UP && peer->type == BMP_PEER_LOC_RIB) {
		merge_up(peer, when, msg);
		return 0;
	}
	set_subject(peer, when, &msg->peer, policy, RIB_WITHDRAW_NOW_IF_SMALL);
	rib_peer_event(peer, RIB_PEER_EV_PEER_UP);
	/*
	 * Without a reset the capabilities of a Loc-RIB would be added to the
	 * previous ones.
	 */
	bgp_context_reset(&peer->context);
	(void)bgp_context_peer_up(&peer->context, &msg->peer, &msg->up);
	err = keep_table_name(peer, msg);
	start_generation(peer, when, ALL_FAMILIES);
	emit_peer_up(peer, when, msg);
	return err;
}

/* Going down */

static void reset_peer(struct rib_peer *peer)
{
	bgp_context_reset(&peer->context);
	memset(peer->peer_up_hash, 0, sizeof(peer->peer_up_hash));
}

void rib_peer_down(struct rib_router *router, const struct rib_time *when,
		   const struct bmp_message *msg)
{
	struct rib_peer *peer = rib_peer_find(router, &msg->peer);
	struct rib_event e = {
		.kind = RIB_EVENT_PEER_DOWN,
		.bmp_ns = msg->peer.time_ns,
		.reason = msg->down.reason,
		.fsm_event = msg->down.fsm_event,
		.notification = msg->down.notification.whole,
	};

	RIB_COUNT(router, peer_downs, 1);
	if (peer == NULL || !rib_peer_phase_up(peer->phase))
		RIB_COUNT(router, peer_downs_unmatched, 1);
	if (peer == NULL)
		return;
	if (rib_peer_phase_up(peer->phase) || peer->phase == RIB_PEER_STALE)
		rib_emit_event_peer(peer, when, &e);
	rib_peer_event(peer, msg->down.reason == BMP_DOWN_DECONFIGURED
				     ? RIB_PEER_EV_DECONFIGURED
				     : RIB_PEER_EV_PEER_DOWN);
	reset_peer(peer);
	/* If there are many routes, rib_background() withdraws them. */
	rib_peer_withdraw_all(peer, when, RIB_REASON_PEER_DOWN,
			      RIB_WITHDRAW_NOW_IF_SMALL);
	if (msg->down.reason == BMP_DOWN_DECONFIGURED)
		rib_peer_reap(peer);
}

void rib_peer_lose(struct rib_peer *peer, const struct rib_time *when)
{
	struct rib_table *t;

	/* The dump was cut off, so routes that were not in it are not swept. */
	TAILQ_FOREACH (t, &peer->tables, link)
		rib_table_event(t, RIB_TABLE_EV_DUMP_CUT);
	if (!rib_peer_phase_up(peer->phase))
		return;
	rib_peer_event(peer, RIB_PEER_EV_SESSION_LOST);
	reset_peer(peer);
	peer->noticed = 0;
	peer->stale_ns = when->now_ns;
}
