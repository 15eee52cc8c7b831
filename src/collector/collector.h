/*
 * collector/collector.h - the whole of it: workers, bridge, publisher
 *
 *	struct collector *c;
 *
 *	collector_start(&config, &log, &c);	restored, listening
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

#include "collector/config/config.h"
#include "collector/ingest/limits.h"
#include "collector/base/log.h"

struct collector;
struct egress_bridge;
struct snapshotter;
struct publisher;
struct sp_rt;
struct worker;

/*
 * 0 once it listens everywhere. Else -errno, logged with what to do, and
 * nothing is left running. @config and @log must outlive it.
 */
int collector_start(const struct config *config, struct log *log,
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

/* How far it has come. */
enum collector_phase {
	COLLECTOR_RESTORING, /* what was known before */
	COLLECTOR_OPENING,
	COLLECTOR_SERVING,
	COLLECTOR_STOPPING,
};

enum collector_phase collector_phase(const struct collector *c);

/* The port of the HTTP server; 0 if there is none. */
uint16_t collector_http_port(const struct collector *c);

/* For the files of this folder */

int64_t collector_started(const struct collector *c); /* sp_now() then */
/* Where the state is kept; NULL: nowhere. */
const char *collector_state(const struct collector *c);
/* Snapshots of all routers that have changed, now. -ENOENT: none are kept. */
int collector_snapshot(struct collector *c);
struct snapshotter *collector_keeper(const struct collector *c,
				     uint32_t worker);

/* As it started. What a reload can change is known to the workers. */
const struct config *collector_config(const struct collector *c);
struct log *collector_log(struct collector *c);
uint32_t collector_workers(const struct collector *c);
struct worker *collector_worker(struct collector *c, uint32_t id);
struct limits *collector_limits(struct collector *c);
struct limits_budget *collector_budget(struct collector *c);
struct egress_bridge *collector_bridge(struct collector *c);
struct publisher *collector_publisher(struct collector *c);
struct sp_rt *collector_runtime(struct collector *c);
uint64_t collector_seed(const struct collector *c);

/* Bytes of a batch that the broker takes. Any thread. */
uint32_t collector_max_batch(const struct collector *c);

#endif
