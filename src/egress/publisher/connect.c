/*
 * The link fiber runs a loop: connect, establish the stream, hand over to main,
 * wait until main has settled after a failure, back off.
 *
 * Calls that use the network block, so they run on a thread of the pool, each
 * with a job struct of its own. In struct publisher they read only members that
 * main does not change meanwhile.
 *
 * Writer check. The writer of the stream is named by its newest epoch event or,
 * if that event has expired or was removed, by its last message:
 *
 *	another collector	refused, unless this run has not opened an epoch
 *				and take_over is set
 *	this collector, later	another process has taken over: superseded
 *	epoch than this run's
 *	this collector, at the	another process has written since: the records
 *	start, epoch not known	of older runs in the spool are out of date and
 *	to this folder		are left out
 *
 * A new epoch is opened at the start, and when the chain of ids is broken: by
 * another stream with the same name, a purge, or messages of other writers.
 */
#include "egress/publisher/acked_tail.h"
#include "egress/publisher/publisher_internal.h"

#include "egress/codec.h"
#include "egress/nats/client.h"
#include "egress/publisher/backoff.h"

#include <spargio/pool.h>
#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MAX 1024

/* Attempts in which another writer was faster, before insist is set. */
#define PATIENCE 3

/*
 * When a stream is deleted, nats-server reports it before it has removed the
 * folder of that stream. If the stream is created again too early, the server
 * removes the new folder: the messages that it acknowledged cannot be read
 * (seen with 2.9.10).
 */
#define RECREATE_DELAY SP_S

struct job {
	int (*fn)(void *);
	void *arg;
};

static int run_job(void *arg)
{
	const struct job *job = arg;
	int ret = job->fn(job->arg);

	/* Free the data that libnats keeps for this pool thread. */
	nats_thread_done();
	return ret;
}

int publisher_block(int (*fn)(void *), void *arg)
{
	struct job job = { fn, arg };
	int ret = 0;
	int err;

	sp_shield_begin();
	do {
		err = sp_block(run_job, &job, &ret);
		if (err == -EAGAIN)
			sp_yield();
	} while (err == -EAGAIN);
	sp_shield_end();
	return err < 0 ? err : ret;
}

/* The cause to show for error @err of an attempt. */
static enum output_cause cause_of(int err)
{
	switch (err) {
	case -EPERM:
	case -EINVAL:
	case -ENOENT:
		return OUTPUT_CAUSE_REFUSED;
	case -ESTALE:
		return OUTPUT_CAUSE_SUPERSEDED;
	case -EMSGSIZE:
		return OUTPUT_CAUSE_TOO_SMALL;
	case -EACCES:
		return OUTPUT_CAUSE_NO_RIGHTS;
	case -ENOSPC:
		return OUTPUT_CAUSE_STREAM_FULL;
	case -EOPNOTSUPP:
		return OUTPUT_CAUSE_NO_JETSTREAM;
	case -EAGAIN:
	case -EBUSY:
	case -ENOMEM:
	case -EPROTO:
		return OUTPUT_CAUSE_NOT_STORED;
	default:
		return OUTPUT_CAUSE_BROKER_AWAY;
	}
}

/* Connecting */

struct connect_job {
	const struct publisher_options *options;
	struct nats_wakeup wakeup;
	struct nats_error why;
	struct nats_conn *link;
};

static int run_connect(void *arg)
{
	struct connect_job *job = arg;

	return nats_conn_open(&job->options->nats,
			      job->options->window + PUBLISHER_PIECES_MAX,
			      job->wakeup, &job->why, &job->link);
}

static int run_close(void *arg)
{
	nats_conn_close(arg);
	return 0;
}

#define SERVER_LIMIT "server's max_payload"
#define STREAM_LIMIT "stream's max_msg_size"

