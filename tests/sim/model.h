/*
 * tests/sim/model.h - what the routers hold, and what consumers have of it
 *
 * The truth is a number for each route of each peer: 0 if the peer does not
 * have the route, else the MED of its last announcement. No MED is used twice
 * in one peer, so a consumer that has the same numbers has the same tables.
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
};

struct model_peer {
	struct load_peer load; /* its headers and messages */
	bool up;
	uint32_t *meds; /* by prefix */
	uint32_t last_med;
};

struct model_router {
	uint8_t address[16];
	struct model_peer peers[MODEL_PEERS];
};

struct model {
	uint32_t router_count;
	uint32_t peer_count;
	uint32_t prefix_count;
	struct load_table *table;
	struct model_router routers[MODEL_ROUTERS];
};

/* 0 or a negative errno. */
int model_init(struct model *m, uint64_t seed, uint32_t routers, uint32_t peers,
	       uint32_t prefixes);
void model_fini(struct model *m);

/* The prefix with this number, as an NLRI of up to LOAD_PREFIX_SIZE_MAX. */
const uint64_t *model_prefix(const struct model *m, uint32_t number);

/* What a consumer has of one table. */
struct model_view_table {
	uint32_t *meds;
	uint64_t sequence; /* of the last update; 0: none yet */
	bool begins;	   /* the next sequence may leave some out */
	/* behind a resync: not all that the collector has is there again */
	bool partial;
};

struct model_view {
	const struct model *model;
	struct model_view_table tables[MODEL_ROUTERS][MODEL_PEERS];
	uint64_t last_epoch, last_seq; /* of the last message */
	uint64_t messages, updates;
	char wrong[200]; /* the first breach of a rule; "" */
	FILE *trace;	 /* what is applied, for people; or NULL */
};

int model_view_init(struct model_view *v, const struct model *m);
void model_view_fini(struct model_view *v);
void model_view_clear(struct model_view *v);

/*
 * Apply a message with its subject and the Cap'n Proto messages in @bytes. A
 * breach of docs/schema.md is noted in wrong.
 */
void model_view_apply(struct model_view *v, const char *subject,
		      struct wire_view bytes);
/* The message with this epoch and number follows. */
void model_view_message(struct model_view *v, uint64_t epoch, uint64_t seq);

/* True if @v has what the routers have; else @out says what differs. */
bool model_view_equals(const struct model_view *v, char *out, size_t size);

#endif
