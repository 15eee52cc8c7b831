/*
 * Handle a stream that has lost messages that it had acknowledged, for example
 * after a power failure of its host.
 *
 * The last sequence of a stream never falls: neither a purge nor a deletion
 * lowers it. So if a stream with the same creation time ends before a message
 * that it had acknowledged, it was reset to an earlier state (a rollback). If
 * its last message is in the acked tail, with the same sequence and id, all
 * later messages of the tail are sent again unchanged. They get the same
 * sequences as before, so the position of a consumer stays valid.
 *
 * If the acked tail does not have that message, or if it is another stream,
 * consumers may have lost updates on which later updates depend. So the new
 * epoch begins with a resync of every router.
 */
#include "egress/codec.h"
#include "egress/nats/resend.h"
#include "egress/publisher/acked_tail.h"
#include "egress/publisher/publisher_internal.h"

#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* maximum messages that are covered by one acknowledgement */
#define TOGETHER       256
#define TOGETHER_BYTES (256u << 10) /* and their maximum bytes */
#define PATIENCE       3
#define TAIL_QUIET     (60 * SP_S)

/* Writing the acked tail */

/*
 * The main function of the tail fiber. It is a fiber of its own, so that a slow
 * disk delays no other work.
 */
int publisher_tail_main(void *arg)
{
	struct publisher *p = arg;

	while (sp_sem_wait(&p->tail.wake) == 0) {
		int err = acked_tail_write(p->tail.acked, sp_now());

		if (err < 0)
			p->tail.error = err;
		p->tail.phase = TAIL_IDLE;
		/* Main may send again, and the next chunk may be due. */
		publisher_wake(p);
	}
	return 0;
}

/* Report an error of the acked tail, at most once in TAIL_QUIET. */
static void tail_error_note(struct publisher *p)
{
	char text[NATS_WORDS_MAX];
	int err = p->tail.error;

	p->tail.error = 0;
	if (sp_now() < p->tail.quiet_until)
		return;
	p->tail.quiet_until = sp_in(TAIL_QUIET);
	snprintf(text, sizeof(text), "the acked tail begins anew: %s",
		 err == -ETIMEDOUT ? "the disk takes too long"
				   : strerror(-err));
	publisher_tell(p, text);
}

/*
 * Let the tail fiber write what is due. If its disk fails, messages are still
 * published, but the acked tail loses its messages.
 */
void publisher_tail_keep(struct publisher *p)
{
	/*
	 * If a write takes too long, drop the messages that wait for it,
	 * because main cannot send meanwhile. Do so only in READY: in other
	 * states the link fiber may need these messages to send them again.
	 */
	if (p->state == PUBLISHER_READY &&
	    sp_now() >= acked_tail_give_up(p->tail.acked)) {
		acked_tail_skip(p->tail.acked);
		p->tail.error = -ETIMEDOUT;
		publisher_wake(p);
	}
	if (p->tail.error != 0)
		tail_error_note(p);
	if (p->tail.phase == TAIL_WRITING ||
	    !acked_tail_wants_write(p->tail.acked, sp_now()))
		return;
	p->tail.phase = TAIL_WRITING;
	sp_sem_post(&p->tail.wake);
}

/* Events */

int publisher_events_add(struct publisher_events *events, const char *subject,
			 const void *bytes, size_t len)
{
	struct publisher_resync one = { .len = len };

	if (events->count == events->size) {
		size_t size = events->size == 0 ? 64 : 2 * events->size;
		struct publisher_resync *at =
			reallocarray(events->at, size, sizeof(*at));

		if (at == NULL)
			return -ENOMEM;
		events->at = at;
		events->size = size;
	}
	one.subject = strdup(subject);
	one.bytes = malloc(len + 1);
	if (one.subject == NULL || one.bytes == NULL) {
		free(one.subject);
		free(one.bytes);
		return -ENOMEM;
	}
	memcpy(one.bytes, bytes, len);
	events->at[events->count++] = one;
	return 0;
}

