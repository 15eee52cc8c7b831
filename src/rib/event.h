/*
 * rib/event.h - the output of curation: changes, events and notices
 *
 * The rib passes its results to a sink, in the order in which consumers must
 * see them. A result is either a run of routes that changed together, or an
 * event of a peer or a session:
 *
 *	static void encode_change(void *arg, const struct rib_change *c) ...
 *	static void encode_event(void *arg, const struct rib_event *e) ...
 *
 *	struct rib_sink sink = { .change = encode_change,
 *				 .event = encode_event, ... };
 *
 * Routes of one change share everything except struct rib_route, so that an
 * encoder can build one message and patch it. All pointers and views are
 * invalid after the call. A sink must not call the rib.
 */
#ifndef RIB_EVENT_H
#define RIB_EVENT_H

#include "bmp/next_hop.h"
#include "bmp/wire.h"

struct bgp_attrs;

/* Maximum routes in one change. */
#define RIB_CHANGE_MAX 128

/* Why a synthetic withdraw was made. The numbers are part of the schema. */
enum rib_reason {
	RIB_REASON_NONE, /* not synthetic: the router sent it */
	RIB_REASON_PEER_DOWN,
	RIB_REASON_STALE_SWEEP, /* the route was not in the peer's new dump */
	/* the hold time of a lost BMP session is over */
	RIB_REASON_SESSION_LOST,
	RIB_REASON_TREAT_AS_WITHDRAW, /* RFC 7606 */
	RIB_REASON_ADMIN,	      /* an operator purged it */
	RIB_REASONS
};

/* The router and its BMP session. */
struct rib_router_info {
	uint8_t address[16]; /* source of the session; IPv4 mapped */
	uint16_t port;
	const char *name; /* for --router-id other than address; else NULL */
};

/* The table of the routes: its router, peer, view and family. */
struct rib_table_info {
	const struct rib_router_info *router;
	uint8_t peer_type;	  /* enum bmp_peer_type */
	uint8_t view;		  /* enum bmp_view */
	uint8_t safi;		  /* SAFI of the NLRI */
	uint8_t family;		  /* enum bgp_family */
	uint16_t afi;		  /* AFI of the NLRI */
	bool filtered;		  /* Loc-RIB: the F flag of RFC 9069 */
	uint64_t distinguisher;	  /* distinguisher of the peer */
	uint8_t peer_address[16]; /* IPv4 mapped; zero for a Loc-RIB */
	uint32_t peer_as;
	uint32_t peer_bgp_id;
	struct wire_view table_name; /* RFC 9736; not terminated */
};

/* One route of a change. */
struct rib_route {
	/* sequence in its table; for the start see rib/restore.h */
	uint64_t sequence;
	uint64_t rd; /* for families with BGP_FAMILY_RD */
	uint32_t path_id;
	uint8_t prefix_len;
	uint8_t address[16]; /* for prefixes; IPv4 mapped */
	/*
	 * If announced: the labels of this route, 3 bytes each as sent. Empty
	 * for plain families.
	 */
	struct wire_view labels;
	/*
	 * For families that are not prefixes. nlri is the route as last
	 * announced, or as withdrawn; key identifies it: the same bytes in all
	 * its announcements and withdraws (bmp/nlri_key.h).
	 */
	struct wire_view nlri;
	struct wire_view key;
};

/* Routes that changed together, in order. */
struct rib_change {
	const struct rib_table_info *table;
	uint64_t received_ns; /* wall clock, since 1970 */
	uint64_t bmp_ns;      /* from the per-peer header; 0 = none */
	bool announced;
	bool synthetic; /* a withdraw that the collector made */
	/* Announced again on request, not because of a change. */
	bool resync;
	bool has_path_id; /* valid for all routes of the change */
	/*
	 * The next changes of its table may have another subject, because the
	 * peer's AS has changed. They must not be published before this one.
	 */
	bool subject_changed;
	uint8_t reason;	       /* enum rib_reason; NONE for announcements */
	uint8_t kind;	       /* enum bgp_nlri_kind */
	uint16_t mp_reach_afi; /* AFI of the UPDATE's MP_REACH; 0 = none */
	uint16_t mp_unreach_afi;
	uint8_t mp_reach_safi;
	uint8_t mp_unreach_safi;
	/*
	 * If announced: the attributes, decoded from the UPDATE or from their
	 * canonical form; an encoder accepts both. NULL for withdraws.
	 */
	const struct bgp_attrs *attrs;
	struct bgp_next_hop next_hop; /* next hop of these routes */
	size_t count;		      /* 1 to RIB_CHANGE_MAX */
	const struct rib_route *routes;
};

