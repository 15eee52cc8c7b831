/*
 * A post wakes a waiter instead of incrementing the count: while a fiber
 * waits, the count is zero, so later fibers cannot starve earlier ones.
 */
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/sync.h"

#include <spargio/time.h>

#include <errno.h>

int sp_sem_wait(struct sp_sem *sem)
{
	return sp_sem_wait_until(sem, SP_NEVER);
}

int sp_sem_wait_until(struct sp_sem *sem, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	int err = 0;

	if (self == NULL)
		return -EPERM;
	sp__waiters_lock(&sem->_waiters);
	if (sem->_count > 0)
		sem->_count--;
	else
		err = sp__code_error(sp__waiters_sleep(&sem->_waiters, &w,
						       deadline, "semaphore",
						       sem));
	sp__waiters_unlock(&sem->_waiters);
	return err;
}

int sp_sem_trywait(struct sp_sem *sem)
{
	int err = 0;

	sp__waiters_lock(&sem->_waiters);
	if (sem->_count > 0)
		sem->_count--;
	else
		err = -EAGAIN;
	sp__waiters_unlock(&sem->_waiters);
	return err;
}

int sp_sem_post(struct sp_sem *sem)
{
	struct sp__waitlist *list = sp__waiters_lock(&sem->_waiters);
	int err = 0;

	if (!sp__waitlist_wake_one(list)) {
		if (sem->_count == UINT32_MAX)
			err = -EOVERFLOW;
		else
			sem->_count++;
	}
	sp__waiters_unlock(&sem->_waiters);
	return err;
}
