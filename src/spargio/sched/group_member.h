/*
 * spargio/sched/group_member.h - fibers as members of groups and tokens
 *
 * Called at spawn and at the end of a fiber. NULL groups and tokens are fine in
 * all functions.
 */
#ifndef SPARGIO_SCHED_GROUP_MEMBER_H
#define SPARGIO_SCHED_GROUP_MEMBER_H

#include "spargio/sched/fiber.h"

#include <spargio/group.h>

struct sp_group {
	struct sp__spin lock;
	bool cancelled;
	uint32_t count;
	int error; /* first error of a fiber since the last wait */
	struct sp__member members;
	struct sp__waitlist waiters;
};

struct sp_token {
	struct sp__spin lock;
	atomic_bool cancelled;
	struct sp_token *parent;
	struct sp__member in_parent;
	struct sp__member fibers;
	struct sp__member children;
	struct sp__waitlist waiters;
};

/* Rings of members; the owner's lock is held. */

static inline void sp__members_init(struct sp__member *head)
{
	head->next = head->prev = head;
}

static inline void sp__member_add(struct sp__member *head, struct sp__member *m)
{
	m->next = head;
	m->prev = head->prev;
	m->prev->next = m;
	head->prev = m;
}

static inline void sp__member_remove(struct sp__member *m)
{
	m->prev->next = m->next;
	m->next->prev = m->prev;
}

/* Add @fiber. -ECANCELED if the group or token has been cancelled. */
int sp__group_enter(struct sp_group *group, struct sp_fiber *fiber);
int sp__token_enter(struct sp_token *token, struct sp_fiber *fiber);

void sp__group_leave(struct sp_fiber *fiber);
void sp__token_leave(struct sp_fiber *fiber);

#endif
