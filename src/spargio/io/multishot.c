#include "spargio/io/multishot.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/time.h>

#include <errno.h>

#define CANCEL_AGAIN (2 * SP_MS)

void sp__shot_init(struct sp__shot *shot, struct sp_shard *home,
		   void (*event)(struct sp__op *op))
{
	*shot = (struct sp__shot){ .op = { .event = event, .done = true },
				   .home = home };
}

void sp__shot_cancel(struct sp__shot *shot)
{
	shot->home->backend->cancel(shot->home, &shot->op);
}

void sp__shot_wake(struct sp__shot *shot)
{
	if (shot->waiter.fiber != NULL)
		sp__wake(shot->waiter.fiber, shot->waiter.epoch, SP__EVENT);
}

int sp__shot_go_home(const struct sp__shot *shot)
{
	return sp_migrate(shot->home->index);
}

void sp__shot_wait_begin(struct sp__shot *shot)
{
	struct sp_fiber *self = sp__fiber_self();

	self->pins++;
	shot->waiter = (struct sp__waiter){ .fiber = self, .code = SP__EVENT };
	shot->waiter.epoch = sp__wait_begin(self);
}

int sp__shot_wait_end(struct sp__shot *shot, int64_t deadline, const char *why)
{
	struct sp_fiber *self = shot->waiter.fiber;
	uint32_t code =
		sp__wait_end(self, shot->waiter.epoch, deadline, why, shot);
	int err = sp__code_error(code);

	sp__waitlist_remove(&shot->waiter);
	shot->waiter.fiber = NULL;
	self->pins--;
	return err < 0 ? err : (int)(code - SP__EVENT);
}

/* A cancel can miss a shot that is just being carried out: ask again. */
void sp__shot_stop(struct sp__shot *shot)
{
	struct sp_fiber *self = sp__fiber_self();

	self->pins++;
	while (sp__shot_armed(shot)) {
		shot->waiter = (struct sp__waiter){ .fiber = self };
		shot->waiter.epoch = sp__wait_begin_shielded(self);
		sp__shot_cancel(shot);
		sp__wait_end(self, shot->waiter.epoch, sp_in(CANCEL_AGAIN),
			     "cancel", shot);
		shot->waiter.fiber = NULL;
	}
	self->pins--;
}
