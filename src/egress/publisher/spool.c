/*
 * Writes batches to the journal, and sends records of the spool to the stream.
 *
 * Order: every record of the spool is older than the disk queue. The path is
 * PATH_DIRECT again only when the cursor has read the whole spool and the disk
 * queue is empty.
 *
 * Each record has an id. The publisher knows the last record that the stream
 * holds (chain.stored) and the last one that the cursor has read (spool.fed).
 * After a failure the publisher sets spool.fed to chain.stored, reads again
 * from the oldest segment and skips the records up to spool.fed.
 */
#include "egress/publisher/publisher_internal.h"

#include "egress/bridge.h"
#include "egress/journal/cursor.h"

#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define APPEND_MAX 64	      /* maximum records in one call */
#define SEGMENTS   4	      /* minimum number of segments of a full spool */
#define AGAIN_NS   (1 * SP_S) /* pause after an error of the disk */
#define RETAIN_NS  (1 * SP_S)
#define TELL_NS	   (60 * SP_S)

/*
 * The size of a segment. A segment is removed as a whole, when the stream holds
 * all its records. So a full spool must have several segments: then it has
 * space again long before its last record is published.
 */
static uint64_t segment_bytes(const struct publisher_options *o, bool spool)
{
	uint64_t bytes = o->segment_bytes != 0 ? o->segment_bytes
					       : JOURNAL_SEGMENT_BYTES;

	if (spool && bytes > o->spool_max / SEGMENTS)
		bytes = o->spool_max / SEGMENTS;
	return bytes;
}

/* Give notices of records that journal_open() cut off or set aside. */
static void note_recovery(struct publisher *p)
{
	const struct journal_recovery *found =
		journal_recovery(p->spool.journal);
	const char *dir = p->options.journal_dir;
	char text[NATS_WORDS_MAX];

	if (found->cut_at.name[0] != '\0') {
		snprintf(text, sizeof(text),
			 "%s/%s is truncated: cut at offset %" PRIu64
			 ", where the last whole record ends",
			 dir, found->cut_at.name, found->cut_at.offset);
		publisher_tell(p, text);
	}
	p->stats.damaged_segments = found->damaged;
	/* The gaps of a spool are found when its records are read. */
	if (p->path == PATH_JOURNAL && found->gaps > 0) {
		p->stats.damaged_segments += found->gaps;
		snprintf(text, sizeof(text),
			 "%s lacks records before %s (%" PRIu64
			 " such gaps): segments were removed or cut; all "
			 "tables are published again",
			 dir, found->gap_at.name, found->gaps);
		publisher_tell(p, text);
	}
	if (found->damaged > 0) {
		snprintf(text, sizeof(text),
			 "%s/%s is damaged at offset %" PRIu64
			 " and set aside as .damaged (%" PRIu64
			 " so far); all tables are published again",
			 dir, found->damaged_at.name, found->damaged_at.offset,
			 found->damaged);
		publisher_tell(p, text);
	}
}

int publisher_spool_open(struct publisher *p, struct nats_error *why)
{
	const struct publisher_options *o = &p->options;
	bool spool = p->path != PATH_JOURNAL;
	struct journal_options options = {
		.dir = o->journal_dir,
		.segment_bytes = segment_bytes(o, spool),
		.max_bytes = spool ? o->spool_max : o->journal_max,
		.max_age_ns = spool ? 0 : (uint64_t)o->journal_age_ns,
		.spool = spool,
	};
	struct journal_fault fault;
	struct journal_record last;
	int err = journal_open(&options, &fault, &p->spool.journal);

	if (err == -EPROTONOSUPPORT)
		snprintf(why->text, sizeof(why->text),
			 "%s/%s was written by a later version of arancini; "
			 "run that version, or give another --journal",
			 o->journal_dir, fault.name);
	else if (err == -EBUSY)
		snprintf(why->text, sizeof(why->text),
			 "%s is in use by another process", o->journal_dir);
	else if (err < 0)
		snprintf(why->text, sizeof(why->text), "%s: %s", o->journal_dir,
			 strerror(-err));
	if (err < 0)
		return err;
	err = journal_gaps(p->spool.journal, &p->spool.gaps,
			   &p->spool.gap_count);
	if (err < 0)
		return err;
	note_recovery(p);
	if (!journal_last(p->spool.journal, &last))
		return 0;
	if (last.epoch > p->run.known_epoch)
		p->run.known_epoch = last.epoch;
	/* State restored from the spool relies on this record. */
	p->run.taken = (struct record_id){ last.epoch, last.seq, 0 };
	if (!spool) {
		p->shared.opened.last = p->run.taken;
		return 0;
	}
	/* Records of older runs are published first. */
	p->run.inherited = p->run.taken;
	p->path = PATH_SPOOL;
	return 0;
}

