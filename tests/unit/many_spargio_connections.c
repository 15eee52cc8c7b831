/*
 * Ten thousand connections at a time, in two processes because of the limit on
 * descriptors: one serves, each connection with a fiber and a receive stream,
 * the other connects. All speak, all are silent for a second, all speak again.
 * While they are silent the server must use no CPU; what a connection costs is
 * printed.
 *
 *	many_spargio_connections [CONNECTIONS]		default 10000
 */
#include <spargio/rstream.h>
#include <spargio/runtime.h>
#include <spargio/accept_loop.h>
#include <spargio/socket.h>
#include <spargio/stats.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SHARDS = 2,
	IDLE_CPU_MS = 100, /* in the second of silence, at most */
};

struct many {
	size_t count;
	struct sp_addr at;
	int listener;
	int go[2];   /* the server says: speak */
	int done[2]; /* the client says: all have */
};

static atomic_uint echoed, live;

static int fail(const char *what, int err)
{
	fprintf(stderr, "many: %s: %s\n", what, strerror(-err));
	return err < 0 ? err : -EPROTO;
}

/* The client */

static int speak(const struct sp_conn *conns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t word = i;
		int err = sp_send_all(conns[i].fd, &word, sizeof(word));

		if (err < 0)
			return fail("send", err);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t word = 0;
		int err = sp_recv_exact(conns[i].fd, &word, sizeof(word));

		if (err != 1 || word != i)
			return fail("receive", err);
	}
	return 0;
}

static int client_rounds(struct many *many, struct sp_conn *conns)
{
	char c;
	int err = 0;

	/* Twice, then the end; each begins when the server says so. */
	for (int round = 0; round < 3 && err == 0; round++) {
		if (read(many->go[0], &c, 1) != 1)
			return -EPIPE;
		if (round < 2)
			err = speak(conns, many->count);
		if (err == 0 && write(many->done[1], "d", 1) != 1)
			err = -EPIPE;
	}
	return err;
}

static int client(void *arg)
{
	struct many *many = arg;
	struct sp_addr *to = calloc(many->count, sizeof(*to));
	struct sp_conn *conns = calloc(many->count, sizeof(*conns));
	int err = to == NULL || conns == NULL ? -ENOMEM : 0;
	int n = 0;

	for (size_t i = 0; i < many->count && err == 0; i++)
		to[i] = many->at;
	if (err == 0)
		n = sp_connect_many(to, many->count, SP_HOME_HERE,
				    sp_in(60 * SP_S), conns);
	if (err == 0 && n != (int)many->count)
		err = fail("connect", n < 0 ? n : -ENOTCONN);
	if (err == 0)
		err = client_rounds(many, conns);
	for (int i = 0; i < n; i++)
		if (conns[i].fd >= 0)
			close(conns[i].fd);
	free(to);
	free(conns);
	return err;
}

/* The server */

static int echo(struct sp_conn *conn, void *arg)
{
	struct sp_rstream *rs;
	struct sp_segment segment;
	int err = sp_rstream_open(conn->fd, 0, &rs);

	(void)arg;
	if (err < 0)
		return err;
	atomic_fetch_add(&live, 1);
	while (sp_rstream_peek(rs, 8, &segment) >= 8) {
		if (sp_send_all(conn->fd, segment.data, 8) < 0)
			break;
		sp_rstream_consume(rs, 8);
		atomic_fetch_add(&echoed, 1);
	}
	sp_rstream_close(rs);
	atomic_fetch_sub(&live, 1);
	return 0;
}

static int serve(void *arg)
{
	struct sp_attr attr = { .place = SP_PINNED, .name = "echo" };

	return sp_accept_loop(*(int *)arg, SP_HOME_NEXT, &attr, echo, NULL);
}

static int wait_for(const atomic_uint *value, unsigned int want)
{
	int64_t late = sp_in(90 * SP_S);

	while (atomic_load(value) != want) {
		if (sp_now() > late) {
			fprintf(stderr, "many: %u, not %u\n",
				atomic_load(value), want);
			return -ETIMEDOUT;
		}
		sp_sleep(SP_MS);
	}
	return 0;
}

static int64_t cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * SP_S +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * SP_US;
}

static long resident_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "VmRSS:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f != NULL)
		fclose(f);
	return kb;
}

static int round_of(struct many *many, unsigned int want)
{
	char c;
	int err;

	if (write(many->go[1], "g", 1) != 1)
		return -EPIPE;
	err = wait_for(&echoed, want);
	/* The client has all of it: this does not take long. */
	return err == 0 && read(many->done[0], &c, 1) != 1 ? -EPIPE : err;
}

static int silence(const struct many *many, long before_kb)
{
	int64_t began, used;

	sp_sleep(200 * SP_MS); /* let the shards fall asleep */
	began = cpu_ns();
	sp_sleep(SP_S);
	used = cpu_ns() - began;
	printf("many: %zu connections, %ld bytes each, %ld us of CPU in a "
	       "second of silence\n",
	       many->count,
	       (resident_kb() - before_kb) * 1024 / (long)many->count,
	       (long)(used / SP_US));
	return used > IDLE_CPU_MS * SP_MS ? fail("not idle", 0) : 0;
}

static int left_over(void)
{
	struct sp_shard_stats s;
	uint32_t left = 0;

	for (uint32_t i = 0; i < SHARDS; i++) {
		(void)sp_stats_shard(sp_runtime(), i, &s);
		left += s.recv_out + s.pending_ops;
	}
	return left == 0 ? 0 : fail("buffers or operations are left", 0);
}

static int server(void *arg)
{
	struct many *many = arg;
	unsigned int n = (unsigned int)many->count;
	long before = resident_kb();
	struct sp_task task;
	int err = sp_go(serve, &many->listener, &task);

	if (err == 0)
		err = wait_for(&live, n);
	if (err == 0)
		err = round_of(many, n);
	if (err == 0)
		err = silence(many, before);
	if (err == 0)
		err = round_of(many, 2 * n);
	if (err == 0 && write(many->go[1], "g", 1) != 1)
		err = -EPIPE;
	if (err == 0)
		err = wait_for(&live, 0);
	if (err < 0)
		return err;
	(void)sp_cancel(task);
	(void)sp_join(task, NULL);
	return left_over();
}

/* As many as this process may have, less what the runtime needs. */
static size_t affordable(size_t want)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur < want + 100 ? limit.rlim_cur - 100 : want;
}

int main(int argc, char **argv)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct many many = { 0 };
	int err, status = 0;
	pid_t pid;

	many.count = affordable(argc > 1 ? strtoul(argv[1], NULL, 10) : 10000);
	opts.shards = SHARDS;
	if (pipe(many.go) < 0 || pipe(many.done) < 0)
		return 1;
	err = sp_addr_parse("127.0.0.1:0", 0, &many.at);
	if (err == 0)
		err = sp_listen(&many.at, NULL, &many.listener);
	if (err == 0)
		err = sp_addr_local(many.listener, &many.at);
	if (err < 0)
		return 1;
	alarm(110);
	pid = fork();
	if (pid == 0) {
		/* Nobody but the other process may keep the pipes open. */
		close(many.go[1]);
		close(many.done[0]);
		close(many.listener);
		alarm(110);
		_exit(sp_run(&opts, client, &many) < 0);
	}
	close(many.go[0]);
	close(many.done[1]);
	err = sp_run(&opts, server, &many);
	close(many.go[1]);
	waitpid(pid, &status, 0);
	if (err < 0)
		fail("server", err);
	return err < 0 || status != 0;
}
