/*
 * rib/table_withdraw.h - withdraw routes that no router withdrew, in slices
 *
 * After a Peer Down or a change of policy the whole table is withdrawn; after
 * an End-of-RIB the routes that were not announced again are.
 */
#ifndef RIB_TABLE_WITHDRAW_H
#define RIB_TABLE_WITHDRAW_H

#include "rib/event.h"
#include "rib/types.h"

enum rib_withdraw_mode {
	RIB_WITHDRAW_IN_SLICES = 0,    /* all of it later */
	RIB_WITHDRAW_NOW_IF_SMALL = 1, /* at once if it is small */
	RIB_WITHDRAW_NOW = 2,	       /* all at once, whatever it takes */
};

/* Routes in a table that is small, see rib_table_withdraw_cost(). */
#define RIB_WITHDRAW_SMALL_TABLE 64

/*
 * What its withdraws take, in routes. NLRI that are not prefixes may have 64
 * KiB each, all of which a withdraw repeats: so many bytes of them are one.
 */
#define RIB_WITHDRAW_ROUTE_BYTES 128
uint64_t rib_table_withdraw_cost(const struct rib_table *table);

/* Everything in the table was taken back. */
void rib_table_withdraw_all(struct rib_table *table,
			    const struct rib_time *when, enum rib_reason reason,
			    enum rib_withdraw_mode mode);

/*
 * The same of the routes with path identifiers (@paths) or without; the others
 * and the generation stay. Returns how many.
 */
uint64_t rib_table_withdraw_form(struct rib_table *table,
				 const struct rib_time *when, bool paths,
				 enum rib_reason reason,
				 enum rib_withdraw_mode mode);

/* The AS of its peer changed: its withdraw queues have the old subject. */
void rib_table_mark_subject_changed(struct rib_table *table);

/*
 * If a withdraw queue has the route, publish its withdraw now. The key may be gone then,
 * if the caller has no reference on it.
 */
bool rib_table_withdraw_pending_route(struct rib_table *table,
				      const struct rib_time *when, bool paths,
				      uint32_t id);

/* Sweeps */

/*
 * The dump of a table that is syncing is over: sweep the routes that it did not
 * have, in slices. If something of the dump was dropped, the sweep waits for
 * the next generation. A table that is not syncing stays as it is.
 */
void rib_table_sweep(struct rib_table *table, const struct rib_time *when);

/*
 * Do about @budget routes of what the table has to do, and say how many it
 * were. If that was all, the table is no longer queued.
 */
size_t rib_table_slice(struct rib_table *table, const struct rib_time *when,
		       size_t budget);

#endif
