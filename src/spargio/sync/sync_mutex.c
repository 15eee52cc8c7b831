/*
 * A mutex that tends to stay with the shard that is using it.
 *
 * The word holds the owner and three flags for unlock:
 *
 *	+----------------+---------+-------+---------+
 *	| owner, or 0    | HANDOFF | WOKEN | WAITING |
 *	+----------------+---------+-------+---------+
 *
 *	WAITING		a waiter is in the list
 *	WOKEN		a waiter was woken and has not tried to lock yet
 *	HANDOFF		the first waiter has failed too often
 *
 * If an unlock always passed the mutex to the first waiter, the mutex and the
 * cache lines that it protects would move from shard to shard, and both shards
 * would wait meanwhile. So an unlock frees the mutex and wakes one waiter, and
 * the first fiber that locks the mutex gets it. No other waiter is woken until
 * the woken waiter has tried. Only a waiter that has failed several times gets
 * the mutex directly.
 *
 * The flags change under the list's lock. The owner is set by a
 * compare-and-swap from 0 and cleared by the owner. Clearing is the last
 * access of an unlock, so the next owner may free the mutex.
 */
#include "spargio/sched/current.h"
#include "spargio/sched/runtime.h"
#include "spargio/sched/spin.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/sync.h"

#include <spargio/time.h>

#include <errno.h>

enum {
	WAITING = 1,
	WOKEN = 2,
	HANDOFF = 4,
	FLAGS = 15, /* these bits are 0 in the address of a fiber */
};

/* Wake-up code of a waiter that owns the lock. */
#define HANDED (SP__EVENT + 1)

/* Number of checks before a waiter stops spinning. */
#define SPINS 60

/* Failed wake-ups before a waiter gets the lock directly. */
#define PATIENCE 4

static uintptr_t owner_of(uintptr_t word)
{
	return word & ~(uintptr_t)FLAGS;
}

static bool swap_word(struct sp_mutex *m, uintptr_t *old, uintptr_t word)
{
	/* Acquire for lock, release for unlock. */
	return atomic_compare_exchange_strong_explicit(&m->_word, old, word,
						       memory_order_acq_rel,
						       memory_order_relaxed);
}

/*
 * Try to take the mutex by spinning for a moment. Give up if the owner needs
 * this shard to run. @drop is the flag to clear on success.
 */
static bool spin_on_owner(struct sp_mutex *m, struct sp_fiber *self,
			  uintptr_t drop)
{
	if (self->shard->rt->nshards == 1)
		return false;
	for (int i = 0; i < SPINS; i++) {
		uintptr_t word =
			atomic_load_explicit(&m->_word, memory_order_relaxed);

		if (owner_of(word) == 0) {
			if (swap_word(m, &word,
				      (word & ~drop) | (uintptr_t)self))
				return true;
		} else if (atomic_load_explicit(&m->_where,
						memory_order_relaxed) ==
			   self->shard) {
			return false;
		}
		sp__cpu_relax();
	}
	return false;
}

/*
 * Take the mutex and return true, or set WAITING. If the fiber was woken
 * before (@tries > 0), also clear WOKEN. The list is locked.
 */
static bool take_or_mark(struct sp_mutex *m, struct sp_fiber *self, int tries)
{
	uintptr_t drop = tries > 0 ? WOKEN : 0;
	uintptr_t mark = tries >= PATIENCE ? WAITING | HANDOFF : WAITING;
	uintptr_t old = atomic_load_explicit(&m->_word, memory_order_relaxed);
	uintptr_t word;

	do {
		word = old & ~drop;
		word |= owner_of(old) == 0 ? (uintptr_t)self : mark;
	} while (!swap_word(m, &old, word));
	return owner_of(old) == 0;
}

/*
 * Take the mutex and return 0, or sleep and return the wake-up code. Yields.
 */
static uint32_t take_or_sleep(struct sp_mutex *m, struct sp_fiber *self,
			      int tries, int64_t deadline)
{
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	uint32_t code = 0;

	sp__waiters_lock(&m->_waiters);
	if (!take_or_mark(m, self, tries))
		code = tries == 0
			       ? sp__waiters_sleep(&m->_waiters, &w, deadline,
						   "mutex", m)
			       : sp__waiters_sleep_first(&m->_waiters, &w,
							 deadline, "mutex", m);
	sp__waiters_unlock(&m->_waiters);
	return code;
}

