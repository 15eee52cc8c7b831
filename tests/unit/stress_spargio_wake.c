/*
 * No wake-up is lost: for a given time, fibers on all shards and threads
 * outside pass a word around in ways that let shards fall asleep, and a single
 * lost wake-up would leave somebody asleep for ever. A watcher outside the
 * runtime ends the program with a dump if the count stands still.
 *
 *	stress_spargio_wake [SECONDS]		default 2
 */
#include <spargio/fiber.h>
#include <spargio/message.h>
#include <spargio/op.h>
#include <spargio/pool.h>
#include <spargio/runtime.h>
#include <spargio/stats.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	SHARDS = 3,
	KINDS = 6,
	STALL_SECONDS = 20
};

static atomic_bool over;
static _Atomic uint64_t rounds[KINDS];

static void tick(int kind)
{
	atomic_fetch_add_explicit(&rounds[kind], 1, memory_order_relaxed);
}

/* 0: messages between shards, with pauses that let the other side sleep */

static int echo(void *arg)
{
	struct sp_msg m;

	(void)arg;
	while (sp_msg_recv(&m) == 0) {
		if (m.from == SP_MSG_OUTSIDE)
			tick(4);
		else
			while (sp_msg_send(m.from, 1, m.value) == -EAGAIN)
				sp_yield();
	}
	return 0;
}

static int ping(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg | 1;

	while (!atomic_load(&over)) {
		struct sp_msg m;

		if (sp_msg_send(1, 1, seed) < 0 || sp_msg_recv(&m) < 0)
			return 0;
		tick(0);
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 == 0)
			sp_sleep((int64_t)(seed >> 40 & 0xffff));
	}
	return 0;
}

/* 1: spawn on another shard and join */

static int nothing(void *arg)
{
	return (int)(intptr_t)arg;
}

static int spawner(void *arg)
{
	uint32_t next = 0;

	(void)arg;
	while (!atomic_load(&over)) {
		struct sp_task task;

		if (sp_go_on(NULL, next++ % SHARDS, nothing, NULL, &task) < 0)
			return 0;
		if (sp_join(task, NULL) < 0)
			return 0;
		tick(1);
		if (next % 64 == 0)
			sp_sleep(70 * SP_US);
	}
	return 0;
}

/* 2: the blocking pool */

static int blocker(void *arg)
{
	(void)arg;
	while (!atomic_load(&over)) {
		if (sp_block(nothing, NULL, NULL) < 0)
			return 0;
		tick(2);
	}
	return 0;
}

/* 3: readiness of a descriptor another shard writes to */

static int sockets[2];

static int reader(void *arg)
{
	char c;

	(void)arg;
	while (!atomic_load(&over)) {
		if (sp_wait_fd(sockets[0], POLLIN) < 0)
			return 0;
		(void)!read(sockets[0], &c, 1);
		tick(3);
		(void)!write(sockets[0], "x", 1);
	}
	return 0;
}

static int writer(void *arg)
{
	char c;

	(void)arg;
	(void)!write(sockets[1], "x", 1);
	while (!atomic_load(&over)) {
		if (sp_wait_fd(sockets[1], POLLIN) < 0)
			return 0;
		(void)!read(sockets[1], &c, 1);
		(void)!write(sockets[1], "x", 1);
	}
	return 0;
}

/* 4 and 5: threads outside post messages and call in */

static void *outsider(void *arg)
{
	struct sp_rt *rt = arg;
	uint64_t seed = (uint64_t)(uintptr_t)&seed;

	while (!atomic_load(&over)) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		(void)sp_msg_post(rt, 1, 2, seed);
		if (seed >> 63) {
			if (sp_call_on(rt, 2, nothing, NULL, NULL) < 0)
				break;
			tick(5);
		}
		usleep((useconds_t)(seed >> 56));
	}
	return NULL;
}

static int root(void *arg)
{
	struct sp_task tasks[6];

	(void)arg;
	sp_go_on(NULL, 1, echo, NULL, NULL);
	sp_go_on(NULL, 0, ping, (void *)3, &tasks[0]);
	sp_go_on(NULL, 0, spawner, NULL, &tasks[1]);
	sp_go_on(NULL, 2, spawner, NULL, &tasks[2]);
	sp_go(blocker, NULL, &tasks[3]);
	sp_go_on(NULL, 1, reader, NULL, &tasks[4]);
	sp_go_on(NULL, 2, writer, NULL, &tasks[5]);
	for (int i = 0; i < 4; i++)
		sp_join(tasks[i], NULL);
	return 0;
}

static void check_progress(struct sp_rt *rt, uint64_t *before, int *stalled)
{
	for (int i = 0; i < KINDS; i++) {
		uint64_t now = atomic_load(&rounds[i]);

		stalled[i] = now == before[i] ? stalled[i] + 1 : 0;
		before[i] = now;
		if (stalled[i] < STALL_SECONDS)
			continue;
		fprintf(stderr, "kind %d stands still at %llu\n", i,
			(unsigned long long)now);
		sp_dump(rt, STDERR_FILENO);
		abort();
	}
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 2;
	uint64_t before[KINDS] = { 0 };
	int stalled[KINDS] = { 0 };
	struct sp_opts opts = SP_OPTS_INIT;
	pthread_t threads[2];
	struct sp_task task;
	struct sp_rt *rt;

	opts.shards = SHARDS;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0 ||
	    sp_start(&opts, &rt) < 0 || sp_go_on(rt, 0, root, NULL, &task) < 0)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, outsider, rt);
	for (int i = 0; i < seconds; i++) {
		sleep(1);
		check_progress(rt, before, stalled);
	}
	atomic_store(&over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (sp_join_thread(rt, task, NULL) < 0 ||
	    sp_stop(rt, sp_in(20 * SP_S)) != 0)
		return 1;
	for (int i = 0; i < KINDS; i++)
		printf("kind %d: %llu rounds\n", i,
		       (unsigned long long)atomic_load(&rounds[i]));
	return 0;
}
