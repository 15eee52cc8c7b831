/*
 * Parts of the publisher one by one, with a link that notes what is sent and a
 * disk that fails when it is told to. The whole of it, with a real broker, is
 * tests/system/test_publish*.py.
 */
#include "disk_cases.h"

#include "egress/bridge.h"
#include "egress/codec.h"
#include "egress/journal/cursor.h"
#include "egress/publisher/publisher_internal.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SUBJECT "arancini.updates.v4_192_0_2_1.64500.1_1"
#define EPOCH	7
#define LEN	200 /* of a batch */
#define RING	16
#define TURNS	2000

/* The link */

static struct {
	struct nats_message last;
	char last_id[MESSAGE_ID_MAX];
	uint64_t tokens[256];
	unsigned sent;
	unsigned answered;
} line;

int nats_conn_publish(struct nats_conn *link, const struct nats_message *m)
{
	(void)link;
	line.last = *m;
	snprintf(line.last_id, sizeof(line.last_id), "%s", m->id);
	line.tokens[line.sent++ % COUNT(line.tokens)] = m->token;
	return 0;
}

bool nats_conn_take(struct nats_conn *link, struct nats_answer *out)
{
	(void)link;
	if (line.answered == line.sent)
		return false;
	*out = (struct nats_answer){
		.has_token = true,
		.token = line.tokens[line.answered % COUNT(line.tokens)],
		.ack.seq = line.answered + 1,
	};
	line.answered++;
	return true;
}

bool nats_conn_write(struct nats_conn *link)
{
	(void)link;
	return true;
}

bool nats_conn_full(struct nats_conn *link)
{
	(void)link;
	return false;
}

bool nats_conn_await(struct nats_conn *link, uint32_t n)
{
	(void)link;
	(void)n;
	return true;
}

bool nats_conn_lost(struct nats_conn *link)
{
	(void)link;
	return false;
}

bool nats_conn_refused(struct nats_conn *link, struct nats_error *out)
{
	(void)link;
	(void)out;
	return false;
}

/* Nobody opens one. */

int nats_conn_open(const struct nats_options *options, uint32_t window,
		   struct nats_wakeup bell, struct nats_error *why,
		   struct nats_conn **out)
{
	(void)options;
	(void)window;
	(void)bell;
	(void)why;
	(void)out;
	return -ECONNREFUSED;
}

void nats_conn_close(struct nats_conn *link)
{
	(void)link;
}

int nats_conn_wait_readable(struct nats_conn *link)
{
	(void)link;
	return -EBADF;
}

int nats_conn_wait_writable(struct nats_conn *link)
{
	(void)link;
	return -EBADF;
}

void nats_conn_read(struct nats_conn *link)
{
	(void)link;
}

size_t nats_conn_max_payload(struct nats_conn *link)
{
	(void)link;
	return 0;
}

struct nats_client *nats_conn_client(struct nats_conn *link)
{
	(void)link;
	return NULL;
}

/* A publisher that nobody has started */

static unsigned told;

static void count_notice(void *arg, const struct publisher_notice *notice)
{
	(void)arg;
	told += notice->text != NULL;
}

static struct publisher *make(const char *journal_dir)
{
	struct publisher *p = calloc(1, sizeof(*p));
	struct nats_error why = { "" };

	memset(&line, 0, sizeof(line));
	told = 0;
	p->options = (struct publisher_options){
		.collector = "test",
		.nats.server_count = 1,
		.window = RING,
		.ack_timeout_ns = SP_S,
		.journal_dir = journal_dir,
		.spool_max = 1 << 30,
		.sync_bytes = 1,
		.waited_ns = 3600 * SP_S,
		.stuck_ns = 3600 * SP_S,
		.notice = count_notice,
	};
	p->run.epoch = EPOCH;
	p->run.next_seq = 1;
	p->chain.limit = 1 << 20;
	pthread_mutex_init(&p->shared.lock, NULL);
	assert_int_equal(egress_bridge_new(1, RING, &p->bridge), 0);
	assert_int_equal(egress_codec_new(&p->codec), 0);
	assert_int_equal(send_queue_init(&p->wire, RING, UINT64_MAX), 0);
	assert_int_equal(send_queue_init(&p->disk, 2 * RING, UINT64_MAX), 0);
	if (journal_dir == NULL)
		return p;
	assert_int_equal(publisher_spool_open(p, &why), 0);
	assert_int_equal(sp_go(publisher_sync_main, p, &p->spool.task), 0);
	p->path = PATH_SPOOL;
	return p;
}

