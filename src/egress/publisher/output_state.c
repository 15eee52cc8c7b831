#include "egress/publisher/output_state.h"

#include <stdio.h>

/* clang-format off */
static const struct output_cause_row rows[OUTPUT_CAUSES] = {
	[OUTPUT_CAUSE_NONE] = { "none", OUTPUT_OK, "", "" },
	[OUTPUT_CAUSE_SUPERSEDED] = { "superseded", OUTPUT_STOPPED,
		"another process with this collector id writes to the stream",
		"stop one of the two, or give one another --collector-id; then restart this one" },
	[OUTPUT_CAUSE_REFUSED] = { "refused", OUTPUT_STOPPED,
		"the stream cannot be used",
		"correct the setting or the option that is named" },
	[OUTPUT_CAUSE_TOO_SMALL] = { "too_small", OUTPUT_STOPPED,
		"the server or the stream takes only messages that are too small",
		"raise the setting that is named" },
	[OUTPUT_CAUSE_DISK_FULL] = { "disk_full", OUTPUT_STOPPED,
		"the disk of the journal is full",
		"make room on that disk, or bring the broker back" },
	[OUTPUT_CAUSE_SPOOL_FULL] = { "spool_full", OUTPUT_STOPPED,
		"the spool is full",
		"bring the broker back, or raise --spool-max and restart" },
	[OUTPUT_CAUSE_DISK_FAILED] = { "disk_failed", OUTPUT_STOPPED,
		"the journal cannot be written",
		"look at the disk and the rights of the folder" },
	[OUTPUT_CAUSE_NO_RIGHTS] = { "no_rights", OUTPUT_DEGRADED,
		"the broker does not permit what the collector needs",
		"give its user the right that is named, or correct its credentials" },
	[OUTPUT_CAUSE_STREAM_FULL] = { "stream_full", OUTPUT_DEGRADED,
		"the stream is full, or the server has no room for it",
		"raise the stream's limits, have it discard old messages, or give the server room" },
	[OUTPUT_CAUSE_NO_JETSTREAM] = { "no_jetstream", OUTPUT_DEGRADED,
		"the server has no JetStream",
		"enable JetStream on the server and for the account" },
	[OUTPUT_CAUSE_BROKER_AWAY] = { "broker_away", OUTPUT_DEGRADED,
		"the broker cannot be reached, or does not answer",
		"bring the broker back, or correct --nats and its TLS options" },
	[OUTPUT_CAUSE_SPOOL_UNREADABLE] = { "spool_unreadable", OUTPUT_DEGRADED,
		"the spool cannot be read",
		"look at the disk; docs/operations.md says how to go on without a damaged file" },
	[OUTPUT_CAUSE_NOT_STORED] = { "not_stored", OUTPUT_DEGRADED,
		"the broker does not store messages",
		"look at the broker's log" },
	[OUTPUT_CAUSE_NO_PROGRESS] = { "no_progress", OUTPUT_DEGRADED,
		"for 5 seconds nothing of what waits was stored",
		"look at the broker's log and disk; after a minute the collector starts over by itself" },
	[OUTPUT_CAUSE_BEHIND] = { "behind", OUTPUT_DEGRADED,
		"updates wait for more than 5 seconds: the broker is catching up, or slower than they come",
		"wait until the spool is empty; if it grows, see AranciniSpoolGrowing" },
};
/* clang-format on */

const struct output_cause_row *output_cause_row(enum output_cause cause)
{
	return &rows[cause];
}

enum output_status output_status(const struct output_state *state)
{
	return rows[state->cause].status;
}

const char *output_status_name(enum output_status status)
{
	static const char *const names[] = {
		[OUTPUT_OK] = "ok",
		[OUTPUT_DEGRADED] = "degraded",
		[OUTPUT_STOPPED] = "stopped",
	};

	return names[status];
}

void output_state_why(const struct output_state *state,
		      char out[OUTPUT_WHY_MAX])
{
	const char *detail = state->detail.text;

	snprintf(out, OUTPUT_WHY_MAX, "%s%s%s", rows[state->cause].words,
		 detail[0] != '\0' ? ": " : "", detail);
}
