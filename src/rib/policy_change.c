#include "rib/policy.h"

#include "rib/emit.h"
#include "rib/table.h"
#include "rib/table_withdraw.h"
#include "rib/visibility.h"

/*
 * The table was not stored so far, so the routes that its router sent before
 * are unknown.
 */
static void emit_unknown(struct rib_table *table, const struct rib_time *when)
{
	struct rib_event e = {
		.kind = RIB_EVENT_UNKNOWN,
		.text = "let in by a filter: whole after its next dump",
	};

	rib_table_event(table, RIB_TABLE_EV_DROPPED);
	rib_emit_event_table(table, when, &e);
}

static void change_disposition(struct rib_table *table,
			       const struct rib_time *when,
			       enum rib_disposition disposition)
{
	enum rib_disposition before = table->disposition;

	if (disposition == RIB_DISPOSITION_DROP)
		rib_table_withdraw_all(table, when, RIB_REASON_ADMIN,
				       RIB_WITHDRAW_IN_SLICES);
	table->disposition = (uint8_t)disposition;
	if (rib_store_count(&table->store) == 0)
		rib_hidden_range_reset(table);
	else if ((table->jobs & RIB_JOB_HIDDEN_RANGE) == 0)
		rib_hidden_range_start(table);
	if (before == RIB_DISPOSITION_DROP)
		emit_unknown(table, when);
}

void rib_peer_policy(struct rib_peer *peer, const struct rib_time *when,
		     const struct rib_policy_mask *policy)
{
	struct rib_table *t;

	rib_policy_set(peer, policy);
	TAILQ_FOREACH (t, &peer->tables, link) {
		enum rib_disposition disposition =
			rib_disposition_of(peer, t->info.view,
					   (enum bgp_family)t->info.family);

		if (disposition != t->disposition)
			change_disposition(t, when, disposition);
	}
}
