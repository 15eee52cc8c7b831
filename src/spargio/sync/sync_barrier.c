#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/sync.h"

#include <spargio/time.h>

#include <errno.h>

int sp_barrier_wait(struct sp_barrier *barrier)
{
	return sp_barrier_wait_until(barrier, SP_NEVER);
}

int sp_barrier_wait_until(struct sp_barrier *barrier, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	struct sp__waitlist *list;
	uint32_t round;
	int ret = 1;

	if (self == NULL)
		return -EPERM;
	if (barrier->_count == 0)
		return -EINVAL;
	list = sp__waiters_lock(&barrier->_waiters);
	round = barrier->_round;
	if (++barrier->_arrived == barrier->_count) {
		barrier->_arrived = 0;
		barrier->_round++;
		sp__waitlist_wake_all(list);
	} else {
		ret = sp__code_error(sp__waiters_sleep(&barrier->_waiters, &w,
						       deadline, "barrier",
						       barrier));
		/*
		 * Ignore an error if the round is complete: it has counted
		 * this fiber.
		 */
		if (barrier->_round != round)
			ret = 0;
		else if (ret < 0)
			barrier->_arrived--;
	}
	sp__waiters_unlock(&barrier->_waiters);
	return ret;
}
