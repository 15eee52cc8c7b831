/*
 * egress/open_batches.h - the routers of a worker and their open batches
 *
 * Private to the batcher. A router is identified by its name if it has one,
 * else by its address. The router's token for subjects is made once. The
 * router's open batches are found by peer AS and family in one table for all
 * routers of the worker.
 */
#ifndef EGRESS_OPEN_BATCHES_H
#define EGRESS_OPEN_BATCHES_H

#include "egress/batch.h"
#include "rib/event.h"

/*
 * A link in a list of open batches. Lists are circular and begin at a link in
 * their owner.
 */
struct egress_link {
	struct egress_link *prev, *next;
};

struct egress_router {
	struct egress_router *next; /* next in the same bucket */
	uint64_t hash;
	uint8_t address[16];
	char *name; /* NULL if identified by its address */
	/* true = the collector itself, for its events */
	bool is_collector;
	struct egress_link open; /* open batches of the router, oldest first */
	/* the router's only open batch is one of events */
	bool has_events;
	char token[SUBJECT_ROUTER_MAX];
};

struct egress_open {
	/* link in the list of all open batches of the worker; must be first */
	struct egress_link by_age;
	struct egress_link of_router; /* link in the list of the router */
	struct egress_open *next;     /* next in the same bucket or in unused */
	struct egress_router *router;
	struct egress_batch *batch;
	uint32_t place; /* index in the batcher's table of recent batches */
	uint32_t peer_as;
	uint16_t afi; /* 0 for events */
	uint8_t safi; /* for events, enum rib_event_kind */
	bool is_events;
};

/* Hash tables that grow; the number of buckets is a power of two. */
struct egress_routers {
	struct egress_router **routers;
	struct egress_open **opens;
	struct egress_open *unused; /* entries to reuse */
	uint32_t router_buckets;
	uint32_t open_buckets;
	uint32_t router_count;
	uint32_t open_count;
	uint64_t seed;
	struct egress_link by_age;
};

int egress_routers_init(struct egress_routers *r, uint64_t seed);
/* Free the tables, but not the batches. */
void egress_routers_fini(struct egress_routers *r);

/*
 * Find or add the router of @info; NULL means the collector itself. Returns
 * NULL if out of memory.
 */
struct egress_router *egress_routers_get(struct egress_routers *r,
					 const struct rib_router_info *info);

/* Find the router of @info as above; NULL if there is no entry. */
struct egress_router *egress_routers_find(struct egress_routers *r,
					  const struct rib_router_info *info);

/* Remove the router, which must have no open batch. */
void egress_routers_remove(struct egress_routers *r,
			   struct egress_router *router);

/* True if @router is the router that @info describes. */
bool egress_router_is(const struct egress_router *router,
		      const struct rib_router_info *info);

/* The open batch of the router for this subject, or NULL. */
struct egress_open *egress_open_find(struct egress_routers *r,
				     const struct egress_router *router,
				     uint32_t peer_as, uint16_t afi,
				     uint8_t safi, bool is_events);

/*
 * Add an entry without a batch. There must be no entry for this subject yet.
 * NULL if out of memory.
 */
struct egress_open *egress_open_add(struct egress_routers *r,
				    struct egress_router *router,
				    uint32_t peer_as, uint16_t afi,
				    uint8_t safi, bool is_events);

/* Remove the entry, which must have no batch. */
void egress_open_remove(struct egress_routers *r, struct egress_open *open);

#define EGRESS_OPEN_OF_ROUTER(link)       \
	((struct egress_open *)(void *)(( \
		char *)(link)-offsetof(struct egress_open, of_router)))

static inline bool egress_list_empty(const struct egress_link *list)
{
	return list->next == list;
}

#endif
