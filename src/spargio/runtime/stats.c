#include "spargio/io/placement.h"
#include "spargio/sched/pool.h"
#include "spargio/sched/ready.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/stack.h"

#include <spargio/stats.h>
#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define READ(field) atomic_load_explicit(&c->field, memory_order_relaxed)

/*
 * Return the busy time that sp__shard_counts.busy encodes. If the word changes
 * while the clock is read, read the clock again, so that the time is not before
 * the start of the busy period.
 */
static uint64_t busy_ns(const struct sp__shard_counts *c)
{
	uint64_t busy = READ(busy), again;
	int64_t now;

	for (;;) {
		now = sp_now();
		again = READ(busy);
		if (again == busy)
			break;
		busy = again;
	}
	/* Rounded as in idle.c, so that the value never decreases. */
	return busy & SP__BUSY ? ((uint64_t)now - busy) & ~SP__BUSY : busy;
}

int sp_stats_shard(struct sp_rt *rt, uint32_t shard, struct sp_shard_stats *out)
{
	const struct sp__shard_counts *c;

	if (shard >= rt->nshards)
		return -EINVAL;
	c = &rt->shards[shard].counts;
	*out = (struct sp_shard_stats){
		.runnable = READ(runnable),
		.stealable = sp__shard_stealable(&rt->shards[shard]),
		.pending_ops = READ(pending_ops),
		.busy_ns = busy_ns(c),
		.switches = READ(switches),
		.spawned = READ(spawned),
		.finished = READ(finished),
		.refused_spawns = READ(refused_spawns),
		.stolen = READ(stolen),
		.steals = READ(steals),
		.steal_attempts = READ(steal_attempts),
		.steal_probes = READ(steal_probes),
		.steal_backoffs = READ(steal_backoffs),
		.messages_sent = READ(sent),
		.messages_refused = READ(refused),
		.messages_received = READ(received),
		.shard_wakeups = READ(shard_wakeups),
		.parks = READ(parks),
		.spins = READ(spins),
		.wakes = READ(wakes),
		.ops = READ(ops),
		.local_ops = READ(local_ops),
		.remote_ops = READ(remote_ops),
		.refused_ops = READ(refused_ops),
		.recv_out = READ(recv_out),
		.recv_starved = READ(recv_starved),
		.recv_copied = READ(recv_copied),
		.recv_aside = READ(recv_aside),
		.recv_pauses = READ(recv_pauses),
		.accept_pauses = READ(accept_pauses),
		.cq_overflows = READ(cq_overflows),
		.affinity_violations = READ(affinity_violations),
	};
	return 0;
}

void sp_stats_get(struct sp_rt *rt, struct sp_stats *out)
{
	uint64_t finished = atomic_load(&rt->outside_finished);
	uint64_t spawned = atomic_load(&rt->outside_spawned);

	*out = (struct sp_stats){ .shards = rt->nshards };
	for (uint32_t i = 0; i < rt->nshards; i++) {
		const struct sp__shard_counts *c = &rt->shards[i].counts;

		finished += READ(finished);
		spawned += READ(spawned);
	}
	out->live_fibers = (uint32_t)(spawned - finished);
	out->refused_spawns = atomic_load(&rt->outside_refused);
	out->refused_ops = atomic_load(&rt->leases->refused);
	sp__pool_stats(rt->pool, &out->pool_threads, &out->pool_queued);
	/* Pairs with the release in stack.c. */
	for (const struct sp__slab *slab =
		     atomic_load_explicit(&rt->stacks.slabs,
					  memory_order_acquire);
	     slab != NULL; slab = slab->next) {
		out->stack_bytes += slab->size;
		out->stacks += atomic_load_explicit(&slab->carved,
						    memory_order_relaxed);
	}
	out->unguarded_stacks = atomic_load_explicit(&rt->stacks.unguarded,
						     memory_order_relaxed);
}

struct dump {
	int fd;
	int err;
	int64_t now;
};

static const char *state_name(uint8_t state)
{
	static const char *const names[] = {
		[SP__FIBER_FREE] = "free",
		[SP__FIBER_NEW] = "new",
		[SP__FIBER_READY] = "ready",
		[SP__FIBER_RUNNING] = "running",
		[SP__FIBER_WAITING] = "waiting",
		[SP__FIBER_DONE] = "done",
	};

	return state <= SP__FIBER_DONE ? names[state] : "?";
}

#define FIELD(field) atomic_load_explicit(&f->field, memory_order_relaxed)

static void dump_fiber(struct sp__slot *slot, void *arg)
{
	struct sp_fiber *f = (struct sp_fiber *)(void *)slot;
	struct dump *dump = arg;
	uint64_t id = FIELD(id);
	const char *name = FIELD(name);
	uint8_t state = FIELD(state);
	char line[256];
	int len;

	if (id == 0 || dump->err < 0)
		return;
	len = snprintf(line, sizeof(line),
		       "fiber %" PRIx64 " %s on shard %u %s", id,
		       name == NULL ? "-" : name, FIELD(seen_on),
		       state_name(state));
	if (state == SP__FIBER_WAITING && len < (int)sizeof(line))
		len += snprintf(line + len, sizeof(line) - (size_t)len,
				" for %s %p since %" PRId64 " ms",
				FIELD(waits_for), FIELD(waits_on),
				(dump->now - FIELD(waits_since)) / SP_MS);
	if (len > (int)sizeof(line) - 2)
		len = (int)sizeof(line) - 2;
	line[len] = '\n';
	if (write(dump->fd, line, (size_t)len + 1) < 0)
		dump->err = -errno;
}

int sp_dump(struct sp_rt *rt, int fd)
{
	struct dump dump = { .fd = fd, .now = sp_now() };

	sp__stacks_walk(&rt->stacks, dump_fiber, &dump);
	return dump.err;
}
