/*
 * Ending things early: groups, tokens, and what a fiber owes when it is told
 * to end.
 */
#include <spargio/fiber.h>
#include <spargio/group.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int cleaned_up;

/*
 * A wait that was cancelled returns -ECANCELED, and so does every later one:
 * pass it up and free what you hold on the way. What must still wait while
 * cleaning up does so behind a shield.
 */
static int worker(void *arg)
{
	int err = sp_sleep(10 * SP_S); /* yields */

	(void)arg;
	sp_shield_begin();
	sp_sleep(SP_MS); /* say goodbye to somebody: not cancelled */
	sp_shield_end();
	atomic_fetch_add(&cleaned_up, 1);
	return err;
}

static int fail_soon(void *arg)
{
	(void)arg;
	sp_sleep(5 * SP_MS);
	return -EIO;
}

/* Fibers of a group end before the group does: nothing is left running. */
static int group_of_workers(void)
{
	struct sp_group *group;
	int err = sp_group_new(&group);

	if (err < 0)
		return err;
	for (int i = 0; i < 3 && err == 0; i++)
		err = sp_group_go(group, worker, NULL);
	if (err == 0)
		err = sp_group_wait_until(group, sp_in(10 * SP_MS));
	printf("group: %s\n", err == -ETIMEDOUT ? "still working" : "?");
	sp_group_free(group); /* cancels them and waits */
	printf("%d workers cleaned up\n", atomic_load(&cleaned_up));
	return 0;
}

/* The first error of any of them is what waiting for the group returns. */
static int first_error(void)
{
	struct sp_group *group;
	int err = sp_group_new(&group);

	if (err < 0)
		return err;
	err = sp_group_go(group, fail_soon, NULL);
	if (err == 0)
		err = sp_group_wait(group);
	sp_group_free(group);
	printf("group: %s\n", err == -EIO ? "one failed" : "?");
	return 0;
}

/* A token reaches fibers of any group, and the tokens made from it. */
static int family_of_tokens(void)
{
	struct sp_token *all = NULL, *some = NULL;
	struct sp_attr attr = { 0 };
	struct sp_task task;
	int err, ret = 0;

	err = sp_token_new(NULL, &all);
	if (err == 0)
		err = sp_token_new(all, &some);
	if (err == 0) {
		attr.token = some;
		err = sp_go_attr(NULL, &attr, worker, NULL, &task);
	}
	if (err == 0) {
		sp_token_cancel(all);
		err = sp_join(task, &ret);
	}
	sp_token_free(some);
	sp_token_free(all);
	if (err == 0)
		printf("token: %s\n", ret == -ECANCELED ? "cancelled" : "?");
	return err;
}

/* A fiber that computes and never waits has to ask. */
static int compute(void *arg)
{
	uint64_t *turns = arg;

	while (!sp_cancelled()) {
		*turns += 1;
		if (*turns % 1000 == 0)
			sp_yield();
	}
	return -ECANCELED;
}

static int busy_fiber(void)
{
	uint64_t turns = 0;
	struct sp_task task;
	int err = sp_go(compute, &turns, &task);

	if (err < 0)
		return err;
	sp_sleep(2 * SP_MS);
	sp_cancel(task);
	err = sp_join(task, NULL);
	printf("busy fiber: %s\n", turns > 0 ? "ran and ended" : "?");
	return err;
}

static int body(void *arg)
{
	int err;

	(void)arg;
	err = group_of_workers();
	if (err == 0)
		err = first_error();
	if (err == 0)
		err = family_of_tokens();
	if (err == 0)
		err = busy_fiber();
	return err;
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
