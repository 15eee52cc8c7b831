/*
 * collector/ingest/identity_rule.h - whether a new connection is the router
 * that is already connected
 *
 * Two sessions claim one identity. The facts known of both sessions decide
 * which one is served; the time between them has no influence:
 *
 *	the older	other facts of the newcomer:
 *	session is	   may come    none came   agree      differ
 *	closed		   wait        wait        wait       wait
 *	being asked	   ask         ask         ask        ask
 *	dead		   take over   take over   take over  take over
 *	alive		   ask         refuse      take over  refuse
 *
 * Exception: if the older session is alive and had itself taken over from a
 * session that was alive, the newcomer is refused instead of taking over. In
 * this case two similar routers exist, which would replace each other forever.
 *
 * Pure functions: no waiting, no allocation, no shared state.
 */
#ifndef COLLECTOR_INGEST_IDENTITY_RULE_H
#define COLLECTOR_INGEST_IDENTITY_RULE_H

#include "bmp/text.h"

#include <stdbool.h>
#include <stdint.h>

/* State of the older session's connection. */
enum identity_state {
	/* the router closed the connection; its last bytes are being read */
	IDENTITY_CLOSED,
	IDENTITY_ASKED, /* keepalive probes were sent; no answer so far */
	IDENTITY_DEAD,	/* no answer during a whole round of probes */
	/* bytes or an answer came after the newcomer had connected */
	IDENTITY_ALIVE,
	IDENTITY_STATES
};

/* Result of comparing the newcomer with the older session. */
enum identity_match {
	IDENTITY_UNSAID,    /* the newcomer may still send facts to compare */
	IDENTITY_NOTHING,   /* the newcomer sent no fact to compare */
	IDENTITY_SAME,	    /* at least one fact agrees, none differs */
	IDENTITY_DIFFERENT, /* a fact differs */
	IDENTITY_MATCHES
};

enum identity_verdict {
	IDENTITY_WAIT, /* wait until the older session ends by itself */
	/* probe the older session, read more of the newcomer */
	IDENTITY_ASK,
	IDENTITY_TAKE_OVER, /* end the older session */
	IDENTITY_REFUSE,    /* refuse the newcomer: a clash */
	IDENTITY_VERDICTS
};

/* Facts by which sessions are compared. */
enum identity_fact {
	IDENTITY_FACT_ADDRESS,
	IDENTITY_FACT_SYSNAME,
	IDENTITY_FACT_BGP_ID,
	IDENTITY_FACT_PEER,
	IDENTITY_FACTS /* number of facts; as a value: no fact */
};

/* Maximum number of BGP identifiers kept: a router has one for each VRF. */
#define IDENTITY_BGP_IDS 4

/* The facts that a session has sent. All zero = none so far. */
struct identity_facts {
	uint8_t address[16];
	char sys_name[TEXT_NAME_MAX + 1]; /* "" = not sent */
	uint32_t bgp_ids[IDENTITY_BGP_IDS];
	uint32_t bgp_id_count;
	/* newcomer: how many of its peers the router's rib has */
	uint32_t known_peers;
};

/*
 * Add @bgp_id, unless it is 0, is in the array already, or the array is full.
 */
void identity_facts_add_bgp_id(struct identity_facts *facts, uint32_t bgp_id);

/*
 * Compare all facts except @key, which is the identity itself. *@which is the
 * fact that decided; IDENTITY_FACTS = none. @more means that the newcomer may
 * still send facts; those that it has not sent do not count as agreeing.
 */
enum identity_match identity_compare(const struct identity_facts *older,
				     const struct identity_facts *newer,
				     enum identity_fact key, bool more,
				     enum identity_fact *which);

/*
 * Decide which session is served. @contested means that the older session took
 * over from a session that was alive.
 */
enum identity_verdict identity_decide(enum identity_state state,
				      enum identity_match match,
				      bool contested);

/* The name of @fact: lower case, words joined by "_"; never NULL. */
const char *identity_fact_name(enum identity_fact fact);

#endif
