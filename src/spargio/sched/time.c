#include "spargio/sched/time.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <errno.h>
#include <stdlib.h>

int sp_sleep(int64_t ns)
{
	return sp_sleep_until(sp_in(ns));
}

/* A deadline of sp_deadline_push() before @when ends the sleep early. */
int sp_sleep_until(int64_t when)
{
	struct sp_fiber *self = sp__fiber_self();
	uint64_t epoch;
	uint32_t code;

	if (self == NULL)
		return -EPERM;
	epoch = sp__wait_begin(self);
	code = sp__wait_end(self, epoch, when, "sleep", NULL);
	if (code == SP__TIMED_OUT)
		return when <= sp_now() ? 0 : -ETIMEDOUT;
	return sp__code_error(code);
}

void sp_deadline_push(struct sp_scope *scope, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();

	scope->outer = SP_NEVER;
	if (self == NULL)
		return;
	scope->outer = self->deadline;
	if (deadline < self->deadline)
		self->deadline = deadline;
}

void sp_deadline_pop(struct sp_scope *scope)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self != NULL)
		self->deadline = scope->outer;
}

/* As in sp__wait_end(): a shield ignores deadlines of sp_deadline_push(). */
int64_t sp__deadline_of(const struct sp_fiber *fiber, int64_t deadline)
{
	if (fiber->shield != 0 || deadline < fiber->deadline)
		return deadline;
	return fiber->deadline;
}

int64_t sp_deadline(void)
{
	struct sp_fiber *self = sp__fiber_self();

	return self == NULL ? SP_NEVER : self->deadline;
}

int sp_timeout(int64_t ns, int (*fn)(void *), void *arg)
{
	return sp_timeout_at(sp_in(ns), fn, arg);
}

int sp_timeout_at(int64_t deadline, int (*fn)(void *), void *arg)
{
	struct sp_scope scope;
	int ret;

	if (sp__fiber_self() == NULL)
		return -EPERM;
	sp_deadline_push(&scope, deadline);
	ret = fn(arg);
	sp_deadline_pop(&scope);
	return ret;
}

struct sp_timer {
	struct sp__spin lock;
	int64_t when;
	struct sp__waitlist waiters;
};

int sp_timer_new(int64_t when, struct sp_timer **out)
{
	struct sp_timer *timer = malloc(sizeof(*timer));

	if (timer == NULL)
		return -ENOMEM;
	*timer = (struct sp_timer){ .when = when };
	sp__waitlist_init(&timer->waiters);
	*out = timer;
	return 0;
}

void sp_timer_free(struct sp_timer *timer)
{
	free(timer);
}

/* Waiting fibers wake, check again, and sleep until the new time. */
void sp_timer_reset(struct sp_timer *timer, int64_t when)
{
	sp__spin_lock(&timer->lock);
	timer->when = when;
	sp__waitlist_wake_all(&timer->waiters);
	sp__spin_unlock(&timer->lock);
}

int64_t sp_timer_when(struct sp_timer *timer)
{
	int64_t when;

	sp__spin_lock(&timer->lock);
	when = timer->when;
	sp__spin_unlock(&timer->lock);
	return when;
}

bool sp_timer_elapsed(struct sp_timer *timer)
{
	return sp_timer_when(timer) <= sp_now();
}

void sp__timer_watch(struct sp_timer *timer, struct sp__waiter *w)
{
	sp__spin_lock(&timer->lock);
	sp__waitlist_add(&timer->waiters, w);
	sp__spin_unlock(&timer->lock);
}

/*
 * A reset uses @w only while it holds the lock, so @w may be freed after this.
 */
void sp__timer_unwatch(struct sp_timer *timer, struct sp__waiter *w)
{
	sp__spin_lock(&timer->lock);
	sp__waitlist_remove(w);
	sp__spin_unlock(&timer->lock);
}

/* Wait until the timer's current time, a reset, or @deadline. */
static uint32_t timer_wait_once(struct sp_timer *timer, struct sp_fiber *self,
				int64_t deadline)
{
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	uint32_t code;
	int64_t when;

	w.epoch = sp__wait_begin(self);
	sp__timer_watch(timer, &w);
	when = sp_timer_when(timer);
	code = sp__wait_end(self, w.epoch, when < deadline ? when : deadline,
			    "timer", timer);
	sp__timer_unwatch(timer, &w);
	return code;
}

int sp_timer_wait(struct sp_timer *timer)
{
	return sp_timer_wait_until(timer, SP_NEVER);
}

int sp_timer_wait_until(struct sp_timer *timer, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();

	if (self == NULL)
		return -EPERM;
	deadline = sp__deadline_of(self, deadline);
	for (;;) {
		uint32_t code = timer_wait_once(timer, self, deadline);

		if (code == SP__CANCELLED)
			return -ECANCELED;
		if (sp_timer_when(timer) <= sp_now())
			return 0;
		if (deadline <= sp_now())
			return -ETIMEDOUT;
	}
}

int sp_interval_init(struct sp_interval *interval, int64_t period,
		     enum sp_missed missed)
{
	return sp_interval_init_at(interval, sp_in(period), period, missed);
}

int sp_interval_init_at(struct sp_interval *interval, int64_t start,
			int64_t period, enum sp_missed missed)
{
	if (period <= 0 || start < 0)
		return -EINVAL;
	*interval = (struct sp_interval){
		.next = start,
		.period = period,
		.missed = missed,
	};
	return 0;
}

static int64_t add_time(int64_t when, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(when, ns, &sum) ? SP_NEVER : sum;
}

int sp_interval_wait(struct sp_interval *interval)
{
	int64_t now;
	int err = sp_sleep_until(interval->next);

	if (err < 0)
		return err;
	now = sp_now();
	switch (interval->missed) {
	case SP_BURST:
		interval->next = add_time(interval->next, interval->period);
		break;
	case SP_DELAY:
		interval->next = add_time(now, interval->period);
		break;
	case SP_SKIP:
		interval->next += (now - interval->next) / interval->period *
				  interval->period;
		interval->next = add_time(interval->next, interval->period);
		break;
	}
	return 0;
}