void publisher_events_free(struct publisher_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		free(events->at[i].subject);
		free(events->at[i].bytes);
	}
	free(events->at);
	*events = (struct publisher_events){ 0 };
}

struct events_job {
	const struct publisher *p;
	struct publisher_events *events;
};

static int events_gather(void *arg)
{
	struct events_job *job = arg;

	return job->p->options.resync(job->p->options.resync_arg, job->events);
}

int publisher_rollback_events(struct publisher *p, const struct nats_tail *tail,
			      struct publisher_events *events)
{
	struct events_job job = { p, events };

	if (p->rollback.phase != ROLLBACK_LOST || p->options.resync == NULL)
		return 0;
	/*
	 * The callback reads the creation time to know which stream it is now.
	 */
	p->chain.created_ns = tail->created_ns;
	publisher_set_log_position(p, tail->last_seq);
	publisher_share(p);
	/*
	 * The callback waits for the workers, so it runs on a thread of the
	 * pool; if the workers run in the runtime of the publisher, it runs in
	 * this fiber.
	 */
	if (p->options.rt != NULL)
		return events_gather(&job);	     /* yields */
	return publisher_block(events_gather, &job); /* yields */
}

/*
 * Describe the events from @from on that are sent together. Returns how many.
 */
static size_t events_describe(const struct publisher_events *events,
			      size_t from, const struct publisher *p,
			      uint64_t epoch, const struct nats_tail *tail,
			      struct nats_resend_message *out)
{
	size_t n = 0;

	for (; n < TOGETHER && from + n < events->count; n++) {
		const struct publisher_resync *e = &events->at[from + n];
		struct message_id id = {
			epoch, { epoch, 0, (uint32_t)(from + n + 1) }
		};

		out[n] = (struct nats_resend_message){
			.subject = e->subject,
			.bytes = { e->bytes, e->len },
			.has_after = tail->has_record,
			.after = tail->record,
		};
		message_id_format(p->options.collector, &id, out[n].id);
	}
	return n;
}

int publisher_rollback_send(const struct publisher *p, struct nats_conn *link,
			    uint64_t epoch,
			    const struct publisher_events *events,
			    struct nats_tail *tail, struct nats_error *why)
{
	struct nats_resend_message *messages =
		calloc(TOGETHER, sizeof(*messages));
	size_t done = 0;
	int err = messages == NULL ? -ENOMEM : 0;

	while (done < events->count && err == 0) {
		struct nats_resend r = {
			.collector = p->options.collector,
			.schema = p->options.schema,
			.after_seq = tail->id_seq,
			.messages = messages,
		};

		r.count =
			events_describe(events, done, p, epoch, tail, messages);
		err = nats_resend(link, &p->options.stream, &r, why);
		if (err < 0)
			break;
		done += r.count;
		tail->id_seq += r.count;
		memcpy(tail->id_text, messages[r.count - 1].id,
		       sizeof(tail->id_text));
	}
	free(messages);
	return err;
}

/* Sending again */

struct resend_job {
	const struct publisher *p;
	struct nats_resend r;
	struct nats_resend_message messages[TOGETHER];
	size_t subjects[TOGETHER]; /* offsets of the subjects in bytes */
	size_t len;
	size_t cap;
	uint8_t *bytes;
	struct nats_error why;
};

static int resend_run(void *arg)
{
	struct resend_job *job = arg;

	return nats_resend(job->p->conn.link, &job->p->options.stream, &job->r,
			   &job->why);
}

