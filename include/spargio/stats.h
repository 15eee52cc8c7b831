/*
 * spargio/stats.h - look inside a running runtime
 *
 * Threads	Everything here may be called from any thread, at any time.
 * Cost		Counters are plain per-shard words; reading them disturbs
 *		nobody. They are not of one instant.
 */
#ifndef SPARGIO_STATS_H
#define SPARGIO_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rt;

struct sp_shard_stats {
	uint32_t runnable;    /* fibers waiting for their turn */
	uint32_t stealable;   /* of these, how many may be stolen */
	uint32_t pending_ops; /* operations the kernel holds */
	uint64_t busy_ns;     /* neither asleep nor spinning, up to now */
	uint64_t switches;
	uint64_t spawned;
	uint64_t finished;
	uint64_t stolen; /* fibers this shard took from others */
	uint64_t steal_attempts;
	uint64_t messages_sent;
	uint64_t messages_refused; /* mailbox full: backpressure */
	uint64_t messages_received;
	uint64_t shard_wakeups; /* sent to other shards that slept */
	uint64_t parks;		/* times it went to sleep */
	uint64_t spins;		/* times work came while it still spun */
	uint64_t wakes;		/* fibers woken */
	uint64_t ops;		/* operations started */
	/* Of those that were asked for by op.h and placement.h: */
	uint64_t local_ops;	/* on the caller's own shard */
	uint64_t remote_ops;	/* asked for from elsewhere */
	uint64_t refused_ops;	/* asked for from here, and not begun */
	uint32_t recv_out;	/* buffers that are with receive streams */
	uint64_t recv_starved;	/* times a stream found no buffer free */
	uint64_t recv_copied;	/* bytes copied: messages across two buffers */
	uint64_t recv_aside;	/* the same, set aside by a pause */
	uint64_t recv_pauses;	/* times a stream was paused */
	uint64_t accept_pauses; /* descriptors or memory ran out */
	uint64_t cq_overflows;
	uint64_t affinity_violations; /* attempts to move what may not */
};

struct sp_stats {
	uint32_t shards;
	uint32_t live_fibers;
	uint32_t pool_threads;
	uint32_t pool_queued;
	uint64_t stack_bytes; /* address space, not memory */
	uint64_t stacks;      /* made so far; they are used again */
	/*
	 * Of these, how many have no guard. 0 since Linux 6.13; before that
	 * stacks beyond a quarter of vm.max_map_count (16,382 by default).
	 */
	uint64_t unguarded_stacks;
	uint64_t refused_ops; /* asked for by other threads, and not begun */
};

void sp_stats_get(struct sp_rt *rt, struct sp_stats *out);
/* -EINVAL for no such shard. */
int sp_stats_shard(struct sp_rt *rt, uint32_t shard,
		   struct sp_shard_stats *out);

/*
 * Write a line for every fiber to @fd: id, name, shard, state, what it waits
 * for and since when. 0 or a negative errno of write(2).
 */
int sp_dump(struct sp_rt *rt, int fd);

#ifdef __cplusplus
}
#endif

#endif
