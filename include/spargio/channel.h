/*
 * spargio/channel.h - pass items between fibers, many to many
 *
 *	senders					receivers
 *	sp_chan_send() ---> [ up to capacity ] ---> sp_chan_recv()
 *
 * All items have the same size and are copied in and out, without allocation.
 * With capacity 0 nothing is stored: a send waits for a receive. Items of one
 * sender arrive in order, and each goes to one receiver.
 *
 * Threads	Fibers of any shard and runtime. The try forms, close and
 *		length may be called from any thread.
 * Blocking	send and recv wait (yield) while the channel is full or empty,
 *		in order of arrival. Outside a fiber they return -EPERM.
 * Ownership	The channel copies items; the caller keeps the original. After
 *		an error the item was not sent.
 * Errors	0, -EPIPE (closed), -EAGAIN (a try form would have to wait),
 *		-ECANCELED, -ETIMEDOUT. A call that need not wait succeeds even
 *		if the caller is cancelled or the deadline has passed.
 *
 * Items are copied under a lock: for large items send a pointer.
 */
#ifndef SPARGIO_CHANNEL_H
#define SPARGIO_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_chan;

/* -EINVAL if @item_size is 0, -EOVERFLOW, -ENOMEM. */
int sp_chan_new(size_t item_size, uint32_t capacity, struct sp_chan **out);

/*
 * Free @chan and the items in it. No call on @chan may be running. NULL is
 * fine.
 */
void sp_chan_free(struct sp_chan *chan);

int sp_chan_send(struct sp_chan *chan, const void *item); /* yields */
int sp_chan_send_until(struct sp_chan *chan, const void *item,
		       int64_t deadline);
int sp_chan_try_send(struct sp_chan *chan, const void *item);

int sp_chan_recv(struct sp_chan *chan, void *out); /* yields */
int sp_chan_recv_until(struct sp_chan *chan, void *out, int64_t deadline);
int sp_chan_try_recv(struct sp_chan *chan, void *out);

/*
 * Refuse further sends: waiting and later sends return -EPIPE. Receivers get
 * the items that are queued, then -EPIPE. Closing twice is fine.
 */
void sp_chan_close(struct sp_chan *chan);

/* The number of queued items. */
uint32_t sp_chan_length(struct sp_chan *chan);

#ifdef __cplusplus
}
#endif

#endif
