/*
 * The publisher's main fiber runs one turn after the other and sleeps between.
 *
 * A turn does all work that needs no waiting; only disk operations make it
 * yield. Then main sleeps: on the bridge if it can take a batch, otherwise on
 * the semaphore of the wake-up. publisher_wake() increments wakeup.count first,
 * so a wake-up that comes during a turn prevents the sleep after it.
 */
#include "egress/publisher/acked_tail.h"
#include "egress/publisher/publisher_internal.h"

#include "egress/bridge.h"
#include "egress/journal/cursor.h"
#include "egress/nats/client.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

#define TAKE_MAX       256 /* maximum number of batches taken in one turn */
#define TURNS_A_WINDOW 16
#define PACED_PART     4 /* a turn waits for 1/4 of the messages in flight */

static bool to_disk(const struct publisher *p)
{
	return p->path == PATH_SPOOL || p->path == PATH_JOURNAL;
}

static bool wire_full(const struct publisher *p)
{
	return send_queue_count(&p->wire) >= p->options.window ||
	       publisher_stream_heavy(p);
}

/* In other states no message is sent, so only memory limits the queue. */
static bool wire_paced(const struct publisher *p)
{
	return p->state == PUBLISHER_READY && send_queue_paced(&p->wire);
}

/* The queue to which batches from the bridge are appended. */
static struct send_queue *taken_queue(struct publisher *p)
{
	return to_disk(p) ? &p->disk : &p->wire;
}

static bool can_take(const struct publisher *p)
{
	if (p->stop.input == INPUT_ENDED || publisher_held(p))
		return false;
	if (to_disk(p))
		return !send_queue_full(&p->disk) && !publisher_disk_heavy(p) &&
		       !send_queue_paced(&p->disk);
	return !wire_full(p) && !wire_paced(p);
}

static void take_batch(struct publisher *p, struct egress_batch *batch)
{
	struct send_entry f = {
		.batch = batch,
		.len = batch->len,
		.weight = egress_batch_weight(batch),
		.updates = batch->updates,
	};

	if (batch->kind != EGRESS_BATCH_FENCE) {
		f.record = (struct record_id){ p->run.epoch, p->run.next_seq++,
					       0 };
		p->run.taken = f.record;
	} else {
		batch->before = p->run.taken;
		if (!to_disk(p))
			/* a fence is safe when all entries before it are */
			f.state = SEND_ACKED;
	}
	send_queue_push(taken_queue(p), f);
}

static void batches_take(struct publisher *p)
{
	for (int i = 0; i < TAKE_MAX && can_take(p); i++) {
		struct egress_batch *batch = egress_bridge_pop(p->bridge);

		if (batch == NULL)
			break;
		take_batch(p, batch);
	}
	if (send_queue_paced(taken_queue(p)))
		taken_queue(p)->pace.bounded = true;
}

/*
 * Take at most TAKE_MAX batches, while can_take() is true. Return each batch
 * without publishing it, and each fence as if the batches before it were safe.
 */
static void batches_discard(struct publisher *p)
{
	for (int i = 0; i < TAKE_MAX && can_take(p); i++) {
		struct egress_batch *batch = egress_bridge_pop(p->bridge);

		if (batch == NULL)
			break;
		if (batch->kind == EGRESS_BATCH_FENCE) {
			batch->position = p->shared.log_position.position;
			batch->before = p->run.taken;
		} else {
			publisher_set_log_position(
				p, p->shared.log_position.position + 1);
			p->stats.messages++;
			p->stats.updates += batch->updates;
			p->stats.bytes += batch->len;
		}
		egress_bridge_give_back(p->bridge, batch);
	}
}

/*
 * True if the ring of a worker is three quarters full, or if @waiting is set
 * and sessions wait for space in the ring.
 */
static bool bridge_filling(struct publisher *p, bool waiting)
{
	struct egress_bridge_stats stats;

	for (uint32_t w = 0; w < egress_bridge_workers(p->bridge); w++) {
		egress_bridge_stats(p->bridge, w, &stats);
		if (stats.batches >= stats.capacity - stats.capacity / 4 ||
		    (waiting && stats.waiting > 0))
			return true;
	}
	return false;
}

/*
 * True if the broker takes less than the workers publish. Sessions that wait
 * for space in a ring count only if the send queue is full, or if its oldest
 * message is not acknowledged for spool_after_ns. Otherwise only some routers
 * wait for their share of the bridge, and the spool would delay the updates of
 * others.
 */
