/*
 * The publisher's main fiber: one turn after the other, asleep in between.
 *
 * A turn does whatever can be done without waiting for anybody else; only the
 * disk makes it yield. It sleeps on the bridge while it could take a batch, and
 * on the wake-up while it could not. Whoever has news for it rings: the counter
 * of rings tells whether one came after the turn had begun.
 */
#include "egress/publisher/acked_tail.h"
#include "egress/publisher/publisher_internal.h"

#include "egress/bridge.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

#define TAKE_MAX       256 /* batches in one turn */
#define TURNS_A_WINDOW 16

static bool journal_is_output(const struct publisher *p)
{
	return p->options.nats.server_count == 0;
}

static bool to_disk(const struct publisher *p)
{
	return p->spooling || journal_is_output(p);
}

static bool wire_full(const struct publisher *p)
{
	return send_queue_count(&p->wire) >= p->options.window ||
	       publisher_stream_heavy(p);
}

static bool can_take(const struct publisher *p)
{
	if (p->bridge_done || p->held_back)
		return false;
	if (to_disk(p))
		return !send_queue_full(&p->disk) && !publisher_disk_heavy(p);
	return !wire_full(p);
}

static void take_one(struct publisher *p, struct egress_batch *batch)
{
	struct send_entry f = {
		.batch = batch,
		.len = batch->len,
		.weight = egress_batch_weight(batch),
		.updates = batch->updates,
	};

	if (batch->kind != EGRESS_BATCH_FENCE) {
		f.record = (struct record_id){ p->epoch, p->next_seq++, 0 };
		p->taken = f.record;
	} else {
		batch->before = p->taken;
		if (!to_disk(p))
			f.state = SEND_ACKED; /* safe when it is the first */
	}
	send_queue_push(to_disk(p) ? &p->disk : &p->wire, f);
}

static void batches_take(struct publisher *p)
{
	for (int i = 0; i < TAKE_MAX && can_take(p); i++) {
		struct egress_batch *batch = egress_bridge_pop(p->bridge);

		if (batch == NULL)
			break;
		take_one(p, batch);
	}
}

/* Nobody wants them: as safe as they will ever be. */
static void batches_discard(struct publisher *p)
{
	for (int i = 0; i < TAKE_MAX && can_take(p); i++) {
		struct egress_batch *batch = egress_bridge_pop(p->bridge);

		if (batch == NULL)
			break;
		if (batch->kind == EGRESS_BATCH_FENCE) {
			batch->position = p->log_position.position;
			batch->before = p->taken;
		} else {
			publisher_set_log_position(p, p->log_position.position +
							      1);
			p->stats.messages++;
			p->stats.updates += batch->updates;
			p->stats.bytes += batch->len;
		}
		egress_bridge_give_back(p->bridge, batch);
	}
}

/* Is some worker about to be stopped by us, or are sessions of it waiting? */
static bool bridge_filling(struct publisher *p)
{
	struct egress_bridge_stats stats;

	for (uint32_t w = 0; w < egress_bridge_workers(p->bridge); w++) {
		egress_bridge_stats(p->bridge, w, &stats);
		if (stats.batches >= stats.capacity - stats.capacity / 4 ||
		    stats.waiting > 0)
			return true;
	}
	return false;
}

/*
 * Trouble goes to the disk when it lasts, or when memory is full; and so does
 * what a slow broker makes pile up.
 */
static void decide_spool(struct publisher *p)
{
	bool full = wire_full(p);
	int64_t now = sp_now();

	if (p->journal == NULL || to_disk(p) || p->state == PUBLISHER_SETTLING)
		return;
	if (!publisher_state_is_up(p->state)) {
		if (!publisher_stream_idle(p) &&
		    (full || now - p->down_since >= p->options.spool_after_ns))
			publisher_spool_enter(p);
		return;
	}
	if (!full || !bridge_filling(p)) {
		p->slow_since = 0;
		return;
	}
	if (p->slow_since == 0)
		p->slow_since = now;
	else if (now - p->slow_since >= p->options.spool_after_ns)
		publisher_spool_enter(p);
}

static void publisher_turn(struct publisher *p)
{
	bool was_spooling = p->spooling;

	if (p->held_back && atomic_load(&p->go))
		p->held_back = false;
	if (p->options.discard) {
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
	/* Fences that came behind nothing. */
	publisher_stream_settle(p);
	publisher_spool_give_back(p);
	decide_spool(p);
	if (p->spooling && !was_spooling)
		publisher_tell(p, "spooling to disk");
	publisher_share(p);
	publisher_judge(p);
}

/* The next moment at which something happens by itself. */
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
		SOONER(p->settle_until);
	SOONER(publisher_judge_deadline(p));
	if (!publisher_state_is_up(p->state) && !to_disk(p) &&
	    !publisher_stream_idle(p) && p->journal != NULL)
		SOONER(p->down_since + p->options.spool_after_ns);
	if (p->state == PUBLISHER_READY)
		SOONER(p->tail_writing ? acked_tail_give_up(p->acked_tail)
				       : acked_tail_due(p->acked_tail));
	if (p->slow_since != 0)
		SOONER(p->slow_since + p->options.spool_after_ns);
	if (atomic_load(&p->stopping))
		SOONER(atomic_load(&p->stop_at));
#undef SOONER
	return when;
}

