#include "cli/tail.h"

#include "cli/fiber.h"
#include "cli/xalloc.h"

#include "egress/journal/cursor.h"
#include "egress/nats/client.h"
#include "egress/nats/stream.h"

#include <spargio/op.h>
#include <spargio/time.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 100 /* interval for checks of the end and of the log */
/* wait after a write to the journal, to read several records at once */
#define COLLECT_MS 1

/*
 * True if the message has updates: their subjects end with AFI and SAFI, "1_1".
 */
static bool holds_updates(const char *subject)
{
	const char *last = strrchr(subject, '.');
	size_t n;

	last = last == NULL ? subject : last + 1;
	n = strspn(last, "0123456789");
	return n > 0 && last[n] == '_' &&
	       strspn(last + n + 1, "0123456789") == strlen(last + n + 1);
}

static void put_where(struct tail *t, const struct tail_message *m)
{
	json_string_at(&t->out, "subject", m->subject);
	json_uint_at(&t->out, "position", m->position);
	if (m->id != NULL)
		json_string_at(&t->out, "messageId", m->id);
	if (t->collector[0] != '\0')
		json_string_at(&t->out, "collector", t->collector);
}

/* Remember the collector: a message id names it. */
static void see_message_id(struct tail *t, const char *text)
{
	struct message_id id;

	if (text != NULL && !message_id_parse(text, t->collector, &id))
		t->collector[0] = '\0';
}

/*
 * Remember the collector that an event names: records of a journal have no
 * message id, but a journal is written by one collector.
 */
static void see_event(struct tail *t, const struct egress_event *e)
{
	if (e->collector.len == 0 || e->collector.len >= sizeof(t->collector))
		return;
	memcpy(t->collector, e->collector.p, e->collector.len);
	t->collector[e->collector.len] = '\0';
}

static void end_line(struct tail *t)
{
	json_end_object(&t->out);
	json_end_line(&t->out);
}

static void report_message(const struct tail_message *m, const char *what)
{
	fprintf(stderr, "arancini tail: message %" PRIu64 " (%s): %s\n",
		m->position, m->subject, what);
}

static void print_update(struct tail *t, const struct tail_message *m,
			 const struct egress_message *one)
{
	struct egress_update u;

	if (egress_decode_update(one, &u) < 0) {
		report_message(m, "is no update");
	} else if (t->form == TAIL_JSON) {
		json_object(&t->out);
		json_string_at(&t->out, "kind", "update");
		put_where(t, m);
		tail_json_update(&t->out, &u);
		end_line(t);
	} else {
		tail_text_update(&u);
	}
}

static void print_event(struct tail *t, const struct tail_message *m,
			const struct egress_message *one)
{
	struct egress_event e;

	if (egress_decode_event(one, &e) < 0) {
		report_message(m, "is no event");
		return;
	}
	see_event(t, &e);
	if (t->form == TAIL_JSON) {
		json_object(&t->out);
		tail_json_kind(&t->out, e.kind);
		put_where(t, m);
		tail_json_event(&t->out, &e);
		end_line(t);
	} else {
		tail_text_event(&e);
	}
}

/*
 * Write the output to standard output, so that printed lines are visible
 * immediately.
 */
static void flush_output(struct tail *t)
{
	memory_had(!t->out.failed);
	if (t->out.len > 0)
		fwrite(t->out.bytes, 1, t->out.len, stdout);
	json_reset(&t->out);
	if (fflush(stdout) != 0 || ferror(stdout))
		t->failed = true;
}

bool tail_message(struct tail *t, const struct tail_message *m)
{
	struct egress_message one;
	struct egress_decoder r;
	struct wire_view plain;
	size_t whole = 0; /* bytes of complete output */
	int got = 0;

	if (egress_codec_open(t->codec, m->encoding, m->bytes, &plain) < 0) {
		report_message(m, "cannot be unpacked");
		return true;
	}
	see_message_id(t, m->id);
	r = egress_decode_start(plain);
	while ((t->count == 0 || t->printed < t->count) &&
	       (got = egress_decode_next(&r, &one)) > 0) {
		t->printed++;
		whole = plain.len - r.c.left;
		if (t->form == TAIL_RAW)
			continue;
		if (holds_updates(m->subject))
			print_update(t, m, &one);
		else
			print_event(t, m, &one);
	}
	if (t->form == TAIL_RAW && whole > 0)
		fwrite(plain.p, 1, whole, stdout);
	if (got < 0)
		report_message(m, "is damaged");
	flush_output(t);
	return !t->failed && (t->count == 0 || t->printed < t->count);
}