static void drop_flights(struct send_queue *flights)
{
	struct send_entry *f;

	while ((f = send_queue_first(flights)) != NULL) {
		egress_batch_free(f->batch);
		send_queue_drop_first(flights);
	}
	send_queue_fini(flights);
}

static void unmake(struct publisher *p)
{
	if (p->spool.task.fiber != NULL) {
		sp_cancel(p->spool.task);
		sp_join(p->spool.task, NULL);
	}
	journal_cursor_close(p->spool.cursor);
	journal_close(p->spool.journal);
	free(p->spool.gaps);
	drop_flights(&p->wire);
	drop_flights(&p->disk);
	egress_batch_free_all(egress_bridge_take_back(p->bridge, 0));
	egress_bridge_free(p->bridge);
	egress_codec_free(p->codec);
	pthread_mutex_destroy(&p->shared.lock);
	free(p);
}

/* A batch on its way, as publisher_loop.c takes them. */
static void take(struct publisher *p, struct send_queue *to)
{
	struct egress_batch *b = egress_batch_new(LEN);

	assert_non_null(b);
	b->kind = EGRESS_BATCH_UPDATES;
	b->updates = 1;
	b->len = b->plain_len = LEN;
	b->subject_len = sizeof(SUBJECT) - 1;
	memcpy(b->subject, SUBJECT, sizeof(SUBJECT));
	memset(b->bytes, '.', LEN);
	send_queue_push(to, (struct send_entry){
				    .batch = b,
				    .record = { EPOCH, p->run.next_seq++, 0 },
				    .len = LEN,
				    .updates = 1 });
}

/* The link is there, and this is what the stream holds. */
static void come_back(struct publisher *p, uint64_t seq, uint32_t upto)
{
	p->chain.tail = (struct nats_tail){
		.has_record = seq != 0,
		.record = { EPOCH, seq, upto },
	};
	p->state = PUBLISHER_RESUMING;
}

static void turn(struct publisher *p)
{
	if (p->state == PUBLISHER_RESUMING)
		publisher_stream_resume(p);
	publisher_stream_answers(p);
	publisher_stream_settle(p);
	publisher_spool_settle(p);
	publisher_spool_write(p);
	publisher_spool_feed(p);
	publisher_stream_send(p);
	publisher_stream_settle(p);
	if (p->spool.journal != NULL)
		publisher_spool_give_back(p);
	sp_yield();
}

static enum output_cause cause_now(struct publisher *p)
{
	publisher_share(p);
	publisher_judge(p);
	return p->stats.output.cause;
}

/* The stream */

/*
 * Two were sent when the connection was lost. The stream has the first, and of
 * the second half.
 */
static void test_a_place_inside_a_batch_is_kept(void)
{
	struct publisher *p = make(NULL);

	take(p, &p->wire);
	take(p, &p->wire);
	for (uint64_t n = p->wire.head; n != p->wire.tail; n++)
		send_queue_at(&p->wire, n)->state = SEND_SENT;
	p->wire.next_to_send = p->wire.tail;
	come_back(p, 2, LEN / 2);
	turn(p);
	assert_int_equal(line.sent, 1);
	assert_string_equal(line.last_id, "test.7.2");
	assert_int_equal(line.last.len, LEN / 2);
	turn(p);
	assert_true(publisher_stream_idle(p));
	assert_int_equal(p->chain.stored.seq, 2);
	assert_int_equal(p->chain.stored.upto, 0);
	unmake(p);
}

/* The link comes back in the middle of a turn, while main waits for a disk. */
static void test_what_the_stream_holds_is_not_sent_again(void)
{
	struct publisher *p = make(NULL);

	take(p, &p->wire);
	come_back(p, 1, 0);
	publisher_stream_send(p);
	assert_int_equal(line.sent, 0);
	turn(p);
	assert_int_equal(line.sent, 0);
	assert_true(publisher_stream_idle(p));
	take(p, &p->wire);
	turn(p);
	assert_string_equal(line.last_id, "test.7.2");
	unmake(p);
}

