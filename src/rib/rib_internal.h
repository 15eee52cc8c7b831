/*
 * rib/rib_internal.h - private structs of the rib
 *
 *	rib
 *	 |- prefixes[family], paths[family]	key tables, shared by all tables
 *	 |- attrsets
 *	 |- routers, by identity
 *	     |- peers, by type, distinguisher and address
 *	         |- tables, by view, AFI and SAFI
 *	             |- store			routes as last announced
 *	             |- withdraw_queues		routes that were withdrawn and
 *						whose withdraws are unpublished
 *
 * A key of a table is in its store or in one of its withdraw queues, never in
 * two. To withdraw a whole table, its store becomes a withdraw queue: one
 * assignment. A route that is announced while it is in a queue is withdrawn
 * from the queue first, so that consumers see the changes of each route in the
 * order in which the router sent them.
 *
 * A route carries the generation its table had when the route was last
 * announced. The generation of a table is incremented when its router starts
 * to send the table again; after the End-of-RIB, routes of other generations
 * are swept.
 */
#ifndef RIB_RIB_INTERNAL_H
#define RIB_RIB_INTERNAL_H

#include "rib/attrset.h"
#include "rib/counters.h"
#include "rib/event.h"
#include "rib/input.h"
#include "rib/mem/key_table.h"
#include "rib/mem/ptr_map.h"
#include "rib/route_array.h"
#include "rib/types.h"

#include "bmp/decode_context.h"
#include "bmp/peer.h"
#include "bmp/update.h"

#include <sys/queue.h>

/* Routes without and with path identifiers. */
struct rib_store {
	struct rib_route_array plain;
	struct rib_route_array paths;
};

/* The routes with path identifiers if @paths, else those without. */
static inline struct rib_route_array *rib_store_routes(struct rib_store *store,
						       bool paths)
{
	return paths ? &store->paths : &store->plain;
}

static inline uint64_t rib_store_count(const struct rib_store *store)
{
	return store->plain.count + store->paths.count;
}

/* What happens to the routes of a table: see the list in rib/policy.h. */
enum rib_disposition {
	RIB_DISPOSITION_PUBLISH,
	RIB_DISPOSITION_STORE,
	RIB_DISPOSITION_DROP,
};

/* Where a slice ended. */
struct rib_pos {
	bool paths;
	uint32_t id;
};

/* The routes that are not published: see rib/visibility.h. */
struct rib_hidden_range {
	struct rib_pos pos;
	bool shrinking; /* the range is [pos, end); else it is [0, pos) */
};

struct rib_withdraw_queue {
	TAILQ_ENTRY(rib_withdraw_queue) link;
	uint64_t serial;
	struct rib_store store;
	struct rib_table_info info; /* of the table when the queue was made */
	struct rib_pos pos;
	struct rib_hidden_range hidden; /* of the table at that time */
	uint8_t reason;			/* enum rib_reason */
	bool subject_changed;		/* the peer has another AS now */
	char name[];			/* info.table_name */
};

/* An NLRI part that can be read in both forms, see rib/add_path.h. */
struct rib_held {
	STAILQ_ENTRY(rib_held) link;
	struct bmp_peer header; /* of the message with the part */
	struct bgp_decode_opts opts;
	enum bgp_nlri_part_id id;
	uint32_t len;
	uint8_t body[]; /* of an UPDATE with this part and its attributes */
};

/* Bits of work for a table; rib_table_slice() does the first two. */
#define RIB_JOB_RESYNC	     1u /* publish all routes again, from resync on */
#define RIB_JOB_HIDDEN_RANGE 2u /* move the limit of the hidden range */
#define RIB_JOB_HELD	     4u /* apply held messages, from held_progress on */

struct rib_table {
	TAILQ_ENTRY(rib_table) link;	/* of its peer */
	TAILQ_ENTRY(rib_table) work;	/* of the rib, if queued */
	TAILQ_ENTRY(rib_table) waiting; /* of its router, if syncing */
	struct rib_peer *peer;
	struct rib_table_info info;
	struct rib_key_table *prefixes;
	struct rib_key_table *pairs;
	uint8_t kind; /* enum bgp_nlri_kind of the table's family */
	uint64_t serial;
	uint64_t sequence;   /* of the last change published */
	uint64_t changed_ns; /* wall clock of that change; 0 = none yet */
	struct rib_store store;
	TAILQ_HEAD(rib_withdraw_queue_list, rib_withdraw_queue)
	withdraw_queues;	   /* oldest first */
	uint64_t pending_withdraw; /* routes in withdraw_queues */
	uint8_t generation;	   /* 4 bits */
	/* number of older generations that routes may still have */
	uint8_t generations_unswept;
	uint8_t phase;	 /* enum rib_table_phase */
	uint8_t quality; /* enum rib_table_quality */
	uint8_t jobs;	 /* RIB_JOB_* */
	bool queued;	 /* the table is in the list of tables with work */
	uint8_t form;	 /* enum rib_table_form: path identifiers or not */
	/* messages since confirmed that can be read in the other form only */
	uint8_t form_against;
	uint32_t held_bytes;
	STAILQ_HEAD(rib_held_list, rib_held) held; /* oldest first */
	struct rib_progress held_progress;	   /* of the oldest in held */
	uint8_t disposition;			   /* enum rib_disposition */
	struct rib_hidden_range hidden;
	struct rib_pos sweep;
	struct rib_pos resync;
	uint64_t withdrawn_by_sweep; /* withdrawn by this sweep */
	uint32_t next_id_hint; /* key id after that of the last route found */
	/* On the clock rib_clock(): */
	uint64_t since; /* when this generation began */
	/* first Route Monitoring of the generation; RIB_NEVER = none */
	uint64_t first_ns;
};

