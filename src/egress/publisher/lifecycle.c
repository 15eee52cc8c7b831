/* The life of a publisher, from publisher_start() to publisher_free(). */
#include "egress/publisher/acked_tail.h"
#include "egress/publisher/publisher_internal.h"

#include "egress/bridge.h"
#include "egress/codec.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ACK_TIMEOUT    (5 * SP_S)
#define BACKOFF_MIN    (100 * SP_MS)
#define BACKOFF_MAX    (2 * SP_S)
#define SPOOL_AFTER    (1 * SP_S)
#define LOOK	       (5 * SP_S)
#define WAITED	       (5 * SP_S)
#define STUCK	       (60 * SP_S)
#define SPOOL_MAX      (UINT64_C(10) << 30)
#define SYNC_NS	       (100 * SP_MS)
#define SYNC_BYTES     (UINT64_C(8) << 20)
#define ACKED_TAIL_DIR "acked-tail" /* beside the spool, under its lock */
#define STACK	       (256u << 10)
#define POOL_THREADS   3
#define STOP_GRACE     (20 * SP_S) /* for what libnats is in the middle of */

void publisher_note_time(struct publisher_times *times, int64_t began)
{
	int64_t ns = sp_now() - began;
	uint64_t us = ns < 0 ? 0 : (uint64_t)ns / 1000;
	/* 2^n itself belongs to bucket n. */
	int bucket = us <= 1 ? 0 : 64 - __builtin_clzll(us - 1);

	if (bucket >= PUBLISHER_LATENCIES)
		bucket = PUBLISHER_LATENCIES - 1;
	times->of[bucket]++;
	times->sum_us += us;
}

uint64_t publisher_wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Between the shard and other threads */

void publisher_wake(void *arg)
{
	struct publisher *p = arg;

	atomic_fetch_add(&p->rings, 1);
	/* Pairs with sleep_until_news(): it says it sleeps, then counts. */
	if (!atomic_exchange(&p->asleep, false))
		return;
	sp_sem_post(&p->wakeup);
	egress_bridge_wake(p->bridge);
}

/* Records of the spool that still have to be sent. */
static uint64_t spool_left(const struct publisher *p)
{
	if (!p->spooling && p->released == 0)
		return 0;
	return journal_bytes_behind(p->journal, p->released);
}

void publisher_share(struct publisher *p)
{
	p->stats.state = p->state;
	p->stats.spooling = p->spooling;
	p->stats.epoch = p->epoch;
	p->stats.in_flight = send_queue_in_flight(&p->wire);
	p->stats.waiting = send_queue_count(&p->wire) - p->stats.in_flight +
			   send_queue_count(&p->disk);
	p->stats.acked_tail_size = acked_tail_bytes(p->acked_tail);
	if (p->journal != NULL) {
		p->stats.journal_size = journal_bytes(p->journal);
		p->stats.spool_left = spool_left(p);
	}
	pthread_mutex_lock(&p->lock);
	p->shared = p->stats;
	p->extent = stream_watch_extent(&p->watch);
	pthread_mutex_unlock(&p->lock);
}

void publisher_tell(struct publisher *p, const char *text)
{
	struct publisher_notice notice = { p->state, p->spooling, text,
					   p->stats.max_payload };

	if (text != NULL)
		snprintf(p->stats.last_error.text,
			 sizeof(p->stats.last_error.text), "%s", text);
	publisher_share(p);
	if (p->options.notice != NULL)
		p->options.notice(p->options.notice_arg, &notice);
}

static void repair_raise(struct publisher *p, enum publisher_repair repair)
{
	if (repair > p->repair)
		p->repair = repair;
}

