/*
 * spargio/sched/msg_inbox.h - the messages that wait for a shard
 *
 * For the scheduler; what a fiber calls is in <spargio/message.h>.
 */
#ifndef SPARGIO_SCHED_MSG_INBOX_H
#define SPARGIO_SCHED_MSG_INBOX_H

#include "spargio/sched/msg_ring.h"
#include "spargio/sched/shard.h"

#include <spargio/runtime.h>

enum {
	SP__TAG_PLAIN,
	SP__TAG_HOT,
	SP__TAG_COUNTED, /* and above: which sum */
	SP__COUNTED_MAX = 64,
	SP__MSG_RING_KINDS = 2, /* plain and hot */
};

struct sp__msg_inbox {
	/* Set once. */
	uint32_t sources;
	int ring_kinds; /* 1 unless there are hot tags */
	struct sp__msg_ring
		*rings[SP__MSG_RING_KINDS]; /* one for each source */
	const uint8_t *kinds;		    /* of tags; NULL: all plain */
	uint64_t counted_wake;

	/* Owner, as receiver. */
	uint32_t next[SP__MSG_RING_KINDS]; /* source to look at first */
	uint32_t run;			   /* taken from it in a row */
	bool taken; /* something, since the last look around */
	struct sp__waitlist receivers;
	struct sp__waitlist hot_receivers;
	struct sp__waitlist counters[SP__COUNTED_MAX];
	uint64_t counting; /* sums that somebody waits for */

	/* Owner, as sender: some ring has messages not published. */
	bool unpublished;

	/* Any shard. */
	_Atomic uint64_t sums[SP__COUNTED_MAX];

	/* Threads that are no shard. */
	struct sp__spin outside_lock;
	struct sp__msg_ring outside;

	/* Senders that wait until their messages have been taken. */
	struct sp__spin flush_lock;
	struct sp__waitlist flushers;
	_Atomic uint32_t flushing;
};

int sp__msg_inbox_open(struct sp_shard *shard);
void sp__msg_inbox_close(struct sp_shard *shard);

/* Owner: a fiber here waits for a message that is there. */
bool sp__msg_inbox_wanted(struct sp_shard *shard);

/* Owner of @from: publish what was sent to @to, and wake it. */
void sp__msg_inbox_publish(struct sp_shard *from, struct sp_shard *to);

/* Owner: publish what was sent, wake fibers whose messages have come. */
void sp__msg_inbox_deliver(struct sp_shard *shard);

/*
 * The kinds of all tags for these options, to be freed; NULL if all are plain.
 * -EINVAL for a tag named twice or too many.
 */
int sp__msg_inbox_kinds(const struct sp_opts *opts, uint8_t **out);

#endif
