/*
 * spargio/sched/wake.h - waking a fiber, and lists of waiters
 */
#ifndef SPARGIO_SCHED_WAKE_H
#define SPARGIO_SCHED_WAKE_H

#include "spargio/sched/fiber.h"

/* Wake @fiber from the wait @epoch. False if that wait is over. */
bool sp__wake(struct sp_fiber *fiber, uint64_t epoch, uint32_t code);

/*
 * sp__wake() in two steps, to give the fiber something in between: after the
 * claim no one else can wake it, and it sleeps until delivered.
 */
bool sp__wake_claim(struct sp_fiber *fiber, uint64_t epoch, uint32_t code);
void sp__wake_deliver(struct sp_fiber *fiber);

/* Lists of waiters; the caller holds the lock of the list's owner. */
void sp__waitlist_init(struct sp__waitlist *list);
void sp__waitlist_add(struct sp__waitlist *list, struct sp__waiter *w);
void sp__waitlist_remove(struct sp__waiter *w); /* fine if @w is in no list */
bool sp__waitlist_empty(const struct sp__waitlist *list);
/* Remove waiters from the front until one could be woken; false if none. */
bool sp__waitlist_wake_one(struct sp__waitlist *list);
void sp__waitlist_wake_all(struct sp__waitlist *list);

#endif
