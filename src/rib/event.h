/*
 * rib/event.h - what came out of curation, for whoever publishes it
 *
 * The rib hands its results to a sink, in the order in which consumers must
 * see them. A result is either a run of routes that changed together, or an
 * event in the life of a peer or a session:
 *
 *	static void encode(void *arg, const struct rib_change *c) ...
 *	static void say(void *arg, const struct rib_event *e) ...
 *
 *	struct rib_sink sink = { .change = encode, .event = say, ... };
 *
 * Routes of one change share everything but what stands in struct rib_route,
 * so that an encoder can make one template and patch it. All pointers and
 * views die when the call returns. A sink must not call the rib.
 */
#ifndef RIB_EVENT_H
#define RIB_EVENT_H

#include "bmp/next_hop.h"
#include "bmp/wire.h"

struct bgp_attrs;

/* Routes in one change at most. */
#define RIB_CHANGE_MAX 128

/* Why a withdraw that no router sent was made. The schema has these numbers. */
enum rib_reason {
	RIB_REASON_NONE, /* the router said so itself */
	RIB_REASON_PEER_DOWN,
	RIB_REASON_STALE_SWEEP,	 /* the peer's new dump did not have it */
	RIB_REASON_SESSION_LOST, /* the hold of a lost BMP session is over */
	RIB_REASON_TREAT_AS_WITHDRAW, /* RFC 7606 */
	RIB_REASON_ADMIN,	      /* an operator purged it */
	RIB_REASONS
};

/* The router and its BMP session. */
struct rib_router_info {
	uint8_t address[16]; /* where the session comes from; IPv4 mapped */
	uint16_t port;
	const char *name; /* --router-id other than address; else NULL */
};

/* The table that routes are in: of which router, peer, view and family. */
struct rib_table_info {
	const struct rib_router_info *router;
	uint8_t peer_type;	  /* enum bmp_peer_type */
	uint8_t view;		  /* enum bmp_view */
	uint8_t safi;		  /* of the NLRI itself */
	uint8_t family;		  /* enum bgp_family */
	uint16_t afi;		  /* of the NLRI itself */
	bool filtered;		  /* Loc-RIB, the F flag of RFC 9069 */
	uint64_t distinguisher;	  /* of the peer */
	uint8_t peer_address[16]; /* IPv4 mapped; Loc-RIB: zero */
	uint32_t peer_as;
	uint32_t peer_bgp_id;
	struct wire_view table_name; /* RFC 9736; not terminated */
};

/* One route of a change. */
struct rib_route {
	uint64_t sequence; /* in its table; where one begins: rib/restore.h */
	uint64_t rd;	   /* families with BGP_FAMILY_RD */
	uint32_t path_id;
	uint8_t prefix_len;
	uint8_t address[16]; /* of prefixes; IPv4 mapped */
	/*
	 * Announced: the labels of this route, 3 bytes each as sent. Routes of
	 * plain families have none.
	 */
	struct wire_view labels;
	/*
	 * Of families that are not prefixes. nlri is the route as it was last
	 * announced, or as it was withdrawn; key is what identifies it: the
	 * same bytes in all its announcements and withdraws (bmp/nlri_key.h).
	 */
	struct wire_view nlri;
	struct wire_view key;
};

/* Routes that changed together, in order. */
struct rib_change {
	const struct rib_table_info *table;
	uint64_t received_ns; /* wall clock, since 1970 */
	uint64_t bmp_ns;      /* from the per-peer header; 0: none */
	bool announced;
	bool synthetic; /* nobody sent this withdraw */
	/* Announced again because it was asked for, not because of a change. */
	bool resync;
	bool has_path_id; /* of all routes here */
	/*
	 * What its table says next may have another subject: the peer has
	 * another AS now. Nothing of it may overtake this.
	 */
	bool subject_changed;
	uint8_t reason;	       /* enum rib_reason; NONE if announced */
	uint8_t kind;	       /* enum bgp_nlri_kind */
	uint16_t mp_reach_afi; /* of the UPDATE's MP_REACH; 0: none */
	uint16_t mp_unreach_afi;
	uint8_t mp_reach_safi;
	uint8_t mp_unreach_safi;
	/*
	 * Announced: the attributes, as decoded from the UPDATE or from their
	 * canonical form; an encoder reads both. Withdrawn: NULL.
	 */
	const struct bgp_attrs *attrs;
	struct bgp_next_hop next_hop; /* of these routes */
	size_t count;		      /* 1 to RIB_CHANGE_MAX */
	const struct rib_route *routes;
};

