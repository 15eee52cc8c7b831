/*
 * rib/table_republish.h - publish the routes of a table again, in slices
 */
#ifndef RIB_TABLE_REPUBLISH_H
#define RIB_TABLE_REPUBLISH_H

#include "rib/types.h"

struct rib_pos;

/*
 * Publish routes again from *@pos on, up to @budget routes. Returns how many
 * routes were visited. At the end pos->id is RIB_NO_ID.
 */
size_t rib_table_republish(struct rib_table *table, const struct rib_time *when,
			   struct rib_pos *pos, size_t budget);

#endif