static bool broker_is_slow(struct publisher *p)
{
	const struct send_entry *f = send_queue_first(&p->wire);
	bool stands = f != NULL && f->state == SEND_SENT &&
		      sp_now() - f->sent_ns >= p->options.spool_after_ns;

	if (!wire_full(p) && !wire_paced(p))
		return false;
	return bridge_filling(p, wire_full(p) || stands);
}

/*
 * Enter the spool if the stream is down and the window is full, if the stream
 * is down for spool_after_ns, or if the broker is slow for spool_after_ns.
 */
static void decide_spool(struct publisher *p)
{
	int64_t now = sp_now();

	if (p->spool.journal == NULL || to_disk(p) ||
	    p->state == PUBLISHER_SETTLING)
		return;
	if (!publisher_state_is_up(p->state)) {
		if (!publisher_stream_idle(p) &&
		    (wire_full(p) ||
		     now - p->conn.down_since >= p->options.spool_after_ns))
			publisher_spool_enter(p);
		return;
	}
	if (!broker_is_slow(p)) {
		p->spool.slow_since = 0;
		return;
	}
	if (p->spool.slow_since == 0)
		p->spool.slow_since = now;
	else if (now - p->spool.slow_since >= p->options.spool_after_ns)
		publisher_spool_enter(p);
}

static void publisher_turn(struct publisher *p)
{
	enum publisher_path path = p->path;

	if (p->path == PATH_DISCARD) {
		batches_discard(p);
		publisher_share(p);
		return;
	}
	if (p->state == PUBLISHER_RESUMING)
		publisher_stream_resume(p);
	publisher_stream_answers(p);
	publisher_stream_check(p);
	publisher_stream_settle(p);
	publisher_spool_settle(p); /* yields */
	batches_take(p);
	publisher_spool_write(p); /* yields */
	publisher_spool_feed(p);  /* yields */
	publisher_stream_send(p);
	publisher_tail_keep(p);
	/*
	 * Settle again: batches_take() may have queued fences that have no
	 * unacknowledged message before them.
	 */
	publisher_stream_settle(p);
	publisher_spool_give_back(p);
	decide_spool(p);
	if (p->path == PATH_SPOOL && path != PATH_SPOOL)
		publisher_tell(p, "spooling to disk");
	publisher_share(p);
	publisher_judge(p);
}

/* The time at which the next turn begins even without a wake-up. */
static int64_t publisher_deadline(const struct publisher *p)
{
	const struct send_entry *f = send_queue_first(&p->wire);
	int64_t when = publisher_spool_deadline(p);

#define SOONER(t)                  \
	do {                       \
		int64_t t_ = (t);  \
		if (t_ < when)     \
			when = t_; \
	} while (0)
	if (p->state == PUBLISHER_READY && f != NULL && f->state == SEND_SENT)
		SOONER(f->sent_ns + p->options.ack_timeout_ns + 1);
	if (p->state == PUBLISHER_SETTLING)
		SOONER(p->conn.settle_until);
	SOONER(publisher_judge_deadline(p));
	if (!publisher_state_is_up(p->state) && !to_disk(p) &&
	    !publisher_stream_idle(p) && p->spool.journal != NULL)
		SOONER(p->conn.down_since + p->options.spool_after_ns);
	if (p->state == PUBLISHER_READY)
		SOONER(p->tail.phase == TAIL_WRITING
			       ? acked_tail_give_up(p->tail.acked)
			       : acked_tail_due(p->tail.acked));
	if (p->spool.slow_since != 0)
		SOONER(p->spool.slow_since + p->options.spool_after_ns);
	if (publisher_stopping(p))
		SOONER(atomic_load(&p->stop.at));
#undef SOONER
	return when;
}

/*
 * Ask the connection to wake main when enough acknowledgements have come: a
 * sixteenth of the window, so that a turn sends several messages, or all
 * outstanding ones if these are fewer. If pacing allows less than a window in
 * flight, a PACED_PART is enough, so that the broker stays busy. False if
 * enough acknowledgements have come already.
 */
