#include "collector/telemetry/status_json.h"

#include "bmp/text.h"
#include "collector/base/json.h"
#include "collector/base/sandbox.h"
#include "collector/checkpoint/checkpoint.h"
#include "collector/checkpoint/state_store.h"
#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/telemetry/collector_stats.h"
#include "collector/telemetry/traffic_counters.h"
#include "collector/telemetry/worker_stats.h"
#include "egress/publisher/publisher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t status_resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	char line[128] = "";
	char *resident;

	if (f == NULL)
		return 0;
	/*
	 * /proc/self/statm has pages: the total address space, then the
	 * resident memory.
	 */
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	resident = strchr(line, ' ');
	return resident == NULL ? 0
				: strtoull(resident, NULL, 10) *
					  (uint64_t)sysconf(_SC_PAGESIZE);
}

double status_latency(const struct publisher_times *t, double share)
{
	uint64_t all = 0, seen = 0;

	for (int i = 0; i < PUBLISHER_LATENCIES; i++)
		all += t->of[i];
	for (int i = 0; i < PUBLISHER_LATENCIES && all > 0; i++) {
		seen += t->of[i];
		if ((double)seen >= share * (double)all)
			return (double)(UINT64_C(1) << i) / 1e6;
	}
	return 0;
}

/*
 * Write a latency; null if there was no message in the last minute, which is
 * not the same as 0 seconds.
 */
static void put_latency(struct json *j, const char *name,
			const struct publisher_times *t, double share)
{
	double seconds = status_latency(t, share);

	if (seconds > 0)
		json_number_at(j, name, seconds);
	else
		json_null_at(j, name);
}

static void put_output_state(struct json *j, const struct output_state *state)
{
	const struct output_cause_row *row = output_cause_row(state->cause);
	bool ok = row->status == OUTPUT_OK;
	char why[OUTPUT_WHY_MAX];

	output_state_why(state, why);
	json_string_at(j, "status", output_status_name(row->status));
	json_string_at(j, "cause", ok ? NULL : row->name);
	json_string_at(j, "why", ok ? NULL : why);
	json_string_at(j, "action", ok ? NULL : row->action);
}

static void put_output(struct json *j, const struct publisher_stats *s,
		       bool jetstream)
{
	json_key(j, "output");
	json_object(j);
	json_string_at(j, "kind", jetstream ? "jetstream" : "journal");
	json_string_at(j, "state", publisher_state_name(s->state));
	put_output_state(j, &s->output);
	json_bool_at(j, "spooling", s->spooling);
	json_bool_at(j, "diskFull", s->disk_full);
	json_uint_at(j, "epoch", s->epoch);
	json_uint_at(j, "messages",
		     jetstream ? s->messages : s->journal_messages);
	json_uint_at(j, "updates", jetstream ? s->updates : s->journal_updates);
	json_uint_at(j, "bytes", jetstream ? s->bytes : s->journal_written);
	json_uint_at(j, "inFlight", s->in_flight);
	json_uint_at(j, "waiting", s->waiting);
	json_uint_at(j, "spoolBytes", s->spool_left);
	json_uint_at(j, "journalBytes", s->journal_size);
	json_uint_at(j, "connects", s->connects);
	json_uint_at(j, "recoveries", s->recoveries);
	json_uint_at(j, "duplicates", s->duplicates);
	json_uint_at(j, "timeouts", s->timeouts);
	json_uint_at(j, "refused", s->refused);
	json_uint_at(j, "tooLong", s->too_long);
	json_uint_at(j, "rollbacks", s->rollbacks);
	json_uint_at(j, "resentMessages", s->resent);
	json_uint_at(j, "ackedTailBytes", s->acked_tail_size);
	json_string_at(j, "lastError",
		       s->last_error.text[0] != '\0' ? s->last_error.text
						     : NULL);
	put_latency(j, "ackSecondsP50", &s->acks, 0.5);
	put_latency(j, "ackSecondsP99", &s->acks, 0.99);
	put_latency(j, "safeSecondsP50", &s->safe, 0.5);
	put_latency(j, "safeSecondsP99", &s->safe, 0.99);
	json_end_object(j);
}

static uint64_t bytes_of(const struct rib_sizes *sizes)
{
	uint64_t bytes = 0;

	for (int i = 0; i < RIB_BYTES_KINDS; i++)
		bytes += sizes->bytes[i];
	return bytes;
}

double status_bytes_per_route(const struct rib_sizes *sizes)
{
	return sizes->routes > 0
		       ? (double)bytes_of(sizes) / (double)sizes->routes
		       : 0;
}

static void put_totals(struct json *j, const struct collector_stats *p)
{
	json_key(j, "totals");
	json_object(j);
	json_uint_at(j, "routers", p->routers);
	json_uint_at(j, "routersCountMismatch", p->differing);
	json_uint_at(j, "routersClashing", p->clashing);
	json_uint_at(j, "routersOverOutputRate", p->over_rate);
	json_uint_at(j, "sessions", p->sessions);
	json_uint_at(j, "peers", p->sizes.peers);
	json_uint_at(j, "peersUp", p->sizes.peers_up);
	json_uint_at(j, "peersStale", p->sizes.peers_stale);
	json_uint_at(j, "tables", p->sizes.tables);
	json_uint_at(j, "routes", p->sizes.routes);
	json_uint_at(j, "attributeSets", p->sizes.attribute_sets);
	json_uint_at(j, "bytes", bytes_of(&p->sizes));
	json_number_at(j, "bytesPerRoute", status_bytes_per_route(&p->sizes));
	json_uint_at(j, "residentBytes", status_resident());
	json_end_object(j);
}

