/*
 * spargio/spsc.h - a bounded single-producer, single-consumer queue of pointers
 *
 *	shard A, one producer			shard B, one consumer
 *	sp_spsc_push() ----> [ ring ] ----> sp_spsc_pop()
 *
 * Threads	Push from one shard, pop from one shard. Two producers are a
 *		bug this type does not detect; give each its own queue.
 * Blocking	Nothing here waits or yields. A full ring refuses the push, so
 *		the caller decides between dropping, waiting and slowing down.
 * Ownership	An accepted item belongs to the queue, then to whoever pops
 *		it. A refused item never left the caller's hands.
 * Errors	0 or a negative errno. Nothing here logs.
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
 * Make a queue holding up to @capacity items, a power of two.
 * -EINVAL for another capacity, -ENOMEM. On failure *@out is untouched.
 */
int sp_spsc_new(uint32_t capacity, struct sp_spsc **out);

/*
 * Free the queue but not the items in it, which the queue does not own. NULL is
 * fine.
 */
void sp_spsc_free(struct sp_spsc *q);

/* Producer's side */

/*
 * -EAGAIN if the queue is full: the caller keeps the item. @item is not NULL.
 */
int sp_spsc_push(struct sp_spsc *q, void *item);

/* Consumer's side */

/* The oldest item, or NULL if there is none. */
void *sp_spsc_pop(struct sp_spsc *q);

#ifdef __cplusplus
}
#endif

#endif