/*
 * How many acknowledgements are worth a turn: enough to send a few messages at
 * once where the window is full, and all that are still to come where they are
 * fewer. Nothing but the place they free waits for the ones before.
 */
static bool must_wait(struct publisher *p)
{
	uint64_t some = p->options.window / TURNS_A_WINDOW;

	if (p->state != PUBLISHER_READY && p->state != PUBLISHER_SETTLING)
		return true;
	if (p->state == PUBLISHER_SETTLING || some > p->unanswered)
		some = p->unanswered;
	return nats_conn_await(p->link, some > 1 ? (uint32_t)some : 1);
}

/*
 * The disk's turn takes long enough for acknowledgements to come: only when
 * nothing came since @rings is there nothing to do.
 */
static void sleep_until_news(struct publisher *p, uint64_t rings)
{
	int64_t when = publisher_deadline(p);
	int err = 0;

	atomic_store(&p->asleep, true);
	/* Pairs with the ring, which counts first and then looks for us. */
	if (must_wait(p) && atomic_load(&p->rings) == rings) {
		if (can_take(p))
			err = egress_bridge_wait(p->bridge, when);
		else
			err = sp_sem_wait_until(&p->wakeup, when);
	}
	atomic_store(&p->asleep, false);
	if (err == -EPIPE)
		p->bridge_done = true;
	while (sp_sem_trywait(&p->wakeup) == 0)
		;
}

/* All that came is safe, or can get no safer now. */
static bool publisher_finished(const struct publisher *p)
{
	if (!atomic_load(&p->stopping))
		return false;
	if (!p->bridge_done || !send_queue_empty(&p->disk))
		return false;
	if (p->spooling)
		return !publisher_state_is_up(p->state); /* the next run's */
	return publisher_stream_idle(p);
}

static bool too_late(const struct publisher *p)
{
	return atomic_load(&p->stopping) &&
	       sp_now() >= atomic_load(&p->stop_at);
}

/* The time is up: what is in memory goes to the disk, if there is one. */
static void save_rest(struct publisher *p)
{
	egress_bridge_stop(p->bridge);
	if (p->journal == NULL)
		return;
	if (!to_disk(p))
		publisher_spool_enter(p);
	p->held_back = false;
	for (;;) {
		uint64_t before = p->disk.head;

		batches_take(p);
		p->append_again = 0;
		publisher_spool_write(p);	  /* yields */
		if (journal_sync(p->journal) < 0) /* yields */
			return;
		publisher_spool_settle(p);
		if (p->disk.head == before)
			return;
	}
}

/* Batches go home; fences that are not safe must not. */
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

static void end_fibers(struct publisher *p)
{
	if (p->linker.fiber != NULL) {
		sp_cancel(p->linker);
		sp_join(p->linker, NULL);
	}
	if (p->syncer.fiber != NULL) {
		sp_cancel(p->syncer);
		sp_join(p->syncer, NULL);
	}
	if (p->tail_writer.fiber != NULL) {
		sp_cancel(p->tail_writer);
		sp_join(p->tail_writer, NULL);
	}
}

int publisher_main(void *arg)
{
	struct publisher *p = arg;
	bool safe;

	for (;;) {
		uint64_t rings = atomic_load(&p->rings);

		publisher_turn(p); /* yields */
		if (publisher_finished(p) || too_late(p))
			break;
		sleep_until_news(p, rings);
	}
	safe = publisher_finished(p);
	/* The link fiber may still establish the stream: too late. */
	publisher_handle(p, PUBLISHER_EV_STOP, NULL);
	if (!safe) {
		save_rest(p);
		safe = p->bridge_done && send_queue_empty(&p->disk) &&
		       (p->spooling || publisher_stream_idle(p));
	}
	end_fibers(p);
	give_up(p, &p->wire);
	give_up(p, &p->disk);
	journal_cursor_close(p->cursor);
	/* Before the journal, whose lock keeps other processes out of it. */
	acked_tail_close(p->acked_tail);
	p->acked_tail = NULL;
	journal_close(p->journal);
	p->journal = NULL;
	nats_thread_done();
	publisher_handle(p, PUBLISHER_EV_STOPPED, NULL);
	return safe ? 0 : -ETIMEDOUT;
}