static void test_what_the_stream_holds_is_not_read_back(void)
{
	struct publisher *p = make(folder);

	for (int i = 0; i < 3; i++)
		take(p, &p->disk);
	turn(p);
	come_back(p, 2, 0);
	publisher_spool_feed(p);
	assert_int_equal(line.sent, 0);
	turn(p);
	assert_int_equal(line.sent, 1);
	assert_string_equal(line.last_id, "test.7.3");
	unmake(p);
}

/*
 * What a run restores from the spool of the run before relies on that spool,
 * also before it has made a record of its own.
 */
static void test_the_last_record_of_the_spool_counts_as_made(void)
{
	struct publisher *p = make(folder);

	assert_int_equal(p->run.taken.epoch, 0);
	for (int i = 0; i < 3; i++)
		take(p, &p->disk);
	while (!send_queue_empty(&p->disk))
		turn(p);
	unmake(p);
	p = make(folder);
	assert_int_equal(p->run.taken.epoch, EPOCH);
	assert_int_equal(p->run.taken.seq, 3);
	/* Of the stream, not of the spool. */
	assert_int_equal(p->shared.opened.last.epoch, 0);
	unmake(p);
}

/* Progress */

#define WAITED (3600 * SP_S)

/* A batch that was begun @ago. */
static void take_old(struct publisher *p, int64_t ago)
{
	take(p, &p->wire);
	send_queue_at(&p->wire, p->wire.tail - 1)->batch->opened_ns =
		(uint64_t)(sp_now() - ago);
}

/* By time alone: nothing failed. */
static void test_what_waits_for_long_is_not_ok(void)
{
	struct publisher *p = make(NULL);

	p->options.waited_ns = WAITED;
	p->conn.link = (struct nats_conn *)1;
	come_back(p, 0, 0);
	turn(p);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_NONE);
	assert_true(publisher_judge_deadline(p) == SP_NEVER);
	take_old(p, WAITED - 60 * SP_S);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_NONE);
	assert_in_range(publisher_judge_deadline(p) - sp_now(), 1, 60 * SP_S);
	take_old(p, 0);
	send_queue_first(&p->wire)->batch->opened_ns -= 61 * SP_S;
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_NO_PROGRESS);
	/* Something of it is stored. */
	p->progress.stored_ns = sp_now();
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_BEHIND);
	assert_in_range(publisher_judge_deadline(p) - sp_now(), 1, WAITED);
	for (int i = 0; i < 3; i++)
		turn(p);
	assert_true(publisher_stream_idle(p));
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_NONE);
	unmake(p);
}

/* Of what failed the worst counts, and it stays until that works. */
static void test_a_cause_stays_until_it_is_over(void)
{
	struct publisher *p = make(NULL);

	take_old(p, 0);
	publisher_blame(p, PART_BROKER, OUTPUT_CAUSE_NO_RIGHTS, "no");
	publisher_blame(p, PART_SPOOL, OUTPUT_CAUSE_SPOOL_UNREADABLE, "?");
	assert_int_equal(p->stats.output.cause, OUTPUT_CAUSE_NO_RIGHTS);
	assert_string_equal(p->stats.output.detail.text, "no");
	publisher_blame(p, PART_DISK, OUTPUT_CAUSE_DISK_FULL, NULL);
	assert_int_equal(p->stats.output.cause, OUTPUT_CAUSE_DISK_FULL);
	publisher_absolve(p, PART_DISK);
	/* A new connection says nothing about rights. */
	come_back(p, 0, 0);
	publisher_absolve_link(p);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_NO_RIGHTS);
	for (int i = 0; i < 3; i++)
		turn(p);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_SPOOL_UNREADABLE);
	publisher_blame(p, PART_BROKER, OUTPUT_CAUSE_SUPERSEDED, NULL);
	publisher_note_stored(p);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_SUPERSEDED);
	unmake(p);
}

