/*
 * spargio/sched/wake.h - waking a fiber, and lists of waiters
 */
#ifndef SPARGIO_SCHED_WAKE_H
#define SPARGIO_SCHED_WAKE_H

#include "spargio/sched/fiber.h"

/* Wake @fiber from the wait @epoch. False if that wait is over. */
bool sp__wake(struct sp_fiber *fiber, uint64_t epoch, uint32_t code);

/*
 * sp__wake() in two steps, to pass data to the fiber in between: after the
 * claim no other waker succeeds, and the fiber sleeps until
 * sp__wake_deliver().
 */
bool sp__wake_claim(struct sp_fiber *fiber, uint64_t epoch, uint32_t code);
void sp__wake_deliver(struct sp_fiber *fiber);

/* Lists of waiters; the caller holds the lock of the list's owner. */
void sp__waitlist_init(struct sp__waitlist *list);
void sp__waitlist_add(struct sp__waitlist *list, struct sp__waiter *w);
void sp__waitlist_remove(struct sp__waiter *w); /* fine if @w is in no list */
bool sp__waitlist_empty(const struct sp__waitlist *list);
/* Wake the first waiter whose wait is not over. False if there is none. */
bool sp__waitlist_wake_one(struct sp__waitlist *list);
void sp__waitlist_wake_all(struct sp__waitlist *list);

#endif
