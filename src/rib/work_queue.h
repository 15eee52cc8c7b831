/*
 * rib/work_queue.h - the tables that have background work to do
 */
#ifndef RIB_WORK_QUEUE_H
#define RIB_WORK_QUEUE_H

#include "rib/types.h"

/* Append @table to the queue of its rib, unless it is queued already. */
void rib_table_queue(struct rib_table *table);
void rib_table_unqueue(struct rib_table *table);

#endif
