#include "spargio/sync/channel.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sp_chan_new(size_t item_size, uint32_t capacity, struct sp_chan **out)
{
	struct sp_chan *chan;
	size_t size;

	if (item_size == 0)
		return -EINVAL;
	if (__builtin_mul_overflow(item_size, capacity, &size) ||
	    __builtin_add_overflow(size, sizeof(*chan), &size))
		return -EOVERFLOW;
	chan = malloc(size);
	if (chan == NULL)
		return -ENOMEM;
	*chan = (struct sp_chan){
		.item_size = item_size,
		.capacity = capacity,
	};
	sp__waitlist_init(&chan->senders);
	sp__waitlist_init(&chan->receivers);
	*out = chan;
	return 0;
}

void sp_chan_free(struct sp_chan *chan)
{
	free(chan);
}

/* The functions up to the next heading are called with the lock held. */

static unsigned char *item_slot(struct sp_chan *chan, uint32_t i)
{
	/* first < capacity and i <= capacity, in 64 bits: no overflow. */
	return &chan->items[((uint64_t)chan->first + i) % chan->capacity *
			    chan->item_size];
}

static void push_item(struct sp_chan *chan, const void *item)
{
	memcpy(item_slot(chan, chan->len++), item, chan->item_size);
}

static void pop_item(struct sp_chan *chan, void *out)
{
	memcpy(out, item_slot(chan, 0), chan->item_size);
	chan->first = (chan->first + 1) % chan->capacity;
	chan->len--;
}

/*
 * Remove waiters from the front until one can be claimed, and return it. After
 * the claim only the caller can wake it, so its item can be accessed. NULL if
 * there is none.
 */
static struct sp__chan_waiter *claim_waiter(struct sp__waitlist *list)
{
	while (!sp__waitlist_empty(list)) {
		struct sp__waiter *w = list->head.next;

		sp__waitlist_remove(w);
		if (sp__wake_claim(w->fiber, w->epoch, w->code))
			return (struct sp__chan_waiter *)w;
	}
	return NULL;
}

/* Wake the waiter, which is invalid after the caller has released the lock. */
static void deliver_waiter(struct sp__chan_waiter *cw, int result)
{
	cw->result = result;
	sp__wake_deliver(cw->w.fiber);
}

int sp__chan_send(struct sp_chan *chan, const void *item)
{
	struct sp__chan_waiter *receiver;

	if (chan->closed)
		return -EPIPE;
	receiver = claim_waiter(&chan->receivers);
	if (receiver != NULL) {
		memcpy(receiver->item, item, chan->item_size);
		deliver_waiter(receiver, 0);
		return 0;
	}
	if (chan->len == chan->capacity)
		return -EAGAIN;
	push_item(chan, item);
	return 0;
}

/*
 * The queue has space for one more item: take the item of the sender that has
 * waited longest.
 */
static void refill_from_sender(struct sp_chan *chan)
{
	struct sp__chan_waiter *sender = claim_waiter(&chan->senders);

	if (sender == NULL)
		return;
	push_item(chan, sender->item);
	deliver_waiter(sender, 0);
}

int sp__chan_recv(struct sp_chan *chan, void *out)
{
	struct sp__chan_waiter *sender;

	if (chan->len > 0) {
		pop_item(chan, out);
		refill_from_sender(chan);
		return 0;
	}
	/*
	 * Senders wait while the queue is empty only if the capacity is 0.
	 * Then take the item directly from a sender.
	 */
	sender = claim_waiter(&chan->senders);
	if (sender != NULL) {
		memcpy(out, sender->item, chan->item_size);
		deliver_waiter(sender, 0);
		return 0;
	}
	return chan->closed ? -EPIPE : -EAGAIN;
}

/* Waiting */

/* Called with the lock held; releases it. Yields. */
static int wait_in(struct sp_chan *chan, struct sp__waitlist *list,
		   struct sp_fiber *self, void *item, int64_t deadline,
		   const char *why)
{
	struct sp__chan_waiter cw = {
		.w = { .fiber = self, .code = SP__EVENT },
		.item = item,
	};
	int err;

	cw.w.epoch = sp__wait_begin(self);
	sp__waitlist_add(list, &cw.w);
	sp__spin_unlock(&chan->lock);
	err = sp__code_error(
		sp__wait_end(self, cw.w.epoch, deadline, why, chan));
	/* A waker that still uses our waiter holds the lock. */
	sp__spin_lock(&chan->lock);
	sp__waitlist_remove(&cw.w);
	sp__spin_unlock(&chan->lock);
	return err < 0 ? err : cw.result;
}

int sp_chan_send(struct sp_chan *chan, const void *item)
{
	return sp_chan_send_until(chan, item, SP_NEVER);
}

int sp_chan_send_until(struct sp_chan *chan, const void *item, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	int err;

	if (self == NULL)
		return -EPERM;
	sp__spin_lock(&chan->lock);
	err = sp__chan_send(chan, item);
	/* The cast is safe because the item of a sender is only read. */
	if (err == -EAGAIN)
		return wait_in(chan, &chan->senders, self, (void *)item,
			       deadline, "channel send");
	sp__spin_unlock(&chan->lock);
	return err;
}

int sp_chan_recv(struct sp_chan *chan, void *out)
{
	return sp_chan_recv_until(chan, out, SP_NEVER);
}

int sp_chan_recv_until(struct sp_chan *chan, void *out, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	int err;

	if (self == NULL)
		return -EPERM;
	sp__spin_lock(&chan->lock);
	err = sp__chan_recv(chan, out);
	if (err == -EAGAIN)
		return wait_in(chan, &chan->receivers, self, out, deadline,
			       "channel receive");
	sp__spin_unlock(&chan->lock);
	return err;
}

int sp_chan_try_send(struct sp_chan *chan, const void *item)
{
	int err;

	sp__spin_lock(&chan->lock);
	err = sp__chan_send(chan, item);
	sp__spin_unlock(&chan->lock);
	return err;
}

int sp_chan_try_recv(struct sp_chan *chan, void *out)
{
	int err;

	sp__spin_lock(&chan->lock);
	err = sp__chan_recv(chan, out);
	sp__spin_unlock(&chan->lock);
	return err;
}

static void turn_away(struct sp__waitlist *list)
{
	struct sp__chan_waiter *cw;

	while ((cw = claim_waiter(list)) != NULL)
		deliver_waiter(cw, -EPIPE);
}

void sp_chan_close(struct sp_chan *chan)
{
	sp__spin_lock(&chan->lock);
	chan->closed = true;
	turn_away(&chan->senders);
	turn_away(&chan->receivers);
	sp__spin_unlock(&chan->lock);
}

uint32_t sp_chan_length(struct sp_chan *chan)
{
	uint32_t len;

	sp__spin_lock(&chan->lock);
	len = chan->len;
	sp__spin_unlock(&chan->lock);
	return len;
}
