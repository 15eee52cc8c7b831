/* The life of a publisher, from publisher_start() to publisher_free(). */
#include "egress/publisher/acked_tail.h"
#include "egress/publisher/publisher_internal.h"

#include "egress/bridge.h"
#include "egress/codec.h"
#include "egress/journal/cursor.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACK_TIMEOUT (5 * SP_S)
#define BACKOFF_MIN (100 * SP_MS)
#define BACKOFF_MAX (2 * SP_S)
#define SPOOL_AFTER (1 * SP_S)
#define LOOK	    (5 * SP_S)
#define WAITED	    (5 * SP_S)
#define STUCK	    (60 * SP_S)
#define SPOOL_MAX   (UINT64_C(10) << 30)
#define SYNC_NS	    (100 * SP_MS)
#define SYNC_BYTES  (UINT64_C(8) << 20)
/* in the folder of the spool, whose lock protects it */
#define ACKED_TAIL_DIR "acked-tail"
#define STACK	       (256u << 10)
#define POOL_THREADS   3
/*
 * Maximum time to settle. A server that answers at all answers all messages in
 * flight within milliseconds. If a stream was deleted, the messages that it had
 * not stored are never answered.
 */
#define SETTLE_MAX SP_S
#define STOP_GRACE (20 * SP_S) /* time for libnats to finish its calls */

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
	return (uint64_t)sp_wall_now();
}

/* Calls between the shard and other threads */

void publisher_wake(void *arg)
{
	struct publisher *p = arg;

	atomic_fetch_add(&p->wakeup.count, 1);
	/*
	 * Pairs with sleep_until_news(), which sets waiters first and then
	 * reads count.
	 */
	if (atomic_exchange(&p->wakeup.waiters, 0) == 0)
		return;
	sp_sem_post(&p->wakeup.sem);
	egress_bridge_wake(p->bridge);
}

/* The number of bytes in the spool that still have to be sent. */
static uint64_t spool_left(const struct publisher *p)
{
	if (p->path != PATH_SPOOL && p->spool.released == 0)
		return 0;
	return journal_bytes_behind(p->spool.journal, p->spool.released);
}

void publisher_share(struct publisher *p)
{
	p->stats.state = p->state;
	p->stats.spooling = p->path == PATH_SPOOL;
	p->stats.disk_full = publisher_disk_full(p->spool.append_error);
	p->stats.epoch = p->run.epoch;
	p->stats.in_flight = send_queue_in_flight(&p->wire);
	p->stats.waiting = send_queue_count(&p->wire) - p->stats.in_flight +
			   send_queue_count(&p->disk);
	p->stats.acked_tail_size = acked_tail_bytes(p->tail.acked);
	if (p->spool.journal != NULL) {
		p->stats.journal_size = journal_bytes(p->spool.journal);
		p->stats.spool_left = spool_left(p);
	}
	pthread_mutex_lock(&p->shared.lock);
	p->shared.stats = p->stats;
	p->shared.extent = stream_watch_extent(&p->chain.watch);
	pthread_mutex_unlock(&p->shared.lock);
}

void publisher_tell(struct publisher *p, const char *text)
{
	struct publisher_notice notice = { p->state, p->path == PATH_SPOOL,
					   text, p->stats.max_payload };

	if (text != NULL)
		snprintf(p->stats.last_error.text,
			 sizeof(p->stats.last_error.text), "%s", text);
	publisher_share(p);
	if (p->options.notice != NULL)
		p->options.notice(p->options.notice_arg, &notice);
}

static void repair_raise(struct publisher *p, enum publisher_repair repair)
{
	if (repair > p->conn.repair)
		p->conn.repair = repair;
}

