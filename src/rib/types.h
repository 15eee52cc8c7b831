/*
 * rib/types.h - types that several headers of the rib share
 *
 * Configuration, time, router identity and the budget of a call. Includes no
 * other header of this project, so that every header can include it.
 */
#ifndef RIB_TYPES_H
#define RIB_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rib;
struct rib_router;
struct rib_peer;
struct rib_table;

#define RIB_NEVER UINT64_MAX

enum rib_mode {
	RIB_MODE_ATTRIBUTES, /* publish what differs */
	RIB_MODE_PRESENCE,   /* publish what comes and goes */
	RIB_MODE_OFF,	     /* publish everything, keep no route */
	RIB_MODES
};

struct rib_config {
	uint64_t seed;		 /* of all hashes: random, told to nobody */
	uint8_t mode;		 /* enum rib_mode; cannot change later */
	uint64_t sweep_quiet_ns; /* no Route Monitoring of the router at all */
	uint64_t sweep_max_ns;	 /* since the first one of a table */
	uint64_t sweep_idle_ns;	 /* for a table that saw none */
	uint64_t stale_hold_ns;	 /* 0 = withdraw immediately; RIB_NEVER */
	/*
	 * Routes; zero means no limit. Those of a router and a peer hold for
	 * routers without a policy of their own (rib/policy.h).
	 */
	uint64_t max_routes;
	/*
	 * Of those in all, how many this rib may have if others share them:
	 * asked when it has @routes and wants one more. NULL: all.
	 */
	uint64_t (*allow)(void *arg, uint64_t routes);
	void *allow_arg;
	uint64_t max_routes_router;
	uint64_t max_routes_peer;
	uint32_t max_peers;  /* of a router */
	uint32_t max_tables; /* of a peer */
};

/* The moment of a call. */
struct rib_time {
	uint64_t now_ns;  /* monotonic */
	uint64_t wall_ns; /* since 1970 */
};

/* Messages that rib_apply_many() decodes and prefetches together. */
#define RIB_LOOKAHEAD 16

/*
 * The most that a call may do. A message of a few kilobytes can become a
 * gigabyte of output, because all that its routes share is repeated for each
 * of them; so work is bounded by what comes out, not by what goes in.
 */
struct rib_budget {
	uint64_t routes;    /* that may still be looked at; counts down */
	uint64_t bytes_end; /* stop when rib_sink.bytes has come to this */
};

/* How much of the next message is applied already. All zero: nothing. */
struct rib_progress {
	uint32_t part;	 /* enum bgp_nlri_part_id: those before are done */
	uint32_t offset; /* bytes of its field that are done */
	uint32_t routes; /* in these bytes */
	/* It was counted; what is held is applied first: rib/add_path.h */
	bool counted;
};

/* What makes a router the same router: its name if it has one, else its address. */

/* Bytes of a name, without the NUL. */
#define RIB_NAME_MAX 128

struct rib_identity {
	uint8_t address[16]; /* where its session comes from; IPv4 mapped */
	char name[RIB_NAME_MAX + 1]; /* "": the address is the identity */
};

static inline bool rib_identity_named(const struct rib_identity *id)
{
	return id->name[0] != '\0';
}

static inline bool rib_identity_equal(const struct rib_identity *a,
				      const struct rib_identity *b)
{
	if (rib_identity_named(a) || rib_identity_named(b))
		return strcmp(a->name, b->name) == 0;
	return memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

#endif
