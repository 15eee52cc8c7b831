/*
 * tests/sim/model.h - what the routers hold, and what consumers have of it
 *
 * The truth is a number for each route of each peer: 0 if the peer does not
 * have the route, else the MED of its last announcement. The MEDs of a peer
 * only grow, so a consumer that has the same numbers has the same tables, and
 * one that gets a smaller number than before was told something out of date.
 *
 * Behind its own peers a router has one that is always empty: that of another
 * router which claims to be this one.
 *
 * The model belongs to no host: a crash does not change it.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "load/peer.h"
#include "load/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	MODEL_ROUTERS = 4,
	MODEL_PEERS = 3,
	MODEL_TABLES = MODEL_PEERS + 1, /* with the impostor's */
};

struct model_peer {
	struct load_peer load; /* its headers and messages */
	bool up;
	uint32_t *meds;	   /* by prefix */
	int64_t *since_ns; /* by prefix: virtual time of the last change */
	uint32_t last_med;
};

struct model_router {
	uint8_t address[16];
	struct model_peer peers[MODEL_TABLES];
};

struct model {
	uint32_t router_count;
	uint32_t peer_count; /* of a router, without the impostor's */
	uint32_t prefix_count;
	struct load_table *table;
	struct model_router routers[MODEL_ROUTERS];
};

/* 0 or a negative errno. */
int model_init(struct model *m, uint64_t seed, uint32_t routers, uint32_t peers,
	       uint32_t prefixes);
void model_fini(struct model *m);

/* From @now_ns on the peer has the route with this MED; 0: it has not. */
void model_set(struct model_peer *peer, uint32_t prefix, uint32_t med,
	       int64_t now_ns);

/* The prefix with this number, as an NLRI of up to LOAD_PREFIX_SIZE_MAX. */
const uint64_t *model_prefix(const struct model *m, uint32_t number);

/* What a consumer has of one table. */
struct model_view_table {
	uint32_t *meds;
	uint32_t *newest; /* the largest MED of each route */
	/* The last Peer Up: wall clock of the collector; 0: not known */
	int64_t up_ns;
	int64_t sent_ns;   /* and virtual time when the router made it */
	uint64_t sequence; /* of the last update; 0: none yet */
	bool begins;	   /* the next sequence may leave some out */
	/* behind a resync: not all that the collector has is there again */
	bool partial;
};

struct model_view {
	const struct model *model;
	struct model_view_table tables[MODEL_ROUTERS][MODEL_TABLES];
	uint64_t last_epoch, last_seq; /* of the last message */
	uint64_t messages, updates;
	char wrong[200]; /* the first breach of a rule; "" */
	/* repeats are left out: the stream may have rolled back */
	bool lenient;
	/* messages were lost: gaps are made good by a resync */
	bool lossy;
	/* how long the collector waits for a dump to go on; 0: not known */
	int64_t sweep_quiet_ns;
	bool owed[MODEL_ROUTERS]; /* such a resync */
	/* 2^ids_bits hashes of the ids of messages; 0 = a free place */
	uint64_t *ids;
	unsigned ids_bits;
	uint64_t ids_count;
	FILE *trace; /* what is applied, for people; or NULL */
};

int model_view_init(struct model_view *v, const struct model *m);
void model_view_fini(struct model_view *v);
void model_view_clear(struct model_view *v);
/* What follows may begin with any sequence, and lack what was before. */
void model_view_any(struct model_view *v);

/*
 * Apply a message with its subject and the Cap'n Proto messages in @bytes. A
 * breach of docs/schema.md is noted in wrong.
 */
void model_view_apply(struct model_view *v, const char *subject,
		      struct wire_view bytes);
/* The message with this epoch and number follows. */
void model_view_message(struct model_view *v, uint64_t epoch, uint64_t seq);
/* The message with this id follows; no id may come twice. */
void model_view_id(struct model_view *v, const char *id);

/* True if @v has what the routers have; else @out says what differs. */
bool model_view_equals(const struct model_view *v, char *out, size_t size);

#endif
