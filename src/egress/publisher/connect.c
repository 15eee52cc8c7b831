/*
 * The link fiber: make a connection, make sure of the stream, find out where
 * to go on, hand over to main; wait for trouble; again, for ever.
 *
 * What talks to the network blocks, so it runs on a thread of the pool and
 * touches nothing but a job that holds copies of what it needs.
 *
 * Who may write. The stream's newest epoch event names its writer. Another
 * collector's: refused, unless at the start and told to take over. Ours with a
 * higher number than this run's: another process of ours has taken over, and
 * this one must not come back. A new epoch is opened at the start, and when
 * the chain of ids is broken: another stream under the same name, a purged
 * one, or messages of others in it.
 */
#include "egress/publisher/publisher_internal.h"

#include <spargio/pool.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MAX 1024

/* Times to be overtaken by a living writer before insisting. */
#define PATIENCE 3

struct job {
	int (*fn)(void *);
	void *arg;
};

static int run_job(void *arg)
{
	const struct job *job = arg;
	int ret = job->fn(job->arg);

	/* The pool's threads are not libnats' to know. */
	nats_thread_done();
	return ret;
}

/* Run @fn on the pool; @arg is on our stack, so nothing may end the wait. */
static int job_run_blocking(int (*fn)(void *), void *arg)
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

/* -EINVAL: too little to be of use; another server may take more. */
static int note_limit(struct publisher *p, size_t max_payload,
		      struct nats_error *why)
{
	if (max_payload < PUBLISHER_PAYLOAD_MIN) {
		snprintf(why->text, sizeof(why->text),
			 "the server's max_payload is %zu bytes: raise it to "
			 "%u at least",
			 max_payload, PUBLISHER_PAYLOAD_MIN);
		return -EINVAL;
	}
	p->stats.max_payload = max_payload;
	p->limit = max_payload > INT32_MAX ? INT32_MAX : (uint32_t)max_payload;
	p->limit -= NATS_HEADERS_MAX;
	return 0;
}

static int connect_link(struct publisher *p, struct nats_error *why)
{
	struct connect_job job = {
		.options = &p->options,
		.wakeup = { publisher_wake, publisher_socket_io_wake, p },
	};
	int err;

	publisher_notify(p, PUBLISHER_CONNECTING, NULL);
	err = job_run_blocking(run_connect, &job); /* yields */
	if (err < 0) {
		*why = job.why;
		return err;
	}
	err = note_limit(p, nats_conn_max_payload(job.link), why);
	if (err < 0) {
		job_run_blocking(run_close, job.link); /* yields */
		return err;
	}
	p->link = job.link;
	p->stats.connects++;
	return publisher_socket_io_start(p);
}

static void close_link(struct publisher *p)
{
	struct nats_conn *link = p->link;

	if (link == NULL)
		return;
	publisher_socket_io_stop(p); /* yields */
	p->link = NULL;
	job_run_blocking(run_close, link); /* yields */
}

/* Finding out where to go on */

struct establish_job {
	const struct publisher *p; /* its options, and numbers of before */
	struct nats_conn *link;
	struct nats_error why;
	bool insist;
	uint64_t epoch;
	struct nats_tail tail;
};

/* What the stream holds counts only if this folder's runs have made it. */
static void judge_record(struct establish_job *job)
{
	const struct publisher *p = job->p;
	struct nats_tail *tail = &job->tail;

	if (strcmp(tail->collector, p->options.collector) != 0 ||
	    tail->record.epoch > p->known_epoch)
		tail->has_record = false;
}

static int judge_writer(struct establish_job *job)
{
	const struct publisher *p = job->p;
	const struct nats_tail *tail = &job->tail;
	bool ours = strcmp(tail->epoch_collector, p->options.collector) == 0;

	if (!tail->has_epoch)
		return 0;
	if (!p->epoch_open && (ours || p->options.take_over))
		return 0;
	if (p->epoch_open && tail->created_ns != p->created_ns && ours)
		return 0;
	if (ours && tail->epoch <= p->epoch)
		return 0;
	snprintf(job->why.text, sizeof(job->why.text),
		 "stream %s is written by %s%s", p->options.stream.name,
		 ours ? "another process of " : "collector ",
		 tail->epoch_collector);
	return p->epoch_open ? -ESTALE : -EPERM;
}

/* Does the chain of this run end the stream? */
static bool chain_unbroken(const struct establish_job *job)
{
	const struct publisher *p = job->p;
	const struct nats_tail *tail = &job->tail;

	return p->epoch_open && tail->created_ns == p->created_ns &&
	       tail->has_id && tail->id_seq == tail->last_seq &&
	       tail->id.epoch == p->epoch &&
	       strcmp(tail->collector, p->options.collector) == 0;
}