static void test_no_progress_while_the_broker_answers(void)
{
	struct publisher *p = make(NULL);

	p->options.stuck_ns = WAITED;
	p->conn.link = (struct nats_conn *)1;
	come_back(p, 0, 0);
	turn(p);
	take_old(p, 0);
	publisher_judge(p);
	assert_int_not_equal(p->progress.stuck_since, 0);
	p->progress.stuck_since -= WAITED - SP_S;
	publisher_judge(p);
	assert_int_equal(p->state, PUBLISHER_READY);
	p->progress.stuck_since -= SP_S;
	publisher_judge(p);
	assert_int_equal(p->state, PUBLISHER_SETTLING);
	assert_int_equal(p->conn.repair, REPAIR_EPOCH);
	assert_int_equal(p->stats.restarts, 1);
	assert_int_equal(told, 1);
	/* Once, and then it has as much time again. */
	publisher_judge(p);
	assert_int_equal(p->stats.restarts, 1);
	unmake(p);
}

/* No attempt follows that could help, and nobody is told that one does. */
static void test_superseded_does_not_start_over(void)
{
	struct publisher *p = make(NULL);

	p->options.stuck_ns = WAITED;
	p->state = PUBLISHER_SUPERSEDED;
	take_old(p, 0);
	p->progress.stuck_since = sp_now() - WAITED;
	publisher_judge(p);
	assert_int_equal(p->stats.restarts, 0);
	assert_int_equal(told, 0);
	assert_true(p->progress.stuck_since == 0);
	unmake(p);
}

/* The stream fails again before main has applied what it holds. */
static void test_a_failure_before_it_has_resumed(void)
{
	struct publisher *p = make(NULL);

	take(p, &p->wire);
	take(p, &p->wire);
	come_back(p, 0, 0);
	publisher_handle(p, PUBLISHER_EV_STREAM_FAILED, "deleted");
	assert_int_equal(p->state, PUBLISHER_BACKOFF);
	assert_int_equal(p->conn.repair, REPAIR_STREAM);
	assert_int_equal(sp_sem_trywait(&p->conn.wake), 0);
	assert_int_equal(told, 1);
	turn(p);
	assert_int_equal(line.sent, 0);
	come_back(p, 1, 0);
	turn(p);
	assert_int_equal(line.sent, 1);
	assert_string_equal(line.last_id, "test.7.2");
	unmake(p);
}

/* The disk */

/* All that it ever holds is one segment, the newest. */
static void test_a_full_disk_has_room_again_when_all_is_published(void)
{
	struct publisher *p = make(folder);
	unsigned total = 10 * RING;

	failing_disk.room = 20 * LEN;
	for (int i = 0; i < TURNS && p->spool.append_error == 0; i++) {
		if (!send_queue_full(&p->disk))
			take(p, &p->disk);
		turn(p);
	}
	assert_int_equal(p->spool.append_error, -ENOSPC);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_DISK_FULL);
	come_back(p, 0, 0);
	for (int i = 0; i < TURNS && line.answered < total; i++) {
		struct send_queue *to =
			p->path == PATH_SPOOL ? &p->disk : &p->wire;

		if (p->run.next_seq <= total && !send_queue_full(to))
			take(p, to);
		turn(p);
	}
	assert_int_equal(line.answered, total);
	assert_int_equal(line.sent, total);
	assert_string_equal(line.last_id, "test.7.160");
	assert_int_equal(p->spool.append_error, 0);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_NONE);
	unmake(p);
}

static void check_journal_holds(unsigned count)
{
	struct journal_cursor *c;
	struct journal_record r;

	assert_int_equal(journal_cursor_open(folder, JOURNAL_OLDEST, &c), 0);
	for (unsigned i = 1; i <= count; i++) {
		assert_int_equal(journal_cursor_next(c, &r), 1);
		assert_int_equal(r.seq, i);
	}
	assert_int_equal(journal_cursor_next(c, &r), 0);
	journal_cursor_close(c);
}

