/*
 * collector/worker.h - start, configure and stop a worker
 *
 * worker_state.h has the state of a worker. All functions here run on the shard
 * of the worker.
 */
#ifndef COLLECTOR_WORKER_H
#define COLLECTOR_WORKER_H

#include <stdint.h>

struct collector_env;
struct config;
struct worker;

/*
 * Initialise @w as worker @id of the collector. Returns 0, -ENOMEM or an error
 * of the runtime.
 */
int worker_init(struct worker *w, const struct collector_env *env, uint32_t id);
void worker_fini(struct worker *w);

/*
 * Use @config from now on. Afterwards nothing refers to the previous
 * configuration. Sessions that the new --allow and --deny refuse are ended.
 */
void worker_configure(struct worker *w, const struct config *config);

/* The main function of the background fiber. @worker is a struct worker. */
int worker_work(void *worker);

/*
 * Push the remaining batches and close the worker's ring of the bridge. Yields.
 */
int worker_finish(struct worker *w, int64_t deadline);

#endif
