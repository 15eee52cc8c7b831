/*
 * spargio/runtime/watchdog.h - notice a fiber that blocks its shard
 *
 * A thread checks each shard periodically: if the running fiber is the same as
 * at the last check and there was no switch, the fiber has not yielded. The
 * shards do no extra work for this.
 */
#ifndef SPARGIO_RUNTIME_WATCHDOG_H
#define SPARGIO_RUNTIME_WATCHDOG_H

struct sp_rt;

/* Does nothing unless sp_opts.watchdog_ms and on_blocked_shard are set. */
int sp__watchdog_start(struct sp_rt *rt);
void sp__watchdog_stop(struct sp_rt *rt);

#endif
