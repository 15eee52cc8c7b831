/*
 * collector/base/shard_watchdog.h - whether the shards still move
 *
 *	main thread				each shard
 *	watch_look() ---- a fiber ------------> runs it, some time
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
struct watch;

/*
 * Have a runtime that starts with @opts log fibers that keep a shard to
 * themselves, on a thread that looks now and then. @log must outlive it.
 */
void watch_hogs(struct log *log, struct sp_opts *opts);

/*
 * Of all shards of @workers, and of @publisher. The runtimes must have stopped
 * before it is freed. -ENOMEM.
 */
int watch_new(struct log *log, struct sp_rt *workers, struct sp_rt *publisher,
	      struct watch **out);
void watch_free(struct watch *w);

/*
 * Whether every shard has moved since the last look that said so; at the first
 * look they have. Who has not is logged, once until it does.
 */
bool watch_look(struct watch *w);

#endif
