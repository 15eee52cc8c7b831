#include "spargio/io/multishot.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/time.h>

#include <errno.h>

#define CANCEL_AGAIN (2 * SP_MS)

void sp__multishot_init(struct sp__multishot *ms, struct sp_shard *home,
			void (*event)(struct sp__op *op))
{
	*ms = (struct sp__multishot){ .op = { .event = event, .done = true },
				      .home = home };
}

void sp__multishot_cancel(struct sp__multishot *ms)
{
	ms->home->backend->cancel(ms->home, &ms->op);
}

void sp__multishot_wake(struct sp__multishot *ms)
{
	if (ms->waiter.fiber != NULL)
		sp__wake(ms->waiter.fiber, ms->waiter.epoch, SP__EVENT);
}

int sp__multishot_go_home(const struct sp__multishot *ms)
{
	return sp_migrate(ms->home->index);
}

void sp__multishot_wait_begin(struct sp__multishot *ms)
{
	struct sp_fiber *self = sp__fiber_self();

	self->pins++;
	ms->waiter = (struct sp__waiter){ .fiber = self, .code = SP__EVENT };
	ms->waiter.epoch = sp__wait_begin(self);
}

int sp__multishot_wait_end(struct sp__multishot *ms, int64_t deadline,
			   const char *why)
{
	struct sp_fiber *self = ms->waiter.fiber;
	uint32_t code = sp__wait_end(self, ms->waiter.epoch, deadline, why, ms);
	int err = sp__code_error(code);

	sp__waitlist_remove(&ms->waiter);
	ms->waiter.fiber = NULL;
	self->pins--;
	return err < 0 ? err : (int)(code - SP__EVENT);
}

/*
 * A cancel has no effect on an operation that the kernel is just executing: so
 * repeat the cancel until the operation has ended.
 */
void sp__multishot_stop(struct sp__multishot *ms)
{
	struct sp_fiber *self = sp__fiber_self();

	self->pins++;
	while (sp__multishot_armed(ms)) {
		ms->waiter = (struct sp__waiter){ .fiber = self };
		ms->waiter.epoch = sp__wait_begin_shielded(self);
		sp__multishot_cancel(ms);
		sp__wait_end(self, ms->waiter.epoch, sp_in(CANCEL_AGAIN),
			     "cancel", ms);
		ms->waiter.fiber = NULL;
	}
	self->pins--;
}
