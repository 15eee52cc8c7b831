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
 * assignment. If a route is announced while it is in a queue, it is first taken
 * from the queue and its withdraw published, so that consumers see the changes
 * of each route in the order in which the router sent them.
 *
 * Each route stores the generation that its table had when the route was last
 * announced. The generation of a table is incremented when its router starts to
 * send the table again; after the End-of-RIB, routes of other generations are
 * swept.
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

/* Are the routes of a table stored, and published? See rib/policy.h. */
enum rib_disposition {
	RIB_DISPOSITION_PUBLISH,
	RIB_DISPOSITION_STORE,
	RIB_DISPOSITION_DROP,
};

/* The position in a store at which a slice ended. */
struct rib_pos {
	bool paths;
	uint32_t id;
};

/* The routes that are not published: see rib/visibility.h. */
struct rib_hidden_range {
	struct rib_pos pos;
	bool shrinking; /* true = [pos, end), false = [0, pos) */
};

struct rib_withdraw_queue {
	TAILQ_ENTRY(rib_withdraw_queue) link;
	uint64_t serial;
	struct rib_store store;
	/* description of the table when the queue was made */
	struct rib_table_info info;
	struct rib_pos pos;
	/* hidden range of the table at that time */
	struct rib_hidden_range hidden;
	uint8_t reason;	      /* enum rib_reason */
	bool subject_changed; /* see rib_router_subject_changing() */
	char name[];	      /* bytes of info.table_name */
};

/* A held NLRI part: it can be parsed in both forms, see rib/add_path.h. */
struct rib_held {
	STAILQ_ENTRY(rib_held) link;
	struct bmp_peer header; /* Per-Peer Header of its message */
	struct bgp_decode_opts opts;
	enum bgp_nlri_part_id id;
	uint32_t len;
	uint8_t body[]; /* an UPDATE with only this part and its attributes */
};

/* Bits: kinds of work for a table; rib_table_slice() does the first two. */
#define RIB_JOB_RESYNC	     1u /* publish all routes again, from resync on */
#define RIB_JOB_HIDDEN_RANGE 2u /* move pos of the hidden range */
#define RIB_JOB_HELD	     4u /* apply held messages, from held_progress on */

struct rib_table {
	TAILQ_ENTRY(rib_table) link; /* link in the list of the peer */
	/* link in the work queue of the rib, if queued */
	TAILQ_ENTRY(rib_table) work;
	/* link in waiting_list of the router, if syncing */
	TAILQ_ENTRY(rib_table) waiting;
	struct rib_peer *peer;
	struct rib_table_info info;
	struct rib_key_table *prefixes;
	struct rib_key_table *pairs;
	uint8_t kind; /* enum bgp_nlri_kind of the table's family */
	uint64_t serial;
	uint64_t sequence;   /* sequence of the last change published */
	uint64_t changed_ns; /* wall clock of that change; 0 = none yet */
	struct rib_store store;
	TAILQ_HEAD(rib_withdraw_queue_list, rib_withdraw_queue)
	withdraw_queues;	   /* list of withdraw queues, oldest first */
	uint64_t pending_withdraw; /* total routes in withdraw_queues */
	uint8_t generation;	   /* number, 4 bits */
	/* number of older generations that routes may still have */
	uint8_t generations_unswept;
	uint8_t phase;	 /* enum rib_table_phase */
	uint8_t quality; /* enum rib_table_quality */
	uint8_t jobs;	 /* RIB_JOB_* */
	bool queued;	 /* the table is in the work queue of the rib */
	uint8_t form;	 /* enum rib_table_form: path identifiers? */
	/* contradicting messages since the form was confirmed */
	uint8_t form_against;
	uint32_t held_bytes;
	/* held parts, oldest first */
	STAILQ_HEAD(rib_held_list, rib_held) held;
	/* progress in the oldest part of held */
	struct rib_progress held_progress;
	uint8_t disposition; /* enum rib_disposition */
	struct rib_hidden_range hidden;
	struct rib_pos sweep;
	struct rib_pos resync;
	uint64_t withdrawn_by_sweep; /* routes withdrawn by the present sweep */
	uint32_t next_id_hint;	     /* key id of the last route, plus one */
	/* Times of the clock rib_clock(): */
	uint64_t since; /* when the present generation began */
	/* first Route Monitoring of the generation; RIB_NEVER = none */
	uint64_t first_ns;
};

