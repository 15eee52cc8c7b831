/*
 * The boundary: requests and replies between fibers and threads that are none,
 * in both directions. The host program owns main() and a thread of its own;
 * the runtime is a guest.
 */
#include <spargio/fiber.h>
#include <spargio/rpc.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

/* A library that must be called from one thread, and blocks. */
static void *database_main(void *arg)
{
	struct sp_rpc *rpc = arg;
	struct sp_request request;

	while (sp_rpc_recv(rpc, &request) == 0) { /* blocks this thread */
		uintptr_t key = (uintptr_t)request.value;

		if (key == 0)
			(void)sp_rpc_refuse(&request, -ENOENT);
		else
			(void)sp_rpc_reply(&request, (void *)(key * 2));
	}
	return NULL; /* -EPIPE: the queue was closed */
}

/*
 * From a fiber: other fibers run until the answer comes. An RPC queue holds so many
 * calls and no more; -EAGAIN is for those who would rather not queue.
 */
static int ask_database(void *arg)
{
	struct sp_rpc *rpc = arg;
	void *reply = NULL;
	int err;

	err = sp_rpc_call_until(rpc, (void *)21, sp_in(SP_S), &reply);
	if (err < 0)
		return err;
	printf("the thread says %u\n", (unsigned)(uintptr_t)reply);
	err = sp_rpc_call(rpc, (void *)0, &reply); /* yields */
	printf("and refuses: %s\n", err == -ENOENT ? "yes" : "no");
	return 0;
}

/* The other way round: a fiber serves, any thread asks. */
static int serve(void *arg)
{
	struct sp_rpc *rpc = arg;
	struct sp_request request;
	int err;

	while ((err = sp_rpc_recv(rpc, &request)) == 0) { /* yields */
		uintptr_t n = (uintptr_t)request.value;

		(void)sp_rpc_reply(&request, (void *)(n + 1));
	}
	return err == -EPIPE ? 0 : err;
}

static int ask_fiber(struct sp_rt *rt, struct sp_rpc *rpc)
{
	struct sp_task server;
	void *reply = NULL;
	int err;

	err = sp_go_on(rt, 0, serve, rpc, &server);
	if (err < 0)
		return err;
	err = sp_rpc_call(rpc, (void *)42, &reply); /* blocks the thread */
	if (err == 0)
		printf("the fiber says %u\n", (unsigned)(uintptr_t)reply);
	sp_rpc_close(rpc);
	(void)sp_join_thread(rt, server, NULL);
	return err;
}

static int use(struct sp_rt *rt, struct sp_rpc *to_thread,
	       struct sp_rpc *to_fiber)
{
	pthread_t database;
	int err, ret = 0;

	if (pthread_create(&database, NULL, database_main, to_thread) != 0)
		return -EAGAIN;
	err = sp_call_on(rt, 0, ask_database, to_thread, &ret);
	if (err == 0)
		err = ret;
	sp_rpc_close(to_thread);
	pthread_join(database, NULL);
	return err < 0 ? err : ask_fiber(rt, to_fiber);
}

int main(void)
{
	struct sp_rpc *to_thread = NULL, *to_fiber = NULL;
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt;
	int err;

	opts.shards = 1;
	err = sp_start(&opts, &rt); /* on threads of its own */
	if (err < 0)
		return 1;
	err = sp_rpc_new(16, &to_thread);
	if (err == 0)
		err = sp_rpc_new(16, &to_fiber);
	if (err == 0)
		err = use(rt, to_thread, to_fiber);
	if (sp_stop(rt, sp_in(SP_S)) < 0)
		err = -EBUSY;
	sp_rpc_free(to_fiber);
	sp_rpc_free(to_thread);
	return err == 0 ? 0 : 1;
}
