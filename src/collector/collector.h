/*
 * collector/collector.h - the whole collector: workers, bridge, publisher
 *
 *	struct collector *c;
 *
 *	collector_start(&config, &log, NULL, &c);	restored, listening
 *	...					until a signal
 *	collector_stop(c, deadline);		drained, safe, gone
 *
 * The workers are the shards of one runtime. The publisher has its own runtime,
 * so that a slow broker takes no time from the routers.
 *
 * Threads	start and stop: one thread outside of fibers, or one fiber. The
 *		others: any. In a fiber the collector uses the runtime of that
 *		fiber: the last shard for the publisher, the others as workers.
 */
#ifndef COLLECTOR_COLLECTOR_H
#define COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collector;
struct collector_env;
struct config;
struct confined_process;
struct log;

/*
 * 0 when it listens everywhere. Otherwise -errno, logged with advice, and
 * nothing is left running. @config, @log and @process must outlive it; @process
 * is from confine.h, or NULL if the process was not confined.
 */
int collector_start(const struct config *config, struct log *log,
		    const struct confined_process *process,
		    struct collector **out);

/*
 * Stop accepting, read what routers have sent so far, publish it and wait until
 * it is safe, until @deadline. Frees @c. 0, or -ETIMEDOUT if something was not
 * safe by then: it is in the spool if there is one. -EBUSY: everything is safe,
 * but an HTTP handler does not end; nothing was freed, and the caller must exit
 * by _exit().
 *
 * With COLLECTOR_MEMORY_LEAVE the tables of the workers are not freed, because
 * the process ends anyway: with 100 million routes that takes many seconds.
 */
enum collector_memory {
	COLLECTOR_MEMORY_FREE,
	COLLECTOR_MEMORY_LEAVE,
};

int collector_stop(struct collector *c, int64_t deadline,
		   enum collector_memory memory);

/*
 * Apply @config where it can be changed while running; its other values must be
 * unchanged (config_keep()). 0: the previous configuration is no longer used.
 * Otherwise -errno: both are in use until the next call succeeds or the
 * collector stops. Called by the thread that started it.
 */
int collector_reload(struct collector *c, const struct config *config);

/*
 * True if all shards have made progress since the last call that returned true:
 * see shard_watchdog.h. Called by the thread that started it.
 */
bool collector_is_alive(struct collector *c);

/*
 * The actual port of a listener, which differs from the configured one if that
 * is 0. 0 if the listener was left out: see listener_open().
 */
uint16_t collector_port(const struct collector *c, size_t listener);

/* The port of the HTTP server; 0 if there is none. */
uint16_t collector_http_port(const struct collector *c);

/* The shared parts; for tests and benches. */
const struct collector_env *collector_env(const struct collector *c);

#endif