/* What an event has said about a peer, as bits. */
#define RIB_REPORTED_LIMIT   1u /* a route was refused because of a limit */
#define RIB_REPORTED_DROPPED 2u /* updates were dropped */

struct rib_peer {
	TAILQ_ENTRY(rib_peer) link;
	struct rib_router *router;
	uint64_t serial;
	uint64_t hash;
	uint8_t type;
	bool ipv6;
	bool filtered;
	uint8_t phase;	  /* enum rib_peer_phase: its state */
	uint8_t reported; /* RIB_REPORTED_*, in this generation */
	bool held_due;	  /* a table may have held messages to apply */
	/* 1 << enum bmp_view: a new table of the view is suspect, too */
	uint8_t suspect_views;
	uint32_t noticed; /* 1 << enum rib_notice_kind or fault: see notice.c */
	uint64_t distinguisher;
	uint8_t address[16];
	uint32_t as;
	uint32_t bgp_id;
	uint64_t stale_ns; /* since when the peer is stale */
	uint64_t routes;
	uint32_t table_count;
	struct bgp_context context;
	struct wire_view table_name; /* owned by the peer */
	uint64_t peer_up_hash[2];    /* hash of the last Peer Up; 0 = none */
	void *slot;		     /* data of the user of the rib */
	struct rib_table *last;	     /* the table that was last looked up */
	struct rib_policy_mask policy[BMP_VIEWS];
	TAILQ_HEAD(rib_table_list, rib_table) tables;
};

struct rib_router {
	TAILQ_ENTRY(rib_router) link;
	struct rib *rib;
	struct rib_router_info info;
	struct rib_identity id;
	uint64_t hash;
	uint64_t serial; /* larger for routers created later */
	void *slot;	 /* data of the user of the rib */
	uint64_t max_routes_router;
	uint64_t max_routes_peer;
	bool own_limits; /* the limits were set by rib_router_limits() */
	struct rib_ptr_map peers;
	TAILQ_HEAD(rib_peer_list, rib_peer) peer_list; /* in order of serial */
	TAILQ_HEAD(rib_waiting_list, rib_table)
	waiting_list; /* syncing tables */
	uint32_t waiting_count;
	uint32_t peer_count;
	uint32_t
		subject_changed_count; /* withdraw queues with the old subject */
	uint32_t stale_count;	       /* peers that are stale */
	uint32_t up_count;	       /* peers that are up */
	struct rib_peer *last;
	uint64_t routes;
	uint64_t pending_withdraw;
	uint64_t sequence_floor; /* new tables have larger sequences */
	struct rib_flow flow;
	uint64_t output_bytes; /* see rib_router_output_bytes() */
	/* The session. */
	bool open;
	bool paused;
	uint64_t paused_ns;  /* since when the session is paused; monotonic */
	uint64_t stopped_ns; /* total time of all pauses that have ended */
	/* On the clock rib_clock(): */
	uint64_t since;	   /* when the session began */
	uint64_t first_ns; /* first Route Monitoring; RIB_NEVER = none yet */
	uint64_t last_ns;  /* last Route Monitoring */
	/* no check of the syncing tables before this time; monotonic */
	uint64_t look_ns;
	/* The timer of the router. */
	uint64_t due_ns;
	size_t timer; /* index in the heap, or SIZE_MAX */
};

/* Changes that differ only in the route: the sink gets one for all. */
struct rib_emit_run {
	struct rib_router *router; /* router of the table in change */
	struct rib_change change;
	struct rib_route routes[RIB_CHANGE_MAX];
};

/* Attributes of the last NLRI part: the next part often has the same ones. */
struct rib_attr_cache {
	uint32_t set; /* RIB_VALUE_NONE = the cache is empty */
	struct bgp_decode_opts opts;
	uint8_t *bytes; /* bytes to compare with, see update_attrs.c */
	size_t len;
	size_t capacity;
};

/* A route of the NLRI part that is being applied. */
struct rib_nlri {
	struct wire_view key;
	struct wire_view labels;
	struct wire_view wire; /* the NLRI, if it is not a prefix */
	bool hashed;
	uint32_t hash;
	uint32_t path_id;
	uint32_t id; /* of the prefix or of the pair; RIB_NO_ID = none */
	uint8_t room[RIB_KEY_FIXED];
};

/* Routes whose memory is prefetched at a time. */
#define RIB_BATCH 64

