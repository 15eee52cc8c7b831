/*
 * The only thread-local variable of the runtime: the shard of this thread.
 *
 * A compiler may keep the address of a thread-local in a register across a
 * call, and across a switch that address can belong to another thread. So the
 * variable is read in this file only, by a function that is never inlined.
 */
#include "spargio/sched/current.h"

#include <errno.h>

/*
 * With this model the variable has a constant offset from the thread pointer,
 * also in the shared library. The default model would call a function of libc,
 * on the stack of a fiber.
 */
static _Thread_local struct sp_shard *self
	__attribute__((tls_model("initial-exec")));

__attribute__((noinline)) struct sp_shard *sp__shard_self(void)
{
	/* Prevents the compiler from merging two calls. */
	__asm__ volatile("" ::: "memory");
	return self;
}

__attribute__((noinline)) void sp__shard_set_self(struct sp_shard *shard)
{
	__asm__ volatile("" ::: "memory");
	self = shard;
}

__attribute__((noinline)) int sp_errno(void)
{
	__asm__ volatile("" ::: "memory");
	return errno;
}

struct sp_fiber *sp__fiber_self(void)
{
	struct sp_shard *shard = sp__shard_self();

	return shard == NULL ? NULL : shard->current;
}

struct sp_rt *sp__runtime_or_own(struct sp_rt *rt)
{
	struct sp_fiber *fiber;

	if (rt != NULL)
		return rt;
	fiber = sp__fiber_self();
	return fiber == NULL ? NULL : fiber->shard->rt;
}
