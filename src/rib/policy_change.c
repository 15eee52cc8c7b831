#include "rib/policy_change.h"

#include "rib/emit.h"
#include "rib/table_withdraw.h"
#include "rib/visibility.h"

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
		rib_table_withdraw_all(table, when, RIB_REASON_ADMIN,
				       RIB_WITHDRAW_IN_SLICES);
	table->fate = (uint8_t)fate;
	if (rib_store_count(&table->store) == 0)
		rib_fate_reset(table);
	else if (!table->veil.moving)
		rib_fate_move(table);
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
