/*
 * spargio/sched/group.h - waiting for a token together with other things
 */
#ifndef SPARGIO_SCHED_GROUP_H
#define SPARGIO_SCHED_GROUP_H

#include "spargio/sched/fiber.h"

#include <spargio/group.h>

/*
 * Put @w among those woken when @token is cancelled; false, and not put there,
 * if it was already. Unwatching one that is not there is fine.
 */
bool sp__token_watch(struct sp_token *token, struct sp__waiter *w);
void sp__token_unwatch(struct sp_token *token, struct sp__waiter *w);

#endif
