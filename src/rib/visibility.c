#include "rib/visibility.h"

#include "rib/work_queue.h"

void rib_policy_set(struct rib_peer *peer, const struct rib_policy_mask *policy)
{
	bool off = peer->router->rib->config.mode == RIB_MODE_OFF;

	for (int v = 0; v < BMP_VIEWS; v++) {
		struct rib_policy_mask mask = { UINT64_MAX, UINT64_MAX };

		if (policy != NULL)
			mask = policy[v];
		/* In RIB_MODE_OFF no routes are stored. */
		if (off)
			mask.stored = mask.published;
		peer->policy[v] = mask;
	}
}

static const struct rib_hidden_range nothing_hidden;
static const struct rib_hidden_range all_hidden = {
	.pos = { .paths = true, .id = RIB_NO_ID },
};

void rib_hidden_range_reset(struct rib_table *table)
{
	table->jobs &= (uint8_t)~RIB_JOB_HIDDEN_RANGE;
	table->hidden = table->disposition == RIB_DISPOSITION_STORE
				? all_hidden
				: nothing_hidden;
}

/* Move the boundary of the hidden range from the first route id to the last. */
void rib_hidden_range_start(struct rib_table *table)
{
	table->hidden = (struct rib_hidden_range){
		.shrinking = table->disposition == RIB_DISPOSITION_PUBLISH,
	};
	table->jobs |= RIB_JOB_HIDDEN_RANGE;
	rib_table_queue(table);
}

void rib_hidden_range_done(struct rib_table *table)
{
	bool shrunk = table->hidden.shrinking;

	table->jobs &= (uint8_t)~RIB_JOB_HIDDEN_RANGE;
	table->hidden = shrunk ? nothing_hidden : all_hidden;
	if (shrunk != (table->disposition == RIB_DISPOSITION_PUBLISH))
		rib_hidden_range_start(table);
}

void rib_hidden_range_init(struct rib_table *table)
{
	table->disposition = (uint8_t)
		rib_disposition_of(table->peer, table->info.view,
				   (enum bgp_family)table->info.family);
	rib_hidden_range_reset(table);
}
