/*
 * Find out whether updates reach the log, and if not, the cause.
 *
 * Each part (the broker, writing the disk, reading the spool) has a cause while
 * it fails. If no part has failed, but a batch waits for too long, the cause is
 * derived from the time since the stream last stored a message.
 *
 * If the broker answers but stores nothing for a minute, the publisher starts
 * over, whatever the reason, with a new connection and a new epoch.
 */
#include "egress/publisher/publisher_internal.h"

#include <spargio/time.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void publisher_blame(struct publisher *p, enum publisher_part part,
		     enum output_cause cause, const char *detail)
{
	p->progress.causes[part].cause = cause;
	snprintf(p->progress.causes[part].detail.text,
		 sizeof(p->progress.causes[part].detail.text), "%s",
		 detail != NULL ? detail : "");
	publisher_judge(p);
}

void publisher_absolve(struct publisher *p, enum publisher_part part)
{
	if (p->progress.causes[part].cause != OUTPUT_CAUSE_SUPERSEDED)
		p->progress.causes[part].cause = OUTPUT_CAUSE_NONE;
}

/* The stream is established: remove the causes that concern its set-up. */
void publisher_absolve_link(struct publisher *p)
{
	switch (p->progress.causes[PART_BROKER].cause) {
	case OUTPUT_CAUSE_NO_RIGHTS:
	case OUTPUT_CAUSE_STREAM_FULL:
	case OUTPUT_CAUSE_NOT_STORED:
		return;
	default:
		publisher_absolve(p, PART_BROKER);
	}
}

void publisher_note_stored(struct publisher *p)
{
	p->progress.stored_ns = sp_now();
	p->progress.stuck_since = 0;
	publisher_absolve(p, PART_BROKER);
}

/*
 * The time when the first update of the oldest batch in @queue was made; 0 = no
 * batch.
 */
static int64_t queue_since(const struct send_queue *queue)
{
	const struct send_entry *f = send_queue_first(queue);

	if (f == NULL || f->batch == NULL || send_entry_is_fence(f))
		return 0;
	return (int64_t)f->batch->opened_ns;
}

/*
 * When the oldest batch that is not safe began to wait (sp_now()); 0 if none
 * waits, or if the publisher is held.
 */
static int64_t waiting_since(struct publisher *p)
{
	int64_t wire = queue_since(&p->wire);
	int64_t disk = queue_since(&p->disk);

	if (publisher_held(p))
		return 0;
	/* Batches in the spool are at most as old as the use of the spool. */
	if (p->path == PATH_SPOOL ||
	    (!send_queue_empty(&p->wire) && wire == 0)) {
		if (p->progress.spool_since == 0)
			p->progress.spool_since = sp_now();
	} else {
		p->progress.spool_since = 0;
	}
	if (p->progress.spool_since != 0 &&
	    (p->stats.spool_left > 0 || !send_queue_empty(&p->wire)))
		return p->progress.spool_since;
	return wire != 0 && (disk == 0 || wire < disk) ? wire : disk;
}

static enum output_cause cause_by_time(const struct publisher *p, int64_t since)
{
	int64_t now = sp_now();

	if (since == 0 || now - since < p->options.waited_ns)
		return OUTPUT_CAUSE_NONE;
	/*
	 * stored_ns is 0 if nothing was stored yet. Test for it, because
	 * shortly after boot 0 would be a recent time.
	 */
	if (p->progress.stored_ns != 0 &&
	    now - p->progress.stored_ns < p->options.waited_ns)
		return OUTPUT_CAUSE_BEHIND;
	return OUTPUT_CAUSE_NO_PROGRESS;
}

static const struct output_state *first_cause(const struct publisher *p)
{
	const struct output_state *first = NULL;

	for (int i = 0; i < PUBLISHER_PARTS; i++) {
		const struct output_state *one = &p->progress.causes[i];

		if (one->cause != OUTPUT_CAUSE_NONE &&
		    (first == NULL || one->cause < first->cause))
			first = one;
	}
	return first;
}

static void start_over(struct publisher *p)
{
	char text[NATS_WORDS_MAX];

	p->progress.stuck_since = sp_now(); /* begin the period again */
	p->stats.restarts++;
	snprintf(text, sizeof(text),
		 "nothing was stored for %" PRId64 " s although the broker "
		 "answers: starting over with a new connection and epoch",
		 p->options.stuck_ns / SP_S);
	publisher_handle(p, PUBLISHER_EV_NO_PROGRESS, text);
}

static void look_for_stuck(struct publisher *p)
{
	/*
	 * True if a batch waits for the broker, not for the disk with the
	 * spool.
	 */
	bool awaited =
		p->progress.waiting_since != 0 &&
		p->state != PUBLISHER_SUPERSEDED &&
		p->progress.causes[PART_SPOOL].cause == OUTPUT_CAUSE_NONE &&
		(!send_queue_empty(&p->wire) || p->stats.spool_left > 0);

	if (!awaited)
		p->progress.stuck_since = 0;
	else if (p->progress.stuck_since == 0 && p->conn.link != NULL)
		p->progress.stuck_since = sp_now();
	else if (p->progress.stuck_since != 0 &&
		 sp_now() - p->progress.stuck_since >= p->options.stuck_ns)
		start_over(p);
}

void publisher_judge(struct publisher *p)
{
	const struct output_state *known;
	struct output_state next = { .cause = OUTPUT_CAUSE_NONE };
	bool changed;

	p->progress.waiting_since = waiting_since(p);
	look_for_stuck(p);
	if (p->progress.waiting_since == 0 && p->state == PUBLISHER_READY)
		publisher_absolve(p, PART_BROKER);
	known = first_cause(p);
	if (known != NULL) {
		next = *known;
	} else {
		next.cause = cause_by_time(p, p->progress.waiting_since);
		if (next.cause == OUTPUT_CAUSE_NO_PROGRESS)
			next.detail = p->stats.last_error;
	}
	changed = p->stats.output.cause != next.cause;
	p->stats.output = next;
	if (!changed)
		return;
	publisher_share(p);
	if (p->options.output_changed != NULL)
		p->options.output_changed(p->options.notice_arg, &next);
}

int64_t publisher_judge_deadline(const struct publisher *p)
{
	int64_t now = sp_now();
	int64_t when = SP_NEVER;

	if (p->progress.waiting_since == 0)
		return when;
	if (p->progress.stuck_since != 0)
		when = p->progress.stuck_since + p->options.stuck_ns;
	if (p->stats.output.cause == OUTPUT_CAUSE_NONE &&
	    p->progress.waiting_since + p->options.waited_ns < when)
		when = p->progress.waiting_since + p->options.waited_ns;
	if (p->stats.output.cause == OUTPUT_CAUSE_BEHIND &&
	    p->progress.stored_ns + p->options.waited_ns < when)
		when = p->progress.stored_ns + p->options.waited_ns;
	/*
	 * publisher_judge() of this turn has handled a deadline in the past.
	 * Return a later time, because main would otherwise not sleep.
	 */
	return when > now ? when : now + SP_MS;
}
