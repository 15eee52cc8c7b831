/*
 * egress/publisher/stream_watch.h - notice that messages of the stream were
 * removed by somebody
 *
 * When somebody purges messages of a stream, its writers are not told:
 * sequences continue, and acknowledgements come as before. But consumers that
 * were behind never get these messages. So the publisher regularly reads the
 * state of the stream (a look) and compares it with that of the look before.
 *
 * The limits of a stream also remove its oldest messages, and then nothing must
 * be published again. The rule to distinguish both cases: a missing message was
 * removed by somebody, unless a present limit of the stream requires its
 * removal. Of the messages missing at the front only the newest is tested,
 * because all others are older. A limit explains its removal if:
 *
 *	max_msgs	the stream holds as many messages as it may
 *	max_bytes	the stream has no space for another message of the
 *			largest size
 *	max_age		the message may have reached this age. The age is not
 *			known, only that the message was stored after a look
 *			that did not see it. So looks are kept for max_age.
 *
 * A message missing in the middle was always removed by somebody: limits remove
 * messages at the front, and a stream with max_msgs_per_subject is refused.
 *
 * In case of doubt the rule assumes that a limit was the reason: with a
 * max_bytes of about one message a purge is not noticed. Pure functions.
 */
#ifndef EGRESS_PUBLISHER_STREAM_WATCH_H
#define EGRESS_PUBLISHER_STREAM_WATCH_H

#include "egress/log_position.h"
#include "egress/nats/stream.h"

#include <stdbool.h>
#include <stdint.h>

#define STREAM_WATCH_SAMPLES 32

enum stream_watch_result {
	STREAM_WATCH_UNCHANGED, /* or changed only by its writers and limits */
	STREAM_WATCH_REMOVED,	/* somebody removed messages */
	STREAM_WATCH_REPLACED,	/* it is another stream under the same name */
};

struct stream_look {
	struct nats_stream_state state;
	int64_t asked_ns;    /* monotonic time before the request was sent */
	int64_t answered_ns; /* monotonic time after the answer arrived */
	/*
	 * Monotonic time when this run began to write: it has stored the
	 * stream's last message after that.
	 */
	int64_t began_ns;
	uint64_t max_message; /* maximum bytes of a message of this stream */
};

/* Messages with a sequence above @last_seq were stored after time @at. */
struct stream_watch_sample {
	int64_t at;
	uint64_t last_seq;
};

struct stream_watch {
	bool known; /* true after the first look */
	struct nats_stream_state last;
	struct stream_watch_sample newest;
	/* Older samples, kept for max_age; when full, the oldest is dropped. */
	struct stream_watch_sample samples[STREAM_WATCH_SAMPLES];
	uint32_t count;
};

/*
 * Compare @look with the look before and remember @look. For the first look
 * *@watch must be zero.
 */
enum stream_watch_result stream_watch_look(struct stream_watch *watch,
					   const struct stream_look *look);

/* The range of messages at the last look, to be saved for a later run. */
struct stream_extent stream_watch_extent(const struct stream_watch *watch);

/*
 * True if somebody removed messages after @before, which an earlier run saved,
 * and before @look. The rule is the one above, but the age of a message is
 * known only by the server's clock. The last message of @look was stored by
 * this run just before, so its time is the present time.
 */
bool stream_watch_removed_since(const struct stream_extent *before,
				const struct stream_look *look);

#endif
