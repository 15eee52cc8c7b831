/*
 * spargio/options.h - what can be chosen when a runtime starts
 *
 * For sp_run() and sp_start(), in runtime.h, which keep no pointer into it but
 * on_blocked_shard_arg and on_fiber_left_arg.
 *
 * Two variables of the environment win over the fields: SP_BACKEND (auto, uring
 * or epoll) and SP_SPIN (spin_us as a number). An empty one counts as not set;
 * any other value is -EINVAL of sp_run() and sp_start().
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
	SP_BACKEND_AUTO,  /* io_uring (Linux 5.11), or epoll without it */
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

/*
 * Values of sp_opts.spin_us other than a number of microseconds. To learn it is
 * the default: at most 50 us, and 400 us after waking another shard, where an
 * answer tends to come.
 */
#define SP_SPIN_ADAPTIVE (-2)
#define SP_SPIN_FOREVER	 (-1) /* never sleep */

/* A shard on which one fiber runs and does not yield; see sp_opts. */
struct sp_blocked_shard {
	uint32_t shard;
	uint64_t fiber;	  /* id of that fiber, as in sp_dump() */
	const char *name; /* or NULL */
	uint32_t ms;	  /* how long it has run without yielding, at least */
};

/* A fiber that had not ended when time was up; see sp_opts. */
struct sp_fiber_left {
	uint32_t shard;
	uint64_t fiber;	       /* its id, as in sp_dump() */
	const char *name;      /* or NULL */
	const char *waits_for; /* as in sp_dump(); NULL: it does not wait */
};

/*
 * Zero means "the default" in every field but spin_us: start from SP_OPTS_INIT.
 */
struct sp_opts {
	uint32_t shards;	 /* default: CPUs this process may use */
	const char *name;	 /* "top -H" shows threads as NAME/SHARD */
	enum sp_backend backend; /* environment SP_BACKEND wins */
	enum sp_ring_mode ring_mode;
	uint32_t ring_entries;	     /* submission queue; default 256 */
	uint32_t cq_entries;	     /* default 8 x ring_entries */
	const int *affinity;	     /* a CPU for each shard; default: none */
	uint32_t mailbox_capacity;   /* messages per pair; default 4096 */
	uint32_t stealable_capacity; /* queued per shard; default 4096 */
	uint32_t steal_budget; /* victims asked in a search; default: all */
	int32_t spin_us;       /* before sleeping; environment SP_SPIN wins */
	size_t stack_size;     /* of a fiber; default 64 KiB, at most 1 MiB */
	/*
	 * Leave SIGSEGV alone: a fiber that overruns its stack is not named.
	 * By default a handler writes its name to standard error, then calls
	 * the handler that was there before, or lets the process die.
	 */
	bool no_overflow_handler;

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

	/* Called on a thread of its own when a fiber blocks a shard so long. */
	uint32_t watchdog_ms; /* default 0: no watchdog */
	void (*on_blocked_shard)(const struct sp_blocked_shard *blocked,
				 void *arg);
	void *on_blocked_shard_arg;

	/*
	 * How long sp_run() waits for fibers that are alive when the first one
	 * has returned; default 0: until they have ended. See runtime.h.
	 */
	uint32_t stop_ms;
	/*
	 * Called for each fiber that has not ended after that time, on a thread
	 * of its own, or at the deadline of sp_stop(), on the caller's thread.
	 * The fibers go on meanwhile.
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