/* The numbers are part of the schema. */
enum rib_event_kind {
	RIB_EVENT_PEER_UP,
	RIB_EVENT_PEER_DOWN,
	RIB_EVENT_END_OF_RIB, /* the router sent an End-of-RIB */
	/* a table is complete, by End-of-RIB or timer */
	RIB_EVENT_SWEPT,
	/* session lost: peers are kept for the hold time */
	RIB_EVENT_STALE,
	RIB_EVENT_SUSPECT, /* part of a message could not be parsed */
	/* updates were dropped before they reached the rib */
	RIB_EVENT_UNKNOWN,
	RIB_EVENT_LIMIT, /* above a route limit */
	/* the table is published again after this event */
	RIB_EVENT_RESYNC,
	RIB_EVENT_STATISTICS,	 /* counters reported by the router */
	RIB_EVENT_SESSION_OPEN,	 /* BMP session opened */
	RIB_EVENT_SESSION_CLOSE, /* BMP session closed */
	RIB_EVENT_EPOCH,	 /* a collector started to write */
	RIB_EVENT_CLASH, /* another connection claims to be the router */
	RIB_EVENT_MESSAGES_LOST, /* the router did not send all messages */
	RIB_EVENT_MIRROR,	 /* a Route Mirroring, as sent */
	RIB_EVENTS
};

/* One number that a router reported, or that we counted. */
struct rib_event_count {
	uint32_t type; /* type of the BMP statistic */
	uint16_t afi;  /* 0 = not per family */
	uint8_t safi;
	uint64_t value;
};

/* An event. Members that a kind does not use are zero. */
struct rib_event {
	enum rib_event_kind kind;
	uint64_t received_ns;
	uint64_t bmp_ns;
	const struct rib_router_info *router;
	/* User data of the router; see rib_router_slot(). */
	void **router_slot;
	void **peer_slot; /* user data of the peer; NULL if there is no peer */
	/*
	 * The peer; view and family are valid if has_table. NULL for events of
	 * the session and of the collector.
	 */
	const struct rib_table_info *table;
	bool has_table;
	/* PEER_DOWN: as sent. SESSION_CLOSE: the collector's close reason. */
	uint16_t reason;
	uint16_t fsm_event;	       /* PEER_DOWN */
	struct wire_view notification; /* PEER_DOWN: the BGP message */
	struct wire_view sent_open;    /* PEER_UP: the BGP messages */
	struct wire_view received_open;
	struct wire_view mirrored; /* MIRROR: the TLVs */
	uint8_t local_address[16]; /* PEER_UP */
	uint16_t local_port;
	uint16_t remote_port;
	uint64_t routes;   /* SWEPT: number of withdraws; LIMIT: the limit */
	uint64_t messages; /* MESSAGES_LOST: how many */
	const char *text;  /* a text, or NULL; SESSION_OPEN: the sysName */
	size_t count;
	const struct rib_event_count *counts; /* STATISTICS */
};

/* A notice is for operators, not for consumers. */
enum rib_notice_kind {
	/* an UPDATE, or part of it, could not be parsed */
	RIB_NOTICE_UNREADABLE,
	RIB_NOTICE_NO_UPDATE, /* a Route Monitoring without an UPDATE */
	/* the NLRI have another form than the OPENs say */
	RIB_NOTICE_ADD_PATH,
	RIB_NOTICE_ADD_PATH_INCOMPLETE, /* the same, and routes are missing */
	RIB_NOTICES
};

/*
 * Emitted once for each peer of a session and cause: the kind and, for messages
 * that cannot be parsed, the fault.
 */
struct rib_notice {
	enum rib_notice_kind kind;
	void **router_slot; /* as in struct rib_event */
	/* The peer and its view; the family is set if it is known. */
	const struct rib_table_info *table;
	uint8_t fault;	    /* enum bgp_fault: UNREADABLE */
	uint8_t fault_code; /* UNREADABLE: the attribute at fault, 0 = none */
	bool add_path;	    /* ADD_PATH*: the NLRI have path identifiers */
	uint64_t withdrawn; /* ADD_PATH*: routes parsed in the wrong form */
};

/*
 * Receives the results: changes by one function, which encodes them, and what
 * is rare by others. Each side has its own argument, so that an observer of
 * events costs nothing for a change.
 */
struct rib_sink {
	void (*change)(void *arg, const struct rib_change *change);
	void *change_arg;
	/*
	 * Bytes of output that change() and event() have made so far, or NULL
	 * if the sink does not count them: see struct rib_budget.
	 */
	const uint64_t *bytes;
	void (*event)(void *arg, const struct rib_event *event);
	/* May be NULL. */
	void (*notice)(void *arg, const struct rib_notice *notice);
	/* Called when a peer whose slot is not NULL is removed. May be NULL. */
	void (*forget)(void *arg, void *peer_slot);
	void *event_arg; /* of event(), notice() and forget() */
};

#endif