/* -EMSGSIZE if the limit @bytes is too low; another server may differ. */
static int check_limit(const char *name, uint64_t bytes, struct nats_error *why)
{
	if (bytes >= PUBLISHER_PAYLOAD_MIN)
		return 0;
	snprintf(why->text, sizeof(why->text),
		 "the %s is %" PRIu64 " bytes: raise it to %u at least", name,
		 bytes, PUBLISHER_PAYLOAD_MIN);
	return -EMSGSIZE;
}

/* Set the limit of a message: the lower of the server's and the stream's. */
static void note_limit(struct publisher *p, const struct nats_tail *tail)
{
	uint64_t bytes = nats_conn_max_payload(p->conn.link);

	p->chain.limit_name = SERVER_LIMIT;
	if (tail->max_msg_size > 0 && (uint64_t)tail->max_msg_size < bytes) {
		p->chain.limit_name = STREAM_LIMIT;
		bytes = (uint64_t)tail->max_msg_size;
	}
	p->stats.max_payload = bytes;
	p->chain.limit = bytes > INT32_MAX ? INT32_MAX : (uint32_t)bytes;
	p->chain.limit -= NATS_HEADERS_MAX;
}

static int connect_link(struct publisher *p, struct nats_error *why)
{
	struct connect_job job = {
		.options = &p->options,
		.wakeup = { publisher_wake, publisher_socket_io_wake, p },
	};
	int err;

	publisher_handle(p, PUBLISHER_EV_CONNECT, NULL);
	err = publisher_block(run_connect, &job); /* yields */
	if (err < 0) {
		*why = job.why;
		p->progress.stuck_since = 0; /* the broker is away, not stuck */
		publisher_blame(p, PART_BROKER,
				err == -EPROTO
					? OUTPUT_CAUSE_BROKER_AWAY
					: cause_of(err), /* EPROTO: TLS */
				why->text);
		return err;
	}
	err = check_limit(SERVER_LIMIT, nats_conn_max_payload(job.link), why);
	if (err < 0) {
		publisher_block(run_close, job.link); /* yields */
		publisher_blame(p, PART_BROKER, cause_of(err), why->text);
		return err;
	}
	p->conn.link = job.link;
	p->stats.connects++;
	return publisher_socket_io_start(p);
}

static void close_link(struct publisher *p)
{
	struct nats_conn *link = p->conn.link;

	if (link == NULL)
		return;
	publisher_socket_io_stop(p); /* yields */
	p->conn.link = NULL;
	publisher_block(run_close, link); /* yields */
}

/* Establishing the stream */

struct establish_job {
	const struct publisher *p; /* options and present epochs; only read */
	struct nats_conn *link;
	struct nats_error why;
	bool insist;	  /* store the epoch event after newer messages, too */
	bool start_over;  /* open a new epoch even if the chain is unbroken */
	bool recreate;	  /* create the stream again if it was deleted */
	bool disk_failed; /* the error is one of the disk, not of the broker */
	bool superseded;  /* skip the records of older runs in the spool */
	uint64_t epoch;
	bool has_last;
	struct record_id last; /* last record of this collector in the stream */
	struct nats_tail tail;
	/* the stream after the opening; created_ns 0 = could not be read */
	struct stream_look look;

	/* If this attempt opened an epoch: the messages that it has stored. */
	bool opened;
	uint64_t end; /* last sequence of the stream before these messages */
	uint8_t event[EVENT_MAX];
	size_t event_len;
	bool has_after;
	struct record_id after;
	struct publisher_events resyncs;
};

/* Ignore the stream's last record if no run with this folder has made it. */
static void judge_record(struct establish_job *job)
{
	const struct publisher *p = job->p;
	struct nats_tail *tail = &job->tail;

	if (strcmp(tail->collector, p->options.collector) != 0)
		tail->has_record = false;
	job->has_last = tail->has_record;
	job->last = tail->record;
	if (tail->record.epoch > p->run.known_epoch)
		tail->has_record = false;
	/*
	 * Skip the spooled records of earlier runs: pretend that the stream has
	 * every record of the epochs before first_epoch.
	 */
	if (job->superseded) {
		tail->has_record = true;
		tail->record = (struct record_id){ p->run.first_epoch - 1,
						   UINT64_MAX, 0 };
	}
}

