/*
 * spargio/sched/msg_inbox.h - the message queues of a shard
 *
 * For the scheduler; <spargio/message.h> is for fibers.
 */
#ifndef SPARGIO_SCHED_MSG_INBOX_H
#define SPARGIO_SCHED_MSG_INBOX_H

#include "spargio/sched/msg_ring.h"
#include "spargio/sched/shard.h"

#include <spargio/runtime.h>

enum {
	SP__TAG_PLAIN,
	SP__TAG_HOT,
	SP__TAG_COUNTED, /* this and above: index of a sum */
	SP__COUNTED_MAX = 64,
	SP__MSG_RING_KINDS = 2, /* plain and hot */
};

struct sp__msg_inbox {
	/* Set once. */
	uint32_t sources;
	int ring_kinds; /* 1 without hot tags, else 2 */
	struct sp__msg_ring
		*rings[SP__MSG_RING_KINDS]; /* one ring for each source */
	/* kind of each tag; NULL = all plain */
	const uint8_t *kinds;
	uint64_t counted_wake;

	/* Owner, as receiver. */
	uint32_t next[SP__MSG_RING_KINDS]; /* source to check first */
	uint32_t run; /* messages taken in a row from one source */
	bool taken;   /* a message was taken since the last deliver */
	struct sp__waitlist receivers;
	struct sp__waitlist hot_receivers;
	struct sp__waitlist counters[SP__COUNTED_MAX];
	uint64_t counting; /* bit mask of sums that a fiber waits for */

	/*
	 * Owner, as sender: a ring of another shard has unpublished messages.
	 */
	bool unpublished;

	/* Any shard. */
	_Atomic uint64_t sums[SP__COUNTED_MAX];

	/* For threads that are not shards. */
	struct sp__spin outside_lock;
	struct sp__msg_ring outside;

	/* Senders that wait until their messages have been taken. */
	struct sp__spin flush_lock;
	struct sp__waitlist flushers;
	_Atomic uint32_t flushing;
};

int sp__msg_inbox_open(struct sp_shard *shard);
void sp__msg_inbox_close(struct sp_shard *shard);

/* Owner: true if a fiber of this shard waits for a message that has arrived. */
bool sp__msg_inbox_wanted(struct sp_shard *shard);

/* Owner of @from: publish the messages sent to @to, and wake @to. */
void sp__msg_inbox_publish(struct sp_shard *from, struct sp_shard *to);

/* Owner: publish the messages that this shard has sent, to all shards. */
void sp__msg_inbox_publish_all(struct sp_shard *shard);

/* Owner: publish sent messages and wake fibers whose messages have arrived. */
void sp__msg_inbox_deliver(struct sp_shard *shard);

/*
 * Make the table with the kind of each tag; the caller frees it. *@out is NULL
 * if all tags are plain. -EINVAL if there are too many counted tags, or a
 * counted tag is named twice or is also hot.
 */
int sp__msg_inbox_kinds(const struct sp_opts *opts, uint8_t **out);

#endif
