/*
 * rib/table.h - one table of one peer: its routes and generations
 *
 * See rib/rib_internal.h for the picture. Nothing here knows of sessions and timers;
 * nothing but rib_table_slice() does more than a bounded amount of work.
 */
#ifndef RIB_TABLE_H
#define RIB_TABLE_H

#include "rib/event.h"
#include "rib/mem/key_table.h"
#include "rib/table_fsm.h"
#include "rib/types.h"

struct rib_withdraw_queue;
struct rib_store;

/* Life */

struct rib_table *rib_table_find(struct rib_peer *peer, uint8_t view,
				 uint16_t afi, uint8_t safi);

/* Find or make it. -ENOMEM, or -ENOSPC beyond max_tables. */
int rib_table_get(struct rib_peer *peer, uint8_t view, uint16_t afi,
		  uint8_t safi, struct rib_table **out);

/* Frees its routes and withdraw queues. Publishes nothing. */
void rib_table_free(struct rib_table *table);

/* Put on the table what its peer says of itself now. */
void rib_table_refresh(struct rib_table *table);

/* Routes */

/*
 * Put a new route in. @id has a key, maybe without a reference; @value's
 * reference is taken over. -ENOMEM: nothing happened.
 */
int rib_table_insert(struct rib_table *table, bool paths, uint32_t id,
		     uint32_t value, uint32_t stamp);

/* Take a route out that is there. @id may be another key's afterwards. */
void rib_table_remove(struct rib_table *table, bool paths, uint32_t id);

/*
 * The number of the pair of a prefix and a path id, found or RIB_NO_ID; made
 * without a reference, but holding one on the prefix.
 */
uint32_t rib_path_find(const struct rib_table *table, uint32_t prefix,
		       uint32_t path_id);
uint32_t rib_path_add(struct rib_table *table, uint32_t prefix,
		      uint32_t path_id);

/*
 * A reference on the key of a route, and back. The last one back forgets the
 * key; of a key that never had one, rib_key_drop() does.
 */
void rib_key_get(struct rib_table *table, bool paths, uint32_t id);
void rib_key_put(struct rib_table *table, bool paths, uint32_t id);
void rib_key_drop(struct rib_table *table, bool paths, uint32_t id);

/* Fill in the route of @id: key, path id, and for announcements the rest. */
void rib_table_route_key(const struct rib_table *table, bool paths, uint32_t id,
			 struct rib_route *out, uint8_t room[RIB_KEY_FIXED]);

/* For the files of the table: */

/* Out of a store, with what it held. */
void rib_store_remove(struct rib_table *table, struct rib_store *store,
		      bool paths, uint32_t id, uint32_t value);
void rib_table_count_routes(struct rib_table *table, int64_t n);
void rib_table_count_pending(struct rib_table *table, int64_t n);
void rib_withdraw_queue_free(struct rib_table *table,
			     struct rib_withdraw_queue *queue);

/* Generations */

/* Its router tells it anew from now. @clock is the router's. */
void rib_table_generation(struct rib_table *table, uint64_t clock);

/* Part of a message of it could not be read: say so, once. */
void rib_table_suspect(struct rib_table *table, const struct rib_time *when);

/* The messages that are held for it: see rib/add_path.h. */
void rib_table_drop_held(struct rib_table *table);

/*
 * Step to the next states. Tables that are syncing are counted, and listed in
 * their router.
 */
void rib_table_event(struct rib_table *table, enum rib_table_event event);

/* Let the form of its NLRI follow @event. */
void rib_table_form_event(struct rib_table *table,
			  enum rib_table_form_event event);

/*
 * The attribute set of a plain route; RIB_VALUE_NONE: it is not there, or its
 * attributes are unknown.
 */
uint32_t rib_table_set(const struct rib_table *table, uint32_t id);

#endif