static void close_cursor(struct publisher *p)
{
	journal_cursor_close(p->spool.cursor);
	p->spool.cursor = NULL;
}

/* Sync */

/* The time of the next sync of the journal; SP_NEVER if all is synced. */
static int64_t sync_due(const struct publisher *p)
{
	uint64_t end = journal_end(p->spool.journal);
	uint64_t synced = journal_synced(p->spool.journal);

	if (p->spool.sync != SYNC_IDLE || end == synced)
		return SP_NEVER;
	if (end - synced >= p->options.sync_bytes ||
	    send_queue_full(&p->disk) || publisher_disk_heavy(p) ||
	    p->disk.weight >= p->disk.pace.limit / 2 || publisher_stopping(p))
		return 0;
	return p->spool.last_sync + p->options.sync_ns;
}

static void sync_if_due(struct publisher *p)
{
	if (sync_due(p) > sp_now())
		return;
	p->spool.sync = SYNC_BUSY;
	p->spool.last_sync = sp_now();
	sp_sem_post(&p->spool.sync_wake);
}

/* Give a notice of @err, unless it occurred within TELL_NS before. */
static void tell_error(struct publisher *p, const char *what, int err)
{
	bool known =
		p->spool.told_error == err && sp_now() < p->spool.told_until;
	char text[NATS_WORDS_MAX];

	p->spool.told_error = err;
	p->spool.told_until = sp_in(TELL_NS);
	if (known)
		return;
	snprintf(text, sizeof(text), "%s: %s", what,
		 publisher_disk_full(err) ? "full" : strerror(-err));
	publisher_tell(p, text);
}

/*
 * After a failed sync the content of the disk is not known. Cut off the records
 * that were not synced, so that they are appended again. Until they are cut
 * off, no record is appended, and no other sync may declare them safe.
 */
static void after_failed_sync(struct publisher *p)
{
	publisher_blame(p, PART_DISK, publisher_disk_cause(p->spool.sync_error),
			strerror(-p->spool.sync_error));
	tell_error(p, "the journal could not be synced", p->spool.sync_error);
	if (journal_rewind(p->spool.journal) == 0)
		p->spool.sync = SYNC_IDLE;
	close_cursor(p);
	send_queue_rewind(&p->disk);
	p->spool.append_again = sp_in(AGAIN_NS);
}

/* Writing */

/* True if the next entry would exceed --spool-max. */
static bool spool_is_full(const struct publisher *p)
{
	const struct send_entry *f =
		send_queue_at(&p->disk, p->disk.next_to_send);
	uint64_t bytes = journal_bytes(p->spool.journal) + SUBJECT_MAX +
			 JOURNAL_HEADER + f->len;

	return p->path != PATH_JOURNAL && bytes > p->options.spool_max;
}

static void note_append_error(struct publisher *p, int err)
{
	enum output_cause cause = publisher_disk_cause(err);

	if (publisher_disk_full(err) && spool_is_full(p))
		cause = OUTPUT_CAUSE_SPOOL_FULL;
	p->spool.append_error = err;
	publisher_blame(p, PART_DISK, cause, strerror(-err));
	tell_error(p, "journal", err);
	p->spool.append_again = sp_in(AGAIN_NS);
}

/* Describe the next disk entries, up to a fence. Returns how many. */
static size_t records_gather(struct publisher *p,
			     struct journal_record *records, size_t max)
{
	uint64_t now = publisher_wall_ns();
	size_t n = 0;

	for (uint64_t i = p->disk.next_to_send; i != p->disk.tail && n < max;
	     i++) {
		const struct send_entry *f = send_queue_at(&p->disk, i);
		const struct egress_batch *b = f->batch;

		if (send_entry_is_fence(f))
			break;
		records[n++] = (struct journal_record){
			.time_ns = now,
			.epoch = f->record.epoch,
			.seq = f->record.seq,
			.updates = b->updates,
			.kind = b->kind,
			.encoding = b->encoding,
			.subject_len = (uint16_t)b->subject_len,
			.len = b->len,
			.subject = b->subject,
			.payload = b->bytes,
		};
	}
	return n;
}

/* Pass fences at the head: a fence is safe with the record before it. */
static void pass_fences(struct publisher *p)
{
	while (p->disk.next_to_send != p->disk.tail) {
		struct send_entry *f =
			send_queue_at(&p->disk, p->disk.next_to_send);

		if (!send_entry_is_fence(f))
			return;
		f->state = SEND_SENT;
		f->end = journal_end(p->spool.journal);
		p->disk.next_to_send++;
	}
}

