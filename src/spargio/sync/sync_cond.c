#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/sync.h"

#include <spargio/time.h>

#include <assert.h>
#include <errno.h>

int sp_cond_wait(struct sp_cond *cond, struct sp_mutex *mutex)
{
	return sp_cond_wait_until(cond, mutex, SP_NEVER);
}

int sp_cond_wait_until(struct sp_cond *cond, struct sp_mutex *mutex,
		       int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	uint32_t code;
	int err;

	if (self == NULL)
		return -EPERM;
	/*
	 * Enter the list before the mutex is unlocked, so that no signal is
	 * missed.
	 */
	w.epoch = sp__wait_begin(self);
	sp__waitlist_add(sp__waiters_lock(&cond->_waiters), &w);
	sp__waiters_unlock(&cond->_waiters);

	err = sp_mutex_unlock(mutex);
	if (err < 0 && sp__wait_drop(self, w.epoch))
		/* the caller does not hold the mutex: do not sleep */
		code = SP__EVENT;
	else
		code = sp__wait_end(self, w.epoch, deadline, "condition", cond);
	sp__waiters_lock(&cond->_waiters);
	sp__waitlist_remove(&w);
	sp__waiters_unlock(&cond->_waiters);
	if (err < 0)
		return err;

	/*
	 * The caller must hold the mutex on return, even if it is cancelled.
	 */
	sp_shield_begin();
	err = sp_mutex_lock(mutex);
	sp_shield_end();
	assert(err == 0);
	return sp__code_error(code);
}

void sp_cond_signal(struct sp_cond *cond)
{
	(void)sp__waitlist_wake_one(sp__waiters_lock(&cond->_waiters));
	sp__waiters_unlock(&cond->_waiters);
}

void sp_cond_broadcast(struct sp_cond *cond)
{
	sp__waitlist_wake_all(sp__waiters_lock(&cond->_waiters));
	sp__waiters_unlock(&cond->_waiters);
}
