#include "waiting.h"

#include <spargio/rpc.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

static void *value_of(intptr_t n)
{
	return (void *)n;
}

static struct sp_rpc *port_of(uint32_t capacity)
{
	struct sp_rpc *port = NULL;

	EXPECT_EQ(sp_rpc_new(capacity, &port), 0);
	return port;
}

/* The end of @port, on which each accepted call is counted once. */
static void free_port(struct sp_rpc *port)
{
	struct sp_rpc_stats s;

	sp_rpc_stats_get(port, &s);
	EXPECT_EQ(s.calls, s.queued + s.serving + s.replies + s.refusals +
				   s.cancels + s.aborts);
	sp_rpc_free(port);
}

/* A server that doubles, until the port is closed; as a fiber or a thread. */
static int serve(void *arg)
{
	struct sp_request request;
	int err;

	while ((err = sp_rpc_recv(arg, &request)) == 0)
		EXPECT_EQ(sp_rpc_reply(&request,
				       value_of(2 * (intptr_t)request.value)),
			  0);
	EXPECT_EQ(err, -EPIPE);
	return 0;
}

static void *serve_thread(void *arg)
{
	(void)serve(arg);
	return NULL;
}

/* A client; as a fiber or a thread. */
struct client {
	struct sp_rpc *port;
	int calls;
};

static int call_many(void *arg)
{
	struct client *c = arg;

	for (intptr_t i = 1; i <= c->calls; i++) {
		void *reply = NULL;

		EXPECT_EQ(sp_rpc_call(c->port, value_of(i), &reply), 0);
		EXPECT_EQ((intptr_t)reply, 2 * i);
	}
	return 0;
}

static void *call_many_thread(void *arg)
{
	(void)call_many(arg);
	return NULL;
}

static void expect_nothing_failed(void)
{
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

static struct sp_rt *start_runtime(uint32_t shards)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt = NULL;

	opts.shards = shards;
	assert_int_equal(sp_start(&opts, &rt), 0);
	return rt;
}

/* Every direction */

static void test_thread_calls_fiber(void **state)
{
	struct sp_rt *rt = start_runtime(2);
	struct client client = { port_of(4), 2000 };
	struct sp_task server;

	(void)state;
	assert_int_equal(sp_go_on(rt, 1, serve, client.port, &server), 0);
	(void)call_many(&client);
	sp_rpc_close(client.port);
	assert_int_equal(sp_join_thread(rt, server, NULL), 0);
	assert_int_equal(sp_stop(rt, sp_in(SP_S)), 0);
	free_port(client.port);
	expect_nothing_failed();
}

static void test_fiber_calls_thread(void **state)
{
	struct client client = { port_of(4), 2000 };
	pthread_t server;

	(void)state;
	pthread_create(&server, NULL, serve_thread, client.port);
	run_on(2, call_many, &client);
	sp_rpc_close(client.port);
	pthread_join(server, NULL);
	free_port(client.port);
	expect_nothing_failed();
}

static void test_fiber_calls_fiber_of_another_runtime(void **state)
{
	struct sp_rt *rt = start_runtime(1);
	struct client client = { port_of(2), 2000 };

	(void)state;
	assert_int_equal(sp_go_on(rt, 0, serve, client.port, NULL), 0);
	run_on(1, call_many, &client);
	sp_rpc_close(client.port);
	assert_int_equal(sp_stop(rt, sp_in(SP_S)), 0);
	free_port(client.port);
	expect_nothing_failed();
}

static void test_thread_calls_thread(void **state)
{
	struct client client = { port_of(1), 2000 };
	pthread_t server;

	(void)state;
	pthread_create(&server, NULL, serve_thread, client.port);
	(void)call_many(&client);
	free_port(client.port);
	pthread_join(server, NULL);
	expect_nothing_failed();
}

/* Four threads and two fibers call, two fibers and a thread serve. */

struct stress {
	uint32_t capacity;
	int calls; /* of each; of a fiber half as many */
};

