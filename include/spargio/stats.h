/*
 * spargio/stats.h - look inside a running runtime
 *
 * Threads	All functions may be called from any thread, at any time.
 * Cost		Counters are plain words of each shard, and reading them takes
 *		no lock. They are read one after the other, so they may be from
 *		different moments.
 */
#ifndef SPARGIO_STATS_H
#define SPARGIO_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rt;

struct sp_shard_stats {
	uint32_t runnable;    /* fibers in the run queue */
	uint32_t stealable;   /* of these, the stealable ones */
	uint32_t pending_ops; /* operations in flight */
	uint64_t busy_ns;     /* total time the shard neither slept nor spun */
	uint64_t switches;    /* times the shard switched to a fiber */
	uint64_t spawned;
	uint64_t finished;
	/* calls of sp_go_...() by fibers of this shard that returned an error */
	uint64_t refused_spawns;
	uint64_t stolen;	 /* fibers taken from other shards */
	uint64_t steals;	 /* searches that found fibers */
	uint64_t steal_attempts; /* searches for fibers to steal */
	uint64_t steal_probes;	 /* shards checked in these searches */
	uint64_t steal_backoffs; /* pauses after a search that found nothing */
	uint64_t messages_sent;
	/* messages refused because the mailbox was full */
	uint64_t messages_refused;
	uint64_t messages_received;
	uint64_t shard_wakeups; /* wake-ups sent to sleeping shards */
	uint64_t parks;		/* times the shard went to sleep */
	/* times work arrived while the shard was spinning */
	uint64_t spins;
	uint64_t wakes; /* fibers woken */
	uint64_t ops;	/* operations started */
	/* The next three count the operations of op.h and placement.h. */
	uint64_t local_ops;  /* started by a fiber of this shard */
	uint64_t remote_ops; /* started here for another shard or thread */
	/* requested by a fiber of this shard but refused */
	uint64_t refused_ops;
	uint32_t recv_out;     /* buffers held by receive streams */
	uint64_t recv_starved; /* times a stream found no buffer free */
	/* bytes copied because a message spans two buffers */
	uint64_t recv_copied;
	uint64_t recv_aside;  /* bytes copied because a stream was paused */
	uint64_t recv_pauses; /* times a stream was paused */
	/* accept pauses for lack of descriptors or memory */
	uint64_t accept_pauses;
	uint64_t cq_overflows;
	uint64_t affinity_violations; /* refused attempts to migrate a fiber */
};

struct sp_stats {
	uint32_t shards;
	uint32_t live_fibers;
	uint32_t pool_threads;
	uint32_t pool_queued;
	/* address space of all stacks; resident memory is less */
	uint64_t stack_bytes;
	uint64_t stacks; /* stacks allocated; they are reused */
	/*
	 * Stacks without a guard. 0 on Linux 6.13 or newer. On older kernels
	 * only a limited number of stacks get a guard: a quarter of
	 * vm.max_map_count (16,382 by default).
	 */
	uint64_t unguarded_stacks;
	uint64_t refused_ops;	 /* operations of other threads, refused */
	uint64_t refused_spawns; /* spawns of other threads, refused */
};

void sp_stats_get(struct sp_rt *rt, struct sp_stats *out);
/* Read the counters of a shard. -EINVAL if @shard does not exist. */
int sp_stats_shard(struct sp_rt *rt, uint32_t shard,
		   struct sp_shard_stats *out);

/*
 * Write one line for each fiber to @fd: id, name, shard, state, reason and
 * duration of the wait. 0 or a negative errno of write(2).
 */
int sp_dump(struct sp_rt *rt, int fd);

#ifdef __cplusplus
}
#endif

#endif