/* True if the journal is the output and lacks its epoch event. */
static bool lacks_epoch(const struct publisher *p)
{
	return p->path == PATH_JOURNAL && p->run.open_epoch == 0;
}

/* Append the event that opens the epoch, before its records. Yields. */
static int write_epoch(struct publisher *p)
{
	int err = publisher_journal_epoch(p);

	if (err == 0) {
		publisher_absolve(p, PART_DISK);
		return 0;
	}
	publisher_blame(p, PART_DISK, publisher_disk_cause(err),
			strerror(-err));
	tell_error(p, "journal", err);
	p->spool.append_again = sp_in(AGAIN_NS);
	return err;
}

void publisher_spool_write(struct publisher *p)
{
	struct journal_record records[APPEND_MAX];
	size_t max = APPEND_MAX;

	if (p->spool.journal == NULL || p->spool.sync == SYNC_FAILED ||
	    p->spool.append_again > sp_now())
		return;
	p->spool.append_again = 0;
	if (lacks_epoch(p) && write_epoch(p) < 0) /* yields */
		return;
	for (;;) {
		int64_t now = sp_now();
		size_t n;
		int done;

		pass_fences(p);
		n = records_gather(p, records, max);
		if (n == 0)
			break;
		/* Yields. */
		done = journal_append(p->spool.journal, records, n);
		/* If the disk has no space for all of them, try fewer. */
		if (publisher_disk_full(done) && n > 1) {
			max = n / 2;
			continue;
		}
		if (done < 0) {
			note_append_error(p, done);
			return;
		}
		for (int i = 0; i < done; i++) {
			struct send_entry *f =
				send_queue_at(&p->disk, p->disk.next_to_send);

			f->state = SEND_SENT;
			f->sent_ns = now;
			f->end = records[i].position +
				 journal_record_size(&records[i]);
			p->disk.next_to_send++;
		}
		p->spool.append_error = 0;
	}
}

static void give_back(struct publisher *p, struct send_entry *f)
{
	if (send_entry_is_fence(f)) {
		f->batch->position = p->shared.log_position.position;
		f->batch->spooled = p->path != PATH_JOURNAL;
	} else {
		p->stats.journal_messages++;
		p->stats.journal_updates += f->updates;
		p->stats.journal_written += f->batch->len;
		publisher_note_time(&p->stats.safe,
				    (int64_t)f->batch->opened_ns);
	}
	egress_bridge_give_back(p->bridge, f->batch);
}

/* Remove the segments that the stream holds completely. */
static void segments_release(struct publisher *p)
{
	uint64_t first = journal_first(p->spool.journal);
	uint64_t position = p->spool.released;

	if (position == 0 || position <= first)
		return;
	/*
	 * Keep the newest segment while the spool is in use: to begin another
	 * one whenever the spool is empty would cost more. Exception: on a full
	 * disk remove it as well, and close the cursor first, because an open
	 * descriptor keeps the blocks allocated.
	 */
	if (p->path == PATH_SPOOL &&
	    position >= journal_end(p->spool.journal)) {
		if (publisher_disk_full(p->spool.append_error))
			close_cursor(p);
		else
			position--;
	}
	(void)journal_release(p->spool.journal, position); /* yields */
	if (publisher_disk_full(p->spool.append_error) &&
	    journal_first(p->spool.journal) != first)
		p->spool.append_again = 0;
}

void publisher_spool_give_back(struct publisher *p)
{
	int64_t now = sp_now();
	struct send_entry *f;

	while ((f = send_queue_first(&p->disk)) != NULL &&
	       f->state == SEND_SENT &&
	       f->end <= journal_synced(p->spool.journal)) {
		send_queue_note_safe(&p->disk, now);
		give_back(p, f);
		send_queue_drop_first(&p->disk);
		publisher_absolve(p, PART_DISK);
	}
}

/*
 * Somebody removed the newest segment of the output. The owner sees
 * damaged_segments grow and has the tables published again.
 */
static void replace_newest(struct publisher *p)
{
	int err = journal_leave(p->spool.journal); /* yields */

	p->stats.damaged_segments++;
	publisher_tell(p, "the newest segment of the journal was removed: all "
			  "tables are published again");
	if (err == 0)
		return;
	publisher_blame(p, PART_DISK, publisher_disk_cause(err),
			err == -ENOENT ? "the folder was removed: restart the "
					 "collector"
				       : strerror(-err));
	tell_error(p, "journal", err);
	p->spool.append_again = sp_in(AGAIN_NS);
}

