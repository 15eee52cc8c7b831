/*
 * collector/ingest/session_rate.h - a session waits because of
 * --max-output-rate
 *
 * At the end of each turn, the output that a router has caused is charged to
 * it: updates, events, and withdraws that the background fiber published. If a
 * router is above its rate, it is not read for some time. The charged amount
 * belongs to the router, not to the session: it stays when a new session
 * begins. Output that is published while the router has no session is not
 * charged.
 */
#ifndef COLLECTOR_INGEST_SESSION_RATE_H
#define COLLECTOR_INGEST_SESSION_RATE_H

#include <stdint.h>

struct session;

/* Call it when the session has become the owner of its router. */
void session_rate_begin(struct session *s);

/* Charge the output that was published since the last call to the router. */
void session_rate_charge(struct session *s);

/*
 * The maximum bytes of output of the next turn, at most @most: a single turn
 * must not use up the rate of many seconds.
 */
uint64_t session_rate_turn(const struct session *s, uint64_t most);

/*
 * Wait until the router may be read again. Returns 0 or -ECANCELED. While the
 * collector stops, this does not wait. Yields.
 */
int session_rate_wait(struct session *s);

#endif
