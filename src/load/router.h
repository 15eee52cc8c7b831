/*
 * load/router.h - a simulated router: the bytes of its BMP session
 *
 *	INITIATION > PEERS_UP > TABLE > CHURN > LEAVING > DONE
 *				  ^       |
 *			          +-------+ a flap: one peer down, up, table
 *
 *	load_table_new(&plan, &table);
 *	load_router_new(table, 0, &router);
 *	while ((n = load_router_fill(router, LOAD_NO_END, buf, size)) > 0)
 *		send n bytes: whole messages
 *
 * Pure: the functions do not wait, so the router is as fast as it is called.
 * The caller controls the rate with @until.
 *
 * Threads	A router belongs to one thread; routers share their table.
 * Ownership	The table is borrowed and must outlive the router.
 */
#ifndef LOAD_ROUTER_H
#define LOAD_ROUTER_H

#include "load/table.h"

/* Maximum length of a message, and minimum size of a buffer. */
#define LOAD_MESSAGE_MAX (48 + 4096)

enum load_phase {
	LOAD_INITIATION,
	LOAD_PEERS_UP,
	LOAD_TABLE,
	LOAD_CHURN,
	LOAD_LEAVING,
	LOAD_DONE
};

/* Totals since the start of the session. */
struct load_counts {
	uint64_t bytes;
	uint64_t messages;
	uint64_t updates; /* BGP UPDATEs with routes */
	uint64_t announced;
	uint64_t withdrawn;
	/* Routes updated by churn: */
	uint64_t changes;
	uint64_t duplicates;
	uint64_t withdraws;
	uint64_t returns; /* withdrawn routes that were announced again */
	uint64_t flaps;
};

struct load_router;

/* Make router number @index of the plan. -ENOMEM. */
int load_router_new(const struct load_table *table, uint32_t index,
		    struct load_router **out);

void load_router_free(struct load_router *router);

/*
 * Write messages into @buf as long as one more is sure to fit; @size is at
 * least LOAD_MESSAGE_MAX. Stops when @until routes were updated by churn.
 * Returns the number of bytes: 0 if the session is complete, or if it can only
 * continue with a larger @until.
 *
 * Hot. Cost: a block of prefixes, its attributes and, for churn, its state are
 * each a cache miss or two in a large table; the rest is copying. No
 * allocation, no system call. bench/load.c measures it.
 */
size_t load_router_fill(struct load_router *router, uint64_t until,
			uint8_t *buf, size_t size);

enum load_phase load_router_phase(const struct load_router *router);

/* Number of routes updated by churn so far, to compare with @until. */
uint64_t load_router_churned(const struct load_router *router);

const struct load_counts *load_router_counts(const struct load_router *router);

/* End churn and flaps: only the end of the session is written after this. */
void load_router_stop(struct load_router *router);

/*
 * Give the following messages the time @time_ns, until the next such call.
 * Before the first call, messages have a time that starts in 2026 and advances
 * with the plan's rate.
 */
void load_router_time(struct load_router *router, uint64_t time_ns);

#endif
