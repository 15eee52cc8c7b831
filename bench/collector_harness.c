#include "collector_harness.h"

#include "bench.h"

#include "collector/collector_env.h"
#include "collector/config/config.h"
#include "collector/config/errors.h"
#include "collector/config/loader.h"
#include "collector/worker_state.h"
#include "egress/publisher/publisher.h"

#include <spargio/fiber.h>
#include <spargio/time.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define POLL_US	  100
#define QUIET_NS  UINT64_C(300000000)
#define MINUTE_NS UINT64_C(60000000000)
#define ARGS	  32

static void configure(struct rig *r, const struct rig_options *o)
{
	char workers[16];
	char *args[ARGS] = {
		"--listen",
		"127.0.0.1:0",
		"--workers",
		workers,
		"--state",
		r->dir,
		"--http",
		"off",
		"--snapshot-interval",
		"1h",
		"--log-level",
		"error",
		"--collector-id",
		"bench",
	};
	char *none[] = { NULL };
	struct config_errors errors = CONFIG_ERRORS_INIT;
	struct config_request request;
	int n = 14;

	snprintf(workers, sizeof(workers), "%u", o->workers);
	if (o->snapshots != NULL)
		args[9] = (char *)o->snapshots;
	if (o->output == RIG_DISCARD)
		args[n++] = "--discard";
	if (o->output == RIG_JETSTREAM) {
		args[n++] = "--nats";
		args[n++] = (char *)o->url;
		args[n++] = "--nats-max-bytes";
		args[n++] = "0";
	}
	if (o->acked_tail != NULL) {
		args[n++] = "--acked-tail";
		args[n++] = (char *)o->acked_tail;
	}
	if (config_load(n, args, none, &errors, &request, &r->config) < 0)
		bench_must(false,
			   errors.kept > 0 ? errors.lines[0] : "configuration");
	config_errors_release(&errors);
}

static int pin_worker(void *arg)
{
	cpu_set_t set;

	(void)arg;
	CPU_ZERO(&set);
	CPU_SET(sp_shard(), &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	return 0;
}

void rig_start(struct rig *r, const struct rig_options *options)
{
	static unsigned made;

	*r = (struct rig){ .output = options->output,
			   .workers = options->workers };
	snprintf(r->dir, sizeof(r->dir), "/var/tmp/bench-collector-%d-%u",
		 (int)getpid(), made++);
	configure(r, options);
	log_init(&r->log, STDERR_FILENO, LOG_FORMAT_TEXT, LOG_LEVEL_ERROR);
	bench_must(collector_start(&r->config, &r->log, NULL, &r->collector) ==
			   0,
		   "starting the collector");
	for (unsigned i = 0; i < r->workers && !options->loose; i++)
		sp_call_on(collector_env(r->collector)->rt, i, pin_worker, NULL,
			   NULL);
}

void rig_stop(struct rig *r)
{
	char command[RIG_PATH + 16];

	bench_must(collector_stop(r->collector, sp_in(60 * SP_S),
				  COLLECTOR_MEMORY_FREE) == 0,
		   "stopping the collector");
	log_fini(&r->log);
	config_release(&r->config);
	snprintf(command, sizeof(command), "rm -rf %s", r->dir);
	if (system(command) != 0) /* NOLINT(cert-env33-c): our own folder */
		fprintf(stderr, "bench: %s stays behind\n", r->dir);
}

uint16_t rig_port(const struct rig *r)
{
	return collector_port(r->collector, 0);
}

uint8_t rig_address(unsigned workers, unsigned worker)
{
	uint8_t address[16] = { [10] = 0xff, 0xff, 127, 1, 0, 0 };
	struct rib_identity id;

	for (uint8_t last = 1; last < UINT8_MAX; last++) {
		address[15] = last;
		identity_from_address(address, &id);
		if (identity_shard(&id, workers) == worker)
			return last;
	}
	bench_must(false, "an address for each worker");
	return 0;
}

uint64_t rig_published(const struct rig *r)
{
	struct publisher_stats stats;

	publisher_stats(collector_env(r->collector)->publisher, &stats);
	return r->output == RIG_JOURNAL ? stats.journal_updates : stats.updates;
}

void rig_wait(const struct rig *r, uint64_t published)
{
	uint64_t last = 0;
	uint64_t since = bench_now_ns();

	for (;;) {
		uint64_t now = rig_published(r);

		if (now >= published)
			break;
		if (now != last)
			since = bench_now_ns();
		last = now;
		bench_must(bench_now_ns() - since < MINUTE_NS,
			   "what was sent is published within a minute");
		usleep(POLL_US);
	}
	last = rig_published(r);
	if (last != published)
		fprintf(stderr, "bench: %s: %llu published, not %llu\n", r->dir,
			(unsigned long long)last,
			(unsigned long long)published);
	bench_must(last == published,
		   "every update is published once, and nothing else");
}

uint64_t rig_settle(const struct rig *r, uint64_t published)
{
	uint64_t last = rig_published(r);
	uint64_t since = bench_now_ns();

	while (last < published || bench_now_ns() - since < QUIET_NS) {
		uint64_t now = rig_published(r);

		if (now != last)
			since = bench_now_ns();
		bench_must(bench_now_ns() - since < MINUTE_NS,
			   "the table is published");
		last = now;
		usleep(10 * POLL_US);
	}
	return last;
}

struct asked {
	double seconds;
};

static int ask_cpu(void *arg)
{
	struct asked *asked = arg;
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	asked->seconds = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	return 0;
}

double rig_worker_cpu(const struct rig *r, unsigned worker)
{
	struct asked asked = { 0 };

	sp_call_on(collector_env(r->collector)->rt, worker, ask_cpu, &asked,
		   NULL);
	return asked.seconds;
}
