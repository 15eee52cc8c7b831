/*
 * collector/collector.h - the whole collector: workers, bridge, publisher
 *
 *	struct collector *c;
 *
 *	collector_start(&config, &log, NULL, &c);	restored, listening
 *	...					until a signal
 *	collector_stop(c, deadline, memory);	drained, safe, gone
 *
 * The workers are the shards of one runtime. The publisher has its own runtime,
 * so that a slow broker takes no time from the routers. In a fiber the
 * collector uses the runtime of that fiber: the last shard for the publisher,
 * the others as workers.
 *
 * Threads	collector_start(), collector_stop(), collector_reload() and
 *		collector_is_alive(): one thread outside of fibers, or one
 *		fiber. The other functions: any thread.
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
 * Start the collector. Returns 0 when all its listeners are open. Otherwise
 * returns -errno, has logged advice, and nothing is left running. @config, @log
 * and @process must outlive the collector. @process is from confine.h; NULL if
 * the process was not confined.
 */
int collector_start(const struct config *config, struct log *log,
		    const struct confined_process *process,
		    struct collector **out);

/*
 * What collector_stop() does with the tables of the workers.
 * COLLECTOR_MEMORY_LEAVE is for a process that ends anyway: freeing 100 million
 * routes takes many seconds.
 */
enum collector_memory {
	COLLECTOR_MEMORY_FREE,
	COLLECTOR_MEMORY_LEAVE,
};

/*
 * Stop accepting, read what routers have sent so far, publish it, and wait at
 * most until @deadline until it is safe. Frees @c. Returns 0, or -ETIMEDOUT if
 * not all output was safe at the deadline; the rest is in the spool if there is
 * one. -EBUSY: the output is safe, but an HTTP handler does not end. Then
 * nothing was freed, and the caller must exit by _exit().
 */
int collector_stop(struct collector *c, int64_t deadline,
		   enum collector_memory memory);

/*
 * Apply those values of @config that can be changed while running. The other
 * values must be those of the running configuration (config_keep()). Returns 0:
 * the previous configuration is no longer used. Otherwise -errno: both are in
 * use until the next call succeeds or the collector stops. Call it on the
 * thread that started the collector.
 */
int collector_reload(struct collector *c, const struct config *config);

/*
 * True if all shards have made progress since the last call that returned true:
 * see shard_watchdog.h. Call it on the thread that started the collector.
 */
bool collector_is_alive(struct collector *c);

/*
 * The port on which a listener really listens; it differs from the configured
 * port if that is 0. Returns 0 if the listener was left out: see
 * listener_open().
 */
uint16_t collector_port(const struct collector *c, size_t listener);

/* The port on which the HTTP server listens; 0 if there is none. */
uint16_t collector_http_port(const struct collector *c);

/* The data that the parts of the collector share; for tests and benches. */
const struct collector_env *collector_env(const struct collector *c);

#endif
