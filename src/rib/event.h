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
	/* the route was missing in the peer's new dump */
	RIB_REASON_STALE_SWEEP,
	/* the hold time after the loss of the BMP session has ended */
	RIB_REASON_SESSION_LOST,
	RIB_REASON_TREAT_AS_WITHDRAW, /* an error in the UPDATE: RFC 7606 */
	/* an operator or a filter removed the route */
	RIB_REASON_ADMIN,
	RIB_REASONS
};

/* The router and its BMP session. */
struct rib_router_info {
	uint8_t address[16]; /* source address of the session; IPv4-mapped */
	uint16_t port;
	const char *name; /* set if --router-id is not "address"; else NULL */
};

/* The table to which routes belong: its router, peer, view and family. */
struct rib_table_info {
	const struct rib_router_info *router;
	uint8_t peer_type;	  /* enum bmp_peer_type */
	uint8_t view;		  /* enum bmp_view */
	uint8_t safi;		  /* SAFI of the NLRI */
	uint8_t family;		  /* enum bgp_family */
	uint16_t afi;		  /* AFI of the NLRI */
	bool filtered;		  /* Loc-RIB: the F flag of RFC 9069 */
	uint64_t distinguisher;	  /* distinguisher of the peer */
	uint8_t peer_address[16]; /* IPv4-mapped; zero for a Loc-RIB */
	uint32_t peer_as;
	uint32_t peer_bgp_id;
	struct wire_view table_name; /* RFC 9736; not NUL-terminated */
};

/* One route of a change. */
struct rib_route {
	/*
	 * sequence of the change in its table; for the first one see
	 * rib/restore.h
	 */
	uint64_t sequence;
	uint64_t rd; /* route distinguisher, for families with BGP_FAMILY_RD */
	uint32_t path_id;
	uint8_t prefix_len;
	uint8_t address[16]; /* address of a prefix; IPv4-mapped */
	/*
	 * If announced: the labels of this route, 3 bytes each as sent. Empty
	 * for plain families.
	 */
	struct wire_view labels;
	/*
	 * For families whose NLRI are not prefixes. nlri is the NLRI as last
	 * announced or as withdrawn. key identifies the route: it has the same
	 * bytes in all announcements and withdraws of the route
	 * (bmp/nlri_key.h).
	 */
	struct wire_view nlri;
	struct wire_view key;
};

/*
 * Routes of one table that changed together: all were announced with the same
 * attributes, or all were withdrawn for the same reason. They are in ascending
 * order of sequence.
 */
struct rib_change {
	const struct rib_table_info *table;
	uint64_t received_ns; /* wall clock when the message was received */
	uint64_t bmp_ns;      /* time in the per-peer header; 0 = none */
	bool announced;
	bool synthetic; /* true = a withdraw that the collector made */
	/*
	 * True if the routes are announced again on request, and not because of
	 * a change.
	 */
	bool resync;
	bool has_path_id; /* the routes have path identifiers */
	/*
	 * True if later changes of this table may have another subject, because
	 * the AS of the peer has changed. They must not be published before
	 * this change.
	 */
	bool subject_changed;
	/* enum rib_reason; RIB_REASON_NONE if announced */
	uint8_t reason;
	uint8_t kind;	       /* enum bgp_nlri_kind */
	uint16_t mp_reach_afi; /* AFI of the UPDATE's MP_REACH_NLRI; 0 = none */
	uint16_t mp_unreach_afi;
	uint8_t mp_reach_safi;
	uint8_t mp_unreach_safi;
	/*
	 * If announced: the attributes, decoded from the UPDATE or from their
	 * canonical form. The encoder must accept both. NULL for withdraws.
	 */
	const struct bgp_attrs *attrs;
	struct bgp_next_hop next_hop;
	/* number of routes, 1 to RIB_CHANGE_MAX */
	size_t count;
	const struct rib_route *routes;
};

