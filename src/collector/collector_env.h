/*
 * collector/collector_env.h - data that the parts of a collector share
 *
 * collector.c sets the members during the start, and passes the struct to the
 * workers, the checkpoint, the restore and the HTTP server. The pointer to a
 * part that does not exist yet, or is off, is NULL.
 *
 * Threads	Each member is set before the threads that read it run, except
 *		@phase, which changes later: any thread may read it at any time.
 */
#ifndef COLLECTOR_COLLECTOR_ENV_H
#define COLLECTOR_COLLECTOR_ENV_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct checkpoint;
struct config;
struct early_sockets;
struct egress_bridge;
struct limits;
struct log;
struct output;
struct publisher;
struct route_budget;
struct router_limit;
struct sandbox_state;
struct sp_rt;
struct worker;

/* Whether the collector is starting, serving or stopping. */
enum collector_phase {
	COLLECTOR_RESTORING, /* snapshots and log are read */
	COLLECTOR_OPENING,   /* listeners are opened */
	COLLECTOR_SERVING,
	COLLECTOR_STOPPING,
};

struct collector_env {
	/*
	 * The configuration at the start. A reload does not change this
	 * pointer: collector_reload() gives the new configuration to the
	 * workers, and updates the limits and the log level.
	 */
	const struct config *config;
	struct log *log;
	/* NULL if no port was bound early */
	const struct early_sockets *sockets;
	const struct sandbox_state
		*sandbox; /* NULL if the process is not confined */
	int64_t started;  /* start of the collector, by sp_now() */
	uint64_t seed;	  /* seed of hash tables and cursors */
	struct sp_rt *rt;
	uint32_t worker_count;
	struct worker **workers; /* array, indexed by shard */
	struct limits *limits;
	struct route_budget *budget; /* limit on routes of all workers */
	struct router_limit *router_limit;
	struct egress_bridge *bridge;
	struct output *output;
	struct publisher *publisher;
	/*
	 * Maximum bytes of a batch that the broker accepts; UINT32_MAX = not
	 * known yet.
	 */
	const _Atomic uint32_t *max_batch;
	struct checkpoint *checkpoint; /* NULL if no state is kept */
	_Atomic int phase;	       /* enum collector_phase */
};

static inline enum collector_phase collector_env_phase(
	const struct collector_env *env)
{
	return (enum collector_phase)atomic_load(&env->phase);
}

/* The order in which collector_env_each() calls the workers. */
enum collector_env_order {
	COLLECTOR_ENV_SERIAL, /* one by one; stops at the first error */
	/* all at the same time; returns the first error found */
	COLLECTOR_ENV_PARALLEL,
};

/*
 * Run @fn on the shard of every worker, with the worker's element of @args: an
 * array of worker_count elements of @size bytes. Waits for all calls: in a
 * fiber COLLECTOR_ENV_SERIAL yields; outside of fibers the thread blocks.
 */
int collector_env_each(const struct collector_env *env,
		       enum collector_env_order order, int (*fn)(void *arg),
		       void *args, size_t size);

#endif
