/*
 * Locks and meeting points for fibers of several shards. What only the fibers
 * of one shard touch, and do not hold across a wait, needs none of this.
 */
#include <spargio/fiber.h>
#include <spargio/group.h>
#include <spargio/runtime.h>
#include <spargio/sync.h>
#include <spargio/time.h>

#include <stdatomic.h>
#include <stdio.h>

#define FIBERS 4
#define TURNS  1000

struct account {
	struct sp_mutex lock;
	struct sp_cond changed;
	int balance; /* guarded by lock */
};

/* A lock for fibers may be held across a wait; one for threads may not. */
static int deposit(void *arg)
{
	struct account *a = arg;

	for (int i = 0; i < TURNS; i++) {
		int err = sp_mutex_lock(&a->lock); /* yields */

		if (err < 0)
			return err;
		a->balance++;
		sp_mutex_unlock(&a->lock);
		sp_cond_signal(&a->changed);
	}
	return 0;
}

static int wait_for_riches(struct account *a)
{
	int err = sp_mutex_lock(&a->lock);

	if (err < 0)
		return err;
	while (a->balance < FIBERS * TURNS && err == 0)
		err = sp_cond_wait(&a->changed, &a->lock); /* yields */
	if (err == 0)
		printf("balance: %d\n", a->balance);
	sp_mutex_unlock(&a->lock);
	return err;
}

static int start(struct sp_group *group, int (*fn)(void *), void *arg)
{
	struct sp_attr attr = { .place = SP_ROUND_ROBIN, .group = group };
	int err = 0;

	for (int i = 0; i < FIBERS && err == 0; i++)
		err = sp_go_attr(NULL, &attr, fn, arg, NULL);
	return err;
}

static int mutex_and_condition(struct sp_group *group)
{
	struct account account = { .lock = SP_MUTEX_INIT };
	int err = start(group, deposit, &account);

	if (err == 0)
		err = wait_for_riches(&account);
	/* The account is on this stack: nobody may still use it. */
	sp_shield_begin();
	if (err < 0)
		sp_group_cancel(group);
	(void)sp_group_wait(group);
	sp_shield_end();
	return err;
}

struct bridge {
	struct sp_sem room;
	struct sp_barrier start;
	atomic_int on_it, most;
};

/* At most two at a time, whoever comes. */
static int cross(void *arg)
{
	struct bridge *b = arg;
	int now, most, err;

	err = sp_barrier_wait(&b->start); /* all set off together; yields */
	if (err >= 0)
		err = sp_sem_wait(&b->room); /* yields */
	if (err < 0)
		return err;
	now = atomic_fetch_add(&b->on_it, 1) + 1;
	most = atomic_load(&b->most);
	while (now > most &&
	       !atomic_compare_exchange_weak(&b->most, &most, now))
		;
	sp_sleep(SP_MS);
	atomic_fetch_sub(&b->on_it, 1);
	return sp_sem_post(&b->room);
}

static int semaphore_and_barrier(struct sp_group *group)
{
	struct bridge bridge = { .room = SP_SEM_INIT(2),
				 .start = SP_BARRIER_INIT(FIBERS) };
	int err = start(group, cross, &bridge);

	sp_shield_begin();
	if (err < 0)
		sp_group_cancel(group); /* the others would wait for ever */
	else
		err = sp_group_wait(group);
	sp_shield_end();
	printf("never more than %d at a time\n", atomic_load(&bridge.most));
	return err;
}

static int body(void *arg)
{
	struct sp_group *group;
	int err = sp_group_new(&group);

	(void)arg;
	if (err == 0)
		err = mutex_and_condition(group);
	if (err == 0)
		err = semaphore_and_barrier(group);
	sp_group_free(group);
	return err;
}

int main(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	return sp_run(&opts, body, NULL) == 0 ? 0 : 1;
}
