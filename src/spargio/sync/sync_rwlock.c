/*
 * Readers and writers wait in one queue. The fiber that unlocks admits the
 * next waiters in order of arrival, and adjacent readers together, so neither
 * readers nor writers starve.
 */
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/sync.h"

#include <spargio/time.h>

#include <errno.h>

enum {
	READER = SP__EVENT,
	WRITER,
};

/* True if a fiber of @kind could lock now, apart from waiters before it. */
static bool is_free_for(const struct sp_rwlock *lock, uint32_t kind)
{
	return lock->_writer == NULL && (kind == READER || lock->_readers == 0);
}

static void enter_lock(struct sp_rwlock *lock, struct sp_fiber *fiber,
		       uint32_t kind)
{
	if (kind == READER)
		lock->_readers++;
	else
		lock->_writer = fiber;
}

/* Admit the waiters at the front of the queue that can lock. */
static void admit_waiters(struct sp_rwlock *lock, struct sp__waitlist *list)
{
	while (!sp__waitlist_empty(list)) {
		struct sp__waiter *w = list->head.next;
		struct sp_fiber *fiber = w->fiber;
		uint32_t kind = w->code;

		if (!is_free_for(lock, kind))
			return;
		sp__waitlist_remove(w);
		if (!sp__wake_claim(fiber, w->epoch, kind))
			continue;
		enter_lock(lock, fiber, kind);
		sp__wake_deliver(fiber);
	}
}

static int lock_until(struct sp_rwlock *lock, uint32_t kind, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waiter w = { .fiber = self, .code = kind };
	struct sp__waitlist *list;
	int err = 0;

	if (self == NULL)
		return -EPERM;
	list = sp__waiters_lock(&lock->_waiters);
	if (lock->_writer == self) {
		err = -EDEADLK;
	} else if (sp__waitlist_empty(list) && is_free_for(lock, kind)) {
		enter_lock(lock, self, kind);
	} else {
		err = sp__code_error(sp__waiters_sleep(&lock->_waiters, &w,
						       deadline, "rwlock",
						       lock));
		/*
		 * A writer that gives up no longer blocks the readers behind
		 * it.
		 */
		if (err < 0)
			admit_waiters(lock, list);
	}
	sp__waiters_unlock(&lock->_waiters);
	return err;
}

static int try_lock(struct sp_rwlock *lock, uint32_t kind)
{
	struct sp_fiber *self = sp__fiber_self();
	int err = 0;

	if (self == NULL)
		return -EPERM;
	if (sp__waitlist_empty(sp__waiters_lock(&lock->_waiters)) &&
	    is_free_for(lock, kind))
		enter_lock(lock, self, kind);
	else
		err = -EBUSY;
	sp__waiters_unlock(&lock->_waiters);
	return err;
}

int sp_rwlock_rdlock(struct sp_rwlock *lock)
{
	return lock_until(lock, READER, SP_NEVER);
}

int sp_rwlock_rdlock_until(struct sp_rwlock *lock, int64_t deadline)
{
	return lock_until(lock, READER, deadline);
}

int sp_rwlock_wrlock(struct sp_rwlock *lock)
{
	return lock_until(lock, WRITER, SP_NEVER);
}

int sp_rwlock_wrlock_until(struct sp_rwlock *lock, int64_t deadline)
{
	return lock_until(lock, WRITER, deadline);
}

int sp_rwlock_tryrdlock(struct sp_rwlock *lock)
{
	return try_lock(lock, READER);
}

int sp_rwlock_trywrlock(struct sp_rwlock *lock)
{
	return try_lock(lock, WRITER);
}

int sp_rwlock_unlock(struct sp_rwlock *lock)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waitlist *list;
	int err = 0;

	if (self == NULL)
		return -EPERM;
	list = sp__waiters_lock(&lock->_waiters);
	if (lock->_writer == self)
		lock->_writer = NULL;
	else if (lock->_readers > 0)
		lock->_readers--;
	else
		err = -EPERM;
	if (err == 0)
		admit_waiters(lock, list);
	sp__waiters_unlock(&lock->_waiters);
	return err;
}
