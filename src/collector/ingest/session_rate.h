/*
 * collector/ingest/session_rate.h - a session that waits because of --max-output-rate
 *
 * What is published because of a router is charged to it at the end of each
 * turn: updates, events, and withdraws that the background fiber published. A
 * router that is above its rate is not read for a while. The charged amount
 * belongs to the router, not to the session: it stays when a new session
 * begins. Output that is published while the router has no session is not
 * charged.
 */
#ifndef COLLECTOR_INGEST_SESSION_RATE_H
#define COLLECTOR_INGEST_SESSION_RATE_H

#include <stdint.h>

struct session;

/* Call it when the session has claimed its router. */
void session_rate_begin(struct session *s);

/* Charge the output that was published since the last call. */
void session_rate_charge(struct session *s);

/*
 * Bytes of output that the next turn may make, at most @most. The limit keeps
 * one turn from using up the rate of many seconds.
 */
uint64_t session_rate_turn(const struct session *s, uint64_t most);

/*
 * Wait until the router may be read on. 0 or -ECANCELED. A collector that stops
 * does not wait. Yields.
 */
int session_rate_wait(struct session *s);

#endif