/* Append a copy of @m to the job. */
static int resend_add(struct resend_job *job, const struct acked_message *m)
{
	size_t size = m->subject_len + 1 + m->bytes.len;
	size_t i = job->r.count;

	if (m->bytes.len > job->p->chain.limit)
		/*
		 * the limit of this server is lower than that of the server
		 * before
		 */
		return -EMSGSIZE;
	if (job->len + size > job->cap) {
		size_t cap = job->len + size + TOGETHER_BYTES;
		uint8_t *bytes = realloc(job->bytes, cap);

		if (bytes == NULL)
			return -ENOMEM;
		job->bytes = bytes;
		job->cap = cap;
	}
	job->subjects[i] = job->len;
	job->messages[i] = (struct nats_resend_message){
		.bytes = { .len = m->bytes.len },
		.encoding = m->encoding == EGRESS_PLAIN
				    ? NULL
				    : egress_encoding_name(m->encoding),
		.has_after = m->has_after,
		.after = m->after,
	};
	message_id_format(job->p->options.collector, &m->id,
			  job->messages[i].id);
	memcpy(job->bytes + job->len, m->subject, m->subject_len + 1);
	job->len += m->subject_len + 1;
	memcpy(job->bytes + job->len, m->bytes.p, m->bytes.len);
	job->len += m->bytes.len;
	job->r.count++;
	return 0;
}

/* Send the collected messages, and start to collect again. */
static int resend_flush(struct publisher *p, struct resend_job *job)
{
	int err;

	if (job->r.count == 0)
		return 0;
	for (size_t i = 0; i < job->r.count; i++) {
		const uint8_t *subject = job->bytes + job->subjects[i];

		job->messages[i].subject = (const char *)subject;
		job->messages[i].bytes.p =
			subject + strlen((const char *)subject) + 1;
	}
	err = publisher_block(resend_run, job); /* yields */
	if (err < 0)
		return err;
	p->stats.resent += job->r.count;
	publisher_note_stored(p);
	job->r.after_seq += job->r.count;
	job->r.count = 0;
	job->len = 0;
	return 0;
}

/*
 * Seek to the last message of the stream. -ENOENT if it is not in the acked
 * tail.
 */
static int resend_find_end(struct publisher *p, const struct nats_tail *tail)
{
	struct acked_message m;
	char id[MESSAGE_ID_MAX];
	int got;

	if (!tail->has_id || tail->id_seq != tail->last_seq)
		return -ENOENT;
	got = acked_tail_seek(p->tail.acked, tail->id_seq); /* yields */
	if (got == 0)
		got = acked_tail_next(p->tail.acked, &m);
	if (got != 1)
		return got < 0 ? got : -ENOENT;
	message_id_format(p->options.collector, &m.id, id);
	return strcmp(id, tail->id_text) == 0 ? 0 : -ENOENT;
}

static int resend_all(struct publisher *p, struct resend_job *job)
{
	struct acked_message m;
	int got;

	while ((got = acked_tail_next(p->tail.acked, &m)) == 1) { /* yields */
		int err = resend_add(job, &m);

		if (err == 0 && sp_cancelled())
			err = -ECANCELED;
		if (err == 0 &&
		    (job->r.count == TOGETHER || job->len >= TOGETHER_BYTES))
			err = resend_flush(p, job); /* yields */
		if (err < 0)
			return err;
	}
	return got < 0 ? got : resend_flush(p, job);
}

static int resend_from(struct publisher *p, const struct nats_tail *tail,
		       struct nats_error *why)
{
	struct resend_job *job;
	int err = resend_find_end(p, tail); /* yields */

	if (err < 0)
		return err;
	job = calloc(1, sizeof(*job));
	if (job == NULL)
		return -ENOMEM;
	job->p = p;
	job->r = (struct nats_resend){
		.collector = p->options.collector,
		.schema = p->options.schema,
		.after_seq = tail->id_seq,
		.messages = job->messages,
	};
	err = resend_all(p, job); /* yields */
	*why = job->why;
	free(job->bytes);
	free(job);
	return err;
}

/* Deciding */

static bool stream_is_shorter(const struct publisher *p,
			      const struct nats_tail *tail)
{
	if (acked_tail_created(p->tail.acked) != tail->created_ns)
		return false;
	if (tail->last_seq < acked_tail_acked(p->tail.acked))
		return true;
	/*
	 * A stream that lost messages may have as many again: another writer
	 * may have published after the rollback. So compare the last record,
	 * too.
	 */
	return tail->has_record &&
	       record_id_compare(tail->record, p->chain.acked) < 0;
}

