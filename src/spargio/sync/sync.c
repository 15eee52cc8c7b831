#include "spargio/sync/sync.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(struct sp__waitlist) <=
		      sizeof(((struct sp_waiters *)NULL)->_list),
	      "struct sp_waiters must have room for a list");

/* C++ compiles these types without _Atomic: see waiters.h. */
static_assert(sizeof(struct sp_waiters) == 6 * sizeof(void *),
	      "an atomic bool must be laid out as a bool");
static_assert(offsetof(struct sp_mutex, _waiters) == 2 * sizeof(void *),
	      "an atomic word must be laid out as a word");

static struct sp__spin *lock_of(struct sp_waiters *q)
{
	return (struct sp__spin *)&q->_locked;
}

static struct sp__waitlist *list_of(struct sp_waiters *q)
{
	return (struct sp__waitlist *)q->_list;
}

struct sp__waitlist *sp__waiters_lock(struct sp_waiters *q)
{
	struct sp__waitlist *list = list_of(q);

	sp__spin_lock(lock_of(q));
	if (list->head.next == NULL)
		sp__waitlist_init(list);
	return list;
}

void sp__waiters_unlock(struct sp_waiters *q)
{
	sp__spin_unlock(lock_of(q));
}

/*
 * Insert @w before @at, sleep, and return the wake-up code; see
 * sp__waiters_sleep(). @at is the list head or a waiter: lists are rings.
 */
static uint32_t sleep_before(struct sp_waiters *q, struct sp__waiter *at,
			     struct sp__waiter *w, int64_t deadline,
			     const char *why, const void *on)
{
	uint32_t code;

	w->epoch = sp__wait_begin(w->fiber);
	sp__waitlist_add((struct sp__waitlist *)at, w);
	sp__spin_unlock(lock_of(q));
	code = sp__wait_end(w->fiber, w->epoch, deadline, why, on);
	sp__spin_lock(lock_of(q));
	sp__waitlist_remove(w);
	return code;
}

uint32_t sp__waiters_sleep(struct sp_waiters *q, struct sp__waiter *w,
			   int64_t deadline, const char *why, const void *on)
{
	return sleep_before(q, &list_of(q)->head, w, deadline, why, on);
}

uint32_t sp__waiters_sleep_first(struct sp_waiters *q, struct sp__waiter *w,
				 int64_t deadline, const char *why,
				 const void *on)
{
	return sleep_before(q, list_of(q)->head.next, w, deadline, why, on);
}