static int lock_contended(struct sp_mutex *m, struct sp_fiber *self,
			  int64_t deadline)
{
	uint32_t code = SP__EVENT;

	if (owner_of(atomic_load_explicit(&m->_word, memory_order_relaxed)) ==
	    (uintptr_t)self)
		return -EDEADLK;
	for (int tries = 0; code == SP__EVENT; tries++) {
		if (spin_on_owner(m, self, tries > 0 ? WOKEN : 0))
			return 0;
		code = take_or_sleep(m, self, tries, deadline);
	}
	return sp__code_error(code);
}

int sp_mutex_lock(struct sp_mutex *mutex)
{
	return sp_mutex_lock_until(mutex, SP_NEVER);
}

/*
 * Hot. Cost without contention: one compare-and-swap and a store to the same
 * cache line. bench/sync.c measures two shards that contend.
 */
int sp_mutex_lock_until(struct sp_mutex *mutex, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	uintptr_t old = 0;

	if (self == NULL)
		return -EPERM;
	if (!swap_word(mutex, &old, (uintptr_t)self)) {
		int err = lock_contended(mutex, self, deadline);

		if (err < 0)
			return err;
	}
	/* Only a hint for spinning fibers. */
	atomic_store_explicit(&mutex->_where, self->shard,
			      memory_order_relaxed);
	return 0;
}

int sp_mutex_trylock(struct sp_mutex *mutex)
{
	struct sp_fiber *self = sp__fiber_self();
	uintptr_t word;

	if (self == NULL)
		return -EPERM;
	word = atomic_load_explicit(&mutex->_word, memory_order_relaxed);
	do {
		if (owner_of(word) != 0)
			return -EBUSY;
	} while (!swap_word(mutex, &word, word | (uintptr_t)self));
	atomic_store_explicit(&mutex->_where, self->shard,
			      memory_order_relaxed);
	return 0;
}

/*
 * Wake the first waiter, or with HANDOFF give it the mutex. The caller owns
 * the mutex. Returns true if the mutex was given to a waiter, false if the
 * caller still owns it.
 */
static bool pass_on(struct sp_mutex *m, uintptr_t self)
{
	struct sp__waitlist *list = sp__waiters_lock(&m->_waiters);
	/*
	 * We own the mutex and hold the list lock: nobody else writes the word.
	 */
	uintptr_t word = atomic_load_explicit(&m->_word, memory_order_relaxed);
	bool handoff = word & HANDOFF;
	uintptr_t next = self | (word & WOKEN);
	struct sp_fiber *fiber = NULL;

	while (fiber == NULL && !sp__waitlist_empty(list)) {
		struct sp__waiter *w = list->head.next;

		sp__waitlist_remove(w);
		if (sp__wake_claim(w->fiber, w->epoch,
				   handoff ? HANDED : SP__EVENT))
			fiber = w->fiber;
	}
	if (fiber != NULL)
		next = handoff ? (uintptr_t)fiber | (word & WOKEN)
			       : self | WOKEN;
	if (!sp__waitlist_empty(list))
		next |= WAITING;
	atomic_store_explicit(&m->_word, next, memory_order_release);
	if (fiber != NULL)
		sp__wake_deliver(fiber);
	sp__waiters_unlock(&m->_waiters);
	return fiber != NULL && handoff;
}

int sp_mutex_unlock(struct sp_mutex *mutex)
{
	uintptr_t self = (uintptr_t)sp__fiber_self();
	uintptr_t word = self; /* the value without waiters */

	if (self == 0)
		return -EPERM;
	while (!swap_word(mutex, &word, word & FLAGS)) {
		if (owner_of(word) != self)
			return -EPERM;
		/*
		 * Wake a waiter first, then unlock. If the waiter tries to
		 * lock before the unlock, it clears WOKEN and sleeps again: so
		 * check again.
		 */
		while ((word & WAITING) &&
		       (!(word & WOKEN) || (word & HANDOFF))) {
			if (pass_on(mutex, self))
				return 0;
			word = atomic_load_explicit(&mutex->_word,
						    memory_order_relaxed);
		}
	}
	return 0;
}
