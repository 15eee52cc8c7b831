/*
 * egress/log_reader.h - read the log from a position on, for restore
 *
 * The log is read from a start position, the oldest one that a snapshot or the
 * manifest needs.
 *
 * With a broker: log_read_stream() reads the stream from the start position to
 * the epoch event of this run, then log_read_journal() reads what an older run
 * left in the spool. Without a broker: log_read_journal() reads the journal
 * from the start position on.
 *
 * Each message is delivered once, in order, as it was published (compressed),
 * with the router's token from the subject, so that the reader can pass it to
 * the router's shard, which decompresses it: egress/codec.h.
 * Restore calls these functions after publisher_wait_epoch(), with
 * publisher_options.hold set, so that the log does not change meanwhile.
 */
#ifndef EGRESS_LOG_READER_H
#define EGRESS_LOG_READER_H

#include "egress/batch.h"
#include "egress/nats/reader.h"
#include "egress/publisher/publisher.h"

#include "bmp/wire.h"

/* One message of the log. */
struct log_message {
	/* the message's stream sequence or journal position */
	uint64_t position;
	const char *subject; /* NUL-terminated */
	/* the router's token in subject; empty if there is none */
	struct wire_view router;
	bool updates;		 /* false = the message holds events */
	struct record_id record; /* the record id in a journal; 0 in a stream */
	enum egress_encoding encoding; /* encoding of the bytes */
	struct wire_view bytes;	       /* for egress_codec_open() */
};

/* Called for each message. A negative errno ends the read and is returned. */
typedef int log_each(void *arg, const struct log_message *message);

/*
 * Read the messages after @from up to and including the stream's sequence @to.
 * -ESTALE if the stream is not the one of @from, or no longer holds all
 * messages after @from: then the state of consumers is not known, and the
 * tables must be published again. -ETIMEDOUT if no message came for @wait_ns,
 * even after reconnecting. Blocks, so call it on a pool thread.
 */
int log_read_stream(const struct nats_reader_options *options,
		    const struct log_position *from, uint64_t to,
		    int64_t wait_ns, log_each *each, void *arg,
		    struct nats_error *why);

/*
 * Read the records of a journal or spool from position @from (JOURNAL_OLDEST =
 * from the oldest record) to its end. -ESTALE if the record at @from was
 * dropped, -ERANGE if no record begins at @from, -EBADMSG if the journal is
 * damaged: @why then names the place. Yields, so call it in a fiber.
 */
int log_read_journal(const char *dir, uint64_t from, log_each *each, void *arg,
		     struct nats_error *why);

/*
 * The router's token in @subject: the second last token of an event's subject,
 * the third last of an update's. *@updates is true if @subject is that of an
 * update. Empty if @subject has no such token.
 */
struct wire_view log_router(const char *subject, bool *updates);

#endif
