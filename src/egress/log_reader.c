#include "egress/log_reader.h"

#include "egress/journal/cursor.h"
#include "egress/nats/client.h"
#include "egress/nats/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AGAIN_MS 100 /* pause after a request to a server failed */

/* The token of @subject that ends at @end. */
static struct wire_view token_before(const char *subject, const char *end)
{
	const char *start = end;

	while (start > subject && start[-1] != '.')
		start--;
	return (struct wire_view){ (const uint8_t *)start,
				   (size_t)(end - start) };
}

/* The next token to the left; empty if there is none. */
static struct wire_view token_left(const char *subject, struct wire_view token)
{
	const char *start = (const char *)token.p;

	if (start == subject)
		return (struct wire_view){ token.p, 0 };
	return token_before(subject, start - 1);
}

/* True for "1_1" and the like */
static bool is_family(struct wire_view token)
{
	bool seen = false;

	if (token.len < 3 || token.p[0] == '_' || token.p[token.len - 1] == '_')
		return false;
	for (size_t i = 0; i < token.len; i++) {
		if (token.p[i] == '_' && !seen)
			seen = true;
		else if (token.p[i] < '0' || token.p[i] > '9')
			return false;
	}
	return seen;
}

struct wire_view log_router(const char *subject, bool *updates)
{
	struct wire_view token =
		token_before(subject, subject + strlen(subject));

	*updates = is_family(token);
	token = token_left(subject, token);
	return *updates ? token_left(subject, token) : token;
}

struct log_reader {
	log_each *each;
	void *arg;
};

/* Set the other members of @message, and pass it to the callback. */
static int hand_over(struct log_reader *r, struct log_message *message,
		     enum egress_encoding encoding, struct wire_view bytes)
{
	message->encoding = encoding;
	message->bytes = bytes;
	message->router = log_router(message->subject, &message->updates);
	return r->each(r->arg, message);
}

/*
 * -ESTALE if the stream is not the one of @from or no longer holds all messages
 * after @from.
 */
static int check_stream(const struct nats_reader_options *options,
			const struct log_position *from, struct nats_error *why)
{
	struct nats_span span;
	int err = nats_stream_span(&options->nats, options->stream, why, &span);

	if (err < 0)
		return err;
	if (from->journal || (uint64_t)span.created_ns != from->identity) {
		snprintf(why->text, sizeof(why->text),
			 "stream %s is not the one the snapshot was made with",
			 options->stream);
		return -ESTALE;
	}
	if (span.first_seq > from->position + 1 ||
	    span.last_seq < from->position) {
		snprintf(why->text, sizeof(why->text),
			 "stream %s does not reach back to the snapshot",
			 options->stream);
		return -ESTALE;
	}
	return 0;
}

static int read_up_to(struct nats_reader *reader, uint64_t to, int64_t wait_ns,
		      struct log_reader *r)
{
	struct log_message message;
	struct nats_read read;
	int err;

	do {
		int got = nats_reader_next(reader, wait_ns / 1000000, &read);

		if (got == 0)
			return -ETIMEDOUT;
		if (got < 0)
			return got;
		if (read.seq > to)
			return 0;
		message = (struct log_message){ .position = read.seq,
						.subject = read.subject };
		err = hand_over(r, &message, read.encoding,
				(struct wire_view){ read.bytes, read.len });
	} while (err == 0 && read.seq < to);
	return err;
}

/*
 * Open a reader after @from. *@out stays NULL if the stream has no messages
 * after @from.
 */
static int open_stream(const struct nats_reader_options *options,
		       const struct log_position *from, uint64_t to,
		       struct nats_error *why, struct nats_reader **out)
{
	struct nats_reader_options behind = *options;
	int err = check_stream(options, from, why);

	if (err < 0 || from->position >= to)
		return err;
	behind.from = NATS_FROM_SEQ;
	behind.at = from->position + 1;
	return nats_reader_open(&behind, why, out);
}

static bool may_pass(int err)
{
	return err == -ETIMEDOUT || err == -ENOTCONN || err == -ECONNREFUSED ||
	       err == -EAGAIN || err == -EPROTO;
}

int log_read_stream(const struct nats_reader_options *options,
		    const struct log_position *from, uint64_t to,
		    int64_t wait_ns, log_each *each, void *arg,
		    struct nats_error *why)
{
	struct log_reader r = { .each = each, .arg = arg };
	struct nats_reader *reader = NULL;
	int64_t until = nats_client_now_ms() + wait_ns / 1000000;
	int err;

	while ((err = open_stream(options, from, to, why, &reader)) < 0 &&
	       may_pass(err) && nats_client_now_ms() < until)
		nats_client_sleep_ms(AGAIN_MS);
	if (err == 0 && reader != NULL)
		err = read_up_to(reader, to, wait_ns, &r);
	nats_reader_close(reader);
	return err;
}

static int hand_over_record(struct log_reader *r,
			    const struct journal_record *record)
{
	char subject[SUBJECT_MAX];
	struct log_message message = {
		.position = record->position,
		.subject = subject,
		.record = { record->epoch, record->seq, 0 },
	};

	memcpy(subject, record->subject, record->subject_len);
	subject[record->subject_len] = '\0';
	return hand_over(r, &message, record->encoding,
			 (struct wire_view){ record->payload, record->len });
}

static void explain_journal(const char *dir, const struct journal_cursor *c,
			    int err, struct nats_error *why)
{
	const struct journal_fault *fault = journal_cursor_fault(c);

	if (err == -EBADMSG && fault->missing)
		snprintf(why->text, sizeof(why->text),
			 "%s/%s is missing, or the segment before it was cut",
			 dir, fault->name);
	else if (err == -EBADMSG || err == -EPROTONOSUPPORT)
		snprintf(why->text, sizeof(why->text),
			 "%s/%s %s at offset %" PRIu64, dir, fault->name,
			 err == -EBADMSG ? "is damaged"
					 : "is of a later version",
			 fault->offset);
}

int log_read_journal(const char *dir, uint64_t from, log_each *each, void *arg,
		     struct nats_error *why)
{
	struct log_reader r = { .each = each, .arg = arg };
	struct journal_record record;
	struct journal_cursor *c;
	int got = journal_cursor_open(dir, from, &c);

	if (got == -ERANGE)
		snprintf(why->text, sizeof(why->text),
			 "%s does not hold what the snapshots rely on", dir);
	if (got < 0)
		return got;
	while (got == 0) {
		got = journal_cursor_next(c, &record); /* yields */
		if (got != 1)
			break;
		got = hand_over_record(&r, &record);
	}
	explain_journal(dir, c, got, why);
	journal_cursor_close(c);
	return got;
}
