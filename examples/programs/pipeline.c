/*
 * A pipeline with deadlines: lines in, jobs on all shards, results out.
 *
 *	pipeline		reads jobs from standard input, a line each
 *
 *	sum N		the sum of 1 to N
 *	wait MS		a service that takes so long
 *
 * A job has 200 ms; after that its result is "late". The first stage reads, the
 * second has four workers, the third prints. It selects from results and the
 * beats of a timer: after a second without a result it prints "idle".
 *
 * This program is C and C++.
 */
#include <spargio/spargio.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS	 4
#define JOB_TIME (200 * SP_MS)
#define QUIET	 SP_S
#define TEXT_MAX 64

struct job {
	uint32_t number;
	char text[TEXT_MAX];
};

static struct sp_chan *jobs, *results;

static int read_jobs(void *arg)
{
	struct sp_reader *reader;
	struct job job = { 0, "" };
	char *line;
	size_t len;
	int err = sp_reader_new(0, TEXT_MAX, &reader);

	(void)arg;
	if (err < 0)
		return err;
	while ((err = sp_reader_line(reader, &line, &len)) > 0) { /* yields */
		job.number++;
		memcpy(job.text, line, len + 1);
		err = sp_chan_send(jobs, &job); /* yields */
		if (err < 0)
			break;
	}
	sp_reader_free(reader);
	sp_chan_close(jobs); /* workers end when they have taken all */
	return err;
}

/* Replaces the text by the result. */
static int do_job(void *arg)
{
	struct job *job = (struct job *)arg;
	unsigned long n =
		strtoul(job->text + strcspn(job->text, " "), NULL, 10);
	uint64_t sum = 0;
	int err = 0;

	if (strncmp(job->text, "sum ", 4) == 0) {
		for (unsigned long i = 1; i <= n && err == 0; i++) {
			sum += i;
			/* A loop that computes has to look by itself. */
			if (i % 65536 == 0 && sp_now() > sp_deadline())
				err = -ETIMEDOUT;
			if (i % 65536 == 0)
				sp_yield();
		}
		snprintf(job->text, TEXT_MAX, "%" PRIu64, sum);
	} else if (strncmp(job->text, "wait ", 5) == 0) {
		err = sp_sleep((int64_t)n * SP_MS); /* yields */
		snprintf(job->text, TEXT_MAX, "waited");
	} else {
		err = -EINVAL;
	}
	return err;
}

static int work(void *arg)
{
	struct job job;
	int err;

	(void)arg;
	while ((err = sp_chan_recv(jobs, &job)) == 0) {	  /* yields */
		err = sp_timeout(JOB_TIME, do_job, &job); /* yields */
		if (err == -ETIMEDOUT)
			snprintf(job.text, TEXT_MAX, "late");
		else if (err < 0)
			snprintf(job.text, TEXT_MAX, "error %d", -err);
		err = sp_chan_send(results, &job); /* yields */
		if (err < 0)
			break;
	}
	return err == -EPIPE ? 0 : err;
}

/* Wait for the workers, then tell the last stage. */
static int end_results(void *arg)
{
	struct sp_group *workers = (struct sp_group *)arg;
	int err = sp_group_wait(workers); /* yields */

	sp_chan_close(results);
	return err;
}

static int print_results(void)
{
	struct job job;
	int64_t beat = sp_in(QUIET);

	for (;;) {
		struct sp_case cases[] = {
			sp_case_recv(results, &job),
			sp_case_at(beat),
		};
		int chosen = sp_select(cases, 2); /* yields */

		if (chosen < 0)
			return chosen;
		if (chosen == 0 && cases[0].result < 0)
			return cases[0].result == -EPIPE ? 0 : cases[0].result;
		if (chosen == 0)
			printf("%u: %s\n", job.number, job.text);
		else
			puts("idle");
		fflush(stdout);
		beat = sp_in(QUIET);
	}
}

static int body(int argc, char **argv)
{
	struct sp_group *workers = NULL;
	int err = sp_chan_new(sizeof(struct job), 16, &jobs);

	(void)argv;
	if (err == 0)
		err = sp_chan_new(sizeof(struct job), 16, &results);
	if (err == 0)
		err = sp_group_new(&workers);
	if (err == 0)
		err = sp_go(read_jobs, NULL, NULL);
	for (int i = 0; i < WORKERS && err == 0; i++)
		err = sp_group_go(workers, work, NULL);
	if (err == 0)
		err = sp_go(end_results, workers, NULL);
	if (err == 0)
		err = argc == 1 ? print_results() : 2;
	sp_group_free(workers);
	/* The channels stay: a fiber that was not joined may still use one. */
	return err;
}

SP_MAIN(body)
