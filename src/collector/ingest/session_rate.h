/*
 * collector/ingest/session_rate.h - a session that waits because of --max-output-rate
 *
 * What is published because of a router is charged to it at the end of each
 * turn: updates, events, and withdraws that the background fiber published. A
 * router that is above its rate is not read for a while. The account is the
 * router's: a new session does not begin with an empty one. What is published
 * while it has no session is not charged.
 */
#ifndef COLLECTOR_INGEST_SESSION_RATE_H
#define COLLECTOR_INGEST_SESSION_RATE_H

#include <stdint.h>

struct session;

/* The session has claimed its router. */
void session_rate_begin(struct session *s);

/* Charge what was published since the last call. */
void session_rate_charge(struct session *s);

/*
 * Bytes of output that the next turn may make, at most @most: so that a turn
 * is not many seconds' worth.
 */
uint64_t session_rate_turn(const struct session *s, uint64_t most);

/*
 * Wait until the router may be read on. 0 or -ECANCELED. A collector that stops
 * does not wait. Yields.
 */
int session_rate_wait(struct session *s);

#endif