/*
 * True if another process of this collector has written to the stream since
 * this folder was last used, while records are in the spool. That process used
 * the sequence numbers of these records for other records, and it is not known
 * which records of the spool were published.
 */
static bool spool_is_superseded(const struct establish_job *job)
{
	const struct publisher *p = job->p;
	const struct nats_tail *tail = &job->tail;
	uint64_t epoch = 0;

	if (p->run.open_epoch != 0 || p->run.inherited.epoch == 0)
		return false;
	if (tail->has_epoch &&
	    strcmp(tail->epoch_collector, p->options.collector) == 0)
		epoch = tail->epoch;
	if (tail->has_id && tail->id.epoch > epoch &&
	    strcmp(tail->collector, p->options.collector) == 0)
		epoch = tail->id.epoch;
	/* An older version did not save opened_epoch: it was known_epoch. */
	return epoch > p->run.opened_epoch && epoch != p->run.known_epoch;
}

static int judge_writer(struct establish_job *job)
{
	const struct publisher *p = job->p;
	const struct nats_tail *tail = &job->tail;
	const char *writer =
		tail->has_epoch ? tail->epoch_collector : tail->collector;
	uint64_t epoch = tail->has_epoch ? tail->epoch : tail->id.epoch;
	bool ours = strcmp(writer, p->options.collector) == 0;

	if (!tail->has_epoch && !tail->has_id)
		return 0;
	if (p->run.open_epoch == 0 && (ours || p->options.take_over))
		return 0;
	if (p->run.open_epoch != 0 && tail->created_ns != p->chain.created_ns &&
	    ours)
		return 0;
	/* Events of this run have epochs up to tried_epoch, acked or not. */
	if (ours && (epoch <= p->run.epoch || epoch <= p->run.tried_epoch))
		return 0;
	snprintf(job->why.text, sizeof(job->why.text),
		 "stream %s is written by %s%s", p->options.stream.name,
		 ours ? "another process of " : "collector ", writer);
	return p->run.open_epoch != 0 ? -ESTALE : -EPERM;
}

/*
 * True if no new epoch is needed: the last message of this run is still the
 * last one of the stream, and neither a rollback nor a repair requires an epoch.
 */
static bool chain_unbroken(const struct establish_job *job)
{
	const struct publisher *p = job->p;
	const struct nats_tail *tail = &job->tail;

	return p->run.open_epoch != 0 && p->rollback.phase != ROLLBACK_LOST &&
	       !job->start_over && tail->created_ns == p->chain.created_ns &&
	       tail->has_id && tail->id_seq == tail->last_seq &&
	       tail->id.epoch == p->run.epoch &&
	       strcmp(tail->collector, p->options.collector) == 0;
}

/*
 * Choose the number after all epochs that this run has tried to open (an event
 * without an answer may be stored) and that the stream has had. Save it before
 * a broker sees it, so that a later run finds it without the stream. Yields.
 */
static int epoch_prepare(struct establish_job *job)
{
	const struct publisher *p = job->p;
	const struct nats_tail *tail = &job->tail;
	int err;

	if (p->run.tried_epoch >= job->epoch)
		job->epoch = p->run.tried_epoch + 1;
	if (tail->has_id && tail->id.epoch >= job->epoch)
		job->epoch = tail->id.epoch + 1;
	if (tail->has_epoch && tail->epoch >= job->epoch)
		job->epoch = tail->epoch + 1;
	if (job->epoch > EPOCH_MAX) {
		snprintf(job->why.text, sizeof(job->why.text),
			 "no epoch is left after that of the last message of "
			 "stream %s: delete that message",
			 p->options.stream.name);
		return -EINVAL;
	}
	job->event_len = publisher_epoch_event(p, job->epoch, job->event,
					       sizeof(job->event));
	if (p->options.journal_dir == NULL)
		return 0;
	err = publisher_epoch_save(p->options.journal_dir,
				   &(struct publisher_epochs){ job->epoch,
							       job->epoch });
	if (err < 0) {
		job->disk_failed = true;
		publisher_epoch_explain(p->options.journal_dir, err, &job->why);
	}
	return err;
}