void publisher_handle(struct publisher *p, enum publisher_event event,
		      const char *text)
{
	struct publisher_step step = publisher_step(p->state, event);

	assert(!(step.actions & PUBLISHER_IMPOSSIBLE));
	p->state = step.next;
	if (step.actions & PUBLISHER_START_SETTLING) {
		p->settle_until = sp_in(p->options.ack_timeout_ns);
		p->down_since = sp_now();
	}
	if (step.actions & PUBLISHER_REPAIR_STREAM)
		repair_raise(p, REPAIR_STREAM);
	if (step.actions & PUBLISHER_REPAIR_LINK)
		repair_raise(p, REPAIR_LINK);
	if (step.actions & PUBLISHER_REPAIR_EPOCH)
		repair_raise(p, REPAIR_EPOCH);
	if (step.actions & PUBLISHER_TELL)
		publisher_tell(p, text);
	else
		publisher_share(p);
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	if (step.actions & PUBLISHER_WAKE_MAIN)
		publisher_wake(p);
	if (step.actions & PUBLISHER_WAKE_LINK)
		sp_sem_post(&p->link_wake);
}

void publisher_set_log_position(struct publisher *p, uint64_t position)
{
	struct log_position current = { .position = position };

	if (p->options.nats.server_count > 0) {
		current.identity = (uint64_t)p->created_ns;
	} else {
		current.journal = true;
		/* A log that nobody has is another one in every run. */
		current.identity = p->options.discard
					   ? p->epoch
					   : journal_identity(p->journal);
	}
	pthread_mutex_lock(&p->lock);
	p->log_position = current;
	pthread_mutex_unlock(&p->lock);
}

void publisher_log_position(struct publisher *p, struct log_position *out)
{
	pthread_mutex_lock(&p->lock);
	*out = p->log_position;
	pthread_mutex_unlock(&p->lock);
}

void publisher_first_position(struct publisher *p, struct log_position *out)
{
	*out = (struct log_position){ .identity = 0 };
	pthread_mutex_lock(&p->lock);
	if (p->shared_epoch_open)
		*out = p->epoch_position;
	pthread_mutex_unlock(&p->lock);
}

void publisher_stats(struct publisher *p, struct publisher_stats *out)
{
	pthread_mutex_lock(&p->lock);
	*out = p->shared;
	pthread_mutex_unlock(&p->lock);
}

bool publisher_position_lost(const struct publisher *p, uint64_t position)
{
	for (size_t i = 0; i < p->gap_count; i++)
		if (position > p->gaps[i].from && position < p->gaps[i].to)
			return true;
	return false;
}

void publisher_go(struct publisher *p)
{
	atomic_store(&p->go, true);
	publisher_wake(p);
}

int publisher_wait_epoch(struct publisher *p, int64_t deadline,
			 struct log_position *out)
{
	struct timespec until = { deadline / SP_S, deadline % SP_S };
	int err = 0;

	pthread_mutex_lock(&p->lock);
	while (err == 0 && !p->shared_epoch_open) {
		if (p->shared.state == PUBLISHER_REFUSED)
			err = EPERM;
		else if (deadline == SP_NEVER)
			err = pthread_cond_wait(&p->changed, &p->lock);
		else
			err = pthread_cond_timedwait(&p->changed, &p->lock,
						     &until);
	}
	if (err == 0)
		*out = p->epoch_position;
	pthread_mutex_unlock(&p->lock);
	return -err;
}

bool publisher_stored(struct publisher *p, struct record_id *out)
{
	bool has;

	pthread_mutex_lock(&p->lock);
	has = p->epoch_has_stored;
	*out = p->epoch_stored;
	pthread_mutex_unlock(&p->lock);
	return has;
}

bool publisher_spool_superseded(struct publisher *p)
{
	bool superseded;

	pthread_mutex_lock(&p->lock);
	superseded = p->epoch_superseded;
	pthread_mutex_unlock(&p->lock);
	return superseded;
}

bool publisher_last_record(struct publisher *p, struct record_id *out)
{
	bool has;

	pthread_mutex_lock(&p->lock);
	has = p->epoch_has_last;
	*out = p->epoch_last;
	pthread_mutex_unlock(&p->lock);
	return has;
}

