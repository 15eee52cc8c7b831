/*
 * spargio/message.h - messages between shards
 *
 *	shard A						shard B
 *	sp_msg_send(B, tag, value) --> [ mailbox A to B ] --> sp_msg_recv()
 *
 * Each pair of shards has a bounded mailbox, and a second mailbox for hot
 * tags, whose messages are delivered first. Messages of one sender in one
 * mailbox stay in order. A full mailbox refuses a message (-EAGAIN), so the
 * caller decides how to handle backpressure.
 *
 * A message costs a few stores; a wake-up is sent only if the receiving shard
 * sleeps. sp_msg_send() makes a message visible immediately; the _nowait form
 * may delay it until the sender's next yield or sp_msg_publish(), which makes
 * long runs of messages cheap.
 *
 * A message is addressed to a shard, not to a fiber: any fiber of that shard
 * that calls sp_msg_recv() gets the next message. Pin the receiving fiber.
 *
 * Tags	0 to 65535, defined by the program. Tags in sp_opts.hot_tags use the hot
 *	mailbox; values of tags in sp_opts.counted_tags are summed, see below.
 */
#ifndef SPARGIO_MESSAGE_H
#define SPARGIO_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rt;

#define SP_MSG_DATA_MAX 56

struct sp_msg {
	uint16_t tag;
	uint16_t from; /* the sending shard, or SP_MSG_OUTSIDE */
	uint32_t len;  /* bytes in data; 0 for a plain value */
	union {
		uint64_t value;
		uint8_t data[SP_MSG_DATA_MAX];
	};
};

#define SP_MSG_OUTSIDE UINT16_MAX

/*
 * The position of a message in its mailbox; sp_msg_wait() waits until the
 * receiver has taken the message.
 */
struct sp_ticket {
	uint32_t shard;
	uint32_t from;	   /* the sending shard, or SP_MSG_OUTSIDE */
	uint32_t index[2]; /* index in the plain and in the hot mailbox */
};

/*
 * Send a message from a fiber. Returns 0, -EAGAIN (mailbox full), -EINVAL (no
 * such shard), -ESHUTDOWN, -EPERM (not a fiber).
 */
int sp_msg_send(uint32_t shard, uint16_t tag, uint64_t value);
int sp_msg_send_nowait(uint32_t shard, uint16_t tag, uint64_t value);
/*
 * Send several messages, which become visible together. Returns the number of
 * accepted values, which is smaller than @count if the mailbox is full, or an
 * error if none was accepted. The _nowait form makes them visible at the
 * sender's next yield or sp_msg_publish(), or at once if the mailbox is full;
 * the _direct form also sends a wake-up, see sp_msg_send_direct().
 */
int sp_msg_send_many(uint32_t shard, uint16_t tag, const uint64_t *values,
		     size_t count);
int sp_msg_send_many_nowait(uint32_t shard, uint16_t tag,
			    const uint64_t *values, size_t count);
int sp_msg_send_many_direct(uint32_t shard, uint16_t tag,
			    const uint64_t *values, size_t count);
/*
 * As sp_msg_send(), with the @len bytes at @data, at most SP_MSG_DATA_MAX,
 * instead of a value. The bytes are copied.
 */
int sp_msg_send_data(uint32_t shard, uint16_t tag, const void *data,
		     size_t len);
/* As sp_msg_send(); *@out is a ticket for sp_msg_wait(). */
int sp_msg_send_ticket(uint32_t shard, uint16_t tag, uint64_t value,
		       struct sp_ticket *out);
/*
 * As sp_msg_send(), but always sends a wake-up, even if the receiver is awake
 * and would find the message soon.
 */
int sp_msg_send_direct(uint32_t shard, uint16_t tag, uint64_t value);
/*
 * Make the messages of the _nowait forms visible: those sent to @shard, or to
 * every shard.
 */
void sp_msg_publish(uint32_t shard);
void sp_msg_publish_all(void);

/*
 * Send from a thread that is not a shard of @rt: a value, several values, data,
 * or a value with a ticket. Arguments and results as of the sp_msg_send_...()
 * functions. All such threads share one mailbox of each shard, also for hot
 * tags. The messages of one thread stay in order.
 */
int sp_msg_post(struct sp_rt *rt, uint32_t shard, uint16_t tag, uint64_t value);
int sp_msg_post_many(struct sp_rt *rt, uint32_t shard, uint16_t tag,
		     const uint64_t *values, size_t count);
int sp_msg_post_data(struct sp_rt *rt, uint32_t shard, uint16_t tag,
		     const void *data, size_t len);
int sp_msg_post_ticket(struct sp_rt *rt, uint32_t shard, uint16_t tag,
		       uint64_t value, struct sp_ticket *out);

/*
 * Wait until the receiver has taken the message of @ticket. Any fiber of the
 * runtime may wait, on any shard, more than once. Yields.
 */
int sp_msg_wait(const struct sp_ticket *ticket);
int sp_msg_wait_until(const struct sp_ticket *ticket, int64_t deadline);
/*
 * As sp_msg_wait_until(), from any thread, which blocks; a fiber yields.
 * -ESHUTDOWN or -ECANCELED if @rt stops. If the receiving shard does not yield,
 * the call may return later than the deadline.
 */
int sp_msg_wait_thread(struct sp_rt *rt, const struct sp_ticket *ticket,
		       int64_t deadline);
/*
 * Wait until @shard has taken every message this shard has sent to it. Yields.
 */
int sp_msg_flush(uint32_t shard);
int sp_msg_flush_until(uint32_t shard, int64_t deadline);

/* Receive a message of the caller's shard, hot messages first. Yields. */
int sp_msg_recv(struct sp_msg *out);
int sp_msg_recv_until(struct sp_msg *out, int64_t deadline);
/* Receive up to @max messages; waits only for the first. Returns the number. */
int sp_msg_recv_many(struct sp_msg *out, size_t max);
int sp_msg_recv_many_until(struct sp_msg *out, size_t max, int64_t deadline);
/* Receive hot messages only. */
int sp_msg_recv_hot(struct sp_msg *out);
int sp_msg_recv_hot_until(struct sp_msg *out, int64_t deadline);
/* As sp_msg_recv(), but returns -EAGAIN if there is no message. */
int sp_msg_try_recv(struct sp_msg *out);

/*
 * Counted tags: sp_msg_send() adds the value to a sum on the receiving shard.
 * There is no mailbox that can be full, and many sends cause one wake-up.
 * Waiters are woken when the sum reaches sp_opts.counted_wake.
 */
/* Return the sum and reset it to zero. -EINVAL if @tag is not a counted tag. */
int sp_count_take(uint16_t tag, uint64_t *out);
/*
 * Wait until the sum is at least sp_opts.counted_wake, then return it and reset
 * it to zero. Yields.
 */
int sp_count_wait(uint16_t tag, uint64_t *out);
int sp_count_wait_until(uint16_t tag, int64_t deadline, uint64_t *out);

#ifdef __cplusplus
}
#endif

#endif
