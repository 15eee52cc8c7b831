/*
 * rib/table_republish.h - publish the routes of a table again, in slices
 */
#ifndef RIB_TABLE_REPUBLISH_H
#define RIB_TABLE_REPUBLISH_H

#include "rib/types.h"

struct rib_place;

/*
 * Publish again from *@place on, up to @budget routes; says at how many it
 * looked. At the end, place->id is RIB_NO_ID.
 */
size_t rib_table_republish(struct rib_table *table, const struct rib_when *when,
			   struct rib_place *place, size_t budget);

#endif
