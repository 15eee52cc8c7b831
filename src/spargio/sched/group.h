/*
 * spargio/sched/group.h - fibers in groups and under tokens
 *
 * For spawn and fiber: NULL groups and tokens are fine everywhere.
 */
#ifndef SPARGIO_SCHED_GROUP_H
#define SPARGIO_SCHED_GROUP_H

#include "spargio/sched/fiber.h"

#include <spargio/group.h>

/* 0, or -ECANCELED if the group or token has been cancelled. */
int sp__group_enter(struct sp_group *group, struct sp_fiber *fiber);
int sp__token_enter(struct sp_token *token, struct sp_fiber *fiber);

void sp__group_leave(struct sp_fiber *fiber);
void sp__token_leave(struct sp_fiber *fiber);

/*
 * Put @w among those woken when @token is cancelled; false, and not put there,
 * if it was already. Unwatching one that is not there is fine.
 */
bool sp__token_watch(struct sp_token *token, struct sp__waiter *w);
void sp__token_unwatch(struct sp_token *token, struct sp__waiter *w);

#endif
