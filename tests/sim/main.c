/*
 * Run seeds of the simulated world, each in a process of its own.
 *
 *	world A..B		run seeds, two at a time
 *	world --hashes A..B	print the hash of each
 *	world --twice A..B	two runs of each, which must be equal
 *	world --first A..B	stop at the first that fails, with its report
 *	world --typical A..B	with 3 routers x 2 peers x 1,000 routes: for speed
 *	world --jobs N		processes at a time; default 2
 *	world --log 7		with the log of its collectors and the messages
 *
 * A seed that fails is run again with fewer and fewer faults, and its report
 * is that of the smallest plan. The last line is "N passed, N failed, 0
 * skipped".
 */
#include "weather.h"
#include "world.h"

#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHOWN 10 /* failures that are shown in full */

struct run {
	uint64_t first, last;
	uint32_t jobs;
	bool hashes, twice, first_only, show_log, typical;
};

struct answer {
	struct world_result result;
	double cpu;
};

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* In a child: run, answer, end. */
static _Noreturn void run_here(uint64_t seed, const struct world_plan *plan,
			       int report_fd, int log_fd, FILE *trace,
			       int answer_fd)
{
	struct answer answer = { 0 };

	world_run(seed, plan, report_fd, log_fd, trace, &answer.result);
	answer.cpu = cpu_seconds();
	if (write(answer_fd, &answer, sizeof(answer)) != sizeof(answer))
		_exit(1);
	_exit(0);
}

struct child {
	pid_t pid;
	uint64_t seed;
	int answer_fd;
};

static int start_child(uint64_t seed, const struct world_plan *plan,
		       int report_fd, bool show_log, struct child *out)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		int log_fd = show_log ? dup(STDERR_FILENO)
				      : memfd_create("log", MFD_CLOEXEC);

		close(ends[0]);
		run_here(seed, plan, report_fd, log_fd,
			 show_log ? stderr : NULL, ends[1]);
	}
	close(ends[1]);
	*out = (struct child){ pid, seed, ends[0] };
	return 0;
}

/* True if the seed passed. A process that dies has failed, too. */
static bool end_child(struct child *c, struct answer *answer)
{
	ssize_t n = read(c->answer_fd, answer, sizeof(*answer));
	int status;

	close(c->answer_fd);
	waitpid(c->pid, &status, 0);
	c->pid = 0;
	if (n != sizeof(*answer) || !WIFEXITED(status)) {
		*answer = (struct answer){ .result.end = SP_SIM_FAILED };
		return false;
	}
	return answer->result.end != SP_SIM_FAILED;
}

/* Shrinking */

static bool fails_with(uint64_t seed, const struct world_plan *plan)
{
	struct answer answer;
	struct child c = { 0 };

	return start_child(seed, plan, -1, false, &c) == 0 &&
	       !end_child(&c, &answer);
}

/* Faults of the broker; those of hosts are shrunk by sp_sim_shrink(). */
static void shrink_weather(uint64_t seed, struct world_plan *plan)
{
	for (int i = 0; i < WEATHER_FAULTS; i++) {
		struct world_plan less = *plan;

		less.weather &= ~(1u << i);
		if (less.weather != plan->weather && fails_with(seed, &less))
			*plan = less;
	}
}

static bool fails_with_hosts(uint64_t seed, const struct sp_sim_plan *hosts,
			     void *arg)
{
	struct world_plan plan = *(struct world_plan *)arg;

	plan.sim = *hosts;
	return fails_with(seed, &plan);
}

/* The report of a seed that fails, with its whole plan. */
static void report_failure(uint64_t seed, bool show_log)
{
	struct world_plan plan;
	struct answer answer = { .result.end = SP_SIM_FAILED };
	struct child c = { 0 };

	printf("seed %" PRIu64 " fails\n", seed);
	world_plan(seed, &plan);
	if (start_child(seed, &plan, STDOUT_FILENO, show_log, &c) < 0)
		return;
	(void)end_child(&c, &answer);
	if (answer.cpu == 0)
		printf("failure: the process ends without a result\n");
}

static void explain_failure(uint64_t seed, bool show_log)
{
	struct world_plan plan;
	struct answer answer;
	struct child c = { 0 };

	world_plan(seed, &plan);
	printf("seed %" PRIu64 " fails\n", seed);
	shrink_weather(seed, &plan);
	sp_sim_shrink(seed, &plan.sim, fails_with_hosts, &plan);
	printf("it needs:");
	for (int i = 0; i < SP_SIM_FAULTS; i++)
		if (plan.sim.ppm[i] != 0)
			printf(" %s=%" PRIu32,
			       sp_sim_fault_name((enum sp_sim_fault)i),
			       plan.sim.ppm[i]);
	for (int i = 0; i < WEATHER_FAULTS; i++)
		if (plan.weather >> i & 1)
			printf(" %s", weather_name((enum weather_fault)i));
	printf("\n");
	if (start_child(seed, &plan, STDOUT_FILENO, show_log, &c) == 0)
		(void)end_child(&c, &answer);
	printf("again: make sim SEEDS=%" PRIu64 "\n\n", seed);
}

