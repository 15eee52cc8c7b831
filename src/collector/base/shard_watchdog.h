/*
 * collector/base/shard_watchdog.h - detect shards that do not run fibers
 *
 *	main thread				each shard
 *	shard_watchdog_check() ---- probe fiber --------> runs it later
 *		     <--- count of probes that ran ---
 *
 * The service manager is notified only while every shard makes progress. Each
 * check returns true if every shard has run the probe fiber of the previous
 * check, and then spawns a new one on every shard. An idle shard is woken once
 * per check; the check never waits, even if a shard is stuck.
 *
 * A shard that does not run fibers in time does not serve its routers, whether
 * a fiber or the kernel blocks it. A slow disk or broker makes only fibers
 * wait; the shard continues.
 *
 * Threads	One, outside of fibers.
 */
#ifndef COLLECTOR_BASE_SHARD_WATCHDOG_H
#define COLLECTOR_BASE_SHARD_WATCHDOG_H

#include "collector/base/log.h"

struct sp_opts;
struct sp_rt;
struct shard_watchdog;

/*
 * Prepare @opts so that the runtime logs fibers that block a shard. @log must
 * outlive the runtime.
 */
void shard_watchdog_log_blocking(struct log *log, struct sp_opts *opts);

/*
 * Watch all shards of @workers, and @publisher. The runtimes must have stopped
 * before the watchdog is freed. -ENOMEM.
 */
int shard_watchdog_new(struct log *log, struct sp_rt *workers,
		       struct sp_rt *publisher, struct shard_watchdog **out);
void shard_watchdog_free(struct shard_watchdog *w);

/*
 * True if every shard has made progress since the last check that returned
 * true; the first check returns true. A shard that makes no progress is logged
 * once, and once more when it makes progress again.
 */
bool shard_watchdog_check(struct shard_watchdog *w);

#endif
