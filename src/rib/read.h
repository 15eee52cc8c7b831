/*
 * rib/read.h - look at what the rib holds
 *
 * For the snapshot, the queries and the collector's answers. Three ways in:
 *
 *	rib_read_routes()		all routes of a router, in slices, from a cursor
 *				that stays good while changes go on
 *	rib_prefix_find()	a key's number, then rib_table_route() in each
 *				table of interest: two look-ups, no hash in the
 *				second
 *	rib_prefix_next()	all keys of a family, in the order of numbers,
 *				which is none that means anything
 *
 * Nothing here changes the rib. Views die with the next call that does.
 *
 * A prefix id names one key of one family of this rib as long as some route
 * has that key; afterwards another key may get the number. With add-path, a
 * path entry names a pair of prefix id and path id, in the same way.
 */
#ifndef RIB_READ_H
#define RIB_READ_H

#include "rib/event.h"
#include "rib/mem/id_pool.h"
#include "rib/types.h"

#include "bmp/family.h"

struct bmp_peer;

/* Routers, peers, tables: pass NULL for the first; NULL after the last. */
struct rib_router *rib_router_next(const struct rib *rib,
				   const struct rib_router *router);
struct rib_peer *rib_peer_next(const struct rib_router *router,
			       const struct rib_peer *peer);
struct rib_table *rib_table_next(const struct rib_peer *peer,
				 const struct rib_table *table);

/* The peer of a header, or NULL. */
struct rib_peer *rib_router_peer(struct rib_router *router,
				 const struct bmp_peer *header);

/* A router as it is now. */
struct rib_router_state {
	uint64_t serial; /* of routers that came later it is larger */
	bool open;	 /* it has a session */
	uint32_t peers;
	uint32_t peers_up;
	uint32_t peers_stale;
	uint64_t routes;
};

void rib_router_state(const struct rib_router *router,
		      struct rib_router_state *out);

/* A peer as it is now. Views live as long as the peer stays as it is. */
struct rib_peer_state {
	uint64_t serial; /* as that of a router */
	uint8_t type;	 /* enum bmp_peer_type */
	bool ipv6;
	bool filtered;
	bool up;      /* said by a Peer Up in this session, or implied */
	bool implied; /* routes came, but no Peer Up */
	bool stale;   /* of a lost session, or restored */
	uint64_t distinguisher;
	uint8_t address[16];
	uint32_t as;
	uint32_t bgp_id;
	uint64_t routes;
	struct wire_view table_name;
};

void rib_peer_state(const struct rib_peer *peer, struct rib_peer_state *out);

/* As rib_router_slot(); see rib_sink.forget for when the peer goes. */
void **rib_peer_slot(struct rib_peer *peer);

struct rib_table_state {
	uint64_t sequence;   /* of the last change that was published */
	uint64_t changed_ns; /* its time by the wall clock; 0: none yet */
	uint64_t routes;
	uint64_t pending_withdraw; /* gone, their withdraws not yet published */
	bool syncing; /* the dump of this generation has not ended */
	bool suspect; /* part of a message could not be read */
	bool unknown; /* updates were dropped on the way in */
};

const struct rib_table_info *rib_table_info(const struct rib_table *table);
const struct rib_peer *rib_table_peer(const struct rib_table *table);
void rib_table_state(const struct rib_table *table,
		     struct rib_table_state *out);

/* A route as it is kept. */
struct rib_stored {
	bool has_path_id;
	bool known;	       /* attributes are; else attrs is empty */
	bool pending_withdraw; /* its withdraw waits to be published */
	uint32_t path_id;
	struct wire_view key; /* as in bmp/nlri_key.h */
	/*
	 * What is not key: the labels of a prefix, the whole NLRI of what is
	 * not a prefix, as sent.
	 */
	struct wire_view extra;
	uint32_t set;		/* equal numbers in one slice: equal attrs */
	struct wire_view attrs; /* canonical, see bmp/canonical.h */
	uint64_t changed_s;	/* seconds since 1970, to 4 s */
};

/* Where a walk stands. Start with all zero. */
struct rib_cursor {
	uint64_t peer;	/* serial numbers: */
	uint64_t table; /* what comes later has a larger one */
	uint64_t store;
	uint32_t id;
	bool paths;
};

struct rib_visitor {
	/* Routes of this one follow, or none. Repeated in each slice. */
	void (*table)(void *arg, const struct rib_table *table);
	void (*route)(void *arg, const struct rib_table *table,
		      const struct rib_stored *route);
	void *arg;
};

/*
 * Visit some of @router: about @budget routes. False when it was the end. A
 * route that is there from the first slice to the last is visited at least
 * once; one that changes in between may be seen before, after or not at all,
 * but its change was then published after the first slice. Routes whose
 * withdraw is still to come are visited, too: consumers have them. Those that
 * the policy keeps from consumers are not.
 */
bool rib_read_routes(const struct rib_router *router, struct rib_cursor *cursor,
		     size_t budget, const struct rib_visitor *visitor);

/* Look-ups */

/* The number of @key, or RIB_NO_ID. */
uint32_t rib_prefix_find(const struct rib *rib, uint16_t afi, uint8_t safi,
			 struct wire_view key);

/* Step from *@id (begin with RIB_NO_ID) to the next key of the family. */
bool rib_prefix_next(const struct rib *rib, enum bgp_family family,
		     uint32_t *id);
bool rib_path_next(const struct rib *rib, enum bgp_family family,
		   uint32_t *entry);

/*
 * Write the key of @id, as in bmp/nlri_key.h. Returns its length, which is
 * more than @cap if it did not fit. Of unknown families, AFI (2) and SAFI (1)
 * stand before the key.
 */
size_t rib_prefix_key(const struct rib *rib, enum bgp_family family,
		      uint32_t id, uint8_t *out, size_t cap);

/* Of which prefix a path entry is, and its path id. */
uint32_t rib_path_prefix(const struct rib *rib, enum bgp_family family,
			 uint32_t entry, uint32_t *path_id);

/*
 * The route of a prefix without a path id, or that of a path entry. False if
 * the table does not have it, or has it only until its withdraw is published.
 */
bool rib_table_route(const struct rib_table *table, uint32_t id,
		     struct rib_stored *out);
bool rib_table_path(const struct rib_table *table, uint32_t entry,
		    struct rib_stored *out);

#endif
