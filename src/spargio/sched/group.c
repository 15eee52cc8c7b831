#include "spargio/sched/group.h"
#include "spargio/sched/cancel.h"
#include "spargio/sched/current.h"
#include "spargio/sched/group_member.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

static struct sp_fiber *group_fiber(struct sp__member *m)
{
	return (struct sp_fiber *)((char *)m -
				   offsetof(struct sp_fiber, in_group));
}

int sp_group_new(struct sp_group **out)
{
	struct sp_group *group = calloc(1, sizeof(*group));

	if (group == NULL)
		return -ENOMEM;
	sp__members_init(&group->members);
	sp__waitlist_init(&group->waiters);
	*out = group;
	return 0;
}

void sp_group_free(struct sp_group *group)
{
	if (group == NULL)
		return;
	sp_group_cancel(group);
	/* Wait for all fibers even if the caller is cancelled. */
	sp_shield_begin();
	(void)sp_group_wait(group);
	sp_shield_end();
	free(group);
}

int sp_group_go(struct sp_group *group, int (*fn)(void *), void *arg)
{
	struct sp_attr attr = { .place = SP_STEALABLE, .group = group };

	return sp_go_attr(NULL, &attr, fn, arg, NULL);
}

int sp_group_wait(struct sp_group *group)
{
	return sp_group_wait_until(group, SP_NEVER);
}

int sp_group_wait_until(struct sp_group *group, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	int err = 0;

	if (self == NULL)
		return -EPERM;
	sp__spin_lock(&group->lock);
	while (err == 0 && group->count != 0) {
		struct sp__waiter w = { .fiber = self, .code = SP__EVENT };

		w.epoch = sp__wait_begin(self);
		sp__waitlist_add(&group->waiters, &w);
		sp__spin_unlock(&group->lock);
		err = sp__code_error(
			sp__wait_end(self, w.epoch, deadline, "group", group));
		sp__spin_lock(&group->lock);
		sp__waitlist_remove(&w);
	}
	if (err == 0) {
		err = group->error;
		group->error = 0;
	}
	sp__spin_unlock(&group->lock);
	return err;
}

void sp_group_cancel(struct sp_group *group)
{
	sp__spin_lock(&group->lock);
	group->cancelled = true;
	for (struct sp__member *m = group->members.next; m != &group->members;
	     m = m->next)
		sp__fiber_cancel(group_fiber(m));
	sp__spin_unlock(&group->lock);
}

int sp_token_new(struct sp_token *parent, struct sp_token **out)
{
	struct sp_token *token = calloc(1, sizeof(*token));

	if (token == NULL)
		return -ENOMEM;
	token->parent = parent;
	sp__members_init(&token->fibers);
	sp__members_init(&token->children);
	sp__waitlist_init(&token->waiters);
	if (parent != NULL) {
		sp__spin_lock(&parent->lock);
		sp__member_add(&parent->children, &token->in_parent);
		atomic_store(&token->cancelled,
			     atomic_load(&parent->cancelled));
		sp__spin_unlock(&parent->lock);
	}
	*out = token;
	return 0;
}

void sp_token_free(struct sp_token *token)
{
	if (token == NULL)
		return;
	if (token->parent != NULL) {
		sp__spin_lock(&token->parent->lock);
		sp__member_remove(&token->in_parent);
		sp__spin_unlock(&token->parent->lock);
	}
	/* Wait until a running sp_token_cancel() has released the lock. */
	sp__spin_lock(&token->lock);
	sp__spin_unlock(&token->lock);
	free(token);
}

/*
 * Locks are taken from parent to child. The parent's lock is held while a
 * child is cancelled, so the child cannot be freed meanwhile.
 */
void sp_token_cancel(struct sp_token *token)
{
	sp__spin_lock(&token->lock);
	atomic_store(&token->cancelled, true);
	for (struct sp__member *m = token->fibers.next; m != &token->fibers;
	     m = m->next)
		sp__fiber_cancel((struct sp_fiber *)((char *)m -
						     offsetof(struct sp_fiber,
							      in_token)));
	for (struct sp__member *m = token->children.next; m != &token->children;
	     m = m->next)
		sp_token_cancel((struct sp_token *)((char *)m -
						    offsetof(struct sp_token,
							     in_parent)));
	sp__waitlist_wake_all(&token->waiters);
	sp__spin_unlock(&token->lock);
}

bool sp_token_cancelled(const struct sp_token *token)
{
	return atomic_load(&token->cancelled);
}

int sp_token_wait(struct sp_token *token)
{
	return sp_token_wait_until(token, SP_NEVER);
}

bool sp__token_watch(struct sp_token *token, struct sp__waiter *w)
{
	bool cancelled;

	sp__spin_lock(&token->lock);
	cancelled = atomic_load(&token->cancelled);
	if (!cancelled)
		sp__waitlist_add(&token->waiters, w);
	sp__spin_unlock(&token->lock);
	return !cancelled;
}

void sp__token_unwatch(struct sp_token *token, struct sp__waiter *w)
{
	sp__spin_lock(&token->lock);
	sp__waitlist_remove(w);
	sp__spin_unlock(&token->lock);
}

int sp_token_wait_until(struct sp_token *token, int64_t deadline)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp__waiter w = { .fiber = self, .code = SP__EVENT };
	int err;

	if (self == NULL)
		return -EPERM;
	if (sp_token_cancelled(token))
		return 0;
	w.epoch = sp__wait_begin(self);
	if (!sp__token_watch(token, &w) && sp__wait_drop(self, w.epoch))
		return 0;
	err = sp__code_error(
		sp__wait_end(self, w.epoch, deadline, "token", token));
	sp__token_unwatch(token, &w);
	return err;
}