/* As when a file system has become read-only: no call works any more. */
static void test_a_disk_that_fails_is_not_tried_all_the_time(void)
{
	struct publisher *p = make(folder);
	int64_t began;
	int before;

	for (int i = 0; i < 5; i++)
		take(p, &p->disk);
	publisher_spool_write(p);
	before = failing_disk.steps;
	failing_disk.fail_at = before + 1;
	failing_disk.fail_with = EROFS;
	failing_disk.for_good = true;
	began = sp_now();
	for (int i = 0; i < TURNS; i++)
		turn(p);
	assert_int_equal(told, 1);
	/* A sync and then, each second, an attempt to take back. */
	assert_in_range(failing_disk.steps - before, 2,
			3 + (uintmax_t)((sp_now() - began) / SP_S));
	assert_int_equal(send_queue_count(&p->disk), 5);
	assert_int_equal(cause_now(p), OUTPUT_CAUSE_DISK_FAILED);

	failing_disk.fail_at = 0;
	for (int i = 0; i < 10 && !send_queue_empty(&p->disk); i++) {
		if (publisher_spool_deadline(p) != SP_NEVER)
			sp_sleep_until(publisher_spool_deadline(p));
		turn(p);
	}
	assert_true(send_queue_empty(&p->disk));
	assert_int_equal(p->stats.journal_messages, 5);
	assert_int_equal(told, 1);
	assert_int_not_equal(cause_now(p), OUTPUT_CAUSE_DISK_FAILED);
	check_journal_holds(5);
	unmake(p);
}

/*
 * To remove a file takes this disk until it is told, or TURNS other fibers:
 * who waits for it would wait for long.
 */
static struct {
	bool may_end;
	unsigned removed;
	unsigned in_vain;
} removal;

static void wait_to_remove(void)
{
	for (int i = 0; !removal.may_end; i++) {
		if (i == TURNS) {
			removal.in_vain++;
			return;
		}
		sp_yield();
	}
	removal.removed++;
}

static void test_main_does_not_wait_until_segments_are_removed(void)
{
	struct publisher *p = make(NULL);
	struct nats_error why = { "" };
	uint64_t first;

	memset(&removal, 0, sizeof(removal));
	p->path = PATH_JOURNAL;
	p->options.journal_dir = folder;
	p->options.segment_bytes = 2 * LEN;
	p->options.journal_max = 3 * LEN;
	assert_int_equal(publisher_spool_open(p, &why), 0);
	p->run.open_epoch = EPOCH;
	assert_int_equal(sp_go(publisher_sync_main, p, &p->spool.task), 0);
	assert_int_equal(sp_go(publisher_retain_main, p, &p->spool.retain_task),
			 0);
	failing_disk.before_unlink = wait_to_remove;
	first = journal_first(p->spool.journal);
	for (int i = 1; i <= 10; i++) {
		p->spool.last_retain = INT64_MIN / 2; /* it is due */
		take(p, &p->disk);
		turn(p);
		assert_int_equal(removal.in_vain, 0);
	}
	assert_int_equal(send_queue_in_flight(&p->disk) +
				 p->stats.journal_messages,
			 10);
	removal.may_end = true;
	for (int i = 0; i < TURNS && p->spool.retain != RETAIN_IDLE; i++)
		turn(p);
	assert_int_equal(p->spool.retain, RETAIN_IDLE);
	assert_true(removal.removed > 0);
	assert_true(journal_first(p->spool.journal) > first);
	publisher_task_end(&p->spool.retain_task);
	unmake(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_CASE(test_a_place_inside_a_batch_is_kept),
		DISK_CASE(test_what_the_stream_holds_is_not_sent_again),
		DISK_CASE(test_what_the_stream_holds_is_not_read_back),
		DISK_CASE(test_the_last_record_of_the_spool_counts_as_made),
		DISK_CASE(test_what_waits_for_long_is_not_ok),
		DISK_CASE(test_a_cause_stays_until_it_is_over),
		DISK_CASE(test_no_progress_while_the_broker_answers),
		DISK_CASE(test_superseded_does_not_start_over),
		DISK_CASE(test_a_failure_before_it_has_resumed),
		DISK_CASE(
			test_a_full_disk_has_room_again_when_all_is_published),
		DISK_CASE(test_a_disk_that_fails_is_not_tried_all_the_time),
		DISK_CASE(test_main_does_not_wait_until_segments_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