static int open_epoch(struct establish_job *job)
{
	const struct publisher *p = job->p;
	struct nats_tail *tail = &job->tail;
	struct nats_epoch epoch = {
		.subject = p->options.epoch_subject,
		.epoch = job->epoch,
		.bytes = job->event,
		.len = job->event_len,
		.collector = p->options.collector,
		.schema = p->options.schema,
		.has_record = tail->has_record,
		.record = tail->record,
	};
	char id[MESSAGE_ID_MAX];
	uint64_t seq;
	int err;

	if (!epoch.has_record && p->chain.stored.epoch != 0) {
		epoch.has_record = true;
		epoch.record = p->chain.stored;
	}
	/* With insist, unread messages may precede the event: no record. */
	epoch.has_record &= !job->insist;
	err = nats_stream_open_epoch(job->link, &p->options.stream, &epoch,
				     job->insist ? NULL : tail, &job->why, &seq,
				     id);
	if (err == 0) {
		tail->id_seq = seq;
		memcpy(tail->id_text, id, sizeof(id));
		job->opened = true;
		job->end = tail->last_seq;
		job->has_after = epoch.has_record;
		job->after = epoch.record;
	}
	/*
	 * Here -ESTALE means that another writer stored a message in between.
	 * -ESTALE from judge_writer() means something else, so return -EBUSY.
	 */
	return err == -ESTALE ? -EBUSY : err;
}

/*
 * Read the end of the stream again after an attempt with insist, which stores
 * the epoch event behind any newer messages of an active writer. After the
 * event the stream refuses that writer; its messages before it are read here.
 */
static int look_again(struct establish_job *job)
{
	const struct publisher *p = job->p;
	int err = nats_stream_prepare(job->link, &p->options.stream,
				      p->options.epoch_subject, &job->why,
				      &job->tail);

	if (err < 0)
		return err;
	if (!job->tail.has_id || job->tail.id.epoch != job->epoch ||
	    strcmp(job->tail.collector, p->options.collector) != 0)
		return -EAGAIN;
	judge_record(job);
	return 0;
}

static int run_look(void *arg)
{
	struct establish_job *job = arg;
	const struct publisher *p = job->p;
	struct nats_stream_options stream = p->options.stream;
	int err;

	stream.no_create |= p->run.open_epoch != 0 && !job->recreate;
	err = nats_stream_prepare(job->link, &stream, p->options.epoch_subject,
				  &job->why, &job->tail);
	if (err < 0)
		return err;
	err = judge_writer(job);
	if (err == 0 && job->tail.max_msg_size > 0)
		err = check_limit(STREAM_LIMIT,
				  (uint64_t)job->tail.max_msg_size, &job->why);
	if (err < 0)
		return err;
	job->superseded = spool_is_superseded(job);
	judge_record(job);
	job->epoch = p->run.epoch;
	return 0;
}

static int epoch_establish(struct establish_job *job)
{
	int err;

	if (chain_unbroken(job))
		return 0;
	err = open_epoch(job);
	if (err == 0 && job->insist)
		err = look_again(job);
	if (err == 0 && job->resyncs.count > 0)
		err = publisher_rollback_send(job->p, job->link, job->epoch,
					      &job->resyncs, &job->tail,
					      &job->why);
	return err;
}

static int run_open(void *arg)
{
	struct establish_job *job = arg;
	struct nats_error why;
	int err = epoch_establish(job);

	/* A restore needs this look; if it fails, the next look will do. */
	if (err == 0 && publisher_look(job->p, job->link, &why, &job->look) < 0)
		job->look.state.created_ns = 0;
	return err;
}

