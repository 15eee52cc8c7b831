#include "spargio/sched/group_member.h"
#include "spargio/sched/wake.h"

#include <errno.h>

int sp__group_enter(struct sp_group *group, struct sp_fiber *fiber)
{
	int err = 0;

	if (group == NULL)
		return 0;
	sp__spin_lock(&group->lock);
	if (group->cancelled) {
		err = -ECANCELED;
	} else {
		fiber->group = group;
		sp__member_add(&group->members, &fiber->in_group);
		group->count++;
	}
	sp__spin_unlock(&group->lock);
	return err;
}

void sp__group_leave(struct sp_fiber *fiber)
{
	struct sp_group *group = fiber->group;

	if (group == NULL)
		return;
	sp__spin_lock(&group->lock);
	sp__member_remove(&fiber->in_group);
	fiber->group = NULL;
	if (group->error == 0 && fiber->ret < 0)
		group->error = fiber->ret;
	/*
	 * Wake under the lock: a waiting fiber may free the group right after.
	 */
	if (--group->count == 0)
		sp__waitlist_wake_all(&group->waiters);
	sp__spin_unlock(&group->lock);
}

int sp__token_enter(struct sp_token *token, struct sp_fiber *fiber)
{
	int err = 0;

	if (token == NULL)
		return 0;
	sp__spin_lock(&token->lock);
	if (atomic_load(&token->cancelled)) {
		err = -ECANCELED;
	} else {
		fiber->token = token;
		sp__member_add(&token->fibers, &fiber->in_token);
	}
	sp__spin_unlock(&token->lock);
	return err;
}

void sp__token_leave(struct sp_fiber *fiber)
{
	struct sp_token *token = fiber->token;

	if (token == NULL)
		return;
	sp__spin_lock(&token->lock);
	sp__member_remove(&fiber->in_token);
	fiber->token = NULL;
	sp__spin_unlock(&token->lock);
}
