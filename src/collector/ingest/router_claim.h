/*
 * collector/ingest/router_claim.h - one session at a time owns a router
 *
 * A session that finds its router owned by another one asks both who they are:
 * the older connection by keepalive probes, the newcomer by its first messages,
 * which are read ahead. Then identity_rule.h decides. It takes a round of
 * probes at most, and others of the worker go on meanwhile.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_INGEST_ROUTER_CLAIM_H
#define COLLECTOR_INGEST_ROUTER_CLAIM_H

#include "collector/base/close_reason.h"

struct session;

/*
 * Become the owner of the router of @s. CLOSE_NONE, or why not. Who has said
 * nothing by @deadline gets nothing. Yields.
 */
enum close_reason router_claim(struct session *s, int64_t deadline);

/* It is the owner no more, if it was. */
void router_release(struct session *s);

#endif