/* Add the messages that opened the epoch to the end of the acked tail. */
static void add_opening(struct publisher *p, const struct establish_job *job)
{
	uint64_t seq = job->end;
	struct acked_message m = {
		.id = { job->epoch, { job->epoch, 0, 0 } },
		.has_after = job->has_after,
		.after = job->after,
		.subject = p->options.epoch_subject,
		.subject_len = strlen(p->options.epoch_subject),
		.bytes = { job->event, job->event_len },
	};

	acked_tail_add(p->tail.acked, ++seq, &m);
	m.has_after = job->tail.has_record;
	m.after = job->tail.record;
	for (size_t i = 0; i < job->resyncs.count; i++) {
		const struct publisher_resync *e = &job->resyncs.at[i];

		m.id.record.upto = (uint32_t)i + 1;
		m.subject = e->subject;
		m.subject_len = strlen(e->subject);
		m.bytes = (struct wire_view){ e->bytes, e->len };
		acked_tail_add(p->tail.acked, ++seq, &m);
	}
	acked_tail_ack(p->tail.acked, job->tail.id_seq);
}

/* Make the acked tail end where the stream ends. Yields. */
static void update_acked_tail(struct publisher *p,
			      const struct establish_job *job)
{
	if (!job->opened || job->insist) {
		acked_tail_set_end(p->tail.acked, job->tail.created_ns,
				   job->tail.id_seq, job->tail.id_seq);
		return;
	}
	acked_tail_set_end(p->tail.acked, job->tail.created_ns, job->end,
			   job->tail.id_seq);
	add_opening(p, job);
}

/* Copy the result of the attempt to struct publisher, and let main continue. */
static void hand_over(struct publisher *p, struct establish_job *job)
{
	bool first = p->run.open_epoch == 0;

	p->chain.tail = job->tail;
	note_limit(p, &job->tail);
	job->look.max_message = publisher_look_max_message(p);
	p->run.epoch = job->epoch;
	if (p->run.known_epoch < p->run.epoch)
		p->run.known_epoch = p->run.epoch;
	p->chain.created_ns = job->tail.created_ns;
	if (job->look.state.created_ns != 0)
		publisher_look_judge(p, &job->look);
	memcpy(p->chain.last_id, job->tail.id_text, sizeof(p->chain.last_id));
	p->chain.last_seq = job->tail.id_seq;
	p->run.open_epoch = job->epoch;
	if (p->rollback.phase == ROLLBACK_LOST)
		p->rollback.phase = ROLLBACK_NONE;
	/* Keep the request if a new epoch was requested meanwhile. */
	if (p->conn.repair != REPAIR_EPOCH || job->start_over)
		p->conn.repair = REPAIR_NONE;
	publisher_absolve_link(p);
	publisher_set_log_position(p, job->tail.id_seq);
	if (job->superseded)
		publisher_tell(p,
			       "another process of this collector has written "
			       "to the stream since: what is in the spool is "
			       "out of date and left out");
	if (first) {
		pthread_mutex_lock(&p->shared.lock);
		p->shared.opened.position = p->shared.log_position;
		p->shared.opened.superseded = job->superseded;
		if (job->tail.has_record)
			p->shared.opened.stored = job->tail.record;
		if (job->has_last)
			p->shared.opened.last = job->last;
		p->shared.opened.look = job->look;
		p->shared.extent = stream_watch_extent(&p->chain.watch);
		p->shared.opened.epoch = job->epoch;
		pthread_mutex_unlock(&p->shared.lock);
	}
	publisher_handle(p, PUBLISHER_EV_ESTABLISHED, NULL);
}

/*
 * Find the end of the stream. If the stream was deleted, wait RECREATE_DELAY
 * and create it again.
 */
static int look_or_recreate(struct publisher *p, struct establish_job *job)
{
	int err = publisher_block(run_look, job); /* yields */

	if (err != -ENOENT || p->options.stream.no_create || job->recreate)
		return err;
	err = sp_sleep(RECREATE_DELAY);
	job->recreate = true;
	return err < 0 ? err : publisher_block(run_look, job); /* yields */
}

