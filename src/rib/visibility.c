#include "rib/visibility.h"

#include "rib/emit.h"
#include "rib/table.h"

void rib_fate_ask(struct rib_peer *peer, uint8_t view)
{
	const struct rib_policy *policy = &peer->router->policy;
	struct rib_wish wish = { UINT64_MAX, UINT64_MAX };
	struct rib_table_info info;

	if (policy->ask != NULL) {
		rib_peer_info(peer, &info);
		info.view = view;
		wish = policy->ask(policy->arg, &info);
	}
	/* Without curation nothing is stored. */
	if (peer->router->rib->config.mode == RIB_MODE_OFF)
		wish.stored = wish.published;
	peer->wishes[view] = wish;
	peer->asked |= (uint8_t)(1u << view);
}

static const struct rib_veil no_veil;
static const struct rib_veil full_veil = {
	.place = { .paths = true, .id = RIB_NO_ID },
};

void rib_fate_reset(struct rib_table *table)
{
	table->veil = table->fate == RIB_FATE_STORE ? full_veil : no_veil;
}

/* Draw the veil, or lift it, from the first key to the last. */
static void move_veil(struct rib_table *table)
{
	table->veil = (struct rib_veil){
		.lifting = table->fate == RIB_FATE_PUBLISH,
		.moving = true,
	};
	rib_table_queue(table);
}

void rib_fate_arrived(struct rib_table *table)
{
	bool lifted = table->veil.lifting;

	table->veil = lifted ? no_veil : full_veil;
	if (lifted != (table->fate == RIB_FATE_PUBLISH))
		move_veil(table);
}

void rib_fate_init(struct rib_table *table)
{
	table->fate = (uint8_t)rib_fate_of(table->peer, table->info.view,
					   (enum bgp_family)table->info.family);
	rib_fate_reset(table);
}

/* Nobody kept what its router said so far. */
static void say_unknown(struct rib_table *table, const struct rib_when *when)
{
	struct rib_event e = {
		.kind = RIB_EVENT_UNKNOWN,
		.text = "let in by a filter: whole after its next dump",
	};

	table->unknown = true;
	rib_say_table(table, when, &e);
}

static void change_fate(struct rib_table *table, const struct rib_when *when,
			enum rib_fate fate)
{
	enum rib_fate before = table->fate;

	if (fate == RIB_FATE_DROP)
		rib_table_flood(table, when, RIB_REASON_ADMIN,
				RIB_FLOOD_SLICES);
	table->fate = (uint8_t)fate;
	if (rib_store_count(&table->store) == 0)
		rib_fate_reset(table);
	else if (!table->veil.moving)
		move_veil(table);
	if (before == RIB_FATE_DROP)
		say_unknown(table, when);
}

void rib_fate_judge(struct rib_peer *peer, const struct rib_when *when)
{
	struct rib_table *t;

	peer->asked = 0;
	TAILQ_FOREACH (t, &peer->tables, link) {
		enum rib_fate fate =
			rib_fate_of(peer, t->info.view,
				    (enum bgp_family)t->info.family);

		if (fate != t->fate)
			change_fate(t, when, fate);
	}
}

void rib_router_policy(struct rib_router *router, const struct rib_when *when,
		       const struct rib_policy *policy)
{
	struct rib_peer *peer;

	router->policy = *policy;
	TAILQ_FOREACH (peer, &router->peer_list, link)
		rib_fate_judge(peer, when);
}
