/*
 * spargio/sync/channel.h - the two halves of a channel operation, for select
 *
 * An operation is tried under the channel's lock. If it has to wait, a waiter
 * is added to the channel before the lock is released, so no event is missed
 * in between. A fiber that later makes the operation possible claims the
 * waiter, copies the item and wakes the waiter's fiber.
 */
#ifndef SPARGIO_SYNC_CHANNEL_H
#define SPARGIO_SYNC_CHANNEL_H

#include "spargio/sched/fiber.h"
#include "spargio/sched/spin.h"

#include <spargio/channel.h>

struct sp_chan {
	/* Set once. */
	size_t item_size;
	uint32_t capacity;

	/* Protected by lock. Receivers wait only while the channel is empty. */
	struct sp__spin lock;
	bool closed;
	uint32_t first, len;
	struct sp__waitlist senders;
	struct sp__waitlist receivers;
	unsigned char items[];
};

/* A waiting send or receive; on its fiber's stack. */
struct sp__chan_waiter {
	struct sp__waiter w; /* must be the first member */
	void *item;	     /* source of a send, destination of a receive */
	int result;	     /* 0 or -EPIPE, after a wake-up with w.code */
};

/* The lock is held. 0, -EAGAIN, or -EPIPE; the item is accessed only for 0. */
int sp__chan_send(struct sp_chan *chan, const void *item);
int sp__chan_recv(struct sp_chan *chan, void *out);

#endif
