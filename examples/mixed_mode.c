/*
 * A service of two kinds: a program with threads of its own, as it always was,
 * whose log is kept by fibers. Its threads call across the boundary and block
 * as for any library; the fiber behind it gathers what has come and syncs once
 * for all of it.
 */
#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/rpc.h>
#include <spargio/runtime.h>
#include <spargio/placement.h>
#include <spargio/time.h>

#include <errno.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	THREADS = 4,
	RECORDS = 25, /* of each */
	TOGETHER = 16,
};

/* What a thread hands over: its own until the reply, and it waits for that. */
struct record {
	char text[32];
};

struct log {
	struct sp_rpc *rpc;
	int fd;
	off_t end;
	int syncs;
};

/* Write all of them, sync once, and only then say so. */
static int write_together(struct log *log, struct sp_request *requests, int n)
{
	int err = 0;

	for (int i = 0; i < n && err == 0; i++) {
		const struct record *r = requests[i].value;

		err = sp_pwrite_all(log->fd, r, sizeof(*r), log->end);
		log->end += err == 0 ? (off_t)sizeof(*r) : 0;
	}
	if (err == 0)
		err = sp_fdatasync(log->fd); /* yields */
	log->syncs++;
	for (int i = 0; i < n; i++) {
		if (err == 0)
			(void)sp_rpc_reply(&requests[i], NULL);
		else
			(void)sp_rpc_refuse(&requests[i], err);
	}
	return err;
}

static int log_main(void *arg)
{
	struct log *log = arg;
	struct sp_request requests[TOGETHER];
	int err;

	while ((err = sp_rpc_recv(log->rpc, &requests[0])) == 0) {
		int n = 1;

		while (n < TOGETHER &&
		       sp_rpc_try_recv(log->rpc, &requests[n]) == 0)
			n++;
		(void)write_together(log, requests, n);
	}
	return err == -EPIPE ? 0 : err;
}

/* A thread that knows nothing of fibers. */
static void *thread_main(void *arg)
{
	struct log *log = arg;
	int kept = 0;

	for (int i = 0; i < RECORDS; i++) {
		struct record r = { "something worth keeping\n" };

		/* Waits for room in the queue, then for the disk. */
		if (sp_rpc_call(log->rpc, &r, NULL) == 0)
			kept++;
	}
	return (void *)(intptr_t)kept;
}

static int run_threads(struct log *log)
{
	pthread_t threads[THREADS];
	int kept = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, log) != 0)
			return -EAGAIN;
	for (int i = 0; i < THREADS; i++) {
		void *ret;

		pthread_join(threads[i], &ret);
		kept += (int)(intptr_t)ret;
	}
	return kept;
}

/*
 * A single operation needs no fiber of ours behind it: the runtime finds the
 * shard with the least to do.
 */
static void fill_sync(struct io_uring_sqe *sqe, void *arg)
{
	io_uring_prep_fsync(sqe, *(int *)arg, 0);
}

static int sync_from_here(struct sp_rt *rt, int fd)
{
	struct sp_placement file = { fd, SP_LEASE_WEAK, SP_NO_SHARD };

	return sp_place_op(rt, &file, fill_sync, &fd, SP_NEVER, NULL);
}

static int use(struct sp_rt *rt, struct log *log)
{
	struct sp_task task;
	int kept, err = sp_go_on(rt, 0, log_main, log, &task);

	if (err < 0)
		return err;
	kept = run_threads(log);
	sp_rpc_close(log->rpc);
	(void)sp_join_thread(rt, task, NULL);
	err = sync_from_here(rt, log->fd);
	printf("%d records kept\nin %d syncs\n", kept, log->syncs);
	return err < 0 ? err : kept == THREADS * RECORDS ? 0 : -EIO;
}

int main(void)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct log log = { .fd = memfd_create("log", MFD_CLOEXEC) };
	struct sp_rt *rt;
	int err;

	opts.shards = 2;
	err = sp_start(&opts, &rt); /* on threads of its own */
	if (err < 0)
		return 1;
	err = sp_rpc_new(64, &log.rpc);
	if (err == 0)
		err = use(rt, &log);
	if (sp_stop(rt, sp_in(SP_S)) < 0)
		err = -EBUSY;
	sp_rpc_free(log.rpc);
	close(log.fd);
	return err == 0 ? 0 : 1;
}
