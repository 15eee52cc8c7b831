/*
 * Channels between fibers, and waiting for the first of several things.
 *
 *	produce ---> [ jobs ] ---> work, twice ---> [ results ] ---> collect
 */
#include <spargio/channel.h>
#include <spargio/fiber.h>
#include <spargio/group.h>
#include <spargio/runtime.h>
#include <spargio/select.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdio.h>

#define JOBS 10

struct pipeline {
	struct sp_chan *jobs;
	struct sp_chan *results;
};

static int produce(void *arg)
{
	struct pipeline *p = arg;
	int err = 0;

	for (int i = 1; i <= JOBS && err == 0; i++)
		err = sp_chan_send(p->jobs, &i); /* yields while it is full */
	/* Workers take what is in it, and then learn that this was all. */
	sp_chan_close(p->jobs);
	return err;
}

static int work(void *arg)
{
	struct pipeline *p = arg;
	int job, err;

	while ((err = sp_chan_recv(p->jobs, &job)) == 0) { /* yields */
		job *= job;
		err = sp_chan_send(p->results, &job); /* yields */
		if (err < 0)
			break;
	}
	return err == -EPIPE ? 0 : err;
}

/* Whichever comes first: a result, or the end of our patience. */
static int collect(struct pipeline *p)
{
	int64_t deadline = sp_in(5 * SP_S);
	int sum = 0;

	for (int n = 0; n < JOBS; n++) {
		int result = 0;
		struct sp_case cases[] = {
			sp_case_recv(p->results, &result),
			sp_case_at(deadline),
		};
		int which = sp_select(cases, 2); /* yields */

		if (which < 0)
			return which;
		if (which == 1)
			return -ETIMEDOUT;
		if (cases[0].result < 0)
			return cases[0].result; /* -EPIPE: it was closed */
		sum += result;
	}
	printf("sum of squares: %d\n", sum);
	return 0;
}

static int run_pipeline(struct pipeline *p)
{
	struct sp_group *group;
	int err = sp_group_new(&group);

	if (err < 0)
		return err;
	err = sp_group_go(group, produce, p);
	for (int i = 0; i < 2 && err == 0; i++)
		err = sp_group_go(group, work, p);
	if (err == 0)
		err = collect(p);
	/* On failure this cancels those who still wait for each other. */
	if (err == 0)
		err = sp_group_wait(group);
	sp_group_free(group);
	return err;
}

static int nap(void *arg)
{
	sp_sleep(*(int64_t *)arg);
	return 0;
}

/* A case that did not happen has left nothing behind: it is still to be had. */
static int first_of_two(void)
{
	int64_t shortly = SP_MS, long_after = 60 * SP_MS;
	struct sp_task quick, slow;
	int err = sp_go(nap, &shortly, &quick);

	if (err == 0)
		err = sp_go(nap, &long_after, &slow);
	if (err == 0) {
		struct sp_case cases[] = {
			sp_case_join(slow, NULL),
			sp_case_join(quick, NULL),
		};
		int which = sp_select(cases, 2); /* yields */

		printf("first: %s\n", which == 1 ? "the quick one" : "?");
		sp_cancel(slow);
		err = which < 0 ? which : sp_join(slow, NULL);
	}
	return err;
}

static int body(void *arg)
{
	struct pipeline p = { 0 };
	int err;

	(void)arg;
	err = sp_chan_new(sizeof(int), 4, &p.jobs);
	if (err == 0)
		err = sp_chan_new(sizeof(int), 0, &p.results);
	if (err == 0)
		err = run_pipeline(&p);
	sp_chan_free(p.results);
	sp_chan_free(p.jobs);
	return err < 0 ? err : first_of_two();
}

int main(void)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	return sp_run(&opts, body, NULL) == 0 ? 0 : 1;
}
