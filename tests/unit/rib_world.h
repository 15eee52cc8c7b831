/*
 * rib_world.h - few of everything, so that random operations meet
 *
 * Routers, peers, families, routes and attributes for tests of the rib. Each
 * has a small number; this file makes the real thing of it, writes it with
 * bmp/writer.h, and says which number a result of the rib speaks of. Peers and
 * routes are such that a rib with a smaller key mixes them up: one address in
 * two VRFs and of two types, two Loc-RIBs, one prefix in SAFI 1, 2, 4 and 128,
 * under two distinguishers, and default routes.
 */
#ifndef TESTS_RIB_WORLD_H
#define TESTS_RIB_WORLD_H

#include "bmp/bgp_writer.h"
#include "rib/event.h"

#define WORLD_ROUTERS  3
#define WORLD_PEERS    7 /* of a router */
#define WORLD_FAMILIES 8
#define WORLD_KEYS     24 /* routes of a family */
#define WORLD_VALUES   3  /* what is not key: labels, EVPN's segment */
#define WORLD_SETS     12 /* of attributes */
#define WORLD_ROUTES   40 /* in one UPDATE at most */

struct world;

struct world *world_new(void);
void world_free(struct world *w);

/* The address of a router's session. */
void world_router_address(unsigned router, uint8_t out[16]);

enum bgp_family world_family(unsigned family);
bool world_is_loc_rib(unsigned peer);

/* Whether two values of a route of @family differ on the wire. */
bool world_has_values(unsigned family);

/* What a BGP session of a peer is like; it may come back otherwise. */
struct world_session {
	uint8_t as;	/* 0 or 1: which of the two AS numbers it has */
	uint8_t bgp_id; /* the same */
	uint16_t port;	/* of the peer's side */
	bool add_path;	/* in all families */
};

/* A route by number. */
struct world_route {
	uint8_t key;
	uint8_t value;
	uint32_t path_id; /* counts in sessions with add-path */
};

/* How an UPDATE is broken. */
enum world_fault {
	WORLD_SOUND,
	WORLD_BAD_ATTRIBUTE, /* ORIGIN of two bytes: treat as withdraw */
	WORLD_CUT_NLRI,	     /* the announced routes cannot be read */
	WORLD_FAULTS
};

struct world_update {
	unsigned peer;
	uint8_t view; /* enum bmp_view */
	struct world_session session;
	unsigned family;
	unsigned set;  /* attributes of the announced routes */
	bool reversed; /* another spelling of the same attributes */
	uint8_t fault; /* enum world_fault */
	size_t withdrawn;
	size_t announced;
	struct world_route withdraws[WORLD_ROUTES];
	struct world_route announces[WORLD_ROUTES];
};

/* Whole BMP messages. */
void world_write_update(const struct world *w, struct bmp_writer *out,
			const struct world_update *update);
void world_write_end_of_rib(struct bmp_writer *out, unsigned peer, uint8_t view,
			    const struct world_session *session,
			    unsigned family);
void world_write_peer_up(struct bmp_writer *out, unsigned peer, uint8_t view,
			 const struct world_session *session);
void world_write_peer_down(struct bmp_writer *out, unsigned peer,
			   const struct world_session *session, uint8_t reason);

/* The per-peer header of all these. */
struct bmp_peer world_peer(unsigned peer, uint8_t view,
			   const struct world_session *session);

/* Back to numbers. False if it is nothing of this world. */
bool world_find_router(const struct rib_router_info *info, unsigned *out);
bool world_find_peer(const struct rib_table_info *info, unsigned *out);
bool world_find_family(const struct rib_table_info *info, unsigned *out);
/* @announced: the value must be right, too. */
bool world_find_route(const struct world *w, unsigned family, bool announced,
		      const struct rib_route *route, struct world_route *out);
bool world_find_set(const struct world *w, unsigned family,
		    const struct bgp_attrs *attrs,
		    const struct bgp_next_hop *next_hop, unsigned *out);

/* The NLRI of a route, to ask for it. */
const struct bgp_nlri *world_nlri(const struct world *w, unsigned family,
				  unsigned key);
/* Its key, as in bmp/nlri_key.h. */
struct wire_view world_key(const struct world *w, unsigned family,
			   unsigned key);

#endif
