#include "collector/telemetry/metrics.h"

#include "collector/telemetry/collector_stats.h"
#include "collector/telemetry/status_json.h"

/* clang-format off */
static void put_counters(struct json *j, const struct publisher_stats *s)
{
	const struct {
		const char *name;
		enum metrics_type type;
		uint64_t value;
		const char *help;
	} rows[] = {
		{ "arancini_output_messages_total", METRICS_COUNTER, s->messages,
		  "Messages that the stream acknowledged." },
		{ "arancini_output_updates_total", METRICS_COUNTER, s->updates,
		  "Updates and events in them." },
		{ "arancini_output_bytes_total", METRICS_COUNTER, s->bytes,
		  "Bytes in them." },
		{ "arancini_journal_messages_total", METRICS_COUNTER, s->journal_messages,
		  "Messages that are safe in the journal or spool." },
		{ "arancini_journal_updates_total", METRICS_COUNTER, s->journal_updates,
		  "Updates and events in them." },
		{ "arancini_journal_written_bytes_total", METRICS_COUNTER, s->journal_written,
		  "Bytes in them." },
		{ "arancini_journal_bytes", METRICS_GAUGE, s->journal_size,
		  "Size of the journal or spool on disk." },
		{ "arancini_spool_bytes", METRICS_GAUGE, s->spool_left,
		  "Bytes in the spool that the stream does not have." },
		{ "arancini_journal_damaged_segments_total", METRICS_COUNTER, s->damaged_segments,
		  "Damaged segments that were set aside or passed over." },
		{ "arancini_output_in_flight_messages", METRICS_GAUGE, s->in_flight,
		  "Messages sent and not acknowledged." },
		{ "arancini_output_waiting_messages", METRICS_GAUGE, s->waiting,
		  "Messages in memory, neither in flight nor on disk." },
		{ "arancini_output_connects_total", METRICS_COUNTER, s->connects,
		  "Connections made to the servers." },
		{ "arancini_output_recoveries_total", METRICS_COUNTER, s->recoveries,
		  "Times the stream was asked where to go on." },
		{ "arancini_output_duplicates_total", METRICS_COUNTER, s->duplicates,
		  "Messages acknowledged as stored before." },
		{ "arancini_output_purges_total", METRICS_COUNTER, s->purges,
		  "Times somebody removed messages of the stream." },
		{ "arancini_output_restarts_total", METRICS_COUNTER, s->restarts,
		  "Times the publisher started over because nothing was stored for a minute." },
		{ "arancini_output_rollbacks_total", METRICS_COUNTER, s->rollbacks,
		  "Times the stream had lost what it once acknowledged, and that could not be sent again." },
		{ "arancini_output_resent_messages_total", METRICS_COUNTER, s->resent,
		  "Messages that the stream had lost, and that were sent again from the acked tail." },
		{ "arancini_acked_tail_bytes", METRICS_GAUGE, s->acked_tail_size,
		  "Size on disk of what is kept to be sent again." },
		{ "arancini_output_timeouts_total", METRICS_COUNTER, s->timeouts,
		  "Acknowledgements that did not come in time." },
		{ "arancini_output_refused_total", METRICS_COUNTER, s->refused,
		  "Messages that the server did not store." },
		{ "arancini_output_too_long_total", METRICS_COUNTER, s->too_long,
		  "Updates and events left out because the server takes none as long." },
		{ "arancini_output_spooling", METRICS_GAUGE, s->spooling,
		  "1 while messages go to the spool." },
		{ "arancini_output_disk_full", METRICS_GAUGE, s->disk_full,
		  "1 while the disk of the journal is full." },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		metrics_family(j, rows[i].name, rows[i].type, rows[i].help);
		metrics_uint(j, rows[i].name, NULL, rows[i].value);
	}
}
/* clang-format on */

/* Write all causes each time, so that a series does not disappear. */
static void put_causes(struct json *j, const struct output_state *state)
{
	static const char name[] = "arancini_output_cause";

	metrics_one(j, "arancini_output_status", METRICS_GAUGE,
		    output_status(state),
		    "Whether updates get out: 0 ok, 1 degraded (the spool "
		    "keeps them), 2 stopped.");
	metrics_family(j, name, METRICS_GAUGE,
		       "1 for the reason why the output is not ok.");
	for (int i = OUTPUT_CAUSE_NONE + 1; i < OUTPUT_CAUSES; i++) {
		struct metrics_labels labels = { .len = 0 };

		metrics_label(&labels, "cause",
			      output_cause_row((enum output_cause)i)->name);
		metrics_uint(j, name, &labels,
			     state->cause == (enum output_cause)i);
	}
}

void metrics_output(struct json *j, const struct collector_stats *p,
		    int64_t spooling_since)
{
	put_causes(j, &p->publisher.output);
	put_counters(j, &p->publisher);
	metrics_one(j, "arancini_spool_age_seconds", METRICS_GAUGE,
		    spooling_since != 0
			    ? (double)(p->now - spooling_since) / 1e9
			    : 0,
		    "For how long there has been something in the spool.");
	metrics_times(j, "arancini_output_ack_seconds", &p->publisher.acks,
		      "From sending a message to its acknowledgement.");
	metrics_times(j, "arancini_publish_latency_seconds", &p->publisher.safe,
		      "From the first update of a batch to the moment it is "
		      "safe, acknowledged or synced to disk.");
	metrics_one(j, "arancini_ready", METRICS_GAUGE, p->readiness.ready,
		    "1 if the collector is ready, as /readyz says.");
	metrics_one(j, "arancini_resident_memory_bytes", METRICS_GAUGE,
		    (double)status_resident(), "Memory of the process.");
	metrics_one(j, "arancini_rib_bytes_per_route", METRICS_GAUGE,
		    status_bytes_per_route(&p->sizes),
		    "Memory of the tables for each route held.");
}