static int stress_body(void *arg)
{
	const struct stress *stress = arg;
	struct sp_rpc *port = port_of(stress->capacity);
	struct client thread_client = { port, stress->calls };
	struct client fiber_client = { port, stress->calls / 2 };
	struct sp_task server[2], client[2];
	pthread_t thread[4], thread_server;

	for (uint32_t i = 0; i < 2; i++) {
		EXPECT_EQ(sp_go_on(NULL, i, serve, port, &server[i]), 0);
		EXPECT_EQ(sp_go_on(NULL, i, call_many, &fiber_client,
				   &client[i]),
			  0);
	}
	EXPECT_EQ(pthread_create(&thread_server, NULL, serve_thread, port), 0);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(pthread_create(&thread[i], NULL, call_many_thread,
					 &thread_client),
			  0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_join(client[i], NULL), 0);
	for (int i = 0; i < 4; i++)
		while (pthread_tryjoin_np(thread[i], NULL) != 0)
			EXPECT_EQ(sp_sleep(SP_MS), 0);
	sp_rpc_close(port);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_join(server[i], NULL), 0);
	EXPECT_EQ(pthread_join(thread_server, NULL), 0);
	free_port(port);
	return 0;
}

static void test_hundred_thousand_calls(void **state)
{
	(void)state;
	run_on(2, stress_body, &(struct stress){ 64, 20000 });
	/* With fewer calls than callers they also wait for a free one. */
	run_on(2, stress_body, &(struct stress){ 3, 2000 });
}

/* Overload */

static void test_full_port_refuses(void **state)
{
	struct sp_rpc *port = NULL;
	struct sp_call *call[2], *more = NULL;
	struct sp_rpc_stats stats;
	struct sp_request request;
	void *reply = NULL;

	(void)state;
	assert_int_equal(sp_rpc_new(0, &port), -EINVAL);
	port = port_of(2);
	for (intptr_t i = 0; i < 2; i++)
		assert_int_equal(sp_rpc_submit(port, value_of(i), NULL, NULL,
					       &call[i]),
				 0);
	assert_int_equal(sp_rpc_submit(port, NULL, NULL, NULL, &more), -EAGAIN);
	assert_null(more);
	assert_int_equal(sp_rpc_try_call(port, NULL, SP_NEVER, &reply),
			 -EAGAIN);
	assert_int_equal(sp_rpc_call_until(port, NULL, sp_in(SP_MS), &reply),
			 -ETIMEDOUT);

	/* In order; and a call counts until both sides have let go. */
	for (intptr_t i = 0; i < 2; i++) {
		assert_int_equal(sp_rpc_try_recv(port, &request), 0);
		assert_int_equal((intptr_t)request.value, i);
		assert_int_equal(sp_call_poll(call[i], &reply), -EAGAIN);
		assert_int_equal(sp_rpc_reply(&request, value_of(i + 10)), 0);
		assert_int_equal(sp_call_poll(call[i], &reply), 0);
		assert_int_equal((intptr_t)reply, i + 10);
	}
	assert_int_equal(sp_rpc_try_recv(port, &request), -EAGAIN);
	assert_int_equal(sp_rpc_submit(port, NULL, NULL, NULL, &more), -EAGAIN);
	for (int i = 0; i < 2; i++)
		sp_call_free(call[i]);
	sp_call_free(NULL);
	assert_int_equal(sp_rpc_submit(port, NULL, NULL, NULL, &more), 0);
	sp_rpc_stats_get(port, &stats);
	assert_int_equal(stats.refused_calls, 4);
	sp_call_free(more);
	free_port(port);
	sp_rpc_free(NULL);
}

/* Giving up */

static atomic_int dropped_requests, dropped_replies;

static void drop_request(void *value)
{
	(void)value;
	atomic_fetch_add(&dropped_requests, 1);
}

static void drop_reply(void *value)
{
	(void)value;
	atomic_fetch_add(&dropped_replies, 1);
}

