/*
 * The counters of the workers. A plain counter in struct session_counts or
 * struct worker_counts is a line of collector/worker_counters.h; all others are
 * rows here. A row is a family with one sample per worker; a row with words has
 * one per worker and word, from an array of counters.
 */
#include "collector/telemetry/metrics.h"

#include "bmp/names.h"
#include "collector/base/close_reason.h"
#include "collector/telemetry/collector_stats.h"
#include "collector/telemetry/worker_stats.h"
#include "collector/worker_counters.h"

#include <stddef.h>

struct row {
	const char *name;
	enum metrics_type type;
	uint32_t offset; /* offset of a 64-bit counter in struct worker_stats */
	/* length of the array; 0 = a single counter, without words */
	uint32_t count;
	const char *label;
	const char *(*word)(unsigned i);
	const char *help;
};

/* Label values that are not defined elsewhere. */

static const char *suppressed_word(unsigned i)
{
	static const char *const words[RIB_SUPPRESSED_KINDS] = {
		[RIB_SUPPRESSED_SAME] = "same",
		[RIB_SUPPRESSED_PRESENT] = "present",
		[RIB_SUPPRESSED_ABSENT] = "absent",
		[RIB_SUPPRESSED_FILTERED] = "filtered",
		[RIB_SUPPRESSED_LIMIT] = "limit",
		[RIB_SUPPRESSED_MEMORY] = "memory",
	};

	return words[i];
}

static const char *reason_word(unsigned i)
{
	static const char *const words[RIB_REASONS] = {
		[RIB_REASON_NONE] = "none",
		[RIB_REASON_PEER_DOWN] = "peer_down",
		[RIB_REASON_STALE_SWEEP] = "stale_sweep",
		[RIB_REASON_SESSION_LOST] = "session_lost",
		[RIB_REASON_TREAT_AS_WITHDRAW] = "treat_as_withdraw",
		[RIB_REASON_ADMIN] = "admin",
	};

	return words[i];
}

static const char *part_word(unsigned i)
{
	static const char *const words[RIB_BYTES_KINDS] = {
		[RIB_BYTES_PREFIXES] = "prefixes",
		[RIB_BYTES_ATTRS] = "attributes",
		[RIB_BYTES_ROUTES] = "routes",
		[RIB_BYTES_PEERS] = "peers",
	};

	return words[i];
}

static const char *close_word(unsigned i)
{
	static const char *const words[EGRESS_FLUSH_CAUSES] = {
		[EGRESS_FLUSH_FULL] = "full",	[EGRESS_FLUSH_IDLE] = "idle",
		[EGRESS_FLUSH_AGED] = "aged",	[EGRESS_FLUSH_EVENT] = "event",
		[EGRESS_FLUSH_FENCE] = "fence",
	};

	return words[i];
}

static const char *ending_word(unsigned i)
{
	return close_reason_name((enum close_reason)i);
}

/*
 * The word for counter @i of those that are adjacent in struct rib_flow:
 * announced, withdrawn and, for published ones, resync.
 */
static const char *action_word(unsigned i)
{
	static const char *const words[] = { "announce", "withdraw", "resync" };

	return words[i];
}