/* The schema has these numbers. */
enum rib_event_kind {
	RIB_EVENT_PEER_UP,
	RIB_EVENT_PEER_DOWN,
	RIB_EVENT_END_OF_RIB,	 /* sent by the router */
	RIB_EVENT_SWEPT,	 /* a table is whole, End-of-RIB or timer */
	RIB_EVENT_STALE,	 /* session lost: peers are kept for a while */
	RIB_EVENT_SUSPECT,	 /* part of a message could not be read */
	RIB_EVENT_UNKNOWN,	 /* updates were dropped on the way in */
	RIB_EVENT_LIMIT,	 /* more routes than allowed */
	RIB_EVENT_RESYNC,	 /* the table is published again from here */
	RIB_EVENT_STATISTICS,	 /* what the router counts */
	RIB_EVENT_SESSION_OPEN,	 /* of BMP */
	RIB_EVENT_SESSION_CLOSE, /* of BMP */
	RIB_EVENT_EPOCH,	 /* a collector started to write */
	RIB_EVENT_CLASH, /* another connection claims to be the router */
	RIB_EVENTS
};

/* One number a router reported, or we counted. */
struct rib_event_count {
	uint32_t type; /* of the BMP statistic */
	uint16_t afi;  /* 0: not by family */
	uint8_t safi;
	uint64_t value;
};

/* Something happened. Members that a kind does not speak of are zero. */
struct rib_event {
	enum rib_event_kind kind;
	uint64_t received_ns;
	uint64_t bmp_ns;
	const struct rib_router_info *router;
	/* What the user of the rib keeps there; see rib_router_slot(). */
	void **router_slot;
	void **peer_slot; /* NULL if there is no peer */
	/*
	 * The peer; view and family count if has_table. NULL for events of
	 * the session and of the collector.
	 */
	const struct rib_table_info *table;
	bool has_table;
	/* PEER_DOWN: as sent. SESSION_CLOSE: the collector's own number. */
	uint16_t reason;
	uint16_t fsm_event;	       /* PEER_DOWN */
	struct wire_view notification; /* PEER_DOWN: the BGP message */
	struct wire_view sent_open;    /* PEER_UP: the BGP messages */
	struct wire_view received_open;
	uint8_t local_address[16]; /* PEER_UP */
	uint16_t local_port;
	uint16_t remote_port;
	uint64_t routes;  /* SWEPT: how many were withdrawn; LIMIT: the limit */
	const char *text; /* in words, or NULL; SESSION_OPEN: the sysName */
	size_t count;
	const struct rib_event_count *counts; /* STATISTICS */
};

/* What an operator should know, and no consumer. */
enum rib_notice_kind {
	RIB_NOTICE_UNREADABLE, /* an UPDATE, or part of it */
	RIB_NOTICE_NO_UPDATE,  /* a Route Monitoring has no UPDATE */
	RIB_NOTICE_ADD_PATH,   /* NLRI have another form than OPENs say */
	RIB_NOTICE_ADD_PATH_INCOMPLETE, /* the same; routes are missing */
	RIB_NOTICES
};

/*
 * Once for each peer of a session and cause: the kind, and of messages that
 * cannot be read the fault.
 */
struct rib_notice {
	enum rib_notice_kind kind;
	void **router_slot; /* as in struct rib_event */
	/* The peer and its view; the family counts if it is known. */
	const struct rib_table_info *table;
	uint8_t fault;	    /* enum bgp_fault: UNREADABLE */
	uint8_t fault_code; /* the same: attribute to blame, 0: none */
	bool add_path;	    /* ADD_PATH*: they have path identifiers */
	uint64_t withdrawn; /* ADD_PATH*: routes read in the wrong form */
};

/* Where results go. */
struct rib_sink {
	void (*change)(void *arg, const struct rib_change *change);
	void (*event)(void *arg, const struct rib_event *event);
	void *arg;
	/*
	 * Bytes of output that change() and event() have made so far, or NULL
	 * if the sink does not count them: see struct rib_budget.
	 */
	const uint64_t *bytes;
	/* May be NULL. */
	void (*notice)(void *arg, const struct rib_notice *notice);
	/* A peer is gone whose slot was not NULL. May be NULL itself. */
	void (*forget)(void *arg, void *peer_slot);
};

#endif
