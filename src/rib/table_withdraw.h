/*
 * rib/table_withdraw.h - withdraw routes that the router did not withdraw
 *
 * After a Peer Down or a change of policy all routes of a table are withdrawn;
 * after an End-of-RIB, the routes that were not announced again. Most of this
 * is done in slices.
 */
#ifndef RIB_TABLE_WITHDRAW_H
#define RIB_TABLE_WITHDRAW_H

#include "rib/event.h"
#include "rib/types.h"

enum rib_withdraw_mode {
	RIB_WITHDRAW_IN_SLICES = 0, /* withdraw later, in slices */
	/* immediately if the table is small, else later */
	RIB_WITHDRAW_NOW_IF_SMALL = 1,
	/* all immediately, however long it takes */
	RIB_WITHDRAW_NOW = 2,
};

/* The maximum rib_table_withdraw_cost() of a small table. */
#define RIB_WITHDRAW_SMALL_TABLE 64

/*
 * The cost of withdrawing a table, counted in routes. NLRI that are not
 * prefixes may have up to 64 KiB each, and a withdraw repeats them:
 * RIB_WITHDRAW_ROUTE_BYTES of them count as one more route.
 */
#define RIB_WITHDRAW_ROUTE_BYTES 128
uint64_t rib_table_withdraw_cost(const struct rib_table *table);

/* Withdraw all routes of the table, and drop its held messages. */
void rib_table_withdraw_all(struct rib_table *table,
			    const struct rib_time *when, enum rib_reason reason,
			    enum rib_withdraw_mode mode);

/*
 * Withdraw only the routes with path identifiers (@paths) or only those
 * without; the generation does not change. Returns the number of routes.
 */
uint64_t rib_table_withdraw_form(struct rib_table *table,
				 const struct rib_time *when, bool paths,
				 enum rib_reason reason,
				 enum rib_withdraw_mode mode);

/*
 * Mark the withdraw queues of the table: they have the old subject, because the
 * AS of the peer has changed.
 */
void rib_table_mark_subject_changed(struct rib_table *table);

/*
 * If a withdraw queue has the route, publish its withdraw now. Afterwards the
 * key may not exist any more, unless the caller has a reference on it.
 */
bool rib_table_withdraw_pending_route(struct rib_table *table,
				      const struct rib_time *when, bool paths,
				      uint32_t id);

/* Sweeps */

/*
 * End the dump of a table that is syncing: the routes that were not in the dump
 * are withdrawn in slices. If updates of the dump were dropped, they are not
 * withdrawn before the next generation. If the table is not syncing, nothing is
 * done.
 */
void rib_table_sweep(struct rib_table *table, const struct rib_time *when);

/*
 * Do work for about @budget routes from the jobs of the table. Returns how many
 * routes were visited. If no work is left, the table is removed from the work
 * queue.
 */
size_t rib_table_slice(struct rib_table *table, const struct rib_time *when,
		       size_t budget);

#endif
