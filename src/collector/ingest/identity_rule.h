/*
 * collector/ingest/identity_rule.h - whether a new connection is the router
 * that is already connected
 *
 * Two sessions claim one identity. What is known of both decides which one is
 * served, never the time between them:
 *
 *	the older session is	newcomer, of which other facts
 *			   may come    none came   agree      differ
 *	closed		   wait        wait        wait       wait
 *	being asked	   ask         ask         ask        ask
 *	dead		   take over   take over   take over  take over
 *	alive		   ask         refuse      take over  refuse
 *
 * "Take over" from a live session becomes "refuse" if that session took over
 * from a live one itself: then there are two routers, however similar, and they
 * would replace each other forever.
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
	IDENTITY_CLOSED, /* the router closed it; the rest is being read */
	IDENTITY_ASKED,	 /* keepalive probes were sent, no answer yet */
	IDENTITY_DEAD,	 /* no answer in a whole round of probes */
	/* bytes or an answer came after the newcomer connected */
	IDENTITY_ALIVE,
	IDENTITY_STATES
};

/* The newcomer compared with it. */
enum identity_match {
	IDENTITY_UNSAID,    /* it may still send something to compare */
	IDENTITY_NOTHING,   /* it sent nothing to compare */
	IDENTITY_SAME,	    /* something agrees, nothing differs */
	IDENTITY_DIFFERENT, /* something differs */
	IDENTITY_MATCHES
};

enum identity_verdict {
	IDENTITY_WAIT,	    /* wait until the older one ends by itself */
	IDENTITY_ASK,	    /* continue to probe both */
	IDENTITY_TAKE_OVER, /* end the older one */
	IDENTITY_REFUSE,    /* end the newcomer: a clash */
	IDENTITY_VERDICTS
};

/* Facts by which sessions are compared. */
enum identity_fact {
	IDENTITY_FACT_ADDRESS,
	IDENTITY_FACT_SYSNAME,
	IDENTITY_FACT_BGP_ID,
	IDENTITY_FACT_PEER,
	IDENTITY_FACTS /* number of facts; also "none" */
};

/* Maximum BGP identifiers kept: a router has one for each VRF. */
#define IDENTITY_BGP_IDS 4

/* The facts that a session has sent. All zero = none. */
struct identity_facts {
	uint8_t address[16];
	char sys_name[TEXT_NAME_MAX + 1]; /* "" if none */
	uint32_t bgp_ids[IDENTITY_BGP_IDS];
	uint32_t bgp_id_count;
	/* newcomer: number of its peers that the router has */
	uint32_t known_peers;
};

/* Add @bgp_id, unless it is 0, already there, or the array is full. */
void identity_facts_add_bgp_id(struct identity_facts *facts, uint32_t bgp_id);

/*
 * Compare the facts other than @key, which is the identity itself. *@which is
 * the fact that decided; IDENTITY_FACTS = none. @more: the newcomer may still
 * send more; facts that it has not sent do not agree.
 */
enum identity_match identity_compare(const struct identity_facts *older,
				     const struct identity_facts *newer,
				     enum identity_fact key, bool more,
				     enum identity_fact *which);

/* @contested: the older session took over from a live one itself. */
enum identity_verdict identity_decide(enum identity_state state,
				      enum identity_match match,
				      bool contested);

/* Lower case, words joined by "_"; never NULL. */
const char *identity_fact_name(enum identity_fact fact);

#endif
