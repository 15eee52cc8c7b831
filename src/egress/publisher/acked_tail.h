/*
 * egress/publisher/acked_tail.h - the newest messages that the stream
 * acknowledged
 *
 *	DIR/00000000000000004711.tail	from stream sequence 4711 on
 *	DIR/00000000000000009001.tail	the newest, which grows
 *
 * A broker acknowledges a message before its disk holds it. The acked tail
 * keeps the newest acknowledged messages, so that they can be sent again if the
 * host of the broker loses power. The tail is a run of messages of one stream
 * without a gap: every message has the stream sequence after the one before it.
 * If a message would leave a gap, the tail drops all others and begins with
 * that message.
 *
 * A message is added when it is sent. It stays in memory until it is
 * acknowledged, and then goes to a file, a chunk at a time: compressed, unless
 * batches are compressed already, and never synced. Files are dropped from the
 * oldest on, so that all of them stay within the limit.
 *
 * With a limit of 0 no message is kept, but acked_tail_acked() is still
 * correct.
 *
 * Threads	The publisher's shard. Its main fiber uses the tail while the
 *		link is ready, the link fiber otherwise. The tail fiber
 *		writes.
 * Blocking	Calls marked "yields" wait for the disk, in a fiber.
 * Memory	At most ACKED_TAIL_MEMORY if the caller obeys acked_tail_full(),
 *		plus the chunk that is being written, plus two chunks.
 * Errors	A negative errno. If the disk fails, the tail is lost, but the
 *		output continues.
 */
#ifndef EGRESS_PUBLISHER_ACKED_TAIL_H
#define EGRESS_PUBLISHER_ACKED_TAIL_H

#include "bmp/wire.h"
#include "egress/batch.h"
#include "egress/message_id.h"

#include <stdbool.h>

struct acked_tail;

/*
 * Maximum bytes of messages in memory: those that wait for an acknowledgement
 * and those that wait to be written.
 */
#define ACKED_TAIL_MEMORY (8u << 20)

/* A message as it was sent. */
struct acked_message {
	struct message_id id;
	bool has_after;		/* the message has the header Arancini-After */
	struct record_id after; /* value of that header */
	enum egress_encoding encoding;
	const char *subject; /* NUL-terminated, if it was read from the tail */
	size_t subject_len;
	struct wire_view bytes;
};

/*
 * Open the tail in @dir, with at most @max_bytes on disk; create the folder if
 * it does not exist. The messages of an older run belong to the tail, except
 * those in damaged files. Yields.
 */
int acked_tail_open(const char *dir, uint64_t max_bytes,
		    struct acked_tail **out);

/*
 * The name of a file of an older run that was removed because it could not be
 * read. *@error is the reason: -EOPNOTSUPP if another version wrote the file.
 * NULL if there was no such file.
 */
const char *acked_tail_damage(const struct acked_tail *t, int *error);

/*
 * Write the acknowledged messages, and a mark that the files hold all of them.
 * @t may be NULL. Yields.
 */
void acked_tail_close(struct acked_tail *t);

/* For main, while the link is ready */

/*
 * Add a message that was sent; if the stream stores it, it gets sequence @seq.
 */
void acked_tail_add(struct acked_tail *t, uint64_t seq,
		    const struct acked_message *m);

/*
 * Record that the stream holds all messages up to sequence @seq. If @seq is
 * beyond the newest message of the tail, the messages in memory are dropped as
 * by acked_tail_skip(), because the tail would have a gap.
 */
void acked_tail_ack(struct acked_tail *t, uint64_t seq);

/*
 * Drop the messages in memory: those that wait for an acknowledgement and those
 * that wait to be written. For a caller that assumed wrong stream sequences.
 */
void acked_tail_skip(struct acked_tail *t);

/*
 * True if no more messages may be sent until some were acknowledged and
 * written.
 */
bool acked_tail_full(const struct acked_tail *t);

/* True if acked_tail_write() has something to write. */
bool acked_tail_wants_write(struct acked_tail *t, int64_t now);

/*
 * The time when acked_tail_write() will have something to write without a
 * further call; INT64_MAX = never.
 */
int64_t acked_tail_due(const struct acked_tail *t);

/*
 * The time at which to call acked_tail_skip() because memory is full and a
 * write takes too long; INT64_MAX if no write is in progress or memory is not
 * full. After that call, sending goes on, and the tail lacks the messages that
 * waited for the disk.
 */
int64_t acked_tail_give_up(const struct acked_tail *t);

/*
 * For any fiber: write the acknowledged chunks that are full or old. An error
 * is returned once; then the tail is empty and begins again. Yields.
 */
int acked_tail_write(struct acked_tail *t, int64_t now);

/* For the link fiber, while the link is not ready */

/*
 * Set the end of the stream: the stream was created at @created_ns and ended at
 * @seq. Messages in memory after @seq were not stored and are dropped. Since
 * then the stream has acknowledged messages up to @acked, which the caller adds
 * next. If the tail belongs to another stream, or if its messages do not end at
 * @seq, it drops all messages and begins again. Yields.
 */
void acked_tail_set_end(struct acked_tail *t, int64_t created_ns, uint64_t seq,
			uint64_t acked);

/* When the stream of the tail was created; 0 = not known. */
int64_t acked_tail_created(const struct acked_tail *t);

/* The highest sequence that was acknowledged. */
uint64_t acked_tail_acked(const struct acked_tail *t);

/*
 * True if no message after acked_tail_acked() was acknowledged. False if that
 * is not known, because the run that wrote the tail was killed or its newest
 * file cannot be read.
 */
bool acked_tail_complete(const struct acked_tail *t);

/*
 * Make message @seq the next one that acked_tail_next() returns. -ENOENT if the
 * tail does not have it. Yields.
 */
int acked_tail_seek(struct acked_tail *t, uint64_t seq);
/*
 * Read the next message. Returns 1, and *@out is valid until the next call; 0
 * if there is no further acknowledged message; -EBADMSG if the file is damaged.
 * Yields.
 */
int acked_tail_next(struct acked_tail *t, struct acked_message *out);

/* Bytes on disk, for statistics. */
uint64_t acked_tail_bytes(const struct acked_tail *t);

#endif
