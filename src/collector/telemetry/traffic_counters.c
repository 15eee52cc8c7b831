#include "collector/telemetry/traffic_counters.h"

static uint64_t sum(const uint64_t *counts, size_t n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += counts[i];
	return all;
}

struct figures figures_of(const struct pulse *p)
{
	const struct rib_flow *flow = &p->flow;

	return (struct figures){ {
		[FIGURE_MESSAGES] =
			sum(p->counts.sessions.messages, BMP_TYPES + 1),
		[FIGURE_BYTES] = p->counts.sessions.bytes,
		[FIGURE_RECEIVED] = flow->announced + flow->withdrawn,
		[FIGURE_SUPPRESSED] =
			sum(flow->suppressed, RIB_SUPPRESSED_KINDS),
		[FIGURE_PUBLISHED] = flow->published_announced +
				     flow->published_withdrawn +
				     flow->published_resync,
		[FIGURE_SYNTHETIC] = sum(flow->synthetic, RIB_REASONS),
	} };
}

void figures_add(struct figures *to, const struct figures *more)
{
	for (int i = 0; i < FIGURES; i++)
		to->of[i] += more->of[i];
}

struct figures figures_rate(const struct figures *before,
			    const struct figures *now, int64_t ns)
{
	struct figures rate = { { 0 } };

	for (int i = 0; i < FIGURES && ns > 0; i++) {
		double grown = (double)(now->of[i] - before->of[i]);

		rate.of[i] = (uint64_t)(grown * 1e9 / (double)ns + 0.5);
	}
	return rate;
}

void figures_json(struct json *j, const struct figures *f)
{
	static const char *const names[FIGURES] = {
		[FIGURE_MESSAGES] = "messages",
		[FIGURE_BYTES] = "bytes",
		[FIGURE_RECEIVED] = "received",
		[FIGURE_SUPPRESSED] = "suppressed",
		[FIGURE_PUBLISHED] = "published",
		[FIGURE_SYNTHETIC] = "synthetic",
	};

	for (int i = 0; i < FIGURES; i++)
		json_uint_at(j, names[i], f->of[i]);
}
