/*
 * spargio/runtime/watchdog.h - notice a fiber that blocks its shard
 *
 * A thread checks each shard periodically: the same running fiber and no switch
 * since the last check means that the fiber has not yielded. The shards do no
 * work for this.
 */
#ifndef SPARGIO_RUNTIME_WATCHDOG_H
#define SPARGIO_RUNTIME_WATCHDOG_H

struct sp_rt;

/* Does nothing unless the options ask for it. */
int sp__watchdog_start(struct sp_rt *rt);
void sp__watchdog_stop(struct sp_rt *rt);

#endif