static bool must_wait(struct publisher *p)
{
	uint64_t some = p->options.window / TURNS_A_WINDOW;

	if (p->state != PUBLISHER_READY && p->state != PUBLISHER_SETTLING)
		return true;
	if (wire_paced(p) && some > p->chain.unanswered / PACED_PART)
		some = p->chain.unanswered / PACED_PART;
	if (p->state == PUBLISHER_SETTLING || some > p->chain.unanswered)
		some = p->chain.unanswered;
	return nats_conn_await(p->conn.link, some > 1 ? (uint32_t)some : 1);
}

/* Sleep, unless a wake-up came since wakeup.count was @count. */
static void sleep_until_news(struct publisher *p, uint64_t count)
{
	int64_t when = publisher_deadline(p);
	int err = 0;

	atomic_store(&p->wakeup.waiters, 1);
	/* Order: publisher_wake() increments count before it reads waiters. */
	if (must_wait(p) && atomic_load(&p->wakeup.count) == count) {
		if (can_take(p))
			err = egress_bridge_wait(p->bridge, when);
		else
			err = sp_sem_wait_until(&p->wakeup.sem, when);
	}
	atomic_store(&p->wakeup.waiters, 0);
	if (err == -EPIPE)
		p->stop.input = INPUT_ENDED;
	while (sp_sem_trywait(&p->wakeup.sem) == 0)
		;
}

/*
 * True if all batches are safe and no more records of the spool can be
 * published.
 */
static bool publisher_finished(const struct publisher *p)
{
	if (!publisher_stopping(p))
		return false;
	if (p->stop.input == INPUT_OPEN || !send_queue_empty(&p->disk))
		return false;
	/* The next run publishes the rest of the spool. */
	if (p->path == PATH_SPOOL)
		return !publisher_state_is_up(p->state);
	return publisher_stream_idle(p);
}

/* The stop deadline has passed: append all batches in memory to the spool. */
static void save_rest(struct publisher *p)
{
	egress_bridge_stop(p->bridge);
	if (p->spool.journal == NULL)
		return;
	if (!to_disk(p))
		publisher_spool_enter(p);
	for (;;) {
		uint64_t before = p->disk.head;

		batches_take(p);
		p->spool.append_again = 0;
		publisher_spool_write(p);		/* yields */
		if (journal_sync(p->spool.journal) < 0) /* yields */
			return;
		publisher_spool_settle(p);
		if (p->disk.head == before)
			return;
	}
}

/*
 * Return the batches of @queue to the workers, but free the fences: to return a
 * fence would mean that everything before it is safe.
 */
static void give_up(struct publisher *p, struct send_queue *queue)
{
	struct send_entry *f;

	while ((f = send_queue_first(queue)) != NULL) {
		if (send_entry_is_fence(f))
			egress_batch_free(f->batch);
		else if (f->batch != NULL)
			egress_bridge_give_back(p->bridge, f->batch);
		send_queue_drop_first(queue);
	}
}

int publisher_main(void *arg)
{
	struct publisher *p = arg;
	bool safe;

	for (;;) {
		uint64_t count = atomic_load(&p->wakeup.count);

		publisher_turn(p); /* yields */
		if (publisher_finished(p) ||
		    (publisher_stopping(p) &&
		     sp_now() >= atomic_load(&p->stop.at)))
			break;
		sleep_until_news(p, count);
	}
	safe = publisher_finished(p);
	/*
	 * After this event it has no effect if the link fiber establishes the
	 * stream.
	 */
	publisher_handle(p, PUBLISHER_EV_STOP, NULL);
	if (!safe) {
		save_rest(p);
		safe = p->stop.input == INPUT_ENDED &&
		       send_queue_empty(&p->disk) &&
		       (p->path == PATH_SPOOL || publisher_stream_idle(p));
	}
	publisher_task_end(&p->conn.task);
	publisher_task_end(&p->spool.task);
	publisher_task_end(&p->spool.retain_task);
	publisher_task_end(&p->tail.task);
	give_up(p, &p->wire);
	give_up(p, &p->disk);
	journal_cursor_close(p->spool.cursor);
	/*
	 * Close the acked tail before the journal: the journal's lock protects
	 * it, too.
	 */
	acked_tail_close(p->tail.acked);
	p->tail.acked = NULL;
	journal_close(p->spool.journal);
	p->spool.journal = NULL;
	nats_thread_done();
	publisher_handle(p, PUBLISHER_EV_STOPPED, NULL);
	return safe ? 0 : -ETIMEDOUT;
}
