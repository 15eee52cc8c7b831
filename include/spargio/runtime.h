/*
 * spargio/runtime.h - start and stop a runtime
 *
 *	     sp_rt
 *	+------------------------------------------------+
 *	| shard 0         shard 1         ...  shard n-1 |
 *	| thread          thread               thread    |
 *	| io_uring  <---> io_uring  <--->      io_uring  |
 *	| run queue <---> run queue <--->      run queue |
 *	+------------------------------------------------+
 *	   messages and stealable fibers move sideways
 *
 * A shard is one thread with one ring and one run queue. Fibers run on shards.
 * An idle shard sleeps in the kernel.
 *
 * Errors	0 or a negative errno, everywhere. errno is not used.
 * Logging	The runtime prints nothing, with one exception: the name of a
 *		fiber that overruns its stack is written to standard error
 *		before the process dies; see sp_opts.no_overflow_handler.
 * Signals	SIGSEGV has a handler for this while a runtime runs, unless the
 *		library is built with ASan. It runs on its own stack, on shards,
 *		calls the previous handler, and is removed with the last
 *		runtime. If the program sets a handler later, that one stays. No
 *		other signal is touched.
 * Fork		Do not fork while a runtime runs, except to exec immediately.
 */
#ifndef SPARGIO_RUNTIME_H
#define SPARGIO_RUNTIME_H

#include <spargio/options.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rt;

/*
 * Run @fn(@arg) as the first fiber, on shard 0, in the calling thread; return
 * what it returns. Fibers still alive then are cancelled and waited for. A
 * negative errno if the runtime could not start: -EINVAL for an option, or a
 * variable of the environment, that is not valid (options.h). @opts may be
 * NULL.
 *
 * A fiber that ignores -ECANCELED is waited for in vain: sp_opts.stop_ms bounds
 * that, and sp_opts.on_fiber_left is told which fibers are left. Then:
 *
 * -ETIMEDOUT	some had to be dropped where they stood, as by sp_stop().
 * -EBUSY	a fiber of another shard did not even yield, or a blocking job
 *		did not return. Its thread runs on, and uses what it was given,
 *		@arg say. What the runtime owns (rings, stacks, threads that do
 *		not end) stays until the process ends.
 *
 * A fiber of shard 0 that does not yield keeps the call from returning: it is
 * the calling thread that runs it. on_fiber_left is told all the same.
 */
int sp_run(const struct sp_opts *opts, int (*fn)(void *), void *arg);

/* Start a runtime on threads of its own, inside a host program; errors alike. */
int sp_start(const struct sp_opts *opts, struct sp_rt **out);

/*
 * Stop it: nothing new is spawned, every fiber is cancelled, and the call
 * waits for them until @deadline (see time.h). Then threads end and @rt is
 * freed. Other threads need not know: with this @rt sp_go_on(), sp_go_attr(),
 * sp_go_copy(), sp_call_on(), sp_msg_post() and the calls of placement.h return
 * -ESHUTDOWN, also when it is freed already.
 *
 * 0		every fiber had ended.
 * -ETIMEDOUT	some had not and were dropped where they stood. What they held
 *		stays held; what they waited in can be used and goes on without
 *		them; their stacks are never given back.
 * -EBUSY	a fiber did not even yield, or a blocking job did not return;
 *		@rt is as it was and the call may be repeated.
 * -EDEADLK	called from one of its own fibers.
 *
 * NULL is fine: 0, there is nothing to stop.
 */
int sp_stop(struct sp_rt *rt, int64_t deadline);

/* The runtime of the calling fiber, or NULL. */
struct sp_rt *sp_runtime(void);

uint32_t sp_shard_count(const struct sp_rt *rt);

/* "io_uring" or "epoll": what the runtime runs on. */
const char *sp_backend_name(const struct sp_rt *rt);

/* Why it is not io_uring: a negative errno of its set-up, or 0. */
int sp_backend_error(const struct sp_rt *rt);

/*
 * Fill @data with random bytes, as getrandom(2); in a simulation they come from
 * its seed. 0 or a negative errno. Any thread.
 */
int sp_random(void *data, size_t len);

/* Make main() run @body(argc, argv) as the first fiber. */
#define SP_MAIN(body)                                                  \
	struct sp__main_args {                                         \
		int argc;                                              \
		char **argv;                                           \
	};                                                             \
	static int sp__main_fiber(void *arg)                           \
	{                                                              \
		struct sp__main_args *a = (struct sp__main_args *)arg; \
                                                                       \
		return body(a->argc, a->argv);                         \
	}                                                              \
	int main(int argc, char **argv)                                \
	{                                                              \
		struct sp__main_args a = { argc, argv };               \
		int ret = sp_run(NULL, sp__main_fiber, &a);            \
                                                                       \
		return ret < 0 ? 1 : ret;                              \
	}

#ifdef __cplusplus
}
#endif

#endif
