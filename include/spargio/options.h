/*
 * spargio/options.h - what can be chosen when a runtime starts
 *
 * For sp_run() and sp_start(), in runtime.h, which keep no pointer into it but
 * on_blocked_shard_arg.
 *
 * Two variables of the environment win over the fields: SP_BACKEND (auto, uring
 * or epoll) and SP_SPIN (spin_us as a number). An empty one counts as not set;
 * any other value is -EINVAL of sp_run() and sp_start().
 */
#ifndef SPARGIO_OPTIONS_H
#define SPARGIO_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

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

/* Values of sp_opts.spin_us other than a number of microseconds. */
#define SP_SPIN_ADAPTIVE (-2) /* learn it, at most 50 us; the default */
#define SP_SPIN_FOREVER	 (-1) /* never sleep */

/* A shard on which one fiber runs and does not yield; see sp_opts. */
struct sp_blocked_shard {
	uint32_t shard;
	uint64_t fiber;	  /* id of that fiber, as in sp_dump() */
	const char *name; /* or NULL */
	uint32_t ms;	  /* how long it has run without yielding, at least */
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
};

#define SP_OPTS_INIT ((struct sp_opts){ .spin_us = SP_SPIN_ADAPTIVE })

#endif
