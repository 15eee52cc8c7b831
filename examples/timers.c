/*
 * Time: sleep, deadlines for one call and for a whole stretch of code,
 * intervals, and a timer that is moved while a fiber waits for it.
 */
#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>

static int slow(void *arg)
{
	(void)arg;
	return sp_sleep(10 * SP_S); /* yields */
}

/* Every call that waits has a form with a deadline, named ..._until(). */
static int one_deadline(void)
{
	struct sp_task task;
	int err;

	err = sp_go(slow, NULL, &task);
	if (err < 0)
		return err;
	err = sp_join_until(task, sp_in(10 * SP_MS), NULL); /* yields */
	printf("join: %s\n", err == -ETIMEDOUT ? "not in time" : "?");
	sp_cancel(task);
	return sp_join(task, NULL); /* still ours after a timeout */
}

/* A scope bounds every wait in it, also those of functions it calls. */
static int scope_of_deadline(void)
{
	struct sp_scope scope;
	int err;

	sp_deadline_push(&scope, sp_in(10 * SP_MS));
	err = slow(NULL);
	sp_deadline_pop(&scope);
	printf("scope: %s\n", err == -ETIMEDOUT ? "not in time" : "?");

	/* The same around one function. */
	err = sp_timeout(10 * SP_MS, slow, NULL);
	return err == -ETIMEDOUT ? 0 : -EPROTO;
}

/* The beat stays: a tick that took too long costs ticks, not rhythm. */
static int heartbeat(void)
{
	struct sp_interval beat;
	int64_t began = sp_now();
	int err = sp_interval_init(&beat, 5 * SP_MS, SP_SKIP);

	for (int i = 0; i < 3 && err == 0; i++) {
		err = sp_interval_wait(&beat); /* yields */
		if (err == 0 && i == 0)
			err = sp_sleep(7 * SP_MS); /* misses the second */
	}
	if (err == 0)
		printf("3 ticks in %s 20 ms\n",
		       sp_now() - began >= 20 * SP_MS ? "at least" : "under");
	return err;
}

static int wait_for_timer(void *arg)
{
	return sp_timer_wait(arg);
}

/* Waiting for a timer that another fiber moves: here to an earlier time. */
static int moved_timer(void)
{
	struct sp_timer *timer;
	struct sp_task task;
	int64_t began = sp_now();
	int err = sp_timer_new(sp_in(10 * SP_S), &timer);

	if (err < 0)
		return err;
	err = sp_go(wait_for_timer, timer, &task);
	if (err == 0) {
		sp_sleep(5 * SP_MS);
		sp_timer_reset(timer, sp_in(5 * SP_MS));
		err = sp_join(task, NULL);
	}
	sp_timer_free(timer);
	if (err == 0)
		printf("moved timer: %s\n",
		       sp_now() - began < 10 * SP_S ? "sooner" : "too late");
	return err;
}

static int body(void *arg)
{
	int err;

	(void)arg;
	err = one_deadline();
	if (err == 0)
		err = scope_of_deadline();
	if (err == 0)
		err = heartbeat();
	if (err == 0)
		err = moved_timer();
	return err;
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