void publisher_extent(struct publisher *p, struct stream_extent *out)
{
	pthread_mutex_lock(&p->lock);
	*out = p->extent;
	pthread_mutex_unlock(&p->lock);
}

bool publisher_removed_since(struct publisher *p,
			     const struct stream_extent *before)
{
	bool removed;

	pthread_mutex_lock(&p->lock);
	removed = p->shared_epoch_open &&
		  stream_watch_removed_since(before, &p->epoch_look);
	pthread_mutex_unlock(&p->lock);
	return removed;
}

bool publisher_has_history(const struct publisher *p)
{
	return p->has_history;
}

/* Life cycle */

#define DEFAULT(field, value)               \
	do {                                \
		if (o->field == 0)          \
			o->field = (value); \
	} while (0)

static void set_defaults(struct publisher_options *o)
{
	DEFAULT(schema, "1");
	DEFAULT(epoch_subject, PUBLISHER_EPOCH_SUBJECT);
	DEFAULT(window, PUBLISHER_WINDOW);
	DEFAULT(batch_bytes, PUBLISHER_BATCH_BYTES);
	DEFAULT(ack_timeout_ns, ACK_TIMEOUT);
	DEFAULT(backoff_min_ns, BACKOFF_MIN);
	DEFAULT(backoff_max_ns, BACKOFF_MAX);
	DEFAULT(spool_after_ns, SPOOL_AFTER);
	DEFAULT(look_ns, LOOK);
	DEFAULT(waited_ns, WAITED);
	DEFAULT(stuck_ns, STUCK);
	DEFAULT(spool_max, SPOOL_MAX);
	DEFAULT(journal_max, SPOOL_MAX);
	DEFAULT(sync_ns, SYNC_NS);
	DEFAULT(sync_bytes, SYNC_BYTES);
	DEFAULT(nats.name, o->collector);
}

#undef DEFAULT

static int options_check(const struct publisher_options *o,
			 struct nats_error *why)
{
	const char *text = NULL;

	if (o->collector == NULL || !collector_id_valid(o->collector))
		text = "a collector id has letters, digits, '-' and '_', "
		       "at most 63 of them";
	else if (o->window > PUBLISHER_WINDOW_MAX)
		text = "the window is too large";
	else if (o->discard &&
		 (o->nats.server_count > 0 || o->journal_dir != NULL))
		text = "what is discarded needs neither servers nor a journal";
	else if (o->nats.server_count == 0 && o->journal_dir == NULL &&
		 !o->discard)
		text = "neither servers nor a journal";
	else if (o->nats.server_count > 0 &&
		 (o->stream.name == NULL || o->stream.subject_count == 0))
		text = "a stream needs a name and subjects";
	if (text == NULL)
		return 0;
	snprintf(why->text, sizeof(why->text), "%s", text);
	return -EINVAL;
}

static void publisher_release(struct publisher *p)
{
	if (p == NULL)
		return;
	egress_codec_free(p->codec);
	free(p->gaps);
	send_queue_fini(&p->wire);
	send_queue_fini(&p->disk);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct publisher *publisher_new(const struct publisher_options *options,
				       struct egress_bridge *bridge)
{
	struct publisher *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;

	if (p == NULL)
		return NULL;
	p->options = *options;
	set_defaults(&p->options);
	p->bridge = bridge;
	p->next_seq = 1;
	p->held_back = options->hold;
	p->down_since = sp_now();
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &attr);
	pthread_condattr_destroy(&attr);
	/* All of the first must find room in the second. */
	if (egress_codec_new(&p->codec) < 0 ||
	    send_queue_init(&p->wire, p->options.window) < 0 ||
	    send_queue_init(&p->disk, 2 * p->options.window) < 0) {
		publisher_release(p);
		return NULL;
	}
	return p;
}

