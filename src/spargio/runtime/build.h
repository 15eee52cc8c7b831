/*
 * spargio/runtime/build.h - make and unmake a runtime without its threads
 *
 * For a simulation, which runs the shards itself.
 */
#ifndef SPARGIO_RUNTIME_BUILD_H
#define SPARGIO_RUNTIME_BUILD_H

#include "spargio/sched/runtime.h"

int sp__rt_new(const struct sp_opts *opts, struct sp_rt **out);

/* Refuse new fibers and cancel all existing ones. */
void sp__rt_cancel(struct sp_rt *rt);

/*
 * Free the runtime when all threads have ended. False if fibers had not ended:
 * @rt, the shards and the stacks are then not freed.
 */
bool sp__rt_close(struct sp_rt *rt);

/*
 * Free the runtime and its stacks, although fibers have not ended. No object
 * outside the runtime may point to a fiber.
 */
void sp__rt_drop(struct sp_rt *rt);

#endif
