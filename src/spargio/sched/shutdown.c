#include "spargio/sched/shutdown.h"
#include "spargio/sched/ready.h"

/*
 * True if every fiber has ended. Read the ends before the spawns: both only
 * grow, and each spawn is counted before its end, so equal sums mean that no
 * fiber was alive in between.
 */
static bool all_ended(struct sp_rt *rt)
{
	uint64_t finished = atomic_load(&rt->outside_finished);
	uint64_t spawned = 0;

	for (uint32_t i = 0; i < rt->nshards; i++)
		finished += atomic_load(&rt->shards[i].counts.finished);
	for (uint32_t i = 0; i < rt->nshards; i++)
		spawned += atomic_load(&rt->shards[i].counts.spawned);
	return spawned + atomic_load(&rt->outside_spawned) == finished;
}

void sp__shards_end(struct sp_rt *rt)
{
	atomic_store(&rt->ending, true);
	for (uint32_t i = 0; i < rt->nshards; i++)
		sp__shard_notify(&rt->shards[i]);
	sem_post(&rt->ended);
}

/*
 * If two shards reap the last two fibers at the same time, the shard whose
 * fetch_add is the later one sees the count of the other shard.
 */
void sp__shards_end_if_over(struct sp_rt *rt)
{
	atomic_fetch_add(&rt->ends, 1);
	if (all_ended(rt))
		sp__shards_end(rt);
}

/*
 * Hot: once per fiber. A shard counts and then reads "closing"; sp__rt_cancel()
 * writes "closing" and then reads the counts. Without a fence each could miss
 * the other. The fence is in sp__closing_seen(), once per shard instead of once
 * per fiber.
 */
void sp__count_finished(struct sp_shard *s)
{
	_Atomic uint64_t *finished = &s->counts.finished;
	uint64_t n = atomic_load_explicit(finished, memory_order_relaxed) + 1;

	/*
	 * Pairs with all_ended(): the fibers that the ended fiber has spawned
	 * were counted before.
	 */
	atomic_store_explicit(finished, n, memory_order_release);
	if (atomic_load_explicit(&s->rt->closing, memory_order_relaxed))
		sp__shards_end_if_over(s->rt);
}

void sp__count_refused(struct sp_rt *rt)
{
	atomic_fetch_add(&rt->outside_finished, 1);
	if (atomic_load(&rt->closing))
		sp__shards_end_if_over(rt);
}

/*
 * sp__rt_cancel() may have missed fibers that this shard counted before it saw
 * "closing": check once for all of them. From here on sp__count_finished()
 * checks each time.
 */
void sp__closing_seen(struct sp_shard *s)
{
	s->closing_seen = true;
	sp__shards_end_if_over(s->rt);
}
