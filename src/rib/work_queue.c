#include "rib/work_queue.h"

#include "rib/rib_internal.h"

void rib_table_queue(struct rib_table *table)
{
	if (table->queued)
		return;
	table->queued = true;
	TAILQ_INSERT_TAIL(&table->peer->router->rib->work_list, table, work);
}

void rib_table_unqueue(struct rib_table *table)
{
	if (!table->queued)
		return;
	table->queued = false;
	TAILQ_REMOVE(&table->peer->router->rib->work_list, table, work);
}
