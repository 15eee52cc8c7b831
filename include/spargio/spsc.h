/*
 * spargio/spsc.h - a bounded single-producer, single-consumer queue of pointers
 *
 *	shard A, one producer			shard B, one consumer
 *	sp_spsc_push() ----> [ ring ] ----> sp_spsc_pop()
 *
 * Threads	Push from one shard, pop from one shard. The queue does not
 *		detect a second producer; give each producer its own queue.
 * Blocking	No function waits or yields. A full queue refuses an item, so
 *		the caller decides whether to drop it or to try again later.
 * Ownership	The queue passes pointers on: it never reads or frees the items.
 * Errors	0 or a negative errno.
 */
#ifndef SPARGIO_SPSC_H
#define SPARGIO_SPSC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_spsc;

/* Life cycle */

/*
 * Make a queue for up to @capacity items. -EINVAL if @capacity is not a power
 * of two, -ENOMEM. After an error *@out is unchanged.
 */
int sp_spsc_new(uint32_t capacity, struct sp_spsc **out);

/*
 * Free the queue but not the items in it. NULL is fine.
 */
void sp_spsc_free(struct sp_spsc *q);

/* Producer's side */

/*
 * Add @item, which must not be NULL. -EAGAIN if the queue is full.
 */
int sp_spsc_push(struct sp_spsc *q, void *item);

/* Consumer's side */

/* Remove and return the oldest item; NULL if the queue is empty. */
void *sp_spsc_pop(struct sp_spsc *q);

#ifdef __cplusplus
}
#endif

#endif
