/*
 * egress/publisher/output_state.h - whether updates get out, and if not, why
 *
 * One table has for each cause its name, what it means and what to do. The log,
 * /readyz, /api/v1/status, /metrics and the dashboard all show this state and
 * none of them judges by itself, so they agree. docs/operations.md has the same
 * table.
 *
 *	ok		all updates are safe, or have waited for less than 5 s
 *	degraded	updates do not reach consumers; the spool keeps them
 *	stopped		updates cannot be kept, or another collector writes to
 *			the stream: routers wait
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

/* If several causes apply, the one that is first here is shown. */
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
	const char *name; /* name for programs: a label, a JSON value */
	enum output_status status;
	const char *words;  /* description for people */
	const char *action; /* what people should do */
};

struct output_state {
	enum output_cause cause;
	/* text of the server or the disk; "" = none */
	struct nats_error detail;
};

const struct output_cause_row *output_cause_row(enum output_cause cause);
enum output_status output_status(const struct output_state *state);
const char *output_status_name(enum output_status status);

#define OUTPUT_WHY_MAX (2 * NATS_WORDS_MAX)

/*
 * Write the words of the cause and the detail to @out; "" if there is no cause.
 */
void output_state_why(const struct output_state *state,
		      char out[OUTPUT_WHY_MAX]);

#endif