static void count_drops(struct sp_rpc *port)
{
	atomic_store(&dropped_requests, 0);
	atomic_store(&dropped_replies, 0);
	sp_rpc_on_drop(port, drop_request, drop_reply);
}

static int give_up_body(void *arg)
{
	struct sp_rpc *port = port_of(1);
	struct sp_request request;
	struct sp_call *call;
	void *reply = NULL;

	(void)arg;
	count_drops(port);
	/* Before the server took it: the server never sees it. */
	EXPECT_EQ(sp_rpc_call_until(port, NULL, sp_in(SP_MS), &reply),
		  -ETIMEDOUT);
	EXPECT_EQ(atomic_load(&dropped_requests), 1);
	EXPECT_EQ(sp_rpc_try_recv(port, &request), -EAGAIN);

	/* After: the server can see it, and its reply is refused, once. */
	EXPECT_EQ(sp_rpc_submit(port, value_of(1), NULL, NULL, &call), 0);
	EXPECT_EQ(sp_rpc_recv(port, &request), 0);
	EXPECT(!sp_request_cancelled(&request));
	EXPECT_EQ(sp_call_cancel(call), 0);
	EXPECT_EQ(sp_call_cancel(call), -EALREADY);
	EXPECT(sp_request_cancelled(&request));
	EXPECT_EQ(sp_call_wait(call, &reply), -ECANCELED);
	sp_call_free(call);
	/* The server still holds it: nobody else gets that call. */
	EXPECT_EQ(sp_rpc_submit(port, NULL, NULL, NULL, &call), -EAGAIN);
	EXPECT_EQ(sp_rpc_reply(&request, value_of(2)), -ECANCELED);
	EXPECT_EQ(sp_rpc_reply(&request, value_of(2)), -EALREADY);
	EXPECT_EQ(atomic_load(&dropped_requests), 1);
	EXPECT_EQ(atomic_load(&dropped_replies), 0);

	/* A late reply does not reach the next user of the call. */
	EXPECT_EQ(sp_rpc_submit(port, value_of(3), NULL, NULL, &call), 0);
	EXPECT_EQ(sp_rpc_reply(&request, value_of(2)), -ESRCH);
	EXPECT(sp_request_cancelled(&request));
	EXPECT_EQ(sp_call_poll(call, &reply), -EAGAIN);

	/* A reply nobody takes is dropped. */
	EXPECT_EQ(sp_rpc_recv(port, &request), 0);
	EXPECT_EQ(sp_rpc_reply(&request, value_of(4)), 0);
	EXPECT_EQ(sp_rpc_reply(&request, value_of(4)), -EALREADY);
	EXPECT_EQ(sp_call_cancel(call), -EALREADY);
	sp_call_free(call);
	EXPECT_EQ(atomic_load(&dropped_replies), 1);

	/* An error instead of a reply. */
	EXPECT_EQ(sp_rpc_submit(port, value_of(5), NULL, NULL, &call), 0);
	EXPECT_EQ(sp_rpc_recv(port, &request), 0);
	EXPECT_EQ(sp_rpc_refuse(&request, 1), -EINVAL);
	EXPECT_EQ(sp_rpc_refuse(&request, -EACCES), 0);
	EXPECT_EQ(sp_call_wait(call, &reply), -EACCES);
	sp_call_free(call);
	EXPECT_EQ(atomic_load(&dropped_replies), 1);
	EXPECT_EQ(sp_rpc_recv_until(port, sp_in(SP_MS), &request), -ETIMEDOUT);
	free_port(port);
	return 0;
}

static void test_who_gives_up_leaves_nothing(void **state)
{
	(void)state;
	run_on(1, give_up_body, NULL);
	/* The same in a plain thread. */
	(void)give_up_body(NULL);
	expect_nothing_failed();
}

static int call_it(void *arg)
{
	void *reply;

	return sp_rpc_call(arg, NULL, &reply);
}

