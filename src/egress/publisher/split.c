/*
 * Publishes batches that are longer than the limit of the server.
 *
 * A batch may be made before a server is known, or wait in the spool until
 * another server with a lower limit is used. A batch consists of whole messages
 * back to back, so it is cut between two of them, and each piece is published
 * as one message of the stream. A compressed batch is decompressed first: its
 * pieces are not compressed.
 *
 * The id of a piece has the offset in the uncompressed batch at which the piece
 * ends. A later run or connection reads that id from the stream and continues
 * there; nothing else is saved about pieces.
 */
#include "egress/batch_split.h"
#include "egress/codec.h"
#include "egress/publisher/publisher_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* True if the last message of the stream is a piece of this record. */
static bool record_is_begun(const struct publisher *p,
			    const struct send_entry *f)
{
	return p->chain.stored.upto != 0 &&
	       record_id_same_record(p->chain.stored, f->record);
}

bool publisher_split_needed(const struct publisher *p,
			    const struct send_entry *f)
{
	return f->len > p->chain.limit || record_is_begun(p, f);
}

/*
 * Count an update or event that is too long and cannot be cut. A notice is
 * given for the first, second, fourth, eighth ... one, so that a router that
 * sends only such updates does not fill the log.
 */
static void leave_out(struct publisher *p, struct send_entry *f,
		      const char *subject, size_t len)
{
	uint64_t times = ++p->stats.too_long;
	char text[NATS_WORDS_MAX];

	if (f->updates > 0)
		f->updates--;
	if ((times & (times - 1)) != 0)
		return;
	snprintf(text, sizeof(text),
		 "left out %zu bytes that cannot be cut, %" PRIu64
		 " times so far: raise the %s, now %" PRIu64
		 ", then resync; %s",
		 len, times, p->chain.limit_name, p->stats.max_payload,
		 subject);
	publisher_tell(p, text);
}

static int put_plain(struct publisher *p, uint64_t number, const char *subject,
		     struct wire_view plain)
{
	struct send_entry *f = send_queue_at(&p->wire, number);
	size_t at = record_is_begun(p, f) ? p->chain.stored.upto : 0;
	struct egress_batch_part piece;

	for (; at < plain.len; at += piece.len) {
		struct wire_view rest = { plain.p + at, plain.len - at };
		struct record_id name = f->record;
		struct publisher_payload one = { subject, rest, EGRESS_PLAIN };
		int err;

		/*
		 * Bytes that are not whole messages of the schema are one
		 * piece.
		 */
		piece = (struct egress_batch_part){ rest.len, 1 };
		(void)egress_batch_split(rest, p->chain.limit, &piece);
		if (piece.len > p->chain.limit) {
			leave_out(p, f, subject, piece.len);
			continue;
		}
		if (piece.len < rest.len)
			name.upto = (uint32_t)(at + piece.len);
		one.bytes.len = piece.len;
		err = publisher_stream_put(p, number, name, &one);
		if (err < 0)
			return err;
	}
	return 0;
}

int publisher_split_put(struct publisher *p, uint64_t number,
			const struct publisher_payload *payload)
{
	struct wire_view plain;
	int err = egress_codec_open(p->codec, payload->encoding, payload->bytes,
				    &plain);

	if (err == -ENOMEM) {
		publisher_handle(p, PUBLISHER_EV_STREAM_FAILED,
				 "no memory to cut a batch");
		return err;
	}
	return put_plain(p, number, payload->subject,
			 err < 0 ? payload->bytes : plain);
}
