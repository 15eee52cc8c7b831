/*
 * spargio/runtime/watchdog.h - notice a fiber that blocks its shard
 *
 * A thread looks at each shard now and then: the same fiber running and no
 * switch in between means it has not yielded since the last look. The shards
 * do nothing for it.
 */
#ifndef SPARGIO_RUNTIME_WATCHDOG_H
#define SPARGIO_RUNTIME_WATCHDOG_H

struct sp_rt;

/* Does nothing unless the options ask for it. */
int sp__watchdog_start(struct sp_rt *rt);
void sp__watchdog_stop(struct sp_rt *rt);

#endif