/* Bits: which events were already published for a peer. */
#define RIB_REPORTED_LIMIT   1u /* event LIMIT: a route limit was met */
#define RIB_REPORTED_DROPPED 2u /* event UNKNOWN: updates were dropped */

struct rib_peer {
	TAILQ_ENTRY(rib_peer) link;
	struct rib_router *router;
	uint64_t serial;
	uint64_t hash;
	uint8_t type;
	bool ipv6;
	bool filtered;
	uint8_t phase;	  /* enum rib_peer_phase */
	uint8_t reported; /* RIB_REPORTED_* bits, in the present generation */
	bool held_due;	  /* some table may have held messages to apply */
	/* 1 << enum bmp_view: a new table of such a view is suspect, too */
	uint8_t suspect_views;
	uint32_t noticed; /* bit mask of notices already given: see notice.c */
	uint64_t distinguisher;
	uint8_t address[16];
	uint32_t as;
	uint32_t bgp_id;
	uint64_t stale_ns; /* time when the peer became stale */
	uint64_t routes;
	uint32_t table_count;
	struct bgp_context context;
	struct wire_view table_name; /* name; the peer owns the bytes */
	uint64_t peer_up_hash[2];    /* hash of the last Peer Up; 0 = none */
	void *slot;		     /* user data: see rib_peer_slot() */
	struct rib_table *last;	     /* the table that was looked up last */
	struct rib_policy_mask policy[BMP_VIEWS];
	TAILQ_HEAD(rib_table_list, rib_table) tables;
};

/* Peers of a router that are found without a hash; a power of two. */
#define RIB_RECENT_PEERS 32

struct rib_router {
	TAILQ_ENTRY(rib_router) link;
	struct rib *rib;
	struct rib_router_info info;
	struct rib_identity id;
	uint64_t hash;
	uint64_t serial; /* later routers have larger numbers */
	void *slot;	 /* user data: see rib_router_slot() */
	uint64_t max_routes_router;
	uint64_t max_routes_peer;
	bool own_limits; /* rib_router_limits() has set the limits */
	struct rib_ptr_map peers;
	TAILQ_HEAD(rib_peer_list, rib_peer) peer_list; /* in order of serial */
	TAILQ_HEAD(rib_waiting_list, rib_table)
	waiting_list; /* list of the syncing tables */
	uint32_t waiting_count;
	uint32_t peer_count;
	uint32_t table_count; /* number of tables of all peers */
	/*
	 * Number of withdraw queues with subject_changed set: messages of the
	 * router must wait until these queues are empty.
	 */
	uint32_t subject_changed_count;
	uint32_t stale_count; /* number of peers that are stale */
	uint32_t up_count;    /* number of peers that are up */
	struct rib_peer *recent[RIB_RECENT_PEERS]; /* see rib_peer_find() */
	uint64_t routes;
	uint64_t pending_withdraw;
	uint64_t sequence_floor; /* sequences of new tables are above this */
	struct rib_flow flow;
	uint64_t output_bytes; /* see rib_router_output_bytes() */
	/* State of the BMP session. */
	bool open;
	bool paused;
	uint64_t paused_ns;  /* monotonic time when the present pause began */
	uint64_t stopped_ns; /* total time of all finished pauses */
	/* Times of the clock rib_clock(): */
	uint64_t since;	   /* when the session began */
	uint64_t first_ns; /* first Route Monitoring; RIB_NEVER = none so far */
	uint64_t last_ns;  /* last Route Monitoring of the router */
	/* do not check the syncing tables before this monotonic time */
	uint64_t look_ns;
	/* Time at which the timer of the router fires. */
	uint64_t due_ns;
	size_t timer; /* index in rib.timers, or SIZE_MAX if not in it */
};

/* Routes that changed together: the sink gets one change for all of them. */
struct rib_emit_run {
	struct rib_router *router; /* router of the table in the change */
	struct rib_change change;
	struct rib_route routes[RIB_CHANGE_MAX];
};

/* Attributes of the last NLRI part: the next part often has the same ones. */
struct rib_attr_cache {
	uint32_t set; /* RIB_VALUE_NONE = the cache is empty */
	struct bgp_decode_opts opts;
	uint8_t *bytes; /* the bytes to compare, see update_attrs.c */
	size_t len;
	size_t capacity;
};

