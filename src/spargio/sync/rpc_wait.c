/*
 * Waiting in an RPC queue, for fibers and for threads.
 *
 * The rule of sync.h holds for both: wake under the lock, and take the lock
 * after every wait. This keeps a sleeper's stack, and the runtime of a fiber,
 * valid while a waker accesses them.
 */
#include "spargio/sched/current.h"
#include "spargio/sched/spin.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/rpc.h"

#include <spargio/time.h>

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Wait until *@word is not 0 or until @deadline. */
static void futex_wait(_Atomic uint32_t *word, int64_t deadline)
{
	struct timespec until = { .tv_sec = deadline / SP_S,
				  .tv_nsec = deadline % SP_S };

	/* Pairs with the release in sp__rpc_wake(). */
	while (atomic_load_explicit(word, memory_order_acquire) == 0) {
		if (deadline != SP_NEVER && deadline <= sp_now())
			return;
		/* Check again in each case: woken, interrupted, timed out. */
		(void)syscall(SYS_futex, word,
			      FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0,
			      deadline == SP_NEVER ? NULL : &until, NULL,
			      FUTEX_BITSET_MATCH_ANY);
	}
}

static void futex_wake(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL,
		      NULL, 0);
}

int sp__rpc_sleep(struct sp_rpc *rpc, struct sp__waitlist *list,
		  struct sp__sleeper *sleeper, int64_t deadline,
		  const char *why)
{
	struct sp_fiber *self = sp__fiber_self();
	int err = 0;

	*sleeper = (struct sp__sleeper){
		.w = { .fiber = self, .code = SP__EVENT },
	};
	if (self != NULL)
		sleeper->w.epoch = sp__wait_begin(self);
	if (list != NULL)
		sp__waitlist_add(list, &sleeper->w);
	rpc->holds++;
	sp__spin_unlock(&rpc->lock);
	if (self != NULL)
		err = sp__code_error(sp__wait_end(self, sleeper->w.epoch,
						  deadline, why, rpc));
	else
		futex_wait(&sleeper->woken, deadline);
	sp__spin_lock(&rpc->lock);
	rpc->holds--;
	sp__waitlist_remove(&sleeper->w);
	/*
	 * A thread may have been woken after its deadline but before it took
	 * the lock.
	 */
	if (self == NULL && atomic_load(&sleeper->woken) == 0)
		err = -ETIMEDOUT;
	return err;
}

bool sp__rpc_wake(struct sp__sleeper *sleeper, struct sp_call *call)
{
	struct sp__waiter *w = &sleeper->w;

	sp__waitlist_remove(w);
	if (w->fiber == NULL) {
		sleeper->call = call;
		/* Pairs with the acquire in futex_wait(). */
		atomic_store_explicit(&sleeper->woken, 1, memory_order_release);
		futex_wake(&sleeper->woken);
		return true;
	}
	if (!sp__wake_claim(w->fiber, w->epoch, w->code))
		return false;
	sleeper->call = call;
	sp__wake_deliver(w->fiber);
	return true;
}

bool sp__rpc_wake_one(struct sp__waitlist *list, struct sp_call *call)
{
	while (!sp__waitlist_empty(list))
		if (sp__rpc_wake((struct sp__sleeper *)list->head.next, call))
			return true;
	return false;
}
