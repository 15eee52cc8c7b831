/*
 * rib/counters.h - counters and sizes of a rib
 *
 * The counters of struct rib_flow only grow; the rib and each router have one.
 * struct rib_sizes is the current state. Both are plain numbers that can be
 * copied, subtracted, and added over all shards.
 */
#ifndef RIB_COUNTERS_H
#define RIB_COUNTERS_H

#include "rib/event.h"

#include "bmp/attr.h"

/* Why an update of a router was not published. */
enum rib_suppressed {
	RIB_SUPPRESSED_SAME, /* announced without a change of attributes */
	/* presence mode: only the attributes changed */
	RIB_SUPPRESSED_PRESENT,
	RIB_SUPPRESSED_ABSENT,	 /* withdrawn but not present */
	RIB_SUPPRESSED_FILTERED, /* by the policy: dropped or stored only */
	RIB_SUPPRESSED_LIMIT,	 /* above a route limit */
	RIB_SUPPRESSED_MEMORY,	 /* out of memory; the table is now unknown */
	RIB_SUPPRESSED_KINDS
};

struct rib_flow {
	uint64_t announced; /* announced routes in messages, published or not */
	uint64_t withdrawn;
	/* announced routes published, without those of a resync */
	uint64_t published_announced;
	/* withdrawn routes published, with synthetic withdraws */
	uint64_t published_withdrawn;
	uint64_t published_resync;
	uint64_t suppressed[RIB_SUPPRESSED_KINDS];
	uint64_t synthetic[RIB_REASONS];
	uint64_t peer_ups;
	uint64_t peer_up_repeats; /* Peer Ups equal to the previous one */
	/* Peer Ups for further families of a Loc-RIB */
	uint64_t peer_up_merges;
	uint64_t peer_downs;
	/* Peer Downs of peers that were not up */
	uint64_t peer_downs_unmatched;
	/* peers with routes but without a Peer Up */
	uint64_t implied_peers;
	/*
	 * peers refused because of max_peers, or tables because of max_tables
	 * or max_router_tables
	 */
	uint64_t refused_peers;
	/* table names truncated because they were too long */
	uint64_t names_cut;
	/*
	 * counters in Statistics messages that exceeded the limit of an event
	 */
	uint64_t statistics_cut;
	uint64_t ends_of_rib;
	uint64_t sweeps; /* sweeps finished */
	/* sweeps started by a timer, because no End-of-RIB was received */
	uint64_t missed_ends;
	/* peers that came up with another AS or BGP identifier */
	uint64_t as_changes;
	uint64_t host_bits; /* prefixes with bits set after their length */
	uint64_t as_width_guessed;
	/* messages parsed in the other add-path form */
	uint64_t add_path_guessed;
	uint64_t add_path_switched; /* tables that changed their form */
	/* number of Route Monitorings by verdict */
	uint64_t verdicts[BGP_VERDICTS];
	uint64_t faults[BGP_FAULTS];
	/*
	 * announcing parts of UPDATEs with the same attributes as the part
	 * before
	 */
	uint64_t attrs_cached;
};

/* What memory is used for. */
enum rib_bytes {
	RIB_BYTES_PREFIXES, /* keys and their hash index */
	/* attribute sets and values, and their hash index */
	RIB_BYTES_ATTRS,
	RIB_BYTES_ROUTES,
	RIB_BYTES_PEERS, /* routers, peers and tables */
	RIB_BYTES_KINDS
};

struct rib_sizes {
	uint64_t routers;
	uint64_t peers;
	uint64_t peers_up;
	uint64_t peers_stale;
	uint64_t tables;
	uint64_t syncing; /* tables whose dump has not ended */
	uint64_t routes;  /* routes present */
	/* removed routes whose withdraws are not yet published */
	uint64_t pending_withdraw;
	uint64_t prefixes; /* distinct keys of all families */
	uint64_t paths;	   /* distinct pairs of a key and a path identifier */
	uint64_t attribute_sets;
	uint64_t values; /* values with extra bytes (rib/attrset.h) */
	uint64_t bytes[RIB_BYTES_KINDS];
};

#endif