/* clang-format off */
#define AT(member) (uint32_t)offsetof(struct worker_stats, member)
#define ONE	   0, NULL, NULL
#define SESSION_ROW(member, type, name, help) \
	{ (name), METRICS_##type, AT(counts.sessions.member), ONE, (help) },
#define WORKER_ROW(member, type, name, help) \
	{ (name), METRICS_##type, AT(counts.member), ONE, (help) },

static const struct row rows[] = {
	SESSION_COUNTERS(SESSION_ROW)
	WORKER_COUNTERS(WORKER_ROW)
	{ "arancini_messages_total", METRICS_COUNTER,
	  AT(counts.sessions.messages), BMP_TYPES + 1, "type", bmp_type_name,
	  "BMP messages received, by type." },
	{ "arancini_message_results_total", METRICS_COUNTER,
	  AT(counts.sessions.statuses), BMP_STATUSES, "status", bmp_status_name,
	  "BMP messages by how well they could be read; all but ok are parse errors." },
	{ "arancini_connections_ended_total", METRICS_COUNTER,
	  AT(counts.close_reasons), CLOSE_REASONS, "reason", ending_word,
	  "Connections of routers that ended, by reason." },

	{ "arancini_updates_received_total", METRICS_COUNTER,
	  AT(flow.announced), 2, "action", action_word,
	  "Routes announced and withdrawn by routers." },
	{ "arancini_updates_suppressed_total", METRICS_COUNTER,
	  AT(flow.suppressed), RIB_SUPPRESSED_KINDS, "reason", suppressed_word,
	  "Routes that were not published, by reason." },
	{ "arancini_updates_published_total", METRICS_COUNTER,
	  AT(flow.published_announced), 3, "action", action_word,
	  "Routes published; withdraws include the synthetic ones." },
	{ "arancini_updates_synthetic_total", METRICS_COUNTER,
	  AT(flow.synthetic), RIB_REASONS, "reason", reason_word,
	  "Withdraws that no router sent, by reason." },
	{ "arancini_update_verdicts_total", METRICS_COUNTER,
	  AT(flow.verdicts), BGP_VERDICTS, "verdict", bgp_verdict_name,
	  "BGP UPDATEs by what RFC 7606 makes of them." },
	{ "arancini_update_faults_total", METRICS_COUNTER,
	  AT(flow.faults), BGP_FAULTS, "kind", bgp_fault_name,
	  "BGP UPDATEs by what was wrong with them." },
	{ "arancini_add_path_guessed_total", METRICS_COUNTER,
	  AT(flow.add_path_guessed), ONE,
	  "BGP UPDATEs read with path identifiers, or without, against what is negotiated or was learned." },
	{ "arancini_add_path_switched_total", METRICS_COUNTER,
	  AT(flow.add_path_switched), ONE,
	  "Tables read with path identifiers, or without, from then on." },
	{ "arancini_as_width_guessed_total", METRICS_COUNTER,
	  AT(flow.as_width_guessed), ONE,
	  "BGP UPDATEs whose AS_PATH has another width of AS numbers than their flags say." },
	{ "arancini_peer_ups_total", METRICS_COUNTER, AT(flow.peer_ups), ONE,
	  "Peer Up messages." },
	{ "arancini_peer_downs_total", METRICS_COUNTER, AT(flow.peer_downs), ONE,
	  "Peer Down messages." },
	{ "arancini_peers_implied_total", METRICS_COUNTER, AT(flow.implied_peers), ONE,
	  "Peers that sent routes without a Peer Up." },
	{ "arancini_peers_refused_total", METRICS_COUNTER, AT(flow.refused_peers), ONE,
	  "Peers and tables beyond their limit." },
	{ "arancini_table_names_cut_total", METRICS_COUNTER, AT(flow.names_cut), ONE,
	  "Names of tables of more than 255 bytes, of which the first are kept." },
	{ "arancini_statistics_cut_total", METRICS_COUNTER, AT(flow.statistics_cut), ONE,
	  "Counters of Statistics Reports beyond the first 1,024 of each, which are not published." },
	{ "arancini_ends_of_rib_total", METRICS_COUNTER, AT(flow.ends_of_rib), ONE,
	  "End-of-RIB markers received of tables that are stored." },
	{ "arancini_sweeps_total", METRICS_COUNTER, AT(flow.sweeps), ONE,
	  "Tables swept after a dump." },
	{ "arancini_missed_ends_of_rib_total", METRICS_COUNTER, AT(flow.missed_ends), ONE,
	  "Sweeps that a timer started because no End-of-RIB came." },

	{ "arancini_peers", METRICS_GAUGE, AT(size.peers), ONE, "Peers known." },
	{ "arancini_peers_up", METRICS_GAUGE, AT(size.peers_up), ONE, "Peers that are up." },
	{ "arancini_peers_stale", METRICS_GAUGE, AT(size.peers_stale), ONE,
	  "Peers of lost or restored sessions." },
	{ "arancini_tables", METRICS_GAUGE, AT(size.tables), ONE, "Tables known." },
	{ "arancini_tables_syncing", METRICS_GAUGE, AT(size.syncing), ONE,
	  "Tables whose dump has not ended." },
	{ "arancini_routes", METRICS_GAUGE, AT(size.routes), ONE, "Routes held." },
	{ "arancini_routes_pending_withdraw", METRICS_GAUGE, AT(size.pending_withdraw), ONE,
	  "Routes that are gone and whose withdraws are still to be published." },
	{ "arancini_prefixes", METRICS_GAUGE, AT(size.prefixes), ONE, "Distinct prefixes." },
	{ "arancini_attribute_sets", METRICS_GAUGE, AT(size.attribute_sets), ONE,
	  "Distinct sets of path attributes." },
	{ "arancini_rib_bytes", METRICS_GAUGE, AT(size.bytes), RIB_BYTES_KINDS, "part", part_word,
	  "Memory of the tables, by what it is for." },

	{ "arancini_batches_closed_total", METRICS_COUNTER, AT(batcher.closed), EGRESS_FLUSH_CAUSES,
	  "reason", close_word, "Batches closed, by reason." },
	{ "arancini_batch_plain_bytes_total", METRICS_COUNTER, AT(batcher.plain_bytes), ONE,
	  "Bytes in closed batches before compression." },
	{ "arancini_batch_sent_bytes_total", METRICS_COUNTER, AT(batcher.sent_bytes), ONE,
	  "Bytes in closed batches as they are sent." },
	{ "arancini_batch_lost_total", METRICS_COUNTER, AT(batcher.lost), ONE,
	  "Updates and events lost for want of memory." },

	{ "arancini_snapshot_files_total", METRICS_COUNTER, AT(snapshotter.files), ONE,
	  "Snapshots written." },
	{ "arancini_snapshot_routes_total", METRICS_COUNTER, AT(snapshotter.routes), ONE,
	  "Routes in them." },
	{ "arancini_snapshot_bytes_total", METRICS_COUNTER, AT(snapshotter.bytes), ONE,
	  "Bytes in them." },
	{ "arancini_snapshot_failures_total", METRICS_COUNTER, AT(snapshotter.failures), ONE,
	  "Snapshots that could not be written." },
};
/* clang-format on */

_Static_assert(AT(flow.withdrawn) == AT(flow.announced) + 8 &&
		       AT(flow.published_resync) ==
			       AT(flow.published_announced) + 16,
	       "rows with the words of actions are arrays by position");

static void put_row(struct json *j, const struct collector_stats *p,
		    const struct row *row)
{
	uint32_t n = row->count > 0 ? row->count : 1;

	metrics_family(j, row->name, row->type, row->help);
	for (uint32_t w = 0; w < p->count; w++) {
		const uint64_t *values =
			(const void *)((const char *)p->workers[w].stats +
				       row->offset);

		for (uint32_t i = 0; i < n; i++) {
			struct metrics_labels labels = { .len = 0 };

			metrics_label_uint(&labels, "worker", w);
			if (row->word != NULL)
				metrics_label(&labels, row->label,
					      row->word(i));
			metrics_uint(j, row->name, &labels, values[i]);
		}
	}
}

/* Values that are computed, not plain counters of struct worker_stats. */

enum other {
	OTHER_ROUTERS,
	OTHER_SESSIONS,
	OTHER_REPORTING,
	OTHER_DIFFERING,
	OTHER_OVER_RATE,
	OTHER_RATE_SECONDS,
	OTHER_BRIDGE_BATCHES,
	OTHER_BRIDGE_CAPACITY,
	OTHER_BRIDGE_BYTES,
	OTHER_BRIDGE_FILL,
	OTHER_BRIDGE_PUSHED,
	OTHER_BRIDGE_REFUSED,
	OTHER_BRIDGE_WAITS,
	OTHER_SNAPSHOT_SECONDS,
	OTHER_SNAPSHOT_LAST,
	OTHER_SNAPSHOT_AGE,
	OTHER_SNAPSHOT_MISSING,
	OTHERS
};

static double duration_seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static double value_of(enum other what, const struct collector_stats *p,
		       const struct collector_stats_worker *w)
{
	const struct worker_stats *one = w->stats;
	const double values[OTHERS] = {
		[OTHER_ROUTERS] = one->routers,
		[OTHER_SESSIONS] = one->sessions,
		[OTHER_REPORTING] = one->reporting,
		[OTHER_DIFFERING] = one->differing,
		[OTHER_OVER_RATE] = one->over_rate,
		[OTHER_RATE_SECONDS] = duration_seconds(
			(int64_t)one->counts.sessions.rate_paused_ns),
		[OTHER_BRIDGE_BATCHES] = w->bridge.batches,
		[OTHER_BRIDGE_CAPACITY] = w->bridge.capacity,
		[OTHER_BRIDGE_BYTES] = (double)w->bridge.bytes,
		[OTHER_BRIDGE_FILL] =
			(double)w->bridge.batches / (double)w->bridge.capacity,
		[OTHER_BRIDGE_PUSHED] = (double)w->bridge.pushed,
		[OTHER_BRIDGE_REFUSED] = (double)w->bridge.refused,
		[OTHER_BRIDGE_WAITS] = (double)w->bridge.waits,
		[OTHER_SNAPSHOT_SECONDS] =
			duration_seconds(one->snapshotter.total),
		[OTHER_SNAPSHOT_LAST] = duration_seconds(one->snapshotter.took),
		[OTHER_SNAPSHOT_AGE] =
			one->oldest != 0
				? duration_seconds(p->now - one->oldest)
				: 0,
		[OTHER_SNAPSHOT_MISSING] = one->unfiled,
	};

	return values[what];
}

/* clang-format off */
static const struct {
	const char *name;
	enum metrics_type type;
	const char *help;
} others[OTHERS] = {
	[OTHER_ROUTERS] = { "arancini_routers", METRICS_GAUGE, "Routers known." },
	[OTHER_SESSIONS] = { "arancini_sessions", METRICS_GAUGE, "BMP sessions that are open." },
	[OTHER_REPORTING] = { "arancini_routers_reporting", METRICS_GAUGE,
		"Routers that reported how many routes they have." },
	[OTHER_DIFFERING] = { "arancini_routers_count_mismatch", METRICS_GAUGE,
		"Routers whose count was another than ours when they reported it." },
	[OTHER_OVER_RATE] = { "arancini_routers_over_output_rate", METRICS_GAUGE,
		"Routers that --max-output-rate has kept from being read in the last minute." },
	[OTHER_RATE_SECONDS] = { "arancini_session_rate_paused_seconds_total", METRICS_COUNTER,
		"How long sessions were not read because of --max-output-rate." },
	[OTHER_BRIDGE_BATCHES] = { "arancini_bridge_batches", METRICS_GAUGE,
		"Batches that wait for the publisher." },
	[OTHER_BRIDGE_CAPACITY] = { "arancini_bridge_capacity_batches", METRICS_GAUGE,
		"Batches that may wait for the publisher." },
	[OTHER_BRIDGE_BYTES] = { "arancini_bridge_bytes", METRICS_GAUGE,
		"Bytes that wait for the publisher." },
	[OTHER_BRIDGE_FILL] = { "arancini_bridge_fill_ratio", METRICS_GAUGE,
		"How full the way to the publisher is, 0 to 1." },
	[OTHER_BRIDGE_PUSHED] = { "arancini_bridge_pushed_batches_total", METRICS_COUNTER,
		"Batches given to the publisher." },
	[OTHER_BRIDGE_REFUSED] = { "arancini_bridge_refused_total", METRICS_COUNTER,
		"Times the way to the publisher was full." },
	[OTHER_BRIDGE_WAITS] = { "arancini_bridge_waits_total", METRICS_COUNTER,
		"Times something waited for room there." },
	[OTHER_SNAPSHOT_SECONDS] = { "arancini_snapshot_seconds_total", METRICS_COUNTER,
		"Time from the first slice to the name of the file, of all snapshots." },
	[OTHER_SNAPSHOT_LAST] = { "arancini_snapshot_last_duration_seconds", METRICS_GAUGE,
		"The same of the last one." },
	[OTHER_SNAPSHOT_AGE] = { "arancini_snapshot_oldest_age_seconds", METRICS_GAUGE,
		"Age of the oldest snapshot that lacks something published since." },
	[OTHER_SNAPSHOT_MISSING] = { "arancini_routers_without_snapshot", METRICS_GAUGE,
		"Routers with tables that have none." },
};
/* clang-format on */

void metrics_workers(struct json *j, const struct collector_stats *p)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_row(j, p, &rows[i]);
	for (int i = 0; i < OTHERS; i++) {
		metrics_family(j, others[i].name, others[i].type,
			       others[i].help);
		for (uint32_t w = 0; w < p->count; w++) {
			struct metrics_labels labels = { .len = 0 };

			metrics_label_uint(&labels, "worker", w);
			metrics_number(j, others[i].name, &labels,
				       value_of((enum other)i, p,
						&p->workers[w]));
		}
	}
}