static int open_epoch(struct establish_job *job)
{
	const struct publisher *p = job->p;
	struct nats_tail *tail = &job->tail;
	uint8_t bytes[EVENT_MAX];
	struct nats_epoch epoch = {
		.subject = p->options.epoch_subject,
		.bytes = bytes,
		.collector = p->options.collector,
		.schema = p->options.schema,
		.has_record = tail->has_record,
		.record = tail->record,
	};
	char id[MESSAGE_ID_MAX];
	uint64_t seq;
	int err = 0;

	job->epoch = p->epoch + p->epoch_open;
	if (tail->has_id && tail->id.epoch >= job->epoch)
		job->epoch = tail->id.epoch + 1;
	if (tail->has_epoch && tail->epoch >= job->epoch)
		job->epoch = tail->epoch + 1;
	if (!epoch.has_record && p->has_stored) {
		epoch.has_record = true;
		epoch.record = p->stored;
	}
	epoch.epoch = job->epoch;
	epoch.len = publisher_epoch_event(p, job->epoch, bytes, sizeof(bytes));
	if (p->options.journal_dir != NULL)
		err = publisher_epoch_save(p->options.journal_dir, job->epoch);
	if (err < 0) {
		snprintf(job->why.text, sizeof(job->why.text), "%s/epoch: %s",
			 p->options.journal_dir, strerror(-err));
		return err;
	}
	/* What the last record will be, is only seen afterwards. */
	epoch.has_record &= !job->insist;
	err = nats_stream_open_epoch(job->link, &p->options.stream, &epoch,
				     job->insist ? NULL : tail, &job->why, &seq,
				     id);
	if (err == 0) {
		tail->id_seq = seq;
		memcpy(tail->id_text, id, sizeof(id));
	}
	/* Something came in between; not to be taken for a verdict on us. */
	return err == -ESTALE ? -EBUSY : err;
}

/*
 * The event went in wherever the stream ended, so that a writer who is alive
 * cannot keep us out. From there on the other one is refused; what it wrote
 * before is seen now.
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

/* Main writes none of what is read here while the link is not ready. */
static int run_establish(void *arg)
{
	struct establish_job *job = arg;
	const struct publisher *p = job->p;
	int err = nats_stream_prepare(job->link, &p->options.stream,
				      p->options.epoch_subject, &job->why,
				      &job->tail);

	if (err < 0)
		return err;
	err = judge_writer(job);
	if (err < 0)
		return err;
	judge_record(job);
	job->epoch = p->epoch;
	if (chain_unbroken(job))
		return 0;
	err = open_epoch(job);
	if (err == 0 && job->insist)
		err = look_again(job);
	return err;
}

/* Everything is known: main may go on. */
static void hand_over(struct publisher *p, const struct establish_job *job)
{
	bool first = !p->epoch_open;

	p->tail = job->tail;
	p->epoch = job->epoch;
	if (p->known_epoch < p->epoch)
		p->known_epoch = p->epoch;
	p->created_ns = job->tail.created_ns;
	memcpy(p->last_id, job->tail.id_text, sizeof(p->last_id));
	p->last_seq = job->tail.id_seq;
	p->epoch_open = true;
	p->trouble = TROUBLE_NONE;
	p->ready = true;
	p->fresh = true;
	publisher_set_log_position(p, job->tail.id_seq);
	if (first) {
		pthread_mutex_lock(&p->lock);
		p->epoch_position = p->log_position;
		p->epoch_has_stored = job->tail.has_record;
		p->epoch_stored = job->tail.record;
		p->shared_epoch_open = true;
		pthread_cond_broadcast(&p->changed);
		pthread_mutex_unlock(&p->lock);
	}
	publisher_wake(p);
}

static int stream_establish(struct publisher *p, struct nats_error *why)
{
	struct establish_job job = {
		.p = p,
		.link = p->link,
		.insist = p->overtaken >= PATIENCE,
	};
	int err;

	publisher_notify(p, PUBLISHER_RECOVERING, NULL);
	p->stats.recoveries++;
	err = job_run_blocking(run_establish, &job); /* yields */
	if (err == 0) {
		p->overtaken = 0;
		hand_over(p, &job);
		return 0;
	}
	*why = job.why;
	p->overtaken += err == -EBUSY;
	return err;
}

/* The loop */

static enum publisher_state state_of(int err)
{
	switch (err) {
	case -EPERM:
	case -EINVAL:
	case -ENOENT:
		return PUBLISHER_REFUSED;
	case -ESTALE:
		return PUBLISHER_SUPERSEDED;
	default:
		return PUBLISHER_CONNECTING;
	}
}

/* Is the connection good for another attempt? */
static bool keep_link(struct publisher *p, int err)
{
	if (p->link == NULL || nats_conn_lost(p->link))
		return false;
	if (err < 0)
		return err != -ENOTCONN && err != -ETIMEDOUT;
	return p->trouble == TROUBLE_STREAM;
}

/* Half of it for sure, the rest by chance, so that many do not come at once. */
static int64_t delay_jitter(int64_t ns)
{
	return ns / 2 + (int64_t)(drand48() * (double)ns / 2);
}

int publisher_connect_main(void *arg)
{
	struct publisher *p = arg;
	int64_t backoff = p->options.backoff_min_ns;

	while (!sp_cancelled()) {
		struct nats_error why = { "" };
		uint64_t before = p->stats.messages;
		int err = 0;

		if (p->link == NULL)
			err = connect_link(p, &why);
		if (err == 0)
			err = stream_establish(p, &why);
		if (err == 0) {
			/* Main says so when there is trouble. */
			if (sp_sem_wait(&p->link_wake) < 0)
				break;
			if (p->stats.messages != before)
				backoff = p->options.backoff_min_ns;
		} else {
			publisher_notify(p, state_of(err), why.text);
		}
		if (!keep_link(p, err))
			close_link(p);
		if (sp_sleep(err == -ESTALE ? SP_NEVER - sp_now()
					    : delay_jitter(backoff)) < 0)
			break;
		backoff = 2 * backoff < p->options.backoff_max_ns
				  ? 2 * backoff
				  : p->options.backoff_max_ns;
	}
	close_link(p);
	return 0;
}