void publisher_spool_settle(struct publisher *p)
{

	if (p->spool.journal == NULL)
		return;
	if (p->spool.sync == SYNC_FAILED && p->spool.append_again <= sp_now())
		after_failed_sync(p);
	if (p->path == PATH_JOURNAL)
		publisher_set_log_position(p, journal_synced(p->spool.journal));
	publisher_spool_give_back(p);
	sync_if_due(p);
	if (p->path != PATH_JOURNAL) {
		segments_release(p);
	} else if (sp_now() >= p->spool.last_retain + RETAIN_NS) {
		publisher_retain_begin(p);
		if (journal_check_newest(p->spool.journal) == -ENOENT)
			replace_newest(p);
	}
}

/* Reading back */

/*
 * From now on write batches to the spool, beginning with those in memory.
 * Messages in flight stay in the send queue if the stream is up. They are
 * written to the spool as well, in case they have to be sent again.
 */
void publisher_spool_enter(struct publisher *p)
{
	p->path = PATH_SPOOL;
	p->spool.slow_since = 0;
	for (uint64_t n = p->wire.head; n != p->wire.tail; n++) {
		struct send_entry *f = send_queue_at(&p->wire, n);

		if (f->batch == NULL)
			continue;
		send_queue_push(&p->disk,
				(struct send_entry){ .batch = f->batch,
						     .record = f->record,
						     .len = f->len,
						     .weight = f->weight,
						     .updates = f->updates });
		f->batch = NULL;
		p->wire.weight -= f->weight;
		f->weight = 0;
	}
	if (!publisher_state_is_up(p->state))
		p->wire.next_to_send = p->wire.head;
	p->wire.tail = p->wire.next_to_send;
	p->spool.fed = p->chain.stored;
	for (uint64_t n = p->wire.head; n != p->wire.tail; n++) {
		const struct send_entry *f = send_queue_at(&p->wire, n);

		if (send_entry_was_fence(f))
			continue;
		p->spool.fed = f->record;
	}
}

void publisher_spool_rewind(struct publisher *p)
{
	close_cursor(p);
	publisher_spool_enter(p);
}

/*
 * Read the next record that the stream lacks. Returns as journal_cursor_next(),
 * or -EBADMSG if the cursor cannot reach the end of the journal.
 */
static int next_needed(struct publisher *p, struct journal_record *out)
{
	int got;

	if (p->spool.cursor == NULL) {
		/* All segments were removed, and the disk is full. */
		if (journal_bytes(p->spool.journal) == 0)
			return 0;
		got = journal_cursor_open(p->options.journal_dir,
					  JOURNAL_OLDEST, &p->spool.cursor);
		if (got < 0)
			return got;
	}
	do {
		struct record_id id;

		if (journal_cursor_position(p->spool.cursor) >=
		    journal_end(p->spool.journal))
			return 0;
		got = journal_cursor_next(p->spool.cursor, out); /* yields */
		if (got == 0 && journal_cursor_position(p->spool.cursor) <
					journal_end(p->spool.journal))
			return -EBADMSG;
		if (got != 1)
			return got;
		id = (struct record_id){ out->epoch, out->seq, 0 };
		if (record_id_compare(id, p->spool.fed) > 0)
			return 1;
		if (journal_cursor_position(p->spool.cursor) >
			    p->spool.released &&
		    record_id_compare(id, p->chain.stored) <= 0)
			p->spool.released =
				journal_cursor_position(p->spool.cursor);
	} while (true);
}

/* Queue and send @r. Its bytes stay valid until the cursor moves. */
static int feed_one(struct publisher *p, const struct journal_record *r)
{
	char subject[SUBJECT_MAX];
	struct publisher_payload payload = {
		subject,
		{ r->payload, r->len },
		r->encoding,
	};
	uint64_t number;

	memcpy(subject, r->subject, r->subject_len);
	subject[r->subject_len] = '\0';
	p->spool.fed = (struct record_id){ r->epoch, r->seq, 0 };
	number = send_queue_push(&p->wire,
				 (struct send_entry){
					 .record = p->spool.fed,
					 .end = journal_cursor_position(
						 p->spool.cursor),
					 .len = r->len,
					 .updates = r->updates });
	return publisher_stream_publish(p, number, &payload);
}

