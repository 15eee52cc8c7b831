/*
 * rib/types.h - types that several headers of the rib share
 *
 * Configuration, time, router identity and the budget of a call. This header
 * includes no other header of the project, so that every header can include it.
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

/*
 * Which families of a peer and view are stored, and which are published: bit
 * masks with 1 << enum bgp_family; bit 0 stands for all unknown families. See
 * rib/policy.h.
 */
struct rib_policy_mask {
	uint64_t stored;
	uint64_t published; /* always a subset of stored */
};

enum rib_mode {
	RIB_MODE_ATTRIBUTES, /* publish every change of the attributes */
	RIB_MODE_PRESENCE,   /* publish only whether a route is present */
	RIB_MODE_OFF,	     /* publish everything, store no routes */
	RIB_MODES
};

struct rib_config {
	uint64_t seed; /* secret random seed of all hashes */
	uint8_t mode;  /* enum rib_mode; cannot change later */
	bool general;  /* for tests: do not use the fast path of rib/plain.h */
	/* sweep after this time without a Route Monitoring of the router */
	uint64_t sweep_quiet_ns;
	/*
	 * sweep at most this time after the first Route Monitoring of a table
	 */
	uint64_t sweep_max_ns;
	/*
	 * sweep a table that has received no Route Monitoring this long after
	 * its generation began
	 */
	uint64_t sweep_idle_ns;
	/*
	 * hold time of stale routes: 0 = withdraw them immediately; RIB_NEVER =
	 * never
	 */
	uint64_t stale_hold_ns;
	/*
	 * Maximum numbers of routes; zero means no limit. The limits for a
	 * router and a peer apply to routers without limits of their own
	 * (rib/policy.h).
	 */
	uint64_t max_routes; /* for all ribs that share it: see rib_allow() */
	uint64_t max_routes_router;
	uint64_t max_routes_peer;
	uint32_t max_peers;	    /* maximum peers of a router */
	uint32_t max_tables;	    /* maximum tables of a peer */
	uint32_t max_router_tables; /* maximum tables of a router */
};

/* The present time, given with a call. */
struct rib_time {
	uint64_t now_ns;  /* monotonic clock */
	uint64_t wall_ns; /* wall clock since 1970 */
};

/* Maximum inputs of rib_apply(); their memory is prefetched together. */
#define RIB_LOOKAHEAD 16

/*
 * The limit of work of a call. A message of a few kilobytes can become a
 * gigabyte of output, because the attributes that its routes share are repeated
 * for each; so a call is limited by the size of its output, not of its input.
 */
struct rib_budget {
	/* routes that may still be processed; counts down */
	uint64_t routes;
	uint64_t bytes_end; /* stop when rib_sink.bytes reaches this value */
};

/* How much of the next message was applied already. All zero = nothing. */
struct rib_progress {
	uint32_t part;	 /* enum bgp_nlri_part_id: earlier parts are done */
	uint32_t offset; /* number of bytes of the part's field that are done */
	uint32_t routes; /* number of routes in these bytes */
	/*
	 * The message was counted, although nothing of it was applied yet: held
	 * parts are applied first (rib/add_path.h).
	 */
	bool counted;
};

/* Maximum bytes of the name of a router, without the NUL. */
#define RIB_NAME_MAX 128

/* The identity of a router: its name if it has one, else its address. */
struct rib_identity {
	/* source address of the router's session; IPv4-mapped */
	uint8_t address[16];
	char name[RIB_NAME_MAX + 1]; /* "" if the address is the identity */
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