/* Running a range */

struct totals {
	uint64_t passed, failed;
	uint64_t failures[SHOWN];
	double cpu, cpu_max, virtual_s;
	uint64_t updates;
	uint64_t *hashes; /* of the first runs; or NULL */
};

static void take_answer(const struct run *run, struct totals *t,
			struct child *c)
{
	struct answer answer;
	bool passed = end_child(c, &answer);

	if (run->hashes)
		printf("%" PRIu64 " %016" PRIx64 "\n", c->seed,
		       answer.result.hash);
	if (t->hashes != NULL) {
		uint64_t *first = &t->hashes[c->seed - run->first];

		if (*first != 0 && *first != answer.result.hash) {
			printf("two runs of seed %" PRIu64 " differ\n",
			       c->seed);
			passed = false;
		}
		*first = answer.result.hash;
	}
	if (!passed && t->failed < SHOWN)
		t->failures[t->failed] = c->seed;
	t->passed += passed;
	t->failed += !passed;
	t->cpu += answer.cpu;
	t->cpu_max = answer.cpu > t->cpu_max ? answer.cpu : t->cpu_max;
	t->virtual_s += (double)answer.result.virtual_ns / SP_S;
	t->updates += answer.result.updates;
}

/* Results in the order of the seeds. */
static void run_range(const struct run *run, struct totals *t)
{
	struct child *children = calloc(run->jobs, sizeof(*children));
	uint64_t count = run->last - run->first + 1;

	for (uint64_t i = 0; i < count + run->jobs; i++) {
		struct child *c = &children[i % run->jobs];
		struct world_plan plan;

		if (c->pid != 0)
			take_answer(run, t, c);
		if (i >= count || (run->first_only && t->failed > 0))
			continue;
		world_plan(run->first + i, &plan);
		plan.typical = run->typical;
		if (start_child(run->first + i, &plan, -1, false, c) < 0)
			t->failed++;
	}
	free(children);
}

static int read_arguments(int argc, char **argv, struct run *run)
{
	*run = (struct run){ .jobs = 2 };
	for (int i = 1; i < argc; i++) {
		char *end;

		if (strcmp(argv[i], "--hashes") == 0) {
			run->hashes = true;
		} else if (strcmp(argv[i], "--twice") == 0) {
			run->twice = true;
		} else if (strcmp(argv[i], "--first") == 0) {
			run->first_only = true;
		} else if (strcmp(argv[i], "--log") == 0) {
			run->show_log = true;
		} else if (strcmp(argv[i], "--typical") == 0) {
			run->typical = true;
		} else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc) {
			run->jobs = (uint32_t)strtoul(argv[++i], NULL, 10);
		} else {
			run->first = run->last = strtoull(argv[i], &end, 10);
			if (strncmp(end, "..", 2) == 0)
				run->last = strtoull(end + 2, &end, 10);
			if (*end != '\0')
				return -EINVAL;
		}
	}
	return run->first == 0 || run->last < run->first || run->jobs == 0
		       ? -EINVAL
		       : 0;
}

int main(int argc, char **argv)
{
	struct totals t = { 0 };
	struct run run;

	if (read_arguments(argc, argv, &run) < 0) {
		fputs("usage: world [--hashes] [--twice] [--first] [--log] "
		      "[--typical] [--jobs N] A[..B]\n",
		      stderr);
		return 2;
	}
	if (run.twice) {
		t.hashes = calloc(run.last - run.first + 1, sizeof(uint64_t));
		run_range(&run, &t);
	}
	run_range(&run, &t);
	free(t.hashes);
	if (run.first_only && t.failed > 0)
		report_failure(t.failures[0], run.show_log);
	for (uint64_t i = 0;
	     !run.first_only && !run.typical && i < t.failed && i < SHOWN; i++)
		explain_failure(t.failures[i], run.show_log);
	if (!run.hashes)
		printf("%.0f virtual seconds in %.1f s of CPU (%.0f for each), "
		       "at most %.2f s for a seed; consumers applied %" PRIu64
		       " updates\n",
		       t.virtual_s, t.cpu, t.virtual_s / (t.cpu + 1e-9),
		       t.cpu_max, t.updates);
	printf("%" PRIu64 " passed, %" PRIu64 " failed, 0 skipped\n", t.passed,
	       t.failed);
	return t.failed != 0;
}
