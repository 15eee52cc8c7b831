/*
 * egress/log_reader.h - what was published from a log position on, for restore
 *
 *	snapshot's start position ... epoch event	log_read_stream()
 *	what an older run left in the spool	log_read_journal()
 *	without a broker			log_read_journal(), all of it
 *
 * Every message comes once, in order, unpacked, with its router as it stands
 * in the subject, so that the reader can hand it to the shard that owns that
 * router. Whoever restores calls these after publisher_wait_epoch(), with
 * publisher_options.hold set, so that nothing moves meanwhile.
 */
#ifndef EGRESS_LOG_READER_H
#define EGRESS_LOG_READER_H

#include "egress/nats/reader.h"
#include "egress/publisher/publisher.h"

#include "bmp/wire.h"

/* One message of the log. */
struct log_message {
	uint64_t position;	 /* as in a log position */
	const char *subject;	 /* terminated */
	struct wire_view router; /* a part of subject; empty: of no router */
	bool updates;		 /* else events */
	struct record_id record; /* of a journal: when it was made; else 0 */
	struct wire_view
		bytes; /* Cap'n Proto messages, for egress/encode/decode.h */
};

/* A negative errno ends the reading and is returned. */
typedef int log_each(void *arg, const struct log_message *message);

/*
 * The messages behind @from up to and with the stream's sequence @to.
 * -ESTALE if the stream is not the one of the position or does not reach back to
 * it: then what consumers have is not known here, and the tables must be
 * published again. -ETIMEDOUT if there was none for @wait_ns, however often
 * the connection was made anew. Blocks: for a pool thread.
 */
int log_read_stream(const struct nats_reader_options *options,
		    const struct log_position *from, uint64_t to,
		    int64_t wait_ns, log_each *each, void *arg,
		    struct nats_error *why);

/*
 * The records of a journal or spool from position @from (JOURNAL_OLDEST: all)
 * to its end. -ESTALE if that was dropped, -EBADMSG if it is damaged. Yields,
 * so in a fiber.
 */
int log_read_journal(const char *dir, uint64_t from, log_each *each, void *arg);

/*
 * The router's token in @subject: the one before the last of an event, and
 * the third from the end of an update. Empty if there is none.
 */
struct wire_view log_router(const char *subject, bool *updates);

#endif