static int recv_it(void *arg)
{
	struct sp_request request;

	return sp_rpc_recv(arg, &request);
}

static int cancel_body(void *arg)
{
	struct sp_rpc *port = port_of(1);
	uint32_t shard = sp_shard_count(sp_runtime()) - 1;
	struct sp_task in_call, in_queue, in_recv;
	struct sp_request request;
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_go_on(NULL, shard, recv_it, port, &in_recv), 0);
	until_waiting(sp_runtime(), "rpc receive", 1);
	EXPECT_EQ(sp_cancel(in_recv), 0);
	EXPECT_EQ(sp_join(in_recv, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);

	/* One waits for the reply, one for a free call. */
	EXPECT_EQ(sp_go_on(NULL, shard, call_it, port, &in_call), 0);
	EXPECT_EQ(sp_rpc_recv(port, &request), 0);
	EXPECT_EQ(sp_go_on(NULL, shard, call_it, port, &in_queue), 0);
	until_waiting(sp_runtime(), "rpc call", 1);
	until_waiting(sp_runtime(), "rpc reply", 1);
	EXPECT_EQ(sp_cancel(in_queue), 0);
	EXPECT_EQ(sp_join(in_queue, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(sp_cancel(in_call), 0);
	EXPECT_EQ(sp_join(in_call, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT(sp_request_cancelled(&request));
	EXPECT_EQ(sp_rpc_reply(&request, NULL), -ECANCELED);
	free_port(port);
	return 0;
}

static void test_fibers_can_be_cancelled_anywhere(void **state)
{
	(void)state;
	run_on(1, cancel_body, NULL);
	run_on(2, cancel_body, NULL);
}

/* Clients that give up all the time, a server that is late. */

struct hasty {
	struct sp_rpc *port;
	atomic_int calls, replies, accepted, refused;
};

static int call_hastily(void *arg)
{
	struct hasty *h = arg;

	for (int i = 0; i < 3000; i++) {
		void *reply = NULL;
		int err = sp_rpc_call_until(h->port, value_of(i + 1),
					    sp_in(i % 5 * 10 * SP_US), &reply);

		EXPECT(err == 0 || err == -ETIMEDOUT);
		if (err == 0)
			EXPECT_EQ((intptr_t)reply, i + 1);
		atomic_fetch_add(&h->calls, 1);
		atomic_fetch_add(&h->replies, err == 0);
	}
	return 0;
}

static void *call_hastily_thread(void *arg)
{
	(void)call_hastily(arg);
	return NULL;
}

static int serve_late(void *arg)
{
	struct hasty *h = arg;
	struct sp_request request;

	while (sp_rpc_recv(h->port, &request) == 0) {
		int err;

		sp_yield();
		err = sp_rpc_reply(&request, request.value);
		EXPECT(err == 0 || err == -ECANCELED);
		atomic_fetch_add(err == 0 ? &h->accepted : &h->refused, 1);
	}
	return 0;
}

static int hasty_body(void *arg)
{
	struct hasty *h = arg;
	struct sp_task client[2], server[2];
	pthread_t thread;

	for (uint32_t i = 0; i < 2; i++) {
		EXPECT_EQ(sp_go_on(NULL, i, serve_late, h, &server[i]), 0);
		EXPECT_EQ(sp_go_on(NULL, i, call_hastily, h, &client[i]), 0);
	}
	EXPECT_EQ(pthread_create(&thread, NULL, call_hastily_thread, h), 0);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_join(client[i], NULL), 0);
	while (pthread_tryjoin_np(thread, NULL) != 0)
		EXPECT_EQ(sp_sleep(SP_MS), 0);
	sp_rpc_close(h->port);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(sp_join(server[i], NULL), 0);
	return 0;
}

static void test_deadlines_lose_and_double_nothing(void **state)
{
	struct hasty h = { .port = port_of(2) };

	(void)state;
	count_drops(h.port);
	run_on(2, hasty_body, &h);
	free_port(h.port);
	assert_int_equal(atomic_load(&h.calls), 9000);
	assert_int_equal(atomic_load(&h.accepted), atomic_load(&h.replies));
	/* Every request was served or dropped, every reply accepted taken. */
	assert_int_equal(atomic_load(&h.accepted) + atomic_load(&h.refused) +
				 atomic_load(&dropped_requests),
			 9000);
	assert_int_equal(atomic_load(&dropped_replies), 0);
}

/* Closing */

static void *call_thread(void *arg)
{
	void *reply;

	return value_of(sp_rpc_call(arg, NULL, &reply));
}

static void told(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

static void test_close_ends_every_call(void **state)
{
	struct sp_rpc *port = port_of(2);
	struct sp_call *queued, *taken;
	struct sp_request request;
	atomic_int tellings = 0;
	pthread_t thread;
	void *ret;

	(void)state;
	count_drops(port);
	assert_int_equal(sp_rpc_submit(port, NULL, told, &tellings, &taken), 0);
	assert_int_equal(sp_rpc_recv(port, &request), 0);
	assert_int_equal(sp_rpc_submit(port, NULL, told, &tellings, &queued),
			 0);
	pthread_create(&thread, NULL, call_thread, port);
	usleep(2000); /* most likely it waits by now; if not, all the same */
	sp_rpc_close(port);
	sp_rpc_close(port);
	pthread_join(thread, &ret);
	assert_int_equal((intptr_t)ret, -EPIPE);
	assert_int_equal(sp_call_wait(taken, &ret), -EPIPE);
	assert_int_equal(sp_call_wait(queued, &ret), -EPIPE);
	assert_int_equal(atomic_load(&tellings), 2);
	assert_int_equal(atomic_load(&dropped_requests), 2);
	assert_int_equal(sp_rpc_recv(port, &request), -EPIPE);
	assert_int_equal(sp_rpc_submit(port, NULL, NULL, NULL, &queued),
			 -EPIPE);

	/* The port goes when the last of the three lets go. */
	free_port(port);
	sp_call_free(queued);
	sp_call_free(taken);
	assert_true(sp_request_cancelled(&request));
	assert_int_equal(sp_rpc_reply(&request, NULL), -EPIPE);
}

static void test_free_wakes_those_who_sleep_in_it(void **state)
{
	struct sp_rt *rt = start_runtime(1);
	struct sp_rpc *port = port_of(1);
	struct sp_task task;
	int ret = 0;

	(void)state;
	assert_int_equal(sp_go_on(rt, 0, recv_it, port, &task), 0);
	until_waiting(rt, "rpc receive", 1);
	free_port(port);
	assert_int_equal(sp_join_thread(rt, task, &ret), 0);
	assert_int_equal(ret, -EPIPE);
	assert_int_equal(sp_stop(rt, sp_in(SP_S)), 0);
}

/* An event loop on either side */

static void ring(void *arg)
{
	uint64_t one = 1;

	EXPECT_EQ(write(*(int *)arg, &one, sizeof(one)), sizeof(one));
}

static void test_event_loop_as_client(void **state)
{
	enum {
		CALLS = 8
	};
	struct sp_rt *rt = start_runtime(1);
	struct sp_rpc *port = port_of(CALLS);
	int fd = eventfd(0, EFD_NONBLOCK);
	struct sp_call *call[CALLS];
	uint64_t ended = 0, n;

	(void)state;
	assert_int_equal(sp_go_on(rt, 0, serve, port, NULL), 0);
	for (intptr_t i = 0; i < CALLS; i++)
		assert_int_equal(sp_rpc_submit(port, value_of(i), ring, &fd,
					       &call[i]),
				 0);
	while (ended < CALLS) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		assert_int_equal(poll(&p, 1, 5000), 1);
		assert_int_equal(read(fd, &n, sizeof(n)), sizeof(n));
		ended += n;
	}
	for (intptr_t i = 0; i < CALLS; i++) {
		void *reply;

		assert_int_equal(sp_call_poll(call[i], &reply), 0);
		assert_int_equal((intptr_t)reply, 2 * i);
		sp_call_free(call[i]);
	}
	sp_rpc_close(port);
	assert_int_equal(sp_stop(rt, sp_in(SP_S)), 0);
	free_port(port);
	close(fd);
	expect_nothing_failed();
}

static void test_event_loop_as_server(void **state)
{
	struct sp_rt *rt = start_runtime(1);
	struct client client = { port_of(4), 100 };
	int fd = eventfd(0, EFD_NONBLOCK);
	struct sp_task task;
	int served = 0;

	(void)state;
	sp_rpc_on_request(client.port, ring, &fd);
	assert_int_equal(sp_go_on(rt, 0, call_many, &client, &task), 0);
	while (served < client.calls) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		struct sp_request request;
		uint64_t n;

		assert_int_equal(poll(&p, 1, 5000), 1);
		assert_int_equal(read(fd, &n, sizeof(n)), sizeof(n));
		while (sp_rpc_try_recv(client.port, &request) == 0) {
			sp_rpc_reply(&request,
				     value_of(2 * (intptr_t)request.value));
			served++;
		}
	}
	assert_int_equal(sp_join_thread(rt, task, NULL), 0);
	assert_int_equal(sp_stop(rt, sp_in(SP_S)), 0);
	free_port(client.port);
	close(fd);
	expect_nothing_failed();
}

/* One waiter to a call */

static int wait_it(void *arg)
{
	void *reply = NULL;
	int err = sp_call_wait(arg, &reply);

	EXPECT_EQ((intptr_t)reply, 9);
	return err;
}

static int one_waiter_body(void *arg)
{
	struct sp_rpc *port = port_of(1);
	struct sp_request request;
	struct sp_call *call;
	struct sp_task task;
	int ret = -1;

	(void)arg;
	EXPECT_EQ(sp_rpc_submit(port, NULL, NULL, NULL, &call), 0);
	EXPECT_EQ(sp_call_wait_until(call, sp_in(SP_MS), NULL), -ETIMEDOUT);
	EXPECT_EQ(sp_go_on(NULL, 0, wait_it, call, &task), 0);
	until_waiting(sp_runtime(), "rpc reply", 1);
	EXPECT_EQ(sp_call_wait(call, NULL), -EBUSY);
	EXPECT_EQ(sp_rpc_recv(port, &request), 0);
	EXPECT_EQ(sp_rpc_reply(&request, value_of(9)), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 0);
	sp_call_free(call);
	free_port(port);
	return 0;
}

static void test_call_has_one_waiter(void **state)
{
	(void)state;
	run_on(1, one_waiter_body, NULL);
}

/* What the counters say after one of each end. */

static void test_each_end_is_counted(void **state)
{
	struct sp_rpc *port = port_of(8);
	struct sp_call *call[6];
	struct sp_request request[4];
	struct sp_rpc_stats s;

	(void)state;
	for (int i = 0; i < 6; i++)
		assert_int_equal(sp_rpc_submit(port, NULL, NULL, NULL,
					       &call[i]),
				 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(sp_rpc_try_recv(port, &request[i]), 0);
	sp_rpc_stats_get(port, &s);
	assert_int_equal(s.capacity, 8);
	assert_int_equal(s.calls, 6);
	assert_int_equal(s.queued, 2);
	assert_int_equal(s.serving, 4);

	assert_int_equal(sp_rpc_reply(&request[0], NULL), 0);
	assert_int_equal(sp_rpc_refuse(&request[1], -ENOENT), 0);
	assert_int_equal(sp_call_cancel(call[2]), 0); /* served */
	assert_int_equal(sp_call_cancel(call[4]), 0); /* queued */
	assert_int_equal(sp_rpc_reply(&request[2], NULL), -ECANCELED);
	sp_rpc_stats_get(port, &s);
	assert_int_equal(s.queued, 1);
	assert_int_equal(s.serving, 1);

	sp_rpc_close(port); /* one served, one queued */
	assert_int_equal(sp_rpc_reply(&request[3], NULL), -EPIPE);
	sp_rpc_stats_get(port, &s);
	assert_int_equal(s.queued + s.serving, 0);
	assert_int_equal(s.replies, 1);
	assert_int_equal(s.refusals, 1);
	assert_int_equal(s.cancels, 2);
	assert_int_equal(s.aborts, 2);
	assert_int_equal(s.late_replies, 2);
	for (int i = 0; i < 6; i++)
		sp_call_free(call[i]);
	free_port(port);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

/* A server sees when its client gives up. */

struct urgent {
	struct sp_rpc *port;
	int64_t deadline;
};

static int call_until(void *arg)
{
	struct urgent *u = arg;

	return sp_rpc_call_until(u->port, NULL, u->deadline, NULL);
}

static int call_within(void *arg)
{
	struct urgent *u = arg;

	/* The nearer one of the two. */
	return sp_rpc_try_call(u->port, NULL, u->deadline + SP_S, NULL);
}

static int scope_main(void *arg)
{
	struct urgent *u = arg;

	return sp_timeout_at(u->deadline, call_within, arg);
}

static int no_deadline(void *arg)
{
	struct urgent *u = arg;

	return sp_rpc_call(u->port, NULL, NULL);
}

static int deadline_body(void *arg)
{
	struct urgent u = { port_of(4), sp_in(60 * SP_S) };
	static int (*const clients[])(void *) = { call_until, scope_main,
						  no_deadline };
	struct sp_request request;
	struct sp_call *call;
	struct sp_task task;

	(void)arg;
	for (size_t i = 0; i < COUNT(clients); i++) {
		int ret = -1;

		EXPECT_EQ(sp_go_on(NULL, 0, clients[i], &u, &task), 0);
		EXPECT_EQ(sp_rpc_recv(u.port, &request), 0);
		EXPECT_EQ(request.deadline,
			  clients[i] == no_deadline ? SP_NEVER : u.deadline);
		EXPECT_EQ(sp_rpc_reply(&request, NULL), 0);
		EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(ret, 0);
	}
	EXPECT_EQ(sp_rpc_submit_until(u.port, NULL, 77, NULL, NULL, &call), 0);
	EXPECT_EQ(sp_rpc_try_recv(u.port, &request), 0);
	EXPECT_EQ(request.deadline, 77);
	/* It is told to the server, it does not end the call. */
	EXPECT_EQ(sp_rpc_reply(&request, NULL), 0);
	EXPECT_EQ(sp_call_poll(call, NULL), 0);
	sp_call_free(call);
	free_port(u.port);
	return 0;
}

static void test_a_server_sees_the_deadline(void **state)
{
	(void)state;
	run_on(1, deadline_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_calls_fiber),
		cmocka_unit_test(test_fiber_calls_thread),
		cmocka_unit_test(test_fiber_calls_fiber_of_another_runtime),
		cmocka_unit_test(test_thread_calls_thread),
		cmocka_unit_test(test_hundred_thousand_calls),
		cmocka_unit_test(test_full_port_refuses),
		cmocka_unit_test(test_who_gives_up_leaves_nothing),
		cmocka_unit_test(test_fibers_can_be_cancelled_anywhere),
		cmocka_unit_test(test_deadlines_lose_and_double_nothing),
		cmocka_unit_test(test_close_ends_every_call),
		cmocka_unit_test(test_free_wakes_those_who_sleep_in_it),
		cmocka_unit_test(test_event_loop_as_client),
		cmocka_unit_test(test_event_loop_as_server),
		cmocka_unit_test(test_call_has_one_waiter),
		cmocka_unit_test(test_each_end_is_counted),
		cmocka_unit_test(test_a_server_sees_the_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