/*
 * True if no message came for idle_ms. The time counts from @last, the end of
 * the last output, because a slow reader of our output may delay it.
 */
static bool is_idle(const struct tail *t, int64_t last)
{
	return t->idle_ms > 0 && sp_now() - last >= t->idle_ms * SP_MS;
}

/*
 * Check that the stream is the one of the mark, and that no message after the
 * mark was removed. Returns 0, -ESTALE, or an error of nats_stream_span().
 */
static int check_mark(const struct tail *t, struct nats_error *why)
{
	struct nats_span span;
	int err;

	if (t->nats.from != NATS_FROM_SEQ)
		return 0;
	err = nats_stream_span(&t->nats.nats, t->nats.stream, why, &span);
	if (err < 0)
		return err;
	if ((uint64_t)span.created_ns == t->mark.identity &&
	    span.first_seq <= t->nats.at)
		return 0;
	snprintf(why->text, sizeof(why->text), "%s",
		 (uint64_t)span.created_ns == t->mark.identity
			 ? "it does not reach back to the mark"
			 : "the mark is of another one");
	return -ESTALE;
}

int tail_from_nats(struct tail *t)
{
	struct nats_error why = { "" };
	struct nats_reader *r;
	struct nats_read read;
	int64_t last = sp_now();
	int err = check_mark(t, &why);
	bool more = true;

	if (err == 0)
		err = nats_reader_open(&t->nats, &why, &r);

	if (err < 0) {
		fprintf(stderr,
			"arancini tail: cannot read stream %s: %s; see --nats "
			"and --stream\n",
			t->nats.stream, why.text);
		return EXIT_FAILURE;
	}
	while (more && !is_idle(t, last)) {
		int got = nats_reader_next(r, STEP_MS, &read);
		struct tail_message m;

		if (got != 1)
			continue;
		m = (struct tail_message){
			.subject = read.subject,
			.id = read.id,
			.position = read.seq,
			.encoding = read.encoding,
			.bytes = { read.bytes, read.len },
		};
		more = tail_message(t, &m);
		last = sp_now();
	}
	nats_reader_close(r);
	nats_finish();
	return t->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int open_at_mark(const struct tail *t, struct journal_cursor **out)
{
	int err = journal_cursor_open(t->journal, t->mark.position, out);

	/*
	 * The identity is 0 if the segment cannot be read; the first
	 * journal_cursor_next() then returns the error.
	 */
	if (err == 0 && journal_cursor_identity(*out) != 0 &&
	    journal_cursor_identity(*out) != t->mark.identity) {
		journal_cursor_close(*out);
		err = -EIDRM;
	}
	return err;
}

static const char *open_error_text(int err)
{
	switch (err) {
	case -ENOENT:
		return "no journal there";
	case -EIDRM:
		return "the mark is of another journal";
	case -ESTALE:
		return "the mark is too old: what it names was dropped; see "
		       "--journal-max-bytes";
	case -ERANGE:
		return "no record begins at the mark: what it names was cut "
		       "off after a crash, or was never written";
	default:
		return strerror(-err);
	}
}

static const char *read_error_text(int err)
{
	switch (err) {
	case -ENOENT:
		return "the journal was removed";
	case -EIDRM:
		return "another journal is there now; start over with "
		       "--since all";
	case -ESTALE:
		return "what comes next was dropped before it was read; see "
		       "--journal-max-bytes";
	case -ERANGE:
		return "records that were read have been cut off after a "
		       "crash: what was printed last is not in the journal";
	default:
		return strerror(-err);
	}
}

/* Print why reading ended early. */
static void report_read_error(const struct tail *t,
			      const struct journal_cursor *c, int err)
{
	const struct journal_fault *fault = journal_cursor_fault(c);

	if (err == -EBADMSG && fault->missing)
		fprintf(stderr,
			"arancini tail: %s/%s is missing, or the segment "
			"before it was cut\n",
			t->journal, fault->name);
	else if (err == -EBADMSG)
		fprintf(stderr,
			"arancini tail: %s/%s is damaged at offset %" PRIu64
			"\n",
			t->journal, fault->name, fault->offset);
	else if (err == -EPROTONOSUPPORT)
		fprintf(stderr,
			"arancini tail: %s/%s was written by a later version "
			"of arancini\n",
			t->journal, fault->name);
	else
		fprintf(stderr, "arancini tail: %s: %s\n", t->journal,
			read_error_text(err));
}

/*
 * Open a cursor at the requested start. NATS_FROM_NEW means after the last
 * record and not a time, because the collector's clock may differ from ours.
 */
static int open_cursor(const struct tail *t, struct journal_cursor **out)
{
	switch (t->nats.from) {
	case NATS_FROM_TIME:
		return journal_cursor_open_at(t->journal, t->nats.at, out);
	case NATS_FROM_NEW:
		return journal_cursor_open(t->journal, JOURNAL_NEWEST, out);
	case NATS_FROM_SEQ:
		return open_at_mark(t, out);
	default:
		return journal_cursor_open(t->journal, JOURNAL_OLDEST, out);
	}
}

static bool print_record(struct tail *t, const struct journal_record *record)
{
	char subject[SUBJECT_MAX];
	struct tail_message m = {
		.subject = subject,
		.position = record->position,
		.encoding = record->encoding,
		.bytes = { record->payload, record->len },
	};

	memcpy(subject, record->subject, record->subject_len);
	subject[record->subject_len] = '\0';
	if (t->nats.filter != NULL &&
	    !nats_subject_covers(t->nats.filter, subject))
		return true;
	return tail_message(t, &m);
}

/*
 * Return a descriptor that becomes readable when a file in the folder of the
 * journal was written; or an error without inotify. Then the journal is read
 * every STEP_MS.
 */
static int watch_folder(const char *path)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	if (inotify_add_watch(fd, path, IN_MODIFY | IN_CREATE | IN_MOVED_TO) <
	    0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/*
 * Wait for a write to the journal, but at most for STEP_MS, because a network
 * file system does not report the writes of other hosts. After a write, wait
 * COLLECT_MS for more: checking the journal costs more than writing a record.
 */
static void wait_for_write(int watch)
{
	char events[4096];

	if (watch < 0) {
		sp_sleep(STEP_MS * SP_MS);
		return;
	}
	if (sp_wait_fd_until(watch, POLLIN, sp_in(STEP_MS * SP_MS)) < 0)
		return;
	sp_sleep(COLLECT_MS * SP_MS);
	/* Clear the events: later writes cause new ones. */
	while (read(watch, events, sizeof(events)) > 0)
		;
}

static int follow_journal(void *arg)
{
	struct tail *t = arg;
	struct journal_cursor *c;
	struct journal_record record;
	int64_t last = sp_now();
	bool more = true;
	int got = open_cursor(t, &c);
	int watch;

	if (got < 0) {
		fprintf(stderr, "arancini tail: %s: %s\n", t->journal,
			open_error_text(got));
		return EXIT_FAILURE;
	}
	watch = watch_folder(t->journal);
	while (more && !is_idle(t, last)) {
		got = journal_cursor_next(c, &record); /* yields */
		if (got < 0)
			break;
		if (got == 0) {
			wait_for_write(watch);
			continue;
		}
		more = print_record(t, &record);
		last = sp_now();
	}
	if (got < 0)
		report_read_error(t, c, got);
	journal_cursor_close(c);
	if (watch >= 0)
		close(watch);
	return got < 0 || t->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int tail_from_journal(struct tail *t)
{
	return fiber_main("tail", follow_journal, t);
}
