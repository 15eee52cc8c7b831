/*
 * collector/collector_env.h - what the parts of a collector share
 *
 * collector.c fills it in while it starts, in the order of the fields, and
 * passes it to the workers, the checkpoint, the restore and the HTTP server. A
 * part that does not exist yet, or is off, is NULL.
 *
 * Threads	The pointers are set before the threads that read them run,
 *		except @phase, which any thread reads at any time.
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

/* The progress of the start. */
enum collector_phase {
	COLLECTOR_RESTORING, /* reads snapshots and log */
	COLLECTOR_OPENING,   /* starts listeners */
	COLLECTOR_SERVING,
	COLLECTOR_STOPPING,
};

struct collector_env {
	/* The configuration at the start; only the workers know a reload. */
	const struct config *config;
	struct log *log;
	const struct early_sockets *sockets; /* NULL if none was bound early */
	const struct sandbox_state
		*sandbox; /* NULL if the process is not confined */
	int64_t started;  /* sp_now() */
	uint64_t seed;	  /* seed of hash tables and cursors */
	struct sp_rt *rt;
	uint32_t worker_count;
	struct worker **workers; /* by shard */
	struct limits *limits;
	struct route_budget *budget; /* limit on routes */
	struct router_limit *router_limit;
	struct egress_bridge *bridge;
	struct output *output;
	struct publisher *publisher;
	/*
	 * Maximum bytes of a batch for the broker; UINT32_MAX = not known yet.
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
	/* all at the same time; returns the first error */
	COLLECTOR_ENV_PARALLEL,
};

/*
 * Run @fn on the shard of every worker, with the worker's element of @args: an
 * array of worker_count elements of @size bytes. Waits: outside of fibers it
 * blocks the thread; COLLECTOR_ENV_SERIAL yields in a fiber.
 */
int collector_env_each(const struct collector_env *env,
		       enum collector_env_order order, int (*fn)(void *arg),
		       void *args, size_t size);

#endif
