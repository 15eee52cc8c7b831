/*
 * rib_model.h - curation, said so plainly that it cannot be wrong
 *
 * What COLLECTOR.md section 4 asks of a rib, over the small world of
 * rib_world.h: every route has its own place in an array, every rule is a
 * loop. Each call appends what must be published, in order, to m->results.
 *
 * Withdraws that are made in slices have no order of their own. A route that
 * is to be withdrawn is owed (its reason says why); model_take() says whether
 * a withdraw was owed and books it. A route that is only old, and owed to a
 * sweep, is owed no longer when it is announced. One that its router took back
 * is first withdrawn then, so that consumers see it go and come.
 */
#ifndef TESTS_RIB_MODEL_H
#define TESTS_RIB_MODEL_H

#include "rib_world.h"

#include "rib/rib.h"

/* 0: no path id. 1, 2, 3: path ids 0, 1, 2. They are different routes. */
#define MODEL_PATHS   4
#define MODEL_RESULTS 256

struct model_route {
	bool present;
	bool unknown; /* its attributes are not known: restored so */
	uint8_t set;
	uint8_t value;
	uint8_t owed; /* enum rib_reason; NONE: it stays */
	bool gone;    /* owed, and its router no longer has it */
	uint32_t generation;
};

struct model_table {
	bool there;
	bool waiting; /* for the end of its dump */
	bool seen;    /* a Route Monitoring in this generation */
	uint32_t generation;
	uint64_t started_ns; /* the generation */
	uint64_t first_ns;   /* its first Route Monitoring */
	struct model_route routes[WORLD_KEYS][MODEL_PATHS];
};

struct model_peer {
	bool there;
	bool up;
	bool implied; /* up without a Peer Up */
	bool stale;   /* of a lost session; its routes are held */
	uint64_t stale_ns;
	struct world_session session;
	struct model_table tables[BMP_VIEWS][WORLD_FAMILIES];
};

struct model_router {
	bool open;
	bool seen;	   /* a Route Monitoring in this session */
	uint64_t since_ns; /* the session */
	uint64_t first_ns; /* its first Route Monitoring */
	uint64_t last_ns;  /* its last one */
	struct model_peer peers[WORLD_PEERS];
};

/* One route published, or one that a consumer has. */
struct model_result {
	bool announced;
	uint8_t reason; /* enum rib_reason */
	uint8_t router;
	uint8_t peer;
	uint8_t view;
	uint8_t family;
	uint8_t key;
	uint8_t path;
	uint8_t set;
	uint8_t value;
};

struct model {
	struct rib_config config;
	struct model_router routers[WORLD_ROUTERS];
	struct model_result results[MODEL_RESULTS];
	size_t n_results;
};

/* The place of a route of @update in arrays of MODEL_PATHS. */
unsigned model_path(const struct world_update *update,
		    const struct world_route *route);

void model_init(struct model *m, const struct rib_config *config);

void model_session_open(struct model *m, unsigned router, uint64_t now_ns);
void model_session_close(struct model *m, unsigned router, uint64_t now_ns);

void model_peer_up(struct model *m, unsigned router, unsigned peer,
		   const struct world_session *session, uint64_t now_ns);
void model_peer_down(struct model *m, unsigned router, unsigned peer);
/* An operator's wish: its routes go, whether it is up or not. */
void model_peer_purge(struct model *m, unsigned router, unsigned peer);
void model_update(struct model *m, unsigned router,
		  const struct world_update *update, uint64_t now_ns);
void model_end_of_rib(struct model *m, unsigned router, unsigned peer,
		      uint8_t view, const struct world_session *session,
		      unsigned family, uint64_t now_ns);

/* Timers: what is due at @now_ns is owed from now on. */
void model_tick(struct model *m, uint64_t now_ns);

/* A withdraw was published in a slice: was it owed? Then it is done. */
bool model_take(struct model *m, const struct model_result *result);

/* How many withdraws are owed. */
size_t model_owed(const struct model *m);
/* How many routes a router has; what it took back does not count. */
size_t model_stored(const struct model *m, unsigned router);
/* Of these, those whose attributes are known. */
size_t model_known(const struct model *m, unsigned router);

/*
 * A resync of a router: consumers forget what it cannot announce again, and so
 * does it. Each such route is told to @forget.
 */
void model_forget_unknown(struct model *m, unsigned router,
			  void (*forget)(void *arg,
					 const struct model_result *route),
			  void *arg);

#endif
