/*
 * rib/table.h - one table of one peer: its routes and generations
 *
 * rib/rib_internal.h shows how tables are stored. The functions here do not
 * depend on sessions or timers.
 */
#ifndef RIB_TABLE_H
#define RIB_TABLE_H

#include "rib/event.h"
#include "rib/mem/key_table.h"
#include "rib/table_fsm.h"
#include "rib/types.h"

struct rib_withdraw_queue;
struct rib_store;

/* Creation and removal */

struct rib_table *rib_table_find(struct rib_peer *peer, uint8_t view,
				 uint16_t afi, uint8_t safi);

/*
 * Find or make the table. -ENOMEM, or -ENOSPC if the peer has max_tables,
 * or its router max_router_tables already.
 */
int rib_table_get(struct rib_peer *peer, uint8_t view, uint16_t afi,
		  uint8_t safi, struct rib_table **out);

/* Free the table, its routes and withdraw queues. Publishes nothing. */
void rib_table_free(struct rib_table *table);

/* Update the copy of the peer's properties that the table has. */
void rib_table_refresh(struct rib_table *table);

/* Routes */

/*
 * Add a new route. @id is the number of its key, which may have no reference
 * yet; this function adds one. The caller's reference on @value passes to the
 * route. -ENOMEM: nothing was changed.
 */
int rib_table_insert(struct rib_table *table, bool paths, uint32_t id,
		     uint32_t value, uint32_t stamp);

/*
 * Remove a route, which must exist. Afterwards @id may be the number of another
 * key.
 */
void rib_table_remove(struct rib_table *table, bool paths, uint32_t id);

/*
 * Find or add the pair of a prefix and a path id; both return its number, or
 * RIB_NO_ID. rib_path_add() adds no reference on the pair, but the pair has a
 * reference on its prefix.
 */
uint32_t rib_path_find(const struct rib_table *table, uint32_t prefix,
		       uint32_t path_id);
uint32_t rib_path_add(struct rib_table *table, uint32_t prefix,
		      uint32_t path_id);

/*
 * Add and remove a reference on the key of a route. The key is removed with its
 * last reference; rib_key_drop() removes a key that never had one.
 */
void rib_key_get(struct rib_table *table, bool paths, uint32_t id);
void rib_key_put(struct rib_table *table, bool paths, uint32_t id);
void rib_key_drop(struct rib_table *table, bool paths, uint32_t id);

/*
 * Set the members of @out that the key of @id has: key and path id. For
 * announcements the caller sets the others.
 */
void rib_table_route_key(const struct rib_table *table, bool paths, uint32_t id,
			 struct rib_route *out, uint8_t room[RIB_KEY_FIXED]);

/* For the other files that implement the table: */

/* Remove a route from @store, and its references on key and @value. */
void rib_store_remove(struct rib_table *table, struct rib_store *store,
		      bool paths, uint32_t id, uint32_t value);
void rib_table_count_routes(struct rib_table *table, int64_t n);
void rib_table_count_pending(struct rib_table *table, int64_t n);
void rib_withdraw_queue_free(struct rib_table *table,
			     struct rib_withdraw_queue *queue);

/* Generations */

/*
 * Begin a new generation: the router starts to send the table again. @clock is
 * the router's clock.
 */
void rib_table_generation(struct rib_table *table, uint64_t clock);

/*
 * Part of a message for the table could not be parsed: make the table suspect,
 * and publish the event SUSPECT if it was not suspect before.
 */
void rib_table_suspect(struct rib_table *table, const struct rib_time *when);

/* Drop the held messages of the table: see rib/add_path.h. */
void rib_table_drop_held(struct rib_table *table);

/*
 * Change the phase and the quality as rib/table_fsm.h says. The tables that are
 * syncing are counted, and their router has a list of them.
 */
void rib_table_event(struct rib_table *table, enum rib_table_event event);

/* Change the form of the NLRI as rib/table_fsm.h says. */
void rib_table_form_event(struct rib_table *table,
			  enum rib_table_form_event event);

/*
 * The attribute set of a plain route. RIB_VALUE_NONE if the route does not
 * exist or its attributes are unknown.
 */
uint32_t rib_table_set(const struct rib_table *table, uint32_t id);

#endif
