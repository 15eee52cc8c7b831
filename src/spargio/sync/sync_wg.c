#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/sync.h"

#include <spargio/time.h>

#include <errno.h>

int sp_wg_add(struct sp_wg *wg, uint32_t n)
{
	int err = 0;

	sp__waiters_lock(&wg->_waiters);
	if (n > UINT32_MAX - wg->_count)
		err = -EOVERFLOW;
	else
		wg->_count += n;
	sp__waiters_unlock(&wg->_waiters);
	return err;
}

int sp_wg_done(struct sp_wg *wg)
{
	struct sp__waitlist *list = sp__waiters_lock(&wg->_waiters);
	int err = 0;

	if (wg->_count == 0)
		err = -EINVAL;
	else if (--wg->_count == 0)
		sp__waitlist_wake_all(list);
	sp__waiters_unlock(&wg->_waiters);
	return err;
}

int sp_wg_wait(struct sp_wg *wg)
{
	return sp_wg_wait_until(wg, SP_NEVER);
}

/*
 * A fiber that was woken when the count became zero returns, even if the count
 * is no longer zero when the fiber runs.
 */
int sp_wg_wait_until(struct sp_wg *wg, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	int err = 0;

	if (self == NULL)
		return -EPERM;
	sp__waiters_lock(&wg->_waiters);
	if (wg->_count != 0)
		err = sp__code_error(sp__waiters_sleep(&wg->_waiters, &w,
						       deadline, "wait group",
						       wg));
	sp__waiters_unlock(&wg->_waiters);
	return err;
}
