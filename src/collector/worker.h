/*
 * collector/worker.h - the life of a worker
 *
 * worker_state.h says what a worker is. Everything here runs on its shard.
 */
#ifndef COLLECTOR_WORKER_H
#define COLLECTOR_WORKER_H

#include <stdint.h>

struct collector_env;
struct config;
struct worker;

/* -ENOMEM and what the runtime says. */
int worker_init(struct worker *w, const struct collector_env *env, uint32_t id);
void worker_fini(struct worker *w);

/*
 * Have @config hold from now on. Nothing here refers to the one before
 * afterwards. Sessions that its lists refuse are ended.
 */
void worker_configure(struct worker *w, const struct config *config);

/* The background fiber. @worker is a struct worker. */
int worker_work(void *worker);

/* Push what is left, close the worker's end of the bridge. Yields. */
int worker_finish(struct worker *w, int64_t deadline);

#endif
