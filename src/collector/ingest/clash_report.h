/*
 * collector/ingest/clash_report.h - say that somebody claims to be another router
 *
 * Each clash is counted. An event and a line of the log tell of it, once a
 * minute for a router: who is refused comes again at once.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_INGEST_CLASH_REPORT_H
#define COLLECTOR_INGEST_CLASH_REPORT_H

#include "collector/base/close_reason.h"
#include "collector/ingest/identity_rule.h"

struct session;

/* @which fact was in the way, IDENTITY_FACTS: none. */
void clash_report(struct session *s, enum identity_fact which,
		  enum close_reason why);

#endif
