/*
 * collector/ingest/clash_report.h - report a connection that claims another
 * router's identity
 *
 * Each clash is counted. An event and a log line report it, at most once a
 * minute per router, because a refused router reconnects immediately.
 *
 * Threads	The owner shard only.
 */
#ifndef COLLECTOR_INGEST_CLASH_REPORT_H
#define COLLECTOR_INGEST_CLASH_REPORT_H

#include "collector/base/close_reason.h"
#include "collector/ingest/identity_rule.h"

struct session;

/*
 * Report that @s claims the identity of a router that has another session.
 * @which is the fact that differs; IDENTITY_FACTS = none. @why is the close
 * reason.
 */
void clash_report(struct session *s, enum identity_fact which,
		  enum close_reason why);

#endif
