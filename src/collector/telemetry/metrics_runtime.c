/* Writes the counters of the runtime (spargio/stats.h) for each shard. */
#include "collector/telemetry/metrics.h"

#include "collector/telemetry/collector_stats.h"

#include <stddef.h>

struct row {
	const char *name;
	enum metrics_type type;
	uint32_t offset;
	bool narrow;  /* the counter has 32 bits */
	bool seconds; /* the counter is in nanoseconds */
	const char *help;
};

/* clang-format off */
#define WIDE(member)   (uint32_t)offsetof(struct sp_shard_stats, member), false, false
#define NARROW(member) (uint32_t)offsetof(struct sp_shard_stats, member), true, false
#define TIME(member)   (uint32_t)offsetof(struct sp_shard_stats, member), false, true

static const struct row rows[] = {
	{ "spargio_shard_busy_seconds_total", METRICS_COUNTER, TIME(busy_ns),
	  "Time a shard was neither asleep nor spinning." },
	{ "spargio_shard_runnable_fibers", METRICS_GAUGE, NARROW(runnable),
	  "Fibers that wait for their turn." },
	{ "spargio_shard_pending_operations", METRICS_GAUGE, NARROW(pending_ops),
	  "Operations that the kernel holds." },
	{ "spargio_fiber_switches_total", METRICS_COUNTER, WIDE(switches), "Switches to a fiber." },
	{ "spargio_fibers_spawned_total", METRICS_COUNTER, WIDE(spawned), "Fibers begun." },
	{ "spargio_fibers_finished_total", METRICS_COUNTER, WIDE(finished), "Fibers ended." },
	{ "spargio_fibers_stolen_total", METRICS_COUNTER, WIDE(stolen), "Fibers taken from other shards." },
	{ "spargio_steal_attempts_total", METRICS_COUNTER, WIDE(steal_attempts), "Searches for such fibers." },
	{ "spargio_fiber_wakes_total", METRICS_COUNTER, WIDE(wakes), "Fibers woken." },
	{ "spargio_messages_sent_total", METRICS_COUNTER, WIDE(messages_sent), "Messages to other shards." },
	{ "spargio_messages_refused_total", METRICS_COUNTER, WIDE(messages_refused),
	  "Messages that found a mailbox full." },
	{ "spargio_messages_received_total", METRICS_COUNTER, WIDE(messages_received),
	  "Messages from other shards." },
	{ "spargio_shard_wakeups_total", METRICS_COUNTER, WIDE(shard_wakeups), "Shards woken from their sleep." },
	{ "spargio_parks_total", METRICS_COUNTER, WIDE(parks), "Times a shard went to sleep." },
	{ "spargio_spins_total", METRICS_COUNTER, WIDE(spins), "Times work came while a shard still spun." },
	{ "spargio_operations_total", METRICS_COUNTER, WIDE(ops), "Operations started." },
	{ "spargio_receive_buffers_out", METRICS_GAUGE, NARROW(recv_out),
	  "Provided buffers that are with receive streams." },
	{ "spargio_receive_starved_total", METRICS_COUNTER, WIDE(recv_starved),
	  "Times a receive stream found no provided buffer free." },
	{ "spargio_receive_copied_bytes_total", METRICS_COUNTER, WIDE(recv_copied),
	  "Bytes that receive streams had to copy." },
	{ "spargio_receive_pauses_total", METRICS_COUNTER, WIDE(recv_pauses),
	  "Times a receive stream was paused." },
	{ "spargio_accept_pauses_total", METRICS_COUNTER, WIDE(accept_pauses),
	  "Times descriptors or memory ran out while accepting." },
	{ "spargio_completion_overflows_total", METRICS_COUNTER, WIDE(cq_overflows),
	  "Times completions did not fit into their queue." },
	{ "spargio_affinity_violations_total", METRICS_COUNTER, WIDE(affinity_violations),
	  "Attempts to move what may not move: a bug." },
};
/* clang-format on */

static double value_of(const struct row *row, const struct sp_shard_stats *s)
{
	const char *at = (const char *)s + row->offset;
	double value = row->narrow ? *(const uint32_t *)at
				   : (double)*(const uint64_t *)at;

	return row->seconds ? value / 1e9 : value;
}

void metrics_runtime(struct json *j, const struct collector_stats *p)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		metrics_family(j, rows[i].name, rows[i].type, rows[i].help);
		for (uint32_t w = 0; w < p->count; w++) {
			struct metrics_labels labels = { .len = 0 };

			metrics_label_uint(&labels, "shard", w);
			metrics_number(j, rows[i].name, &labels,
				       value_of(&rows[i],
						&p->workers[w].shard));
		}
	}
	metrics_one(j, "spargio_live_fibers", METRICS_GAUGE,
		    p->runtime.live_fibers, "Fibers that have not ended.");
	metrics_one(j, "spargio_stack_bytes", METRICS_GAUGE,
		    (double)p->runtime.stack_bytes,
		    "Address space of stacks, which is not memory.");
	metrics_one(j, "spargio_pool_queued_jobs", METRICS_GAUGE,
		    p->runtime.pool_queued,
		    "Jobs that wait for the blocking pool.");
}
