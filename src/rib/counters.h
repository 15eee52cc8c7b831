/*
 * rib/counters.h - what curation did, and what it holds
 *
 * struct rib_flow counts up for ever; there is one for the rib and one for
 * each router. struct rib_sizes is a picture of a moment. Both are plain
 * numbers: copy them, subtract them, add up those of all shards.
 */
#ifndef RIB_COUNTERS_H
#define RIB_COUNTERS_H

#include "rib/event.h"

#include "bmp/attr.h"

/* Why something a router sent was not published. */
enum rib_suppressed {
	RIB_SUPPRESSED_SAME,	 /* announced as it already was */
	RIB_SUPPRESSED_PRESENT,	 /* presence mode: another value */
	RIB_SUPPRESSED_ABSENT,	 /* withdrawn, but not there */
	RIB_SUPPRESSED_FILTERED, /* by the policy: dropped, or only stored */
	RIB_SUPPRESSED_LIMIT,	 /* more routes than allowed */
	RIB_SUPPRESSED_MEMORY,	 /* no memory; the table is unknown now */
	RIB_SUPPRESSED_KINDS
};

struct rib_flow {
	uint64_t announced; /* routes in them, whatever became of them */
	uint64_t withdrawn;
	uint64_t published_announced; /* routes, without those of a resync */
	uint64_t published_withdrawn; /* with the synthetic ones */
	uint64_t published_resync;
	uint64_t suppressed[RIB_SUPPRESSED_KINDS];
	uint64_t synthetic[RIB_REASONS];
	uint64_t peer_ups;
	uint64_t peer_up_repeats; /* equal to the one before */
	uint64_t peer_up_merges;  /* another part of a Loc-RIB */
	uint64_t peer_downs;
	uint64_t peer_downs_unmatched; /* of peers that were not up */
	uint64_t implied_peers;	       /* routes without a Peer Up */
	uint64_t refused_peers;	       /* beyond max_peers or max_tables */
	uint64_t names_cut;	       /* of tables: longer than they may be */
	uint64_t statistics_cut;       /* counters beyond those of a report */
	uint64_t ends_of_rib;
	uint64_t sweeps;      /* finished */
	uint64_t missed_ends; /* sweeps that a timer had to start */
	uint64_t as_changes;  /* peers that came back with another AS or id */
	uint64_t host_bits;   /* prefixes with stray bits */
	uint64_t as_width_guessed;
	uint64_t add_path_guessed;  /* messages read the other way */
	uint64_t add_path_switched; /* tables that are read so from then on */
	uint64_t verdicts[BGP_VERDICTS]; /* of each Route Monitoring */
	uint64_t faults[BGP_FAULTS];
	uint64_t attrs_cached; /* parts whose attributes were those before */
};

/* Where the memory is. */
enum rib_bytes {
	RIB_BYTES_PREFIXES, /* keys, and the hash that finds them */
	RIB_BYTES_ATTRS,    /* attribute sets and values, likewise */
	RIB_BYTES_ROUTES,
	RIB_BYTES_PEERS, /* routers, peers and tables themselves */
	RIB_BYTES_KINDS
};

struct rib_sizes {
	uint64_t routers;
	uint64_t peers;
	uint64_t peers_up;
	uint64_t peers_stale;
	uint64_t tables;
	uint64_t syncing; /* tables whose dump has not ended */
	uint64_t routes;  /* that are there */
	uint64_t
		pending_withdraw; /* that are gone, their withdraws not yet published */
	uint64_t prefixes; /* distinct keys of all families */
	uint64_t paths;	   /* distinct pairs of a key and a path id */
	uint64_t attribute_sets;
	uint64_t values; /* sets with labels or NLRI fields */
	uint64_t bytes[RIB_BYTES_KINDS];
};

#endif