static void put_figures(struct json *j, const char *name,
			const struct traffic_counters *f)
{
	json_key(j, name);
	json_object(j);
	traffic_counters_json(j, f);
	json_end_object(j);
}

static void put_bridge(struct json *j, const struct egress_bridge_stats *b)
{
	json_key(j, "bridge");
	json_object(j);
	json_uint_at(j, "capacity", b->capacity);
	json_uint_at(j, "batches", b->batches);
	json_uint_at(j, "bytes", b->bytes);
	json_number_at(j, "fill", (double)b->batches / (double)b->capacity);
	json_end_object(j);
}

static void put_worker(struct json *j, uint32_t id,
		       const struct collector_stats_worker *w,
		       const struct worker_rates *v)
{
	json_object(j);
	json_uint_at(j, "id", id);
	json_uint_at(j, "routers", w->stats->routers);
	json_uint_at(j, "sessions", w->stats->sessions);
	json_uint_at(j, "peers", w->stats->size.peers);
	json_uint_at(j, "routes", w->stats->size.routes);
	json_number_at(j, "busy", v->busy);
	put_bridge(j, &w->bridge);
	put_figures(j, "rates", &v->rate);
	json_end_object(j);
}

static void put_workers(struct json *j, const struct collector_stats *p,
			const struct worker_rates *rates)
{
	struct traffic_counters rate = { { 0 } }, counters = { { 0 } };

	for (uint32_t i = 0; i < p->count; i++) {
		struct traffic_counters one =
			traffic_counters_of(p->workers[i].stats);

		traffic_counters_add(&counters, &one);
		traffic_counters_add(&rate, &rates[i].rate);
	}
	put_figures(j, "rates", &rate);
	put_figures(j, "counters", &counters);
	json_key(j, "workers");
	json_array(j);
	for (uint32_t i = 0; i < p->count; i++)
		put_worker(j, i, &p->workers[i], &rates[i]);
	json_end_array(j);
}

/* Convert a monotonic time to the wall clock; 0 stays 0. */
static uint64_t wall_of(const struct collector_stats *p, int64_t then)
{
	return then == 0 ? 0 : p->wall_ns - (uint64_t)(p->now - then);
}

static void put_snapshots(struct json *j, const struct collector_env *env,
			  const struct collector_stats *p)
{
	struct snapshotter_counts all = { 0 };
	int64_t oldest = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct worker_stats *one = p->workers[i].stats;

		all.files += one->snapshotter.files;
		all.failures += one->snapshotter.failures;
		if (one->snapshotter.last > all.last) {
			all.last = one->snapshotter.last;
			all.took = one->snapshotter.took;
		}
		if (one->oldest != 0 && (oldest == 0 || one->oldest < oldest))
			oldest = one->oldest;
	}
	json_key(j, "snapshots");
	json_object(j);
	json_string_at(j, "where",
		       env->checkpoint == NULL
			       ? NULL
			       : state_store_where(
					 checkpoint_store(env->checkpoint)));
	json_uint_at(j, "files", all.files);
	json_uint_at(j, "failures", all.failures);
	json_time_at(j, "lastAt", wall_of(p, all.last));
	json_number_at(j, "lastSeconds", (double)all.took / 1e9);
	json_time_at(j, "oldestAt", wall_of(p, oldest));
	json_end_object(j);
}

/*
 * Write the configured addresses. If a port is 0, the actual port is in the
 * log.
 */
static void put_listen(struct json *j, const struct config_addresses *list)
{
	json_key(j, "listen");
	json_array(j);
	for (size_t i = 0; i < list->count; i++) {
		char text[64];
		struct text t = text_start(text, sizeof(text));

		text_ip_port(&t, list->at[i].address, list->at[i].port);
		text_end(&t);
		json_string(j, text);
	}
	json_end_array(j);
}

static void put_process(struct json *j, const struct sandbox_state *s)
{
	static const struct sandbox_state none;

	s = s == NULL ? &none : s;
	json_key(j, "process");
	json_object(j);
	json_uint_at(j, "uid", s->uid);
	json_string_at(j, "sandbox", sandbox_mode_name(s->mode));
	json_uint_at(j, "landlockAbi", (uint64_t)s->landlock_abi);
	json_bool_at(j, "noNewPrivs", s->no_new_privs);
	json_bool_at(j, "noCapabilities", s->no_capabilities);
	json_bool_at(j, "noCoreDumps", s->no_core_dumps);
	json_end_object(j);
}

void status_json(struct json *j, const struct collector_env *env,
		 const struct collector_stats *p,
		 const struct worker_rates *rates)
{
	const struct config *config = env->config;
	int64_t up_ms = (p->now - env->started) / 1000000;

	json_object(j);
	json_string_at(j, "collector", config->identity.collector);
	json_string_at(j, "version", ARANCINI_VERSION);
	json_string_at(j, "schema", "1");
	json_time_at(j, "startedAt", wall_of(p, env->started));
	json_number_at(j, "uptimeSeconds", (double)up_ms / 1e3);
	json_key(j, "ready");
	json_object(j);
	readiness_json(j, &p->readiness);
	json_end_object(j);
	put_listen(j, &config->listen.addresses);
	put_output(j, &p->publisher, config->nats.urls.count > 0);
	put_totals(j, p);
	put_workers(j, p, rates);
	put_snapshots(j, env, p);
	put_process(j, env->sandbox);
	json_end_object(j);
}
