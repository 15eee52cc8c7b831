/*
 * collector/ingest/router_claim.h - one session at a time owns a router
 *
 * If a session finds that another session owns its router, it collects facts
 * about both: it sends keepalive probes on the older connection, and reads the
 * first messages of the new one ahead. Then identity_rule.h decides. This takes
 * at most one round of probes; other sessions of the worker continue meanwhile.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_INGEST_ROUTER_CLAIM_H
#define COLLECTOR_INGEST_ROUTER_CLAIM_H

#include "collector/base/close_reason.h"

struct session;

/*
 * Make @s the owner of its router. Returns CLOSE_NONE, or the reason why it may
 * not be the owner. If another session is the owner and the new connection has
 * received nothing by @deadline, @s is refused. Yields.
 */
enum close_reason router_claim(struct session *s, int64_t deadline);

/* If @s owns its router, end the ownership. */
void router_release(struct session *s);

#endif
