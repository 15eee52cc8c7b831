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
 * An idle shard is asleep in the kernel and costs nothing.
 *
 * Errors	0 or a negative errno, everywhere. errno itself is not touched.
 * Logging	Nothing here writes anything, with one exception: a fiber that
 *		overruns its stack is named on standard error before the
 *		process dies of it.
 * Fork		Do not fork with a runtime running, except to exec at once.
 */
#ifndef SPARGIO_RUNTIME_H
#define SPARGIO_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_rt;

enum sp_backend {
	SP_BACKEND_AUTO,  /* io_uring, or epoll if it cannot be set up */
	SP_BACKEND_URING, /* io_uring or fail */
	SP_BACKEND_EPOLL,
};

enum sp_ring_mode {
	SP_RING_DEFER,	/* completions run when the shard asks: the best here */
	SP_RING_COOP,	/* they run at the next system call of the thread */
	SP_RING_SQPOLL, /* a kernel thread submits; burns a core */
};

/* How receive streams receive; a kernel that cannot takes the next. */
enum sp_recv_mode {
	SP_RECV_BUNDLES, /* many buffers in one completion: Linux 6.10 */
	SP_RECV_SINGLES, /* one buffer in each: Linux 6.0 */
	SP_RECV_READY,	 /* read when readable */
};

/* Values of sp_opts.spin_us other than a number of microseconds. */
#define SP_SPIN_ADAPTIVE (-2) /* learn it, at most 50 us; the default */
#define SP_SPIN_FOREVER	 (-1) /* never sleep */

/* What a fiber hogging its shard looks like; see sp_opts.on_hog. */
struct sp_hog {
	uint32_t shard;
	uint64_t fiber;	  /* its id, as in sp_dump() */
	const char *name; /* or NULL */
	uint32_t ms;	  /* how long it has run without yielding, at least */
};

/*
 * Zero means "the default" in every field but spin_us: start from SP_OPTS_INIT.
 */
struct sp_opts {
	uint32_t shards;	 /* default: CPUs this process may use */
	enum sp_backend backend; /* environment SP_BACKEND=epoll wins */
	enum sp_ring_mode ring_mode;
	uint32_t ring_entries;	     /* submission queue; default 256 */
	uint32_t cq_entries;	     /* default 8 x ring_entries */
	const int *affinity;	     /* a CPU for each shard; default: none */
	uint32_t mailbox_capacity;   /* messages per pair; default 4096 */
	uint32_t stealable_capacity; /* queued per shard; default 4096 */
	uint32_t steal_budget; /* victims asked in a search; default: all */
	int32_t spin_us;       /* before sleeping; environment SP_SPIN wins */
	size_t stack_size;     /* of a fiber; default 64 KiB, at most 1 MiB */

	/* Tags whose messages overtake the others; see message.h. */
	const uint16_t *hot_tags;
	uint32_t hot_tag_count;
	/* Tags that are summed instead of queued; at most 64. */
	const uint16_t *counted_tags;
	uint32_t counted_tag_count;
	uint64_t counted_wake; /* wake a waiter at this sum; default 1 */

	uint32_t pool_threads; /* of the blocking pool; default 4 */
	uint32_t pool_queue;   /* jobs waiting for them; default 1024 */

	/* Of receive streams, for each shard; see rstream.h. */
	uint32_t recv_buffers;	   /* rounded up to 2^n; default 256 */
	uint32_t recv_buffer_size; /* bytes; default 16 KiB */
	enum sp_recv_mode recv_mode;

	/* Called on a thread of its own when a fiber ran @watchdog_ms. */
	uint32_t watchdog_ms; /* default 0: no watchdog */
	void (*on_hog)(const struct sp_hog *hog, void *arg);
	void *on_hog_arg;
};

#define SP_OPTS_INIT ((struct sp_opts){ .spin_us = SP_SPIN_ADAPTIVE })

/*
 * Run @fn(@arg) as the first fiber, on shard 0, in the calling thread; return
 * what it returns. Fibers still alive then are cancelled and waited for. A
 * negative errno if the runtime could not start. @opts may be NULL.
 */
int sp_run(const struct sp_opts *opts, int (*fn)(void *), void *arg);

/* Start a runtime on threads of its own, inside a host program. */
int sp_start(const struct sp_opts *opts, struct sp_rt **out);

/*
 * Stop it: nothing new is spawned, every fiber is cancelled, and the call
 * waits for them until @deadline (see time.h). Then threads end and @rt is
 * freed.
 *
 * 0		every fiber had ended.
 * -ETIMEDOUT	some had not and were dropped where they stood.
 * -EBUSY	a fiber did not even yield, or a blocking job did not return;
 *		@rt is as it was and the call may be repeated.
 * -EDEADLK	called from one of its own fibers.
 */
int sp_stop(struct sp_rt *rt, int64_t deadline);

/* The runtime of the calling fiber, or NULL. */
struct sp_rt *sp_runtime(void);

uint32_t sp_shard_count(const struct sp_rt *rt);

/* "io_uring" or "epoll": what the runtime runs on. */
const char *sp_backend_name(const struct sp_rt *rt);

/* Why it is not io_uring: a negative errno of its set-up, or 0. */
int sp_backend_error(const struct sp_rt *rt);

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

#endif
