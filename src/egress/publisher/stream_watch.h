/*
 * egress/publisher/stream_watch.h - notice that somebody removed messages of the stream
 *
 * A purge removes messages of a stream and no writer hears of it: sequences go
 * on, acknowledgements come as before. But consumers that were behind never get
 * these messages. So the publisher looks at the stream now and then and compares
 * each look with the one before.
 *
 * A stream also removes its oldest messages by itself, and that is no reason to
 * publish anything again. The rule that tells these apart: a message that is
 * gone was removed by somebody, unless a limit of the stream, as it is now, calls
 * for its removal. Of the messages before the first, the newest decides, as all
 * others are older:
 *
 *	max_msgs	the stream holds as many messages as it may
 *	max_bytes	the stream has no room for one more of the largest size
 *	max_age		the message may be as old as that. Its age is not known,
 *			only that it was stored after a look that did not see
 *			it, so looks are remembered for as long as max_age
 *
 * A message that is gone from the middle was always removed by somebody: limits
 * remove from the front, and a stream with max_msgs_per_subject is refused.
 *
 * Where the rule cannot know it takes a limit for the reason: with a max_bytes
 * of about one message a purge is not noticed. Pure.
 */
#ifndef EGRESS_PUBLISHER_STREAM_WATCH_H
#define EGRESS_PUBLISHER_STREAM_WATCH_H

#include "egress/log_position.h"
#include "egress/nats/stream.h"

#include <stdbool.h>
#include <stdint.h>

#define STREAM_WATCH_SAMPLES 32

enum stream_watch_result {
	STREAM_WATCH_UNCHANGED, /* or changed by its writers and limits */
	STREAM_WATCH_REMOVED,	/* somebody removed messages */
	STREAM_WATCH_REPLACED,	/* it is another stream under the same name */
};

struct stream_look {
	struct nats_stream_state state;
	int64_t asked_ns; /* of the monotonic clock, before it was asked for */
	int64_t answered_ns; /* and when the answer was there */
	/*
	 * When this run began to write, of the same clock: the stream's last
	 * message was stored after that.
	 */
	int64_t began_ns;
	uint64_t max_message; /* bytes of the largest message there may be */
};

/* Messages behind @last_seq were stored after @at. */
struct stream_watch_sample {
	int64_t at;
	uint64_t last_seq;
};

struct stream_watch {
	bool known; /* there was a look */
	struct nats_stream_state last;
	struct stream_watch_sample newest;
	/* Older ones, for as long as max_age; the oldest goes first. */
	struct stream_watch_sample samples[STREAM_WATCH_SAMPLES];
	uint32_t count;
};

/* Compare @look with the one before; begin with a watch of zeros. */
enum stream_watch_result stream_watch_look(struct stream_watch *watch,
					   const struct stream_look *look);

/* What the last look saw, to be kept for a later run. */
struct stream_extent stream_watch_extent(const struct stream_watch *watch);

/*
 * Whether somebody removed messages between @before, of an earlier run, and
 * @look. The same rule, but the ages of messages are known by the server's times
 * only: @look is behind a message that this run has just stored, so its last
 * message says what time it is.
 */
bool stream_watch_removed_since(const struct stream_extent *before,
				const struct stream_look *look);

#endif
