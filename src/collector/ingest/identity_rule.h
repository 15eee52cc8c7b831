/*
 * collector/ingest/identity_rule.h - whether a newcomer is the router that is here already
 *
 * Two sessions claim one identity. Which of them is served follows from what
 * is known of both, never from how much time passed between them:
 *
 *	the older session is	newcomer, of which other facts
 *			   may come    none came   agree      differ
 *	closed		   wait        wait        wait       wait
 *	being asked	   ask         ask         ask        ask
 *	dead		   take over   take over   take over  take over
 *	alive		   ask         refuse      take over  refuse
 *
 * "Take over" of a session that is alive becomes "refuse" if that one took
 * over from a live one itself: then there are two, however alike they are, and
 * they would replace each other for ever.
 *
 * Pure: nothing waits, allocates or is shared.
 */
#ifndef COLLECTOR_INGEST_IDENTITY_RULE_H
#define COLLECTOR_INGEST_IDENTITY_RULE_H

#include "bmp/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The older session, by its connection. */
enum identity_state {
	IDENTITY_CLOSED, /* the router closed it; what is left is being read */
	IDENTITY_ASKED,	 /* keepalive probes are out, no answer yet */
	IDENTITY_DEAD,	 /* nor was there one in a whole round */
	IDENTITY_ALIVE,	 /* bytes or an answer came after the newcomer did */
	IDENTITY_STATES
};

/* The newcomer beside it. */
enum identity_match {
	IDENTITY_UNSAID,    /* it may still say something to compare */
	IDENTITY_NOTHING,   /* it did not */
	IDENTITY_SAME,	    /* something agrees, and nothing differs */
	IDENTITY_DIFFERENT, /* something differs */
	IDENTITY_MATCHES
};

enum identity_verdict {
	IDENTITY_WAIT,	    /* until the older one has ended by itself */
	IDENTITY_ASK,	    /* go on asking both */
	IDENTITY_TAKE_OVER, /* end the older one */
	IDENTITY_REFUSE,    /* end the newcomer: a clash */
	IDENTITY_VERDICTS
};

/* Facts that sessions are compared by. */
enum identity_fact {
	IDENTITY_FACT_ADDRESS,
	IDENTITY_FACT_SYSNAME,
	IDENTITY_FACT_BGP_ID,
	IDENTITY_FACT_PEER,
	IDENTITY_FACTS /* none */
};

/* BGP identifiers that are kept: a router has one for each VRF. */
#define IDENTITY_BGP_IDS 4

/* What a session said of itself. All zero: nothing. */
struct identity_facts {
	uint8_t address[16];
	char sys_name[TEXT_NAME_MAX + 1]; /* "": none */
	uint32_t bgp_ids[IDENTITY_BGP_IDS];
	uint32_t bgp_id_count;
	uint32_t known_peers; /* a newcomer's, that the router has */
};

/* Add @bgp_id, unless it is 0, there already, or too many are. */
void identity_facts_add_bgp_id(struct identity_facts *facts, uint32_t bgp_id);

/*
 * Compare what is not the identity itself: @key is the fact that is. *@which
 * is the fact that decided, IDENTITY_FACTS: none. @more: the newcomer may still
 * say more; what it has not said by then agrees with nothing.
 */
enum identity_match identity_compare(const struct identity_facts *older,
				     const struct identity_facts *newer,
				     enum identity_fact key, bool more,
				     enum identity_fact *which);

/* @contested: the older one took over from a live one itself. */
enum identity_verdict identity_decide(enum identity_state state,
				      enum identity_match match,
				      bool contested);

/* Lower case, words joined by "_"; never NULL. */
const char *identity_fact_name(enum identity_fact fact);

#endif
