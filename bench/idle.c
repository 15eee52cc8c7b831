/*
 * What a runtime costs that has nothing to do.
 *
 *	idle_cpu	two shards, ten seconds, CPU time of the process
 *	fiber_bytes	memory of a sleeping fiber, out of 100,000
 *	connection_bytes memory of an idle TCP connection, out of 10,000, each
 *			with a fiber that waits in a receive stream
 */
#include "bench.h"
#include "fibers.h"

#include <spargio/fiber.h>
#include <spargio/rstream.h>
#include <spargio/runtime.h>
#include <spargio/accept_loop.h>
#include <spargio/time.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	FIBERS = 100000,
	CONNECTIONS = 10000
};

/* The second number of /proc/self/statm is the resident pages. */
static double resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	char line[128] = "";
	char *second;

	fibers_check(f != NULL && fgets(line, sizeof(line), f) != NULL,
		     "no /proc/self/statm");
	fclose(f);
	second = strchr(line, ' ');
	fibers_check(second != NULL, "an odd /proc/self/statm");
	return (double)strtol(second, NULL, 10) * (double)sysconf(_SC_PAGESIZE);
}

static void idle_cpu(const struct bench *b)
{
	double samples[1];
	struct sp_rt *rt = fibers_start(2);
	double before, used;

	usleep(100000); /* let it fall asleep */
	before = bench_cpu_seconds();
	usleep(b->quick ? 1000000 : 10000000);
	used = bench_cpu_seconds() - before;
	/* A short run says what ten seconds would have cost. */
	samples[0] = used * 1000 * (b->quick ? 10 : 1);
	bench_report("idle_cpu", "spargio", "ms", samples, 1, used);
	fibers_stop(rt);
}

static int sleeper(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

static void spawn_sleepers(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		fibers_check(sp_go_on(NULL, 0, sleeper, NULL, NULL) == 0,
			     "spawn");
	/* Let every one of them run to its sleep. */
	for (uint64_t i = 0; i < count / 32; i++)
		sp_yield();
}

static void fiber_bytes(void)
{
	struct fibers f = { fibers_start(1), spawn_sleepers, 0 };
	double cpu = bench_cpu_seconds();
	double before = resident_bytes();
	double samples[1];

	fibers_run(&f, FIBERS);
	samples[0] = (resident_bytes() - before) / FIBERS;
	bench_report("fiber_bytes", "spargio", "bytes", samples, 1,
		     bench_cpu_seconds() - cpu);
	fibers_stop(f.rt);
}

/*
 * Connections. Their other ends are in another process: one may not have as
 * many descriptors as both need.
 */

struct crowd {
	struct sp_addr at;
	int listener;
	int quit[2]; /* closed when it is time to go */
	unsigned int count;
	pid_t pid;
};

static void crowd_main(const struct crowd *crowd)
{
	char c;

	close(crowd->quit[1]);
	close(crowd->listener);
	for (unsigned int i = 0; i < crowd->count; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (fd < 0 || connect(fd, &crowd->at.any, crowd->at.len) < 0)
			_exit(1);
	}
	(void)!read(crowd->quit[0], &c, 1);
	_exit(0);
}

/* Before there are threads. */
static void crowd_start(struct crowd *crowd, unsigned int count)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	crowd->count = limit.rlim_cur > count + 100 ? count : 100;
	fibers_check(sp_addr_parse("127.0.0.1:0", 0, &crowd->at) == 0 &&
			     sp_listen(&crowd->at, NULL, &crowd->listener) ==
				     0 &&
			     sp_addr_local(crowd->listener, &crowd->at) == 0 &&
			     pipe(crowd->quit) == 0,
		     "no listener");
	crowd->pid = fork();
	fibers_check(crowd->pid >= 0, "no process");
	if (crowd->pid == 0)
		crowd_main(crowd);
	close(crowd->quit[0]);
}

static atomic_uint connected;

static int attend(struct sp_conn *conn, void *arg)
{
	struct sp_rstream *rs;
	struct sp_segment segment;
	int err = sp_rstream_open(conn->fd, 0, &rs);

	(void)arg;
	if (err < 0)
		return err;
	atomic_fetch_add(&connected, 1);
	(void)sp_rstream_peek(rs, 1, &segment);
	sp_rstream_close(rs);
	return 0;
}

static int attend_all(void *arg)
{
	struct sp_attr attr = { .place = SP_PINNED };

	return sp_accept_loop(*(int *)arg, SP_HOME_NEXT, &attr, attend, NULL);
}

static void connection_bytes(struct crowd *crowd)
{
	struct sp_rt *rt = fibers_start(2);
	double cpu = bench_cpu_seconds();
	double before = resident_bytes();
	double samples[1];

	fibers_check(sp_go_on(rt, 0, attend_all, &crowd->listener, NULL) == 0,
		     "spawn");
	for (int i = 0; i < 60000 && atomic_load(&connected) < crowd->count;
	     i++)
		usleep(1000);
	fibers_check(atomic_load(&connected) == crowd->count,
		     "not all connected");
	usleep(100000); /* the last of them go to sleep */
	samples[0] = (resident_bytes() - before) / crowd->count;
	bench_report("connection_bytes", "spargio", "bytes", samples, 1,
		     bench_cpu_seconds() - cpu);
	close(crowd->quit[1]);
	waitpid(crowd->pid, NULL, 0);
	fibers_stop(rt);
	close(crowd->listener);
}

int main(int argc, char **argv)
{
	struct bench b =
		bench_begin(argc, argv,
			    "Measures CPU and memory of a runtime at rest.");
	struct crowd crowd;

	crowd_start(&crowd, b.quick ? CONNECTIONS / 10 : CONNECTIONS);
	connection_bytes(&crowd);
	idle_cpu(&b);
	fiber_bytes();
	return 0;
}