/* The epoch of this run: later than the clock and than what we know. */
static void choose_epoch(struct publisher *p)
{
	p->epoch = publisher_wall_ns() / 1000000;
	if (p->epoch <= p->known_epoch)
		p->epoch = p->known_epoch + 1;
	p->first_epoch = p->epoch;
}

/* Without a broker the end of the log is known at once. */
static void share_log_end(struct publisher *p, uint64_t position)
{
	publisher_set_log_position(p, position);
	pthread_mutex_lock(&p->lock);
	p->epoch_position = p->log_position;
	p->shared_epoch_open = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

int publisher_journal_epoch(struct publisher *p)
{
	uint8_t bytes[1024];
	struct journal_record record = {
		.time_ns = publisher_wall_ns(),
		.epoch = p->epoch,
		.seq = 0,
		.updates = 1,
		.kind = EGRESS_BATCH_EVENTS,
		.subject = p->options.epoch_subject,
		.subject_len = (uint16_t)strlen(p->options.epoch_subject),
		.payload = bytes,
	};
	int err;

	record.len = (uint32_t)publisher_epoch_event(p, p->epoch, bytes,
						     sizeof(bytes));
	err = journal_append(p->journal, &record, 1); /* yields */
	if (err < 0)
		return err;
	err = journal_sync(p->journal); /* yields */
	if (err < 0) {
		/* The next attempt must not leave the event there twice. */
		if (journal_rewind(p->journal) < 0)
			p->sync_error = err;
		return err;
	}
	p->epoch_open = true;
	publisher_set_log_position(p, journal_synced(p->journal));
	return 0;
}

struct opening {
	struct publisher *p;
	struct nats_error *why;
};

/* The journal first: the folder is ours when it is open, and not before. */
static int open_journal(struct publisher *p, struct nats_error *why)
{
	const char *dir = p->options.journal_dir;
	struct publisher_epochs kept;
	int err = publisher_spool_open(p, why);

	if (err < 0)
		return err;
	/* Brief, and nobody else is here yet. */
	err = publisher_epoch_load(dir, &kept);
	if (err == 0) {
		if (kept.used > p->known_epoch)
			p->known_epoch = kept.used;
		/* Without the file its records say what was opened. */
		p->opened_epoch = kept.used != 0 ? kept.opened : p->known_epoch;
		p->has_history = p->known_epoch != 0;
		choose_epoch(p);
		kept.used = p->epoch;
		kept.opened = p->opened_epoch;
		err = publisher_epoch_save(dir, &kept);
		/*
		 * A full disk does not end a start. The records of this run
		 * carry its epoch, and connect.c saves it before a broker sees
		 * it, so that a later run finds it without the file.
		 */
		if (err == -ENOSPC || err == -EDQUOT)
			err = 0;
	}
	if (err < 0)
		publisher_epoch_explain(dir, err, why);
	return err;
}

static void note_damage(struct publisher *p)
{
	char text[NATS_WORDS_MAX];
	int err;
	const char *name = acked_tail_damage(p->acked_tail, &err);

	if (name == NULL)
		return;
	snprintf(text, sizeof(text), ACKED_TAIL_DIR "/%s was removed: %s", name,
		 err == -EOPNOTSUPP ? "it is of another version of arancini"
				    : strerror(-err));
	publisher_tell(p, text);
}

/* What cannot be kept is not a reason not to publish. */
static void open_acked_tail(struct publisher *p)
{
	const char *dir = p->options.journal_dir;
	char path[PATH_MAX];
	char text[NATS_WORDS_MAX];
	int err = -ENAMETOOLONG;

	if (dir == NULL)
		err = acked_tail_open(NULL, 0, &p->acked_tail);
	else if (snprintf(path, sizeof(path), "%s/" ACKED_TAIL_DIR, dir) <
		 (int)sizeof(path))
		err = acked_tail_open(path, p->options.acked_tail,
				      &p->acked_tail);
	if (err == 0) {
		note_damage(p);
		return;
	}
	snprintf(text, sizeof(text), "no acked tail: %s/%s: %s", dir,
		 ACKED_TAIL_DIR, strerror(-err));
	publisher_tell(p, text);
	(void)acked_tail_open(NULL, 0, &p->acked_tail);
}

/* In a fiber: what needs the disk before anything else may happen. */
static int open_disk(void *arg)
{
	struct opening *opening = arg;
	struct publisher *p = opening->p;
	int err = 0;

	if (p->options.journal_dir != NULL)
		err = open_journal(p, opening->why);
	else
		choose_epoch(p);
	if (err == 0 && p->options.discard) {
		p->epoch_open = true;
		share_log_end(p, 0);
		publisher_handle(p, PUBLISHER_EV_DISCARD, NULL);
	} else if (err == 0 && p->options.nats.server_count == 0) {
		err = publisher_journal_epoch(p);
		/* publisher_spool_write() tries again until there is room. */
		if (err == -ENOSPC || err == -EDQUOT)
			err = 0;
		if (err == 0) {
			share_log_end(p, journal_synced(p->journal));
			publisher_handle(p, PUBLISHER_EV_JOURNAL, NULL);
		}
	} else if (err == 0) {
		open_acked_tail(p);
	}
	if (err < 0) {
		journal_close(p->journal);
		return err;
	}
	publisher_share(p);
	return 0;
}

static int fibers_spawn(struct publisher *p)
{
	int err = 0;

	if (p->journal != NULL)
		err = sp_go_on(p->rt, 0, publisher_sync_main, p, &p->syncer);
	if (err == 0 && p->options.nats.server_count > 0)
		err = sp_go_on(p->rt, 0, publisher_tail_main, p,
			       &p->tail_writer);
	if (err == 0 && p->options.nats.server_count > 0)
		err = sp_go_on(p->rt, 0, publisher_connect_main, p, &p->linker);
	if (err == 0)
		err = sp_go_on(p->rt, 0, publisher_main, p, &p->main);
	return err;
}

static int runtime_start(struct publisher *p, struct nats_error *why)
{
	struct opening opening = { p, why };
	struct sp_opts opts = SP_OPTS_INIT;
	int ret = 0;
	int err;

	opts.shards = 1;
	opts.name = "publisher";
	opts.stack_size = STACK;
	opts.pool_threads = POOL_THREADS;
	err = sp_start(&opts, &p->rt);
	if (err < 0)
		return err;
	err = sp_call_on(p->rt, 0, open_disk, &opening, &ret);
	if (err == 0)
		err = ret;
	if (err == 0)
		err = fibers_spawn(p);
	if (err < 0)
		sp_stop(p->rt, sp_in(STOP_GRACE));
	return err;
}

int publisher_start(const struct publisher_options *options,
		    struct egress_bridge *bridge, struct nats_error *why,
		    struct publisher **out)
{
	struct publisher *p;
	int err = options_check(options, why);

	if (err < 0)
		return err;
	p = publisher_new(options, bridge);
	if (p == NULL)
		return -ENOMEM;
	err = runtime_start(p, why);
	if (err < 0) {
		publisher_release(p);
		return err;
	}
	*out = p;
	return 0;
}

struct sp_rt *publisher_runtime(const struct publisher *p)
{
	return p->rt;
}

int publisher_drain(struct publisher *p, int64_t deadline)
{
	int ret = 0;
	int err;

	atomic_store(&p->stop_at, deadline);
	atomic_store(&p->stopping, true);
	atomic_store(&p->go, true);
	publisher_wake(p);
	err = sp_join_thread(p->rt, p->main, &ret);
	return err < 0 ? err : ret;
}

void publisher_free(struct publisher *p)
{
	if (p == NULL)
		return;
	sp_stop(p->rt, sp_in(STOP_GRACE));
	publisher_release(p);
}
