/*
 * collector/checkpoint/restore_feed.h - pass what one reader reads to all
 * shards
 *
 *	reader				shard
 *	restore_feed_add() ---> [ up to 4 chunks ] ---> apply()
 *
 * The items for a shard are collected in chunks of a megabyte. A fiber of the
 * shard takes each chunk and applies it, while the reader and the other shards
 * go on; so the time of a restore is that of the slowest of them and not the
 * sum. The reader waits for a shard only if four chunks for it are waiting.
 *
 * Threads	One reader: a fiber, or a thread that runs none. apply() runs on
 *		the shard, for one chunk after the other, in order.
 * Blocking	add and close wait: a fiber yields, another thread blocks.
 * Errors	0, -ENOMEM, or an error of the runtime. The first error of
 *		apply() is returned by close; the shard gets nothing more.
 */
#ifndef COLLECTOR_CHECKPOINT_RESTORE_FEED_H
#define COLLECTOR_CHECKPOINT_RESTORE_FEED_H

#include "bmp/wire.h"

struct restore_feed;
struct sp_rt;

/* Apply the items of a chunk: all items, whole, one behind the other. */
typedef int restore_feed_apply(void *arg, struct wire_view chunk);

/*
 * Start a fiber on each of the first @shards shards of @rt. The argument of
 * @apply on shard i is @args + i * @size.
 */
int restore_feed_open(struct sp_rt *rt, uint32_t shards,
		      restore_feed_apply *apply, void *args, size_t size,
		      struct restore_feed **out);

/*
 * Add an item for a shard: @count parts, which are copied one behind the other.
 */
int restore_feed_add(struct restore_feed *feed, uint32_t shard,
		     const struct wire_view *parts, size_t count);

/*
 * Wait until all is applied, and free the feed. NULL is fine. After an error of
 * the reader, too.
 */
int restore_feed_close(struct restore_feed *feed);

#endif
