/*
 * collector/base/shard_watchdog.h - whether the shards still move
 *
 *	main thread				each shard
 *	shard_watchdog_check() ---- a fiber ------------> runs it, some time
 *	             <--- a count -------------
 *
 * The service manager hears of us only as long as every shard does something.
 * So each look leaves a fiber on every shard that had run the one before, and
 * says whether all of them had. An idle shard is woken once a look; nothing
 * waits, however stuck a shard is.
 *
 * A shard that does not run fibers in time does not serve its routers either,
 * whether a fiber keeps it or the kernel does. A disk or a broker that makes
 * fibers wait is no reason: the shard goes on.
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
 * Have a runtime that starts with @opts log fibers that keep a shard to
 * themselves, on a thread that looks now and then. @log must outlive it.
 */
void shard_watchdog_log_blocking(struct log *log, struct sp_opts *opts);

/*
 * Of all shards of @workers, and of @publisher. The runtimes must have stopped
 * before it is freed. -ENOMEM.
 */
int shard_watchdog_new(struct log *log, struct sp_rt *workers,
		       struct sp_rt *publisher, struct shard_watchdog **out);
void shard_watchdog_free(struct shard_watchdog *w);

/*
 * Whether every shard has moved since the last look that said so; at the first
 * look they have. Who has not is logged, once until it does.
 */
bool shard_watchdog_check(struct shard_watchdog *w);

#endif
