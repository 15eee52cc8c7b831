#include "collector/telemetry/traffic_counters.h"

#include "collector/telemetry/worker_stats.h"

static uint64_t counts_sum(const uint64_t *counts, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += counts[i];
	return all;
}

struct traffic_counters traffic_counters_of(const struct worker_stats *p)
{
	const struct rib_flow *flow = &p->flow;

	return (struct traffic_counters){ {
		[TRAFFIC_MESSAGES] =
			counts_sum(p->counts.sessions.messages, BMP_TYPES + 1),
		[TRAFFIC_BYTES] = p->counts.sessions.bytes,
		[TRAFFIC_RECEIVED] = flow->announced + flow->withdrawn,
		[TRAFFIC_SUPPRESSED] =
			counts_sum(flow->suppressed, RIB_SUPPRESSED_KINDS),
		[TRAFFIC_PUBLISHED] = flow->published_announced +
				      flow->published_withdrawn +
				      flow->published_resync,
		[TRAFFIC_SYNTHETIC] = counts_sum(flow->synthetic, RIB_REASONS),
	} };
}

void traffic_counters_add(struct traffic_counters *to,
			  const struct traffic_counters *more)
{
	for (int i = 0; i < TRAFFIC_COUNTERS; i++)
		to->of[i] += more->of[i];
}

struct traffic_counters traffic_counters_rate(
	const struct traffic_counters *before,
	const struct traffic_counters *now, int64_t ns)
{
	struct traffic_counters rate = { { 0 } };

	for (int i = 0; i < TRAFFIC_COUNTERS && ns > 0; i++) {
		double grown = (double)(now->of[i] - before->of[i]);

		rate.of[i] = (uint64_t)(grown * 1e9 / (double)ns + 0.5);
	}
	return rate;
}

void traffic_counters_json(struct json *j,
			   const struct traffic_counters *counters)
{
	static const char *const names[TRAFFIC_COUNTERS] = {
		[TRAFFIC_MESSAGES] = "messages",
		[TRAFFIC_BYTES] = "bytes",
		[TRAFFIC_RECEIVED] = "received",
		[TRAFFIC_SUPPRESSED] = "suppressed",
		[TRAFFIC_PUBLISHED] = "published",
		[TRAFFIC_SYNTHETIC] = "synthetic",
	};

	for (int i = 0; i < TRAFFIC_COUNTERS; i++)
		json_uint_at(j, names[i], counters->of[i]);
}
