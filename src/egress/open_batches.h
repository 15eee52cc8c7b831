/*
 * egress/open_batches.h - the routers a worker has, and what each has open
 *
 * Private to the batcher. A router is known by its name if it has one, else by
 * its address; its token is made once. Its open batches are found by peer AS
 * and family in one table for all routers of the worker.
 */
#ifndef EGRESS_OPEN_BATCHES_H
#define EGRESS_OPEN_BATCHES_H

#include "egress/batch.h"
#include "rib/event.h"

/* An open batch. Lists are circular, through a head in their owner. */
struct egress_link {
	struct egress_link *prev, *next;
};

struct egress_router {
	struct egress_router *next; /* of the same bucket */
	uint64_t hash;
	uint8_t address[16];
	char *name;		 /* NULL: known by its address */
	bool is_collector;	 /* none at all: for what is no router's */
	struct egress_link open; /* by when they were opened */
	bool has_events;	 /* what is open are events */
	char token[SUBJECT_ROUTER_MAX];
};

struct egress_open {
	struct egress_link by_age;    /* all of the worker's; first member */
	struct egress_link of_router; /* the router's */
	struct egress_open *next;     /* of the same bucket, or unused */
	struct egress_router *router;
	struct egress_batch *batch;
	uint32_t place; /* the batcher's: among its recent ones */
	uint32_t peer_as;
	uint16_t afi; /* events: 0 */
	uint8_t safi; /* events: enum rib_event_kind */
	bool is_events;
};

/* Hash tables that grow; power of two buckets. */
struct egress_routers {
	struct egress_router **routers;
	struct egress_open **opens;
	struct egress_open *unused; /* for the next ones */
	uint32_t router_buckets;
	uint32_t open_buckets;
	uint32_t router_count;
	uint32_t open_count;
	uint64_t seed;
	struct egress_link by_age;
};

int egress_routers_init(struct egress_routers *r, uint64_t seed);
void egress_routers_fini(struct egress_routers *r); /* batches are not freed */

/* The router of @info, or of the collector if NULL. NULL: no memory. */
struct egress_router *egress_routers_get(struct egress_routers *r,
					 const struct rib_router_info *info);

/* The same if it is known already, else NULL. */
struct egress_router *egress_routers_find(struct egress_routers *r,
					  const struct rib_router_info *info);

/* It has nothing open. */
void egress_routers_remove(struct egress_routers *r,
			   struct egress_router *router);

/* Whether @router is the one of @info. */
bool egress_router_is(const struct egress_router *router,
		      const struct rib_router_info *info);

/* What the router has open for this subject, or NULL. */
struct egress_open *egress_open_find(struct egress_routers *r,
				     const struct egress_router *router,
				     uint32_t peer_as, uint16_t afi,
				     uint8_t safi, bool is_events);

/* Add one that is not there yet, without a batch. NULL: no memory. */
struct egress_open *egress_open_add(struct egress_routers *r,
				    struct egress_router *router,
				    uint32_t peer_as, uint16_t afi,
				    uint8_t safi, bool is_events);

/* Its batch is gone already. */
void egress_open_remove(struct egress_routers *r, struct egress_open *open);

#define EGRESS_OPEN_OF_ROUTER(link)       \
	((struct egress_open *)(void *)(( \
		char *)(link)-offsetof(struct egress_open, of_router)))

static inline bool egress_list_empty(const struct egress_link *list)
{
	return list->next == list;
}

#endif
