/*
 * rib_run.h - a rib, its model and a consumer, driven side by side
 *
 *	consumer	applies what is published: withdraws only what it has,
 *			sees no gap in sequences
 *	truth		what the routers really announced since their dumps
 *			began; when these have ended, the consumer has just that
 *	log		all that was published, as the stream keeps it
 *
 * A failure prints the seed and the operation; with both the run is the same
 * again.
 */
#ifndef TESTS_RIB_RUN_H
#define TESTS_RIB_RUN_H

#include "check.h"
#include "rib_model.h"

#define SECOND	UINT64_C(1000000000)
#define GOT_MAX 65536

/* What is known of one route: by a consumer, or by its router. */
struct known {
	bool present;
	uint8_t set;
	uint8_t value;
};

struct known_table {
	uint64_t sequence;
	struct known routes[WORLD_KEYS][MODEL_PATHS];
};

struct known_peer {
	struct known_table tables[BMP_VIEWS][WORLD_FAMILIES];
};

/* One update in the stream. */
struct logged {
	struct model_result result;
	uint64_t sequence;
	uint32_t peer_as;
	uint32_t peer_bgp_id;
};

/* The newest whole snapshot of a router, and one that is being taken. */
struct saved {
	uint8_t *file;
	size_t len;
	size_t start; /* of its tail, in the log */
	struct rib_snapshot *taking;
	uint8_t *next;
	size_t next_len;
	size_t next_start;
};

/* What a run did, so that one that left something out is seen. */
enum run_deed {
	DID_SEND,	    /* routes in UPDATEs */
	DID_PUBLISH,	    /* routes */
	DID_SWEEP,	    /* withdraws of sweeps */
	DID_FLOOD,	    /* other synthetic withdraws */
	DID_SLICE,	    /* of work that had more to do */
	DID_SEND_IN_SLICES, /* messages while there was more to do */
	DID_APPLY_SLICE,    /* of a message that had more routes */
	DID_PEER_UP,
	DID_PEER_DOWN,
	DID_SESSION,	      /* opened or lost */
	DID_SNAPSHOT,	      /* whole ones */
	DID_SEND_IN_SNAPSHOT, /* messages while one was being taken */
	DID_RESTART,
	DID_SEE_TAIL, /* updates read from the stream at a restart */
	DID_ASK,
	DID_RESYNC,
	DID_SETTLE,
	RUN_DEEDS
};

struct run {
	uint64_t seed;
	uint64_t random;
	uint64_t operation;
	uint64_t did[RUN_DEEDS];
	bool more;	/* work is left */
	uint64_t bytes; /* that the sink claims to have made */
	struct rib_time when;
	struct world *world;
	struct model model;
	struct rib *rib;
	struct rib_router *routers[WORLD_ROUTERS];
	/* The BGP session each peer has, or had last. */
	struct world_session sessions[WORLD_ROUTERS][WORLD_PEERS];
	struct known_peer consumer[WORLD_ROUTERS][WORLD_PEERS];
	struct known_peer truth[WORLD_ROUTERS][WORLD_PEERS];
	struct model_result got[GOT_MAX];
	size_t n_got;
	size_t resynced;
	/* Sequences may leap ahead: of a purged peer, after a restart. */
	bool purged[WORLD_ROUTERS][WORLD_PEERS];
	bool restarted;
	struct logged *log;
	size_t n_log;
	size_t log_cap;
	struct saved saved[WORLD_ROUTERS];
};

#define SURE(run, condition, ...)                                          \
	do {                                                               \
		if (!(condition)) {                                        \
			print_error("seed %llu, operation %llu: ",         \
				    (unsigned long long)(run)->seed,       \
				    (unsigned long long)(run)->operation); \
			print_error(__VA_ARGS__);                          \
			print_error("\n");                                 \
			fail();                                            \
		}                                                          \
	} while (0)

void run_begin(struct run *r, uint64_t seed, const struct rib_config *config);
/* @whole: nothing of what a run may do was left out. */
void run_end(struct run *r, bool whole);

/* A rib with its routers, in place of r->rib. */
void run_new_rib(struct run *r);

uint32_t run_random(struct run *r);
unsigned run_below(struct run *r, unsigned n);
bool run_one_in(struct run *r, unsigned n);

/* In words, good until the next call. */
const char *run_describe(const struct model_result *m);

/* Decode the message in @w and apply it. */
void run_apply(struct run *r, unsigned router, const struct bmp_writer *w);

/*
 * Compare what was published with what the model wants, in order. Withdraws of
 * floods may stand between, where the model has them owed.
 */
void run_compare(struct run *r);

/* Let the rib work; whether there is more. */
bool run_work(struct run *r, size_t budget);
/* Until there is no more. */
void run_drain(struct run *r);

/* The consumer has the truth. */
void run_compare_truth(struct run *r);
/* The consumer has what the model has, and the rib as many. */
void run_compare_model(struct run *r);

/* rib_restart.c: snapshots, and the end of the process */

/* Begin a snapshot, go on with one, or finish it. */
void run_snapshot(struct run *r, unsigned router);
/* The process dies; another one restores and goes on. */
void run_restart(struct run *r);
void run_forget_snapshots(struct run *r);

/* rib_ask.c: a query, and the model's answer to it */
void run_ask(struct run *r);

#endif
