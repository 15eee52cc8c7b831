/*
 * egress/publisher/output_state.h - whether updates get out, and if not, why
 *
 * One table has for each cause its name, what it means and what to do. The log,
 * /readyz, /api/v1/status, /metrics and the dashboard all show this state and
 * none of them judges by itself, so they agree. docs/operations.md has the same
 * table.
 *
 *	ok		what was received is safe, or has waited for less than 5 s
 *	degraded	it does not reach consumers, but the spool keeps it
 *	stopped		it cannot be kept, or the stream is not ours: routers wait
 *
 * Pure.
 */
#ifndef EGRESS_PUBLISHER_OUTPUT_STATE_H
#define EGRESS_PUBLISHER_OUTPUT_STATE_H

#include "egress/nats/auth.h"

enum output_status {
	OUTPUT_OK,
	OUTPUT_DEGRADED,
	OUTPUT_STOPPED,
};

/* Of several the first counts. */
enum output_cause {
	OUTPUT_CAUSE_NONE,
	OUTPUT_CAUSE_SUPERSEDED,
	OUTPUT_CAUSE_REFUSED,
	OUTPUT_CAUSE_TOO_SMALL,
	OUTPUT_CAUSE_DISK_FULL,
	OUTPUT_CAUSE_SPOOL_FULL,
	OUTPUT_CAUSE_DISK_FAILED,
	OUTPUT_CAUSE_NO_RIGHTS,
	OUTPUT_CAUSE_STREAM_FULL,
	OUTPUT_CAUSE_NO_JETSTREAM,
	OUTPUT_CAUSE_BROKER_AWAY,
	OUTPUT_CAUSE_SPOOL_UNREADABLE,
	OUTPUT_CAUSE_NOT_STORED,
	OUTPUT_CAUSE_NO_PROGRESS,
	OUTPUT_CAUSE_BEHIND,
	OUTPUT_CAUSES
};

struct output_cause_row {
	const char *name; /* for programs: a label, a member of JSON */
	enum output_status status;
	const char *words;  /* for people */
	const char *action; /* what they should do */
};

struct output_state {
	enum output_cause cause;
	struct nats_error detail; /* what the server or the disk said; "" */
};

const struct output_cause_row *output_cause_row(enum output_cause cause);
enum output_status output_status(const struct output_state *state);
const char *output_status_name(enum output_status status);

#define OUTPUT_WHY_MAX (2 * NATS_WORDS_MAX)

/* The words with the detail; "" where there is no cause. */
void output_state_why(const struct output_state *state,
		      char out[OUTPUT_WHY_MAX]);

#endif