/*
 * Resend the messages that the stream lost, until it has all of them or some of
 * them cannot be sent.
 */
static int look_and_mend(struct publisher *p, struct establish_job *job)
{
	bool resent = true;
	int err = 0;

	while (err == 0 && resent) {
		err = look_or_recreate(p, job); /* yields */
		if (err < 0)
			break;
		/* Set the limit first: it applies to messages sent again. */
		note_limit(p, &job->tail);
		err = publisher_rollback_mend(p, &job->tail, &job->why,
					      &resent); /* yields */
	}
	return err;
}

static int stream_establish(struct publisher *p, struct nats_error *why)
{
	struct establish_job job = {
		.p = p,
		.link = p->conn.link,
		.insist = p->chain.overtaken >= PATIENCE,
		.start_over = p->conn.repair == REPAIR_EPOCH,
	};
	int err;

	publisher_handle(p, PUBLISHER_EV_CONNECTED, NULL);
	p->stats.recoveries++;
	if (p->run.open_epoch == 0)
		p->run.began_ns = sp_now();
	err = look_and_mend(p, &job); /* yields */
	if (err == 0)
		err = publisher_rollback_events(p, &job.tail,
						&job.resyncs); /* yields */
	if (err == 0 && !chain_unbroken(&job))
		err = epoch_prepare(&job); /* yields */
	if (err == 0)
		err = publisher_block(run_open, &job); /* yields */
	if (job.epoch > p->run.tried_epoch && job.epoch <= EPOCH_MAX)
		p->run.tried_epoch = job.epoch;
	if (err == 0) {
		p->chain.overtaken = 0;
		update_acked_tail(p, &job); /* yields */
		hand_over(p, &job);
	}
	publisher_events_free(&job.resyncs);
	if (err == 0)
		return 0;
	*why = job.why;
	p->chain.overtaken += err == -EBUSY;
	publisher_blame(p, PART_BROKER,
			job.disk_failed ? publisher_disk_cause(err)
					: cause_of(err),
			why->text);
	return err;
}

/* The loop */

static enum publisher_event event_of(int err)
{
	switch (err) {
	case -EPERM:
	case -EINVAL:
	case -EMSGSIZE:
	case -ENOENT:
		return PUBLISHER_EV_REFUSED;
	case -ESTALE:
		return PUBLISHER_EV_SUPERSEDED;
	default:
		return PUBLISHER_EV_ATTEMPT_FAILED;
	}
}

/* True if the next attempt can use this connection again. */
static bool keep_link(struct publisher *p, int err)
{
	if (p->conn.link == NULL || nats_conn_lost(p->conn.link) ||
	    p->conn.repair == REPAIR_EPOCH)
		return false;
	if (err < 0)
		return err != -ENOTCONN && err != -ETIMEDOUT && err != -EACCES;
	return p->conn.repair == REPAIR_STREAM;
}

int publisher_connect_main(void *arg)
{
	struct publisher *p = arg;
	struct backoff backoff;

	backoff_init(&backoff, p->options.backoff_min_ns,
		     p->options.backoff_max_ns);
	while (!sp_cancelled()) {
		struct nats_error why = { "" };
		uint64_t before = p->stats.messages;
		int err = 0;

		if (p->conn.link == NULL)
			err = connect_link(p, &why);
		if (err == 0)
			err = stream_establish(p, &why);
		if (err == 0) {
			if (publisher_look_watch(p) < 0)
				break;
			if (p->stats.messages != before)
				backoff_reset(&backoff);
		} else {
			publisher_handle(p, event_of(err), why.text);
			if (err == -ESTALE)
				break; /* superseded: a final state */
		}
		if (!keep_link(p, err))
			close_link(p);
		if (sp_sleep(backoff_next(&backoff)) < 0)
			break;
	}
	close_link(p);
	return 0;
}
