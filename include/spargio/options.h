/*
 * spargio/options.h - options of a runtime
 *
 * For sp_run() and sp_start(), in runtime.h. These functions copy the options
 * and keep only the pointers on_blocked_shard_arg and on_fiber_left_arg.
 *
 * Two environment variables override fields: SP_BACKEND (auto, uring, epoll or
 * sim) overrides backend and SP_SPIN (a number) overrides spin_us. An empty
 * variable counts as not set. An invalid value makes sp_run() and sp_start()
 * return -EINVAL.
 */
#ifndef SPARGIO_OPTIONS_H
#define SPARGIO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sp_backend {
	SP_BACKEND_AUTO,  /* io_uring (Linux 5.11 or newer), else epoll */
	SP_BACKEND_URING, /* io_uring, or fail */
	SP_BACKEND_EPOLL,
	SP_BACKEND_SIM, /* simulated time, network and disk; see sim.h */
};

enum sp_ring_mode {
	/* completions run when the shard asks for them (the default) */
	SP_RING_DEFER,
	/* completions run at the next system call of the thread */
	SP_RING_COOP,
	/*
	 * A kernel thread submits. It uses a whole core while the shard submits
	 * and for sqpoll_idle_ms after that.
	 */
	SP_RING_SQPOLL,
};

/*
 * How receive streams receive. If the kernel lacks a mode, the runtime uses
 * the next one.
 */
enum sp_recv_mode {
	SP_RECV_BUNDLES, /* many buffers in one completion: Linux 6.10 */
	SP_RECV_SINGLES, /* one buffer in each completion: Linux 6.0 */
	SP_RECV_READY,	 /* poll for readiness, then read */
};

/*
 * Values of sp_opts.spin_us other than a number of microseconds. In the
 * adaptive mode, the default, a shard spins for at most 50 us before it
 * sleeps, but for at most 400 us if it has just woken another shard: a reply
 * is then likely.
 */
#define SP_SPIN_ADAPTIVE (-2)
#define SP_SPIN_FOREVER	 (-1) /* never sleep */

/* A shard whose running fiber does not yield; see sp_opts.on_blocked_shard. */
struct sp_blocked_shard {
	uint32_t shard;
	uint64_t fiber;	  /* id of the running fiber, as in sp_dump() */
	const char *name; /* NULL if it has none */
	uint32_t ms;	  /* the fiber has not yielded for at least this time */
};

/*
 * A fiber that had not ended at the stop deadline; see sp_opts.on_fiber_left.
 */
struct sp_fiber_left {
	uint32_t shard;
	uint64_t fiber;	  /* id of the fiber, as in sp_dump() */
	const char *name; /* NULL if it has none */
	/* as in sp_dump(); NULL if the fiber is not waiting */
	const char *waits_for;
};

/*
 * Zero means "the default" in every field except spin_us: start from
 * SP_OPTS_INIT.
 */
struct sp_opts {
	/* default: the number of CPUs this process may use */
	uint32_t shards;
	const char *name; /* "top -H" shows threads as NAME/SHARD */
	/* overridden by the environment variable SP_BACKEND */
	enum sp_backend backend;
	enum sp_ring_mode ring_mode;
	uint32_t ring_entries; /* submission queue; default 256 */
	uint32_t cq_entries;   /* default 8 x ring_entries */
	const int *affinity;   /* a CPU for each shard; default: none */
	/*
	 * For SP_RING_SQPOLL. sqpoll_idle_ms: the kernel thread sleeps after so
	 * many milliseconds without a submission; default 1000.
	 * sqpoll_affinity: a CPU for the kernel thread of each shard, -1 = any;
	 * default NULL = any.
	 */
	uint32_t sqpoll_idle_ms;
	const int *sqpoll_affinity;
	/* messages per pair of shards; default 4096 */
	uint32_t mailbox_capacity;
	/* stealable fibers queued per shard; default 4096 */
	uint32_t stealable_capacity;

	/* Stealing; struct sp_shard_stats has its counters. */
	/* shards tried in one search for work; default: all */
	uint32_t steal_budget;
	/* step from one tried shard to the next; default 1 = the neighbour */
	uint32_t steal_stride;
	/* fibers taken at once; default and maximum 128, half a queue */
	uint32_t steal_batch;
	/*
	 * A shard that has just run out of work steals only from shards with at
	 * least steal_locality stealable fibers in the queue (default 2): a
	 * single fiber will soon run on its own shard, where its data is in the
	 * cache. After steal_delay_us without work (default 20) the shard
	 * steals any fiber.
	 */
	uint32_t steal_locality;
	uint32_t steal_delay_us;
	/*
	 * A spinning shard pauses after each search that found nothing. Each
	 * pause is twice as long as the one before, up to this limit; default 0
	 * = no pause.
	 */
	uint32_t steal_backoff_us;
	/*
	 * microseconds of busy-waiting before a shard sleeps, or one of the
	 * SP_SPIN_... values; default SP_SPIN_ADAPTIVE
	 */
	int32_t spin_us;
	/* bytes per fiber; default 64 KiB, at most 1 MiB */
	size_t stack_size;
	/*
	 * Do not install a SIGSEGV handler. By default a handler writes the
	 * name of a fiber that overran its stack to standard error, then calls
	 * the previous handler or lets the process die.
	 */
	bool no_overflow_handler;

	/*
	 * Tags whose messages are delivered before all others; see message.h.
	 */
	const uint16_t *hot_tags;
	uint32_t hot_tag_count;
	/*
	 * Tags whose messages are summed, not queued; at most 64. See
	 * message.h.
	 */
	const uint16_t *counted_tags;
	uint32_t counted_tag_count;
	/* sum of a counted tag at which sp_count_wait() returns; default 1 */
	uint64_t counted_wake;

	uint32_t pool_threads; /* threads of the blocking pool; default 4 */
	/* jobs that may wait for a pool thread; default 1024 */
	uint32_t pool_queue;

	/* Buffers of receive streams, for each shard; see rstream.h. */
	uint32_t recv_buffers;	   /* rounded up to 2^n; default 256 */
	uint32_t recv_buffer_size; /* bytes; default 16 KiB */
	enum sp_recv_mode recv_mode;

	/*
	 * Called on the watchdog thread when a fiber has run for watchdog_ms
	 * without yielding.
	 */
	uint32_t watchdog_ms; /* default 0: no watchdog */
	void (*on_blocked_shard)(const struct sp_blocked_shard *blocked,
				 void *arg);
	void *on_blocked_shard_arg;

	/*
	 * How long sp_run() waits for the other fibers after the first fiber
	 * has returned; default 0 = until all fibers have ended. See
	 * runtime.h.
	 */
	uint32_t stop_ms;
	/*
	 * Called for each fiber that has not ended: with sp_run() when stop_ms
	 * has passed, on a separate thread; with sp_stop() at its deadline, on
	 * the caller's thread. The fibers may still be running.
	 */
	void (*on_fiber_left)(const struct sp_fiber_left *left, void *arg);
	void *on_fiber_left_arg;
};

#ifdef __cplusplus
static inline struct sp_opts sp__opts_init(void)
{
	struct sp_opts opts = {};

	opts.spin_us = SP_SPIN_ADAPTIVE;
	return opts;
}
#define SP_OPTS_INIT sp__opts_init()
#else
#define SP_OPTS_INIT ((struct sp_opts){ .spin_us = SP_SPIN_ADAPTIVE })
#endif

#ifdef __cplusplus
}
#endif

#endif