struct rib_batch {
	struct bgp_prefix prefixes[RIB_BATCH];
	struct rib_nlri nlris[RIB_BATCH];
};

/*
 * The attributes of an NLRI part of an UPDATE, prepared by the lookahead before
 * the part is applied: bytes to compare and canonical form. See update_attrs.c.
 */
struct rib_attrs_form {
	bool is_read;
	bool is_hashed;
	struct wire_view bytes;	    /* compared with rib_attr_cache.bytes */
	struct wire_view canonical; /* empty if equal to the part before */
	uint32_t hash;		    /* of the canonical form */
};

/* Results of the lookups and prefetches for an input: see lookahead.c. */
struct rib_lookahead {
	const struct rib_input *in;
	enum bgp_nlri_part_id part; /* the first NLRI part with routes */
	struct rib_attrs_form form; /* of the attributes of the part */
	/*
	 * The first route of the part; table is NULL if the route is not a
	 * plain prefix.
	 */
	const struct rib_table *table;
	bool at_expected_id;  /* the guess of the route's key id was right */
	bool host_bits;	      /* the prefix had stray host bits */
	struct rib_nlri nlri; /* id is a guess; RIB_NO_ID = the key is new */
};

/*
 * Scratch space for canonical attributes of the looked-ahead messages. A
 * message that does not fit is canonicalised when it is applied.
 */
#define RIB_LOOKAHEAD_BYTES (16u << 10)

struct rib {
	struct rib_config config;
	struct rib_sink sink;
	struct rib_handle_heap key_heap;
	struct rib_handle_heap route_heap;
	struct rib_attrsets attrsets;
	struct rib_key_table prefixes[BGP_FAMILIES];
	struct rib_key_table paths[BGP_FAMILIES];
	struct rib_ptr_map routers;
	TAILQ_HEAD(rib_router_list, rib_router) router_list;
	TAILQ_HEAD(rib_work_list, rib_table) work_list;
	struct rib_router **timers; /* a heap by due_ns */
	size_t timer_count;
	size_t timer_capacity;
	uint64_t serial;	 /* the last serial number given out */
	uint64_t sequence_floor; /* rib_router.sequence_floor of new routers */
	uint64_t peers;
	uint64_t peers_up;
	uint64_t peers_stale;
	uint64_t tables;
	uint64_t syncing; /* tables that are syncing */
	uint64_t routes;
	uint64_t allowed; /* maximum number of routes, see rib_allow() */
	uint64_t pending_withdraw;
	uint32_t stamp; /* rib_stamp() of the current call, for generation 0 */
	struct rib_budget *budget;   /* of the current call, or &unlimited */
	struct rib_budget unlimited; /* for calls without a budget */
	uint64_t held_bytes;	     /* of all tables */
	uint64_t slice_end; /* value of *sink.bytes that ends a slice */
	uint64_t no_bytes;  /* sink.bytes if the sink has no counter */
	struct rib_flow flow;
	struct rib_emit_run emit;
	struct rib_batch batch;
	struct rib_input inputs[RIB_LOOKAHEAD]; /* see rib_inputs() */
	struct rib_lookahead lookahead[RIB_LOOKAHEAD];
	uint8_t lookahead_bytes[RIB_LOOKAHEAD_BYTES];
	struct rib_attr_cache cache;
	uint8_t *scratch; /* keys of any length, canonical attributes */
	size_t scratch_len;
	uint8_t *more;
	size_t more_len;
};

static inline bool rib_is_spent(const struct rib *rib,
				const struct rib_budget *budget)
{
	return budget->routes == 0 || *rib->sink.bytes >= budget->bytes_end;
}

/* True if a slice of work has made enough output; see rib_background(). */
static inline bool rib_slice_full(const struct rib *rib)
{
	return *rib->sink.bytes >= rib->slice_end;
}

/*
 * Maximum factor by which the attributes of a route grow when it is published.
 * The worst case is an AS_PATH segment with a single two-byte AS: 4 bytes
 * become 28; the factor is rounded up.
 */
#define RIB_ATTRS_GROWTH 8u

/* Maximum bytes in a group of routes with large attributes. */
#define RIB_FAT_BYTES (128u << 10)

/* Number of routes with @attrs bytes of attributes in a group, 1 to @most. */
static inline size_t rib_few_routes(size_t attrs, size_t most)
{
	size_t bytes = RIB_ATTRS_GROWTH * attrs;

	if (bytes * most <= RIB_FAT_BYTES)
		return most;
	return bytes < RIB_FAT_BYTES ? RIB_FAT_BYTES / bytes : 1;
}

/* Add @n to the counter @member of the router and of the rib. */
#define RIB_COUNT(router, member, n) \
	((router)->flow.member += (n), (router)->rib->flow.member += (n))

/* The router's clock, which stands still while its session is paused. */
static inline uint64_t rib_clock(const struct rib_router *router,
				 uint64_t now_ns)
{
	return (router->paused ? router->paused_ns : now_ns) -
	       router->stopped_ns;
}

#endif
