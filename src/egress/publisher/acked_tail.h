/*
 * egress/publisher/acked_tail.h - the last messages that the stream acknowledged
 *
 *	DIR/00000000000000004711.tail	from stream sequence 4711 on
 *	DIR/00000000000000009001.tail	the newest, which grows
 *
 * A broker acknowledges before its disk has the message. Here the messages are
 * kept for a while, so that they can be sent again when its power failed. The
 * tail is a run of messages of one stream without a gap: every message has the
 * stream sequence after the one before it. A message that would leave a gap
 * begins the tail anew.
 *
 * A message is added when it is sent. It stays in memory until it is
 * acknowledged, and then goes to a file, a chunk at a time: compressed, unless
 * batches are compressed already, and never synced. Files are dropped from the
 * oldest on, so that all of them stay within the limit.
 *
 * With a limit of 0 no message is kept; acked_tail_acked() is correct all the
 * same.
 *
 * Threads	The publisher's shard. Its main fiber uses the tail while the
 *		link is ready, the link fiber while it is not; a third one
 *		writes.
 * Blocking	Calls marked "yields" wait for the disk, in a fiber.
 * Memory	At most ACKED_TAIL_MEMORY, once acked_tail_full() is heeded, the
 *		chunk that is written, and two chunks.
 * Errors	A negative errno. A disk that fails costs the tail, not the
 *		output.
 */
#ifndef EGRESS_PUBLISHER_ACKED_TAIL_H
#define EGRESS_PUBLISHER_ACKED_TAIL_H

#include "bmp/wire.h"
#include "egress/batch.h"
#include "egress/message_id.h"

#include <stdbool.h>

struct acked_tail;

/* Plain bytes that wait for an acknowledgement, at most. */
#define ACKED_TAIL_MEMORY (8u << 20)

/* A message as it was sent. */
struct acked_message {
	struct message_id id;
	bool has_after;		/* the header Arancini-After */
	struct record_id after; /* of events that open an epoch */
	enum egress_encoding encoding;
	const char *subject; /* terminated, if it was read */
	size_t subject_len;
	struct wire_view bytes;
};

/*
 * Open the tail in @dir, which is made if it is not there, with at most
 * @max_bytes on disk. Messages of an older run belong to the tail, unless their
 * files are damaged.
 * Yields.
 */
int acked_tail_open(const char *dir, uint64_t max_bytes,
		    struct acked_tail **out);

/*
 * The name of a file of an older run that could not be read and was removed,
 * and why: -EOPNOTSUPP if it is of another version. NULL if there was none.
 */
const char *acked_tail_damage(const struct acked_tail *t, int *error);

/*
 * Write the acknowledged messages, and a mark that the files have all of them.
 * NULL is fine. Yields.
 */
void acked_tail_close(struct acked_tail *t);

/* Main, while the link is ready */

/* Add the message that gets sequence @seq if the stream stores it. */
void acked_tail_add(struct acked_tail *t, uint64_t seq,
		    const struct acked_message *m);

/* The stream holds all up to @seq. */
void acked_tail_ack(struct acked_tail *t, uint64_t seq);

/*
 * Forget the messages that wait for an acknowledgement, because their stream
 * sequences are not known after all.
 */
void acked_tail_skip(struct acked_tail *t);

/* Whether to send no more before something is acknowledged and written. */
bool acked_tail_full(const struct acked_tail *t);

/* Whether acked_tail_write() has something to do. */
bool acked_tail_wants_write(struct acked_tail *t, int64_t now);

/* When acked_tail_write() has something to do by itself; INT64_MAX: never. */
int64_t acked_tail_due(const struct acked_tail *t);

/*
 * While the disk takes a chunk: when to call acked_tail_skip(), because memory
 * is full and the disk takes too long; INT64_MAX: not now. Sending goes on
 * then, without the messages that waited for the disk.
 */
int64_t acked_tail_give_up(const struct acked_tail *t);

/*
 * Any fiber: write acknowledged chunks that are full or old. An error is
 * returned once; then the tail begins anew. Yields.
 */
int acked_tail_write(struct acked_tail *t, int64_t now);

/* The link fiber, while the link is not ready */

/*
 * The stream that was created at @created_ns ended at @seq. Messages after @seq
 * that wait here were not stored and are dropped. The stream has acknowledged
 * messages up to @acked since; the caller adds these next. If it is another
 * stream, or one that does not end where this tail ends, the tail begins anew.
 * Yields.
 */
void acked_tail_set_end(struct acked_tail *t, int64_t created_ns, uint64_t seq,
			uint64_t acked);

/* When the stream of the tail was created; 0: not known. */
int64_t acked_tail_created(const struct acked_tail *t);

/* The highest sequence that was acknowledged. */
uint64_t acked_tail_acked(const struct acked_tail *t);

/*
 * Whether acked_tail_acked() counts all acknowledged messages. False if the
 * tail was left by a run that was killed.
 */
bool acked_tail_complete(const struct acked_tail *t);

/*
 * Make message @seq the next that acked_tail_next() returns. -ENOENT: the tail
 * does not have it. Yields.
 */
int acked_tail_seek(struct acked_tail *t, uint64_t seq);
/*
 * Read the next message. 1: *@out is valid until the next call; 0: there is no
 * further acknowledged message; -EBADMSG. Yields.
 */
int acked_tail_next(struct acked_tail *t, struct acked_message *out);

/* Bytes on disk, for statistics. */
uint64_t acked_tail_bytes(const struct acked_tail *t);

#endif