/* Give one notice per damaged segment, even if it is read again. */
static void note_damage(struct publisher *p)
{
	const struct journal_fault *fault =
		journal_cursor_fault(p->spool.cursor);
	char text[NATS_WORDS_MAX];

	if (strcmp(fault->name, p->spool.skipped) <= 0)
		return;
	snprintf(p->spool.skipped, sizeof(p->spool.skipped), "%s", fault->name);
	p->stats.damaged_segments++;
	if (fault->missing)
		snprintf(text, sizeof(text),
			 "%s/%s is missing, or the segment before it was cut; "
			 "all tables are published again",
			 p->options.journal_dir, fault->name);
	else
		snprintf(text, sizeof(text),
			 "%s/%s is damaged at offset %" PRIu64
			 "; the rest of it is passed over and all tables are "
			 "published again",
			 p->options.journal_dir, fault->name, fault->offset);
	publisher_tell(p, text);
}

/* Continue after a damaged segment. The owner publishes the tables again. */
static int skip_damage(struct publisher *p)
{
	int err;

	note_damage(p);
	err = journal_cursor_skip(p->spool.cursor);
	if (err != -ENOENT)
		return err;
	/* The newest segment is damaged: append to another one. */
	err = journal_leave(p->spool.journal);
	return err < 0 ? err : journal_cursor_skip(p->spool.cursor);
}

/* Somebody removed all segments during the use: begin a new one. */
static int replace_segments(struct publisher *p)
{
	char text[NATS_WORDS_MAX];
	int err = journal_leave(p->spool.journal); /* yields */

	if (err < 0)
		return err;
	p->stats.damaged_segments++;
	snprintf(text, sizeof(text),
		 "the segments in %s are gone; all tables are published again",
		 p->options.journal_dir);
	publisher_tell(p, text);
	return 0;
}

/* Handle an error of the cursor. Returns 0 if reading can continue. */
static int after_read_error(struct publisher *p, int err)
{
	bool damaged = err == -EBADMSG || err == -ESTALE || err == -ERANGE ||
		       err == -EIDRM || err == -EPROTONOSUPPORT;

	if (damaged && p->spool.cursor != NULL)
		err = skip_damage(p); /* yields */
	else if (err == -ENOENT && p->spool.cursor == NULL)
		err = replace_segments(p); /* yields */
	if (err == 0)
		return 0;
	publisher_blame(p, PART_SPOOL, OUTPUT_CAUSE_SPOOL_UNREADABLE,
			strerror(-err));
	tell_error(p, "spool", err);
	close_cursor(p);
	p->spool.feed_again = sp_in(AGAIN_NS);
	return err;
}

/* True if the cursor has reached the end of the journal. */
static bool spool_read(const struct publisher *p)
{
	if (p->spool.cursor == NULL)
		return journal_bytes(p->spool.journal) == 0;
	return journal_cursor_position(p->spool.cursor) >=
	       journal_end(p->spool.journal);
}

void publisher_spool_feed(struct publisher *p)
{
	struct journal_record record;
	int got;

	if (p->path != PATH_SPOOL || p->state != PUBLISHER_READY ||
	    publisher_held(p) || p->spool.feed_again > sp_now())
		return;
	p->spool.feed_again = 0;
	while (p->state == PUBLISHER_READY &&
	       send_queue_count(&p->wire) < p->options.window &&
	       publisher_stream_has_room(p)) {
		got = next_needed(p, &record); /* yields */
		if (got < 0 && after_read_error(p, got) == 0)
			continue;
		if (got >= 0)
			publisher_absolve(p, PART_SPOOL);
		if (got != 1)
			break;
		if (feed_one(p, &record) < 0)
			return;
	}
	/* Leave the spool: it was read to its end, nothing is queued for it. */
	if (p->state == PUBLISHER_READY && spool_read(p) &&
	    send_queue_empty(&p->disk)) {
		p->path = PATH_DIRECT;
		if (send_queue_empty(&p->wire))
			p->spool.released = journal_end(p->spool.journal);
		close_cursor(p);
		publisher_tell(p, NULL);
	}
}

int64_t publisher_spool_deadline(const struct publisher *p)
{
	int64_t when = SP_NEVER;

	if (p->spool.journal == NULL)
		return when;
	when = sync_due(p);
	if ((p->disk.next_to_send != p->disk.tail ||
	     p->spool.sync == SYNC_FAILED || lacks_epoch(p)) &&
	    p->spool.append_again < when)
		when = p->spool.append_again;
	if (p->path == PATH_SPOOL && p->state == PUBLISHER_READY &&
	    p->spool.feed_again != 0 && p->spool.feed_again < when)
		when = p->spool.feed_again;
	if (p->path == PATH_JOURNAL && p->spool.last_retain + RETAIN_NS < when)
		when = p->spool.last_retain + RETAIN_NS;
	return when;
}
