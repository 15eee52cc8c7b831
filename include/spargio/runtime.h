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
 *	   messages and stealable fibers move between shards
 *
 * A shard is one thread with one ring and one run queue. Fibers run on shards.
 * An idle shard sleeps in the kernel.
 *
 * Errors	0 or a negative errno, everywhere. errno is not used.
 * Logging	The runtime prints nothing, with one exception: the name of a
 *		fiber that overruns its stack is written to standard error
 *		before the process dies; see sp_opts.no_overflow_handler.
 * Signals	To detect such a fiber the runtime installs a SIGSEGV handler,
 *		unless the library is built with ASan. The handler uses a signal
 *		stack of each shard and calls the previous handler. It is
 *		removed when the last runtime ends, but a handler that the
 *		program installed later stays. The runtime installs no other
 *		signal handler.
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
 * Run @fn(@arg) as the first fiber, on shard 0, in the calling thread. When
 * @fn has returned, cancel all other fibers, wait until they have ended, and
 * return the result of @fn. Returns a negative errno if the runtime cannot
 * start: -EINVAL for an invalid option or environment variable (options.h).
 * @opts may be NULL.
 *
 * A fiber that ignores -ECANCELED may never end. sp_opts.stop_ms limits the
 * wait for such fibers; after that time sp_opts.on_fiber_left is called for
 * each of them, and sp_run() returns:
 *
 * -ETIMEDOUT	Fibers that had not ended were dropped, as by sp_stop().
 * -EBUSY	A fiber of another shard did not yield, or a blocking job did
 *		not return. Its thread keeps running and may use the memory
 *		that the program passed to it, for example @arg. The rings,
 *		stacks and such threads of the runtime remain until the process
 *		ends.
 *
 * If a fiber of shard 0 does not yield, sp_run() does not return, because the
 * calling thread runs that fiber. on_fiber_left is called nevertheless.
 */
int sp_run(const struct sp_opts *opts, int (*fn)(void *), void *arg);

/*
 * Start a runtime on threads of its own, inside a host program. Returns 0 or
 * an error as sp_run().
 */
int sp_start(const struct sp_opts *opts, struct sp_rt **out);

/*
 * Refuse new fibers, cancel all fibers of @rt, wait for them until @deadline
 * (see time.h), then end the threads and free @rt. Other threads may call
 * sp_go_on(), sp_go_attr(), sp_go_copy(), sp_call_on(), sp_msg_post() and the
 * functions of placement.h with @rt at any time, even when @rt has been freed:
 * they return -ESHUTDOWN.
 *
 * 0		Every fiber has ended, or @rt is NULL.
 * -ETIMEDOUT	Fibers that had not ended by @deadline were dropped: they never
 *		run again. Locks and memory that they held are not released, and
 *		their stacks stay mapped. Objects for which they waited can
 *		still be used.
 * -EBUSY	A fiber did not yield, or a blocking job did not return. @rt was
 *		not freed; call sp_stop() again.
 * -EDEADLK	The caller is a fiber of @rt.
 */
int sp_stop(struct sp_rt *rt, int64_t deadline);

/* The runtime of the calling fiber, or NULL. */
struct sp_rt *sp_runtime(void);

uint32_t sp_shard_count(const struct sp_rt *rt);

/* The name of the back end: "io_uring", "epoll" or "sim". */
const char *sp_backend_name(const struct sp_rt *rt);

/* The negative errno of the io_uring set-up if it failed and epoll is used. */
int sp_backend_error(const struct sp_rt *rt);

/*
 * Fill @data with random bytes, as getrandom(2); in a simulation they come from
 * its seed. 0 or a negative errno. Any thread.
 */
int sp_random(void *data, size_t len);

#define SP__MAIN_FIBER(body)                                           \
	struct sp__main_args {                                         \
		int argc;                                              \
		char **argv;                                           \
	};                                                             \
	static int sp__main_fiber(void *arg)                           \
	{                                                              \
		struct sp__main_args *a = (struct sp__main_args *)arg; \
                                                                       \
		return body(a->argc, a->argv);                         \
	}

/* Make main() run @body(argc, argv) as the first fiber. */
#define SP_MAIN(body)                                       \
	SP__MAIN_FIBER(body)                                \
	int main(int argc, char **argv)                     \
	{                                                   \
		struct sp__main_args a = { argc, argv };    \
		int ret = sp_run(NULL, sp__main_fiber, &a); \
                                                            \
		return ret < 0 ? 1 : ret;                   \
	}

/*
 * As SP_MAIN(), with options. Before the runtime starts, @configure(opts, argc,
 * argv) changes *opts, a struct sp_opts that is SP_OPTS_INIT at first. If
 * @configure does not return 0, @body does not run, and main() returns that
 * value, or 1 if it is negative.
 */
#define SP_MAIN_WITH(configure, body)                            \
	SP__MAIN_FIBER(body)                                     \
	int main(int argc, char **argv)                          \
	{                                                        \
		struct sp__main_args a = { argc, argv };         \
		struct sp_opts opts = SP_OPTS_INIT;              \
		int ret = configure(&opts, argc, argv);          \
                                                                 \
		if (ret == 0)                                    \
			ret = sp_run(&opts, sp__main_fiber, &a); \
		return ret < 0 ? 1 : ret;                        \
	}

#ifdef __cplusplus
}
#endif

#endif
