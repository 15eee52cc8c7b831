/*
 * collector/collector.h - the whole of it: workers, bridge, publisher
 *
 *	struct collector *c;
 *
 *	collector_start(&config, &log, NULL, &c);	restored, listening
 *	...					until a signal
 *	collector_stop(c, deadline);		drained, safe, gone
 *
 * The workers are the shards of one runtime. The publisher has a runtime of
 * its own, so that a broker in trouble never takes time from the routers.
 *
 * Threads	start and stop: one, outside of fibers. The rest: any.
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
 * 0 once it listens everywhere. Else -errno, logged with what to do, and
 * nothing is left running. @config, @log and @process must outlive it; @process
 * is of confine.h, or NULL where the process was not confined.
 */
int collector_start(const struct config *config, struct log *log,
		    const struct confined_process *process,
		    struct collector **out);

/*
 * Stop taking routers in, read what they have sent by now, publish what is
 * under way and wait until it is safe, until @deadline. Frees it. 0, or -ETIMEDOUT if
 * something was not safe by then: it is in the spool if there is one. -EBUSY:
 * everything is safe, but an HTTP handler does not end: nothing was freed, and
 * the caller exits by _exit().
 */
int collector_stop(struct collector *c, int64_t deadline);

/*
 * Have @config hold from now on, as far as it can be changed while running:
 * the rest of it must be as it was (config_keep()). 0: nobody uses the one
 * before any more. Else -errno: both are in use, until the next call succeeds
 * or it is stopped. The thread that started it.
 */
int collector_reload(struct collector *c, const struct config *config);

/*
 * Whether all of it has moved since this was last true: see shard_watchdog.h. The
 * thread that started it.
 */
bool collector_is_alive(struct collector *c);

/*
 * The port a listener got, which is another than was asked for where that is 0. 0:
 * the listener was left out, see listener_open().
 */
uint16_t collector_port(const struct collector *c, size_t listener);

/* The port of the HTTP server; 0 if there is none. */
uint16_t collector_http_port(const struct collector *c);

/* What its parts share; for tests and benches. */
const struct collector_env *collector_env(const struct collector *c);

#endif