static void lost_note(struct publisher *p, const struct nats_tail *tail,
		      const char *why)
{
	char text[NATS_WORDS_MAX];

	if (p->rollback.phase != ROLLBACK_LOST)
		p->stats.rollbacks++;
	p->rollback.phase = ROLLBACK_LOST;
	if (tail->has_record)
		p->chain.acked = tail->record;
	snprintf(text, sizeof(text),
		 "the stream lost what it had acknowledged, which cannot be "
		 "sent again (%s): resync",
		 why);
	publisher_tell(p, text);
}

static void resent_note(struct publisher *p)
{
	uint64_t lost = acked_tail_acked(p->tail.acked) - p->rollback.lost_from;
	char text[NATS_WORDS_MAX];

	/*
	 * The stream has stored some messages without an acknowledgement: count
	 * them, too.
	 */
	p->stats.resent = p->rollback.resent + lost;
	snprintf(text, sizeof(text),
		 "the stream lost %" PRIu64
		 " messages that it had acknowledged; they were sent again",
		 lost);
	publisher_tell(p, text);
}

/*
 * True if @err is an error of the connection or of the stream, which may pass,
 * and not one of the acked tail.
 */
static bool is_passing(int err)
{
	return err == -ENOTCONN || err == -ETIMEDOUT || err == -EAGAIN ||
	       err == -EBUSY || err == -EACCES || err == -ECANCELED;
}

static const char *reason_of(int err)
{
	if (err == -ENOENT)
		return "--acked-tail does not reach back so far";
	if (err == -EMSGSIZE)
		return "the server takes less than before";
	if (err == -EBADMSG)
		return "a file of the acked tail is damaged";
	return is_passing(err) ? "the server does not take it" : strerror(-err);
}

/*
 * Record this attempt. If the stream has more messages than at the last
 * attempt, reset failures.
 */
static void mending_note(struct publisher *p, const struct nats_tail *tail)
{
	struct publisher_rollback *m = &p->rollback;

	if (m->phase == ROLLBACK_NONE)
		*m = (struct publisher_rollback){
			.phase = ROLLBACK_RESENDING,
			.lost_from = tail->last_seq,
			.resent = p->stats.resent,
		};
	if (tail->last_seq < m->lost_from)
		/* the stream lost messages again */
		m->lost_from = tail->last_seq;
	if (tail->last_seq > m->stream_end)
		m->failures = 0;
	m->stream_end = tail->last_seq;
}

/*
 * True if there should be another attempt. A lost connection does not count as
 * a failure.
 */
static bool resend_again(struct publisher *p, int err)
{
	if (!is_passing(err))
		return false;
	if (err == -ENOTCONN || err == -ECANCELED)
		return true;
	return ++p->rollback.failures < PATIENCE;
}

/*
 * Called after the last message was sent again, or when there are no more
 * attempts. Sets the phase.
 */
static void resend_conclude(struct publisher *p, const struct nats_tail *tail,
			    int err)
{
	if (err < 0)
		lost_note(p, tail, reason_of(err));
	else if (!acked_tail_complete(p->tail.acked))
		lost_note(p, tail, "the run before was killed");
	else if (++p->rollback.failures > PATIENCE)
		lost_note(p, tail, "what is sent again is lost again");
	else
		resent_note(p);
}

int publisher_rollback_mend(struct publisher *p, const struct nats_tail *tail,
			    struct nats_error *why, bool *resent)
{
	int err;

	*resent = false;
	if (p->rollback.phase == ROLLBACK_LOST)
		return 0;
	if (p->run.open_epoch != 0 && p->chain.created_ns != tail->created_ns) {
		/* it is another stream, which has none of the lost messages */
		p->rollback.phase = ROLLBACK_LOST;
		return 0;
	}
	if (!stream_is_shorter(p, tail)) {
		p->rollback.phase = ROLLBACK_NONE;
		return 0;
	}
	mending_note(p, tail);
	err = resend_from(p, tail, why); /* yields */
	if (err < 0 && resend_again(p, err))
		return err;
	*resent = true;
	resend_conclude(p, tail, err);
	return 0;
}
