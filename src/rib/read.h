/*
 * rib/read.h - read the content of a rib
 *
 * For snapshots, queries and the collector. There are three ways:
 *
 *	rib_read_routes()	all routes of a router, in slices, from a cursor
 *				that stays valid while the rib changes
 *	rib_prefix_find()	the id of a key; then rib_table_route() in each
 *				table of interest, which needs no hash
 *	rib_prefix_next()	all keys of a family, in the order of their ids,
 *				which has no meaning
 *
 * No function here changes the rib. Views are valid until the rib changes.
 *
 * A prefix id names one key of one family of this rib while some route has that
 * key; afterwards another key may get the number. With add-path, a path entry
 * names a pair of prefix id and path id in the same way.
 */
#ifndef RIB_READ_H
#define RIB_READ_H

#include "rib/event.h"
#include "rib/mem/id_pool.h"
#include "rib/types.h"

#include "bmp/family.h"

struct bmp_peer;

/*
 * Iterate over routers, peers or tables: pass NULL to get the first; returns
 * NULL after the last.
 */
struct rib_router *rib_router_next(const struct rib *rib,
				   const struct rib_router *router);
struct rib_peer *rib_peer_next(const struct rib_router *router,
			       const struct rib_peer *peer);
struct rib_table *rib_table_next(const struct rib_peer *peer,
				 const struct rib_table *table);

/*
 * The first router or peer whose serial number is @serial or more, or NULL. A
 * walk can continue at a serial number without visiting the routers or peers
 * before it.
 */
struct rib_router *rib_router_from(const struct rib *rib, uint64_t serial);
struct rib_peer *rib_peer_from(const struct rib_router *router,
			       uint64_t serial);

/* The peer of @header, or NULL. */
struct rib_peer *rib_router_peer(struct rib_router *router,
				 const struct bmp_peer *header);

/* The current state of a router. */
struct rib_router_state {
	uint64_t serial; /* later routers have larger numbers */
	bool open;	 /* the router has a session */
	uint32_t peers;
	uint32_t peers_up;
	uint32_t peers_stale;
	uint64_t routes;
};

void rib_router_state(const struct rib_router *router,
		      struct rib_router_state *out);

/* The current state of a peer. Views are valid until the peer changes. */
struct rib_peer_state {
	uint64_t serial; /* later peers have larger numbers */
	uint8_t type;	 /* enum bmp_peer_type */
	bool ipv6;
	bool filtered;
	bool up;      /* up, by a Peer Up in this session or implied */
	bool implied; /* up, because routes came without a Peer Up */
	bool stale;   /* kept from a lost session, or restored */
	uint64_t distinguisher;
	uint8_t address[16];
	uint32_t as;
	uint32_t bgp_id;
	uint64_t routes;
	struct wire_view table_name;
};

void rib_peer_state(const struct rib_peer *peer, struct rib_peer_state *out);

/*
 * User data of a peer, as rib_router_slot(). rib_sink.forget is called when the
 * peer is removed.
 */
void **rib_peer_slot(struct rib_peer *peer);

struct rib_table_state {
	uint64_t sequence;   /* sequence of the last published change */
	uint64_t changed_ns; /* wall clock of that change; 0 = none yet */
	uint64_t routes;
	/* removed routes whose withdraws are not yet published */
	uint64_t pending_withdraw;
	bool syncing; /* the dump of this generation is not complete yet */
	bool suspect; /* part of a message could not be parsed */
	bool unknown; /* updates were dropped before they reached the rib */
};

const struct rib_table_info *rib_table_info(const struct rib_table *table);
const struct rib_peer *rib_table_peer(const struct rib_table *table);
void rib_table_state(const struct rib_table *table,
		     struct rib_table_state *out);

/* A stored route. */
struct rib_stored {
	bool has_path_id;
	/* true = attributes are known; else attrs is empty */
	bool known;
	/* the route was removed, but its withdraw is not published yet */
	bool pending_withdraw;
	uint32_t path_id;
	struct wire_view key; /* in the form of bmp/nlri_key.h */
	/*
	 * The part of the route that is not in the key: the labels of a prefix,
	 * or the whole NLRI of another route, as sent.
	 */
	struct wire_view extra;
	/* number of attrs; equal numbers within a slice mean equal attrs */
	uint32_t set;
	struct wire_view attrs; /* canonical form, see bmp/canonical.h */
	/* time of the last change: seconds since 1970, in steps of 4 s */
	uint64_t changed_s;
};

/* The position of a walk. Set all to zero at the start. */
struct rib_cursor {
	uint64_t peer;	/* serial number of the peer */
	uint64_t table; /* serial number of the table */
	uint64_t store;
	uint32_t id;
	bool paths;
};

struct rib_visitor {
	/*
	 * Called in each slice before the routes of a table; also for an empty
	 * table.
	 */
	void (*table)(void *arg, const struct rib_table *table);
	void (*route)(void *arg, const struct rib_table *table,
		      const struct rib_stored *route);
	void *arg;
};

/*
 * Visit about @budget routes and peers of @router, the next slice of a walk.
 * Returns false at the end.
 *
 * A route that is stored during all slices is visited at least once, with its
 * attributes of before or after a change. A route that is added or removed
 * meanwhile may be missed. All these changes are published after the first
 * slice began, so a reader of the log gets them.
 *
 * Routes with a pending withdraw are visited, because consumers have them.
 * Routes that the policy does not publish are not visited.
 */
bool rib_read_routes(const struct rib_router *router, struct rib_cursor *cursor,
		     size_t budget, const struct rib_visitor *visitor);

/* Look-ups */

/* The prefix id of @key, or RIB_NO_ID. */
uint32_t rib_prefix_find(const struct rib *rib, uint16_t afi, uint8_t safi,
			 struct wire_view key);

/*
 * Advance *@id to the next key of the family; set it to RIB_NO_ID at the start.
 */
bool rib_prefix_next(const struct rib *rib, enum bgp_family family,
		     uint32_t *id);
bool rib_path_next(const struct rib *rib, enum bgp_family family,
		   uint32_t *entry);

/*
 * Write the key of @id in the form of bmp/nlri_key.h. Returns its length, which
 * is more than @cap if it did not fit. For unknown families AFI (2 bytes) and
 * SAFI (1 byte) precede the key.
 */
size_t rib_prefix_key(const struct rib *rib, enum bgp_family family,
		      uint32_t id, uint8_t *out, size_t cap);

/* The prefix id of a path entry. *@path_id is its path id. */
uint32_t rib_path_prefix(const struct rib *rib, enum bgp_family family,
			 uint32_t entry, uint32_t *path_id);

/*
 * Get the route of a prefix id without path id, or of a path entry. False if
 * the table does not have the route, or only its pending withdraw.
 */
bool rib_table_route(const struct rib_table *table, uint32_t id,
		     struct rib_stored *out);
bool rib_table_path(const struct rib_table *table, uint32_t entry,
		    struct rib_stored *out);

#endif
