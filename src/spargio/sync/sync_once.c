#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/sync.h"

#include <spargio/time.h>

#include <errno.h>

int sp_once(struct sp_once *once, int (*fn)(void *), void *arg)
{
	return sp_once_until(once, SP_NEVER, fn, arg);
}

static bool is_done(struct sp_once *once)
{
	/* Pairs with the release in run_once(). */
	return atomic_load_explicit(&once->_done, memory_order_acquire);
}

/*
 * Returns 1 if the caller must run @fn, 0 if @fn has run, or an error. Yields.
 */
static int wait_for_turn(struct sp_once *once, struct sp_fiber *self,
			 int64_t deadline)
{
	int err = 0;

	sp__waiters_lock(&once->_waiters);
	if (once->_runner == self)
		err = -EDEADLK;
	while (err == 0 && !is_done(once) && once->_runner != NULL) {
		struct sp__waiter w = { .fiber = self, .code = SP__EVENT };

		err = sp__code_error(sp__waiters_sleep(&once->_waiters, &w,
						       deadline, "once", once));
	}
	if (err == 0 && !is_done(once)) {
		once->_runner = self;
		err = 1;
	}
	sp__waiters_unlock(&once->_waiters);
	return err;
}

static int run_once(struct sp_once *once, int (*fn)(void *), void *arg)
{
	int ret = fn(arg);
	struct sp__waitlist *list = sp__waiters_lock(&once->_waiters);

	once->_runner = NULL;
	if (ret >= 0)
		atomic_store_explicit(&once->_done, true, memory_order_release);
	/* Wake all waiters: after a failure one of them runs @fn. */
	sp__waitlist_wake_all(list);
	sp__waiters_unlock(&once->_waiters);
	return ret < 0 ? ret : 0;
}

/* Hot after completion. Cost: one load. */
int sp_once_until(struct sp_once *once, int64_t deadline, int (*fn)(void *),
		  void *arg)
{
	struct sp_fiber *self = sp__fiber_self();
	int turn;

	if (self == NULL)
		return -EPERM;
	if (is_done(once))
		return 0;
	turn = wait_for_turn(once, self, deadline);
	return turn == 1 ? run_once(once, fn, arg) : turn;
}
