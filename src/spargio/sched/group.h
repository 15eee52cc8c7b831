/*
 * spargio/sched/group.h - waiting for a token and other events together
 */
#ifndef SPARGIO_SCHED_GROUP_H
#define SPARGIO_SCHED_GROUP_H

#include "spargio/sched/fiber.h"

#include <spargio/group.h>

/*
 * Add @w to the waiters that a cancel of @token wakes. If @token was cancelled
 * before, return false and do not add @w. sp__token_unwatch() may be called
 * for a waiter that was not added.
 */
bool sp__token_watch(struct sp_token *token, struct sp__waiter *w);
void sp__token_unwatch(struct sp_token *token, struct sp__waiter *w);

#endif