void publisher_handle(struct publisher *p, enum publisher_event event,
		      const char *text)
{
	struct publisher_step step = publisher_step(p->state, event);

	assert(!(step.actions & PUBLISHER_IMPOSSIBLE));
	p->state = step.next;
	if (step.actions & PUBLISHER_START_SETTLING) {
		p->conn.settle_until =
			sp_in(p->options.ack_timeout_ns < SETTLE_MAX
				      ? p->options.ack_timeout_ns
				      : SETTLE_MAX);
		p->conn.down_since = sp_now();
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
	sp_cond_broadcast(&p->shared.changed);
	if (step.actions & PUBLISHER_WAKE_MAIN)
		publisher_wake(p);
	if (step.actions & PUBLISHER_WAKE_LINK)
		sp_sem_post(&p->conn.wake);
}

void publisher_set_log_position(struct publisher *p, uint64_t position)
{
	struct log_position current = { .position = position };

	if (publisher_has_broker(p)) {
		current.identity = (uint64_t)p->chain.created_ns;
	} else {
		current.journal = true;
		/* Discarded output has no log: use an identity for each run. */
		current.identity = p->path == PATH_DISCARD
					   ? p->run.epoch
					   : journal_identity(p->spool.journal);
	}
	pthread_mutex_lock(&p->shared.lock);
	p->shared.log_position = current;
	pthread_mutex_unlock(&p->shared.lock);
}

void publisher_log_position(struct publisher *p, struct log_position *out)
{
	pthread_mutex_lock(&p->shared.lock);
	*out = p->shared.log_position;
	pthread_mutex_unlock(&p->shared.lock);
}

void publisher_first_position(struct publisher *p, struct log_position *out)
{
	*out = (struct log_position){ .identity = 0 };
	pthread_mutex_lock(&p->shared.lock);
	if (p->shared.opened.epoch != 0)
		*out = p->shared.opened.position;
	pthread_mutex_unlock(&p->shared.lock);
}

void publisher_stats(struct publisher *p, struct publisher_stats *out)
{
	pthread_mutex_lock(&p->shared.lock);
	*out = p->shared.stats;
	pthread_mutex_unlock(&p->shared.lock);
}

bool publisher_position_lost(const struct publisher *p, uint64_t position)
{
	for (size_t i = 0; i < p->spool.gap_count; i++)
		if (position > p->spool.gaps[i].from &&
		    position < p->spool.gaps[i].to)
			return true;
	return false;
}

void publisher_go(struct publisher *p)
{
	int held = ORDER_HOLD;

	/* Has no effect after publisher_drain(). */
	atomic_compare_exchange_strong(&p->stop.order, &held, ORDER_PUBLISH);
	publisher_wake(p);
}

struct epoch_wait {
	struct publisher *p;
	int64_t deadline;
};

/* Wait for the epoch on the publisher's shard, where it changes. */
static int wait_epoch(void *arg)
{
	const struct epoch_wait *wait = arg;
	struct publisher *p = wait->p;
	int err = sp_mutex_lock(&p->shared.changing);

	if (err < 0)
		return err;
	while (err == 0 && p->shared.opened.epoch == 0)
		err = p->state == PUBLISHER_REFUSED
			      ? -EPERM
			      : sp_cond_wait_until(&p->shared.changed,
						   &p->shared.changing,
						   wait->deadline);
	sp_mutex_unlock(&p->shared.changing);
	return err;
}

int publisher_wait_epoch(struct publisher *p, int64_t deadline,
			 struct log_position *out)
{
	struct epoch_wait wait = { p, deadline };
	int ret = 0;
	int err = sp_call_on(p->rt, p->shard, wait_epoch, &wait, &ret);

	if (err == 0)
		err = ret;
	if (err < 0)
		return err;
	pthread_mutex_lock(&p->shared.lock);
	*out = p->shared.opened.position;
	pthread_mutex_unlock(&p->shared.lock);
	return 0;
}

bool publisher_stored(struct publisher *p, struct record_id *out)
{
	pthread_mutex_lock(&p->shared.lock);
	*out = p->shared.opened.stored;
	pthread_mutex_unlock(&p->shared.lock);
	return out->epoch != 0;
}

bool publisher_spool_superseded(struct publisher *p)
{
	bool superseded;

	pthread_mutex_lock(&p->shared.lock);
	superseded = p->shared.opened.superseded;
	pthread_mutex_unlock(&p->shared.lock);
	return superseded;
}

bool publisher_last_record(struct publisher *p, struct record_id *out)
{
	pthread_mutex_lock(&p->shared.lock);
	*out = p->shared.opened.last;
	pthread_mutex_unlock(&p->shared.lock);
	return out->epoch != 0;
}

void publisher_extent(struct publisher *p, struct stream_extent *out)
{
	pthread_mutex_lock(&p->shared.lock);
	*out = p->shared.extent;
	pthread_mutex_unlock(&p->shared.lock);
}

bool publisher_removed_since(struct publisher *p,
			     const struct stream_extent *before)
{
	bool removed;

	pthread_mutex_lock(&p->shared.lock);
	removed = p->shared.opened.epoch != 0 &&
		  stream_watch_removed_since(before, &p->shared.opened.look);
	pthread_mutex_unlock(&p->shared.lock);
	return removed;
}

bool publisher_has_history(const struct publisher *p)
{
	return p->run.older_epoch != 0;
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
	free(p->spool.gaps);
	send_queue_fini(&p->wire);
	send_queue_fini(&p->disk);
	pthread_mutex_destroy(&p->shared.lock);
	free(p);
}

static struct publisher *publisher_new(const struct publisher_options *options,
				       struct egress_bridge *bridge)
{
	struct publisher *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->options = *options;
	set_defaults(&p->options);
	p->bridge = bridge;
	p->run.next_seq = 1;
	atomic_init(&p->stop.order, options->hold ? ORDER_HOLD : ORDER_PUBLISH);
	if (options->discard)
		p->path = PATH_DISCARD;
	else if (options->nats.server_count == 0)
		p->path = PATH_JOURNAL;
	p->conn.down_since = sp_now();
	pthread_mutex_init(&p->shared.lock, NULL);
	/* All entries of wire must also fit into disk. */
	if (egress_codec_new(&p->codec) < 0 ||
	    send_queue_init(&p->wire, p->options.window, SEND_WIRE_FLOOR) < 0 ||
	    send_queue_init(&p->disk, 2 * p->options.window, SEND_DISK_FLOOR) <
		    0) {
		publisher_release(p);
		return NULL;
	}
	return p;
}

/* Without a broker: set the results of publisher_wait_epoch(). */
static void share_log_end(struct publisher *p, uint64_t position)
{
	publisher_set_log_position(p, position);
	pthread_mutex_lock(&p->shared.lock);
	p->shared.opened.position = p->shared.log_position;
	p->shared.opened.epoch = p->run.epoch;
	pthread_mutex_unlock(&p->shared.lock);
	sp_cond_broadcast(&p->shared.changed);
}

int publisher_journal_epoch(struct publisher *p)
{
	uint8_t bytes[1024];
	struct journal_record record = {
		.time_ns = publisher_wall_ns(),
		.epoch = p->run.epoch,
		.seq = 0,
		.updates = 1,
		.kind = EGRESS_BATCH_EVENTS,
		.subject = p->options.epoch_subject,
		.subject_len = (uint16_t)strlen(p->options.epoch_subject),
		.payload = bytes,
	};
	int err;

	record.len = (uint32_t)publisher_epoch_event(p, p->run.epoch, bytes,
						     sizeof(bytes));
	err = journal_append(p->spool.journal, &record, 1); /* yields */
	if (err < 0)
		return err;
	err = journal_sync(p->spool.journal); /* yields */
	if (err < 0) {
		/*
		 * Remove the event, so that the next attempt does not repeat
		 * it.
		 */
		if (journal_rewind(p->spool.journal) < 0)
			publisher_sync_failed(p, err);
		return err;
	}
	p->run.open_epoch = p->run.epoch;
	publisher_set_log_position(p, journal_synced(p->spool.journal));
	return 0;
}

struct opening {
	struct publisher *p;
	struct nats_error *why;
};

/*
 * Open the journal, then read the epochs. In this order, because the lock of
 * the folder is taken when the journal is opened.
 */
static int open_journal(struct publisher *p, struct nats_error *why)
{
	const char *dir = p->options.journal_dir;
	struct publisher_epochs kept;
	int err = publisher_spool_open(p, why);

	if (err < 0)
		return err;
	/* This blocks briefly; no other fiber runs yet. */
	err = publisher_epoch_load(dir, &kept);
	if (err == -ERANGE) {
		/*
		 * As if there were no file: the records show the epochs used.
		 */
		publisher_epoch_explain(dir, err, why);
		publisher_tell(p, why->text);
		err = 0;
	}
	if (err == 0 && p->run.known_epoch >= EPOCH_MAX) {
		snprintf(why->text, sizeof(why->text),
			 "%s has a record with the last epoch there is: move "
			 "the folder away",
			 dir);
		return -ERANGE;
	}
	if (err == 0) {
		if (kept.used > p->run.known_epoch)
			p->run.known_epoch = kept.used;
		/*
		 * Without a file assume that the epochs of records were opened.
		 */
		p->run.opened_epoch =
			kept.used != 0 ? kept.opened : p->run.known_epoch;
		p->run.older_epoch = p->run.known_epoch;
		publisher_epoch_choose(p);
		kept.used = p->run.epoch;
		kept.opened = p->run.opened_epoch;
		err = publisher_epoch_save(dir, &kept);
		/*
		 * A full disk does not prevent the start. A later run finds the
		 * epoch of this run even without the file: each record has it,
		 * and connect.c saves it before it is sent to a broker.
		 */
		if (publisher_disk_full(err))
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
	const char *name = acked_tail_damage(p->tail.acked, &err);

	if (name == NULL)
		return;
	snprintf(text, sizeof(text), ACKED_TAIL_DIR "/%s was removed: %s", name,
		 err == -EOPNOTSUPP ? "it is of another version of arancini"
				    : strerror(-err));
	publisher_tell(p, text);
}

/* Open the acked tail. If that fails, publish without it. */
static void open_acked_tail(struct publisher *p)
{
	const char *dir = p->options.journal_dir;
	char path[PATH_MAX];
	char text[NATS_WORDS_MAX];
	int err = -ENAMETOOLONG;

	if (dir == NULL)
		err = acked_tail_open(NULL, 0, &p->tail.acked);
	else if (snprintf(path, sizeof(path), "%s/" ACKED_TAIL_DIR, dir) <
		 (int)sizeof(path))
		err = acked_tail_open(path, p->options.acked_tail,
				      &p->tail.acked);
	if (err == 0) {
		note_damage(p);
		return;
	}
	snprintf(text, sizeof(text), "no acked tail: %s/%s: %s", dir,
		 ACKED_TAIL_DIR, strerror(-err));
	publisher_tell(p, text);
	(void)acked_tail_open(NULL, 0, &p->tail.acked);
}

/*
 * Open the journal and the acked tail, in a fiber, before the other fibers
 * start.
 */
static int open_disk(void *arg)
{
	struct opening *opening = arg;
	struct publisher *p = opening->p;
	int err = 0;

	if (p->options.journal_dir != NULL)
		err = open_journal(p, opening->why);
	else
		publisher_epoch_choose(p);
	if (err == 0 && p->path == PATH_DISCARD) {
		p->run.open_epoch = p->run.epoch;
		share_log_end(p, 0);
		publisher_handle(p, PUBLISHER_EV_DISCARD, NULL);
	} else if (err == 0 && p->path == PATH_JOURNAL) {
		err = publisher_journal_epoch(p);
		/*
		 * Continue: publisher_spool_write() tries again until the disk
		 * has space.
		 */
		if (publisher_disk_full(err))
			err = 0;
		if (err == 0) {
			share_log_end(p, journal_synced(p->spool.journal));
			publisher_handle(p, PUBLISHER_EV_JOURNAL, NULL);
		}
	} else if (err == 0) {
		open_acked_tail(p);
	}
	if (err < 0) {
		journal_close(p->spool.journal);
		return err;
	}
	publisher_share(p);
	return 0;
}

static int fibers_spawn(struct publisher *p)
{
	int err = 0;

	if (p->spool.journal != NULL)
		err = sp_go_on(p->rt, p->shard, publisher_sync_main, p,
			       &p->spool.task);
	if (err == 0 && p->path == PATH_JOURNAL)
		err = sp_go_on(p->rt, p->shard, publisher_retain_main, p,
			       &p->spool.retain_task);
	if (err == 0 && publisher_has_broker(p))
		err = sp_go_on(p->rt, p->shard, publisher_tail_main, p,
			       &p->tail.task);
	if (err == 0 && publisher_has_broker(p))
		err = sp_go_on(p->rt, p->shard, publisher_connect_main, p,
			       &p->conn.task);
	if (err == 0)
		err = sp_go_on(p->rt, p->shard, publisher_main, p, &p->main);
	return err;
}

/* Start a runtime, unless options.rt has a shard for the publisher. */
static int runtime_start(struct publisher *p)
{
	struct sp_opts opts = SP_OPTS_INIT;

	p->rt = p->options.rt;
	p->shard = p->options.shard;
	if (p->rt != NULL)
		return 0;
	p->shard = 0;
	opts.shards = 1;
	opts.name = "publisher";
	opts.stack_size = STACK;
	opts.pool_threads = POOL_THREADS;
	return sp_start(&opts, &p->rt);
}

static void runtime_stop(struct publisher *p)
{
	if (p->options.rt == NULL)
		sp_stop(p->rt, sp_in(STOP_GRACE));
}

static int publisher_begin(struct publisher *p, struct nats_error *why)
{
	struct opening opening = { p, why };
	int ret = 0;
	int err = runtime_start(p);

	if (err < 0)
		return err;
	err = sp_call_on(p->rt, p->shard, open_disk, &opening, &ret);
	if (err == 0)
		err = ret;
	if (err == 0)
		err = fibers_spawn(p);
	if (err < 0)
		runtime_stop(p);
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
	err = publisher_begin(p, why);
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

	atomic_store(&p->stop.at, deadline);
	atomic_store(&p->stop.order, ORDER_STOP);
	publisher_wake(p);
	err = sp_join_thread(p->rt, p->main, &ret);
	return err < 0 ? err : ret;
}

void publisher_free(struct publisher *p)
{
	if (p == NULL)
		return;
	runtime_stop(p);
	publisher_release(p);
}
