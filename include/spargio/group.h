/*
 * spargio/group.h - groups of fibers, and cancellation tokens
 *
 * A group is structured concurrency: fibers spawned into it (sp_attr.group)
 * end before the group does.
 *
 *	struct sp_group *group;
 *
 *	sp_group_new(&group);
 *	sp_group_go(group, fn, arg);
 *	sp_group_go(group, fn, other);
 *	err = sp_group_wait(group);	the first error of any fiber
 *	sp_group_free(group);		cancels and awaits remaining fibers
 *
 * A token cancels many fibers: sp_token_cancel() cancels the fibers that use it
 * (sp_attr.token) and its child tokens.
 *
 * Threads	Any fiber of any shard; the _cancel functions any thread.
 */
#ifndef SPARGIO_GROUP_H
#define SPARGIO_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_group;
struct sp_token;

int sp_group_new(struct sp_group **out);

/*
 * Cancel the fibers of @group, wait until they have ended, free the group.
 * Yields. NULL is fine.
 */
void sp_group_free(struct sp_group *group);

/*
 * Spawn a stealable fiber in @group. Errors as sp_go(), and -ECANCELED if the
 * group was cancelled.
 */
int sp_group_go(struct sp_group *group, int (*fn)(void *), void *arg);

/*
 * Wait until @group has no fibers. Returns 0 or the first negative result of
 * its fibers since the last wait. -ECANCELED or -ETIMEDOUT if the caller's
 * wait ended early; then fibers of @group may still run. Yields.
 */
int sp_group_wait(struct sp_group *group);
int sp_group_wait_until(struct sp_group *group, int64_t deadline);

/* Cancel every fiber of @group and refuse new ones. */
void sp_group_cancel(struct sp_group *group);

/*
 * Make a token that is cancelled together with @parent, which may be NULL.
 * @parent must outlive the new token.
 */
int sp_token_new(struct sp_token *parent, struct sp_token **out);

/* Free @token; no fiber and no child token may use it. NULL is fine. */
void sp_token_free(struct sp_token *token);

void sp_token_cancel(struct sp_token *token);
bool sp_token_cancelled(const struct sp_token *token);

/* Wait until @token is cancelled, then return 0. Yields. */
int sp_token_wait(struct sp_token *token);
int sp_token_wait_until(struct sp_token *token, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