/* Kind of an event. The numbers are part of the schema. */
enum rib_event_kind {
	RIB_EVENT_PEER_UP,
	RIB_EVENT_PEER_DOWN,
	RIB_EVENT_END_OF_RIB, /* the router sent an End-of-RIB */
	/* the table is complete, after an End-of-RIB or a timeout */
	RIB_EVENT_SWEPT,
	/* the session is lost: peers are kept for the hold time */
	RIB_EVENT_STALE,
	RIB_EVENT_SUSPECT, /* part of a message could not be parsed */
	/* updates were dropped before they reached the rib */
	RIB_EVENT_UNKNOWN,
	RIB_EVENT_LIMIT, /* a route limit is exceeded */
	/* the table is published again after this event */
	RIB_EVENT_RESYNC,
	RIB_EVENT_STATISTICS, /* counters reported by the router */
	RIB_EVENT_SESSION_OPEN,
	RIB_EVENT_SESSION_CLOSE,
	RIB_EVENT_EPOCH, /* a collector has begun to write to the log */
	RIB_EVENT_CLASH, /* another connection claims to be the router */
	RIB_EVENT_MESSAGES_LOST, /* the router did not send all messages */
	RIB_EVENT_MIRROR,	 /* a Route Mirroring, as sent */
	RIB_EVENTS
};

/* A number that a router reported, or that the collector counted. */
struct rib_event_count {
	uint32_t type; /* type of the statistic in BMP */
	uint16_t afi;  /* 0 = not for a family */
	uint8_t safi;
	uint64_t value;
};

/* An event. Members that a kind does not use are zero. */
struct rib_event {
	enum rib_event_kind kind;
	uint64_t received_ns;
	uint64_t bmp_ns;
	const struct rib_router_info *router;
	/* User data of the router: see rib_router_slot(). */
	void **router_slot;
	void **peer_slot; /* user data of the peer; NULL if no peer */
	/*
	 * The peer; view and family are valid if has_table is true. NULL for
	 * events of the session or of the collector.
	 */
	const struct rib_table_info *table;
	bool has_table;
	/*
	 * PEER_DOWN: reason that the router sent. SESSION_CLOSE: the
	 * collector's close reason.
	 */
	uint16_t reason;
	uint16_t fsm_event;	       /* PEER_DOWN: FSM event code */
	struct wire_view notification; /* PEER_DOWN: the NOTIFICATION message */
	struct wire_view sent_open;    /* PEER_UP: the OPEN messages */
	struct wire_view received_open;
	struct wire_view mirrored; /* MIRROR: the TLVs */
	/* PEER_UP: the local address, and the ports of the BGP session */
	uint8_t local_address[16];
	uint16_t local_port;
	uint16_t remote_port;
	uint64_t routes;   /* SWEPT: number of withdraws; LIMIT: the limit */
	uint64_t messages; /* MESSAGES_LOST: how many */
	const char *text;  /* a text, or NULL; SESSION_OPEN: the sysName */
	size_t count;
	const struct rib_event_count *counts; /* STATISTICS: the numbers */
};

/* A notice is for operators, not for consumers. */
enum rib_notice_kind {
	/* an UPDATE, or part of it, could not be parsed */
	RIB_NOTICE_UNREADABLE,
	RIB_NOTICE_NO_UPDATE, /* a Route Monitoring without an UPDATE */
	/* the NLRI have another form than the OPENs say */
	RIB_NOTICE_ADD_PATH,
	RIB_NOTICE_ADD_PATH_INCOMPLETE, /* as above, and routes are missing */
	RIB_NOTICES
};

/*
 * A notice is passed once for each cause and peer of a session. The cause is
 * the kind and, for RIB_NOTICE_UNREADABLE, also the fault.
 */
struct rib_notice {
	enum rib_notice_kind kind;
	void **router_slot; /* as in struct rib_event */
	/* The peer and its view; with the family if that is known. */
	const struct rib_table_info *table;
	uint8_t fault; /* UNREADABLE: enum bgp_fault */
	/* UNREADABLE: type of the attribute with the fault; 0 = none */
	uint8_t fault_code;
	bool add_path;	    /* ADD_PATH*: the NLRI have path identifiers */
	uint64_t withdrawn; /* ADD_PATH*: routes parsed in the wrong form */
};

/*
 * Receives the results of the rib. change() is called often and encodes; the
 * other functions are called rarely. They have different arguments, so that an
 * observer of events costs nothing for a change.
 */
struct rib_sink {
	void (*change)(void *arg, const struct rib_change *change);
	void *change_arg;
	/*
	 * The number of bytes that change() and event() have written so far;
	 * see struct rib_budget. NULL if the sink does not count them.
	 */
	const uint64_t *bytes;
	void (*event)(void *arg, const struct rib_event *event);
	/* May be NULL. */
	void (*notice)(void *arg, const struct rib_notice *notice);
	/* Called when a peer whose slot is not NULL is removed. May be NULL. */
	void (*forget)(void *arg, void *peer_slot);
	void *event_arg; /* argument of event(), notice() and forget() */
};

#endif
