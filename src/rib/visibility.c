#include "rib/visibility.h"

#include "rib/emit.h"
#include "rib/work_queue.h"

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
void rib_fate_move(struct rib_table *table)
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
		rib_fate_move(table);
}

void rib_fate_init(struct rib_table *table)
{
	table->fate = (uint8_t)rib_fate_of(table->peer, table->info.view,
					   (enum bgp_family)table->info.family);
	rib_fate_reset(table);
}