/* A route of the NLRI part that is being applied. */
struct rib_nlri {
	struct wire_view key;
	struct wire_view labels;
	struct wire_view wire; /* the whole NLRI, if it is not a prefix */
	bool hashed;
	uint32_t hash;
	uint32_t path_id;
	uint32_t id; /* id of the prefix or pair; RIB_NO_ID = not known */
	uint8_t room[RIB_KEY_FIXED];
};

/* The number of routes whose memory is prefetched together. */
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
	struct wire_view canonical; /* empty if bytes equal the last ones */
	uint32_t hash;		    /* hash of the canonical form */
};

/* Results of the lookups and prefetches for an input: see lookahead.c. */
struct rib_lookahead {
	const struct rib_input *in;
	enum bgp_nlri_part_id part; /* the first NLRI part that has routes */
	struct rib_attrs_form form; /* attributes of that part */
	/*
	 * The first route of that part. table is NULL if the route is not a
	 * plain prefix.
	 */
	struct rib_table *table;
	bool is_plain;	      /* for rib_plain_apply() */
	bool at_expected_id;  /* the key id was guessed correctly */
	bool host_bits;	      /* bits set beyond the length of the prefix */
	struct rib_nlri nlri; /* id is a guess; RIB_NO_ID = new key */
};

/*
 * Scratch space for the canonical attributes of the messages of a lookahead. If
 * those of a message do not fit, they are made when the message is applied.
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
	struct rib_router **timers; /* heap of routers, ordered by due_ns */
	size_t timer_count;
	size_t timer_capacity;
	uint64_t serial;	 /* the last serial number that was used */
	uint64_t sequence_floor; /* sequence_floor of new routers */
	uint64_t peers;
	uint64_t peers_up;
	uint64_t peers_stale;
	uint64_t tables;
	uint64_t syncing; /* number of tables that are syncing */
	uint64_t routes;
	uint64_t allowed; /* maximum number of routes, see rib_allow() */
	uint64_t pending_withdraw;
	uint32_t stamp; /* rib_stamp() of the current call, for generation 0 */
	/* budget of the current call, or &unlimited */
	struct rib_budget *budget;
	struct rib_budget unlimited; /* budget of calls without one */
	uint64_t held_bytes;	     /* total bytes of held messages */
	uint64_t slice_end;	     /* *sink.bytes at which a slice ends */
	uint64_t no_bytes;	     /* counter to use if the sink has none */
	struct rib_flow flow;
	struct rib_emit_run emit;
	struct rib_change plain_change; /* see plain.c */
	struct rib_batch batch;
	struct rib_input inputs[RIB_LOOKAHEAD]; /* see rib_inputs() */
	struct rib_lookahead lookahead[RIB_LOOKAHEAD];
	uint8_t lookahead_bytes[RIB_LOOKAHEAD_BYTES];
	struct rib_attr_cache cache;
	uint8_t *scratch; /* for keys of any length, canonical attributes */
	size_t scratch_len;
	uint8_t *more;
	size_t more_len;
};

static inline bool rib_is_spent(const struct rib *rib,
				const struct rib_budget *budget)
{
	return budget->routes == 0 || *rib->sink.bytes >= budget->bytes_end;
}

/* True if the present slice has made enough output; see rib_background(). */
static inline bool rib_slice_full(const struct rib *rib)
{
	return *rib->sink.bytes >= rib->slice_end;
}

/*
 * The maximum factor by which the attributes of a route grow from their
 * canonical form to the output. The worst case is an AS_PATH segment with a
 * single two-byte AS: 4 bytes become 28; the factor is rounded up.
 */
#define RIB_ATTRS_GROWTH 8u

/* Maximum attribute bytes in a group of routes whose attributes are large. */
#define RIB_FAT_BYTES (128u << 10)

/*
 * The number of routes in a group if each has @attrs bytes of attributes: at
 * least 1, at most @most.
 */
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

/* The clock of the router; it does not advance while the session is paused. */
static inline uint64_t rib_clock(const struct rib_router *router,
				 uint64_t now_ns)
{
	return (router->paused ? router->paused_ns : now_ns) -
	       router->stopped_ns;
}

#endif
