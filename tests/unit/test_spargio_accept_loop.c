#include "sockets.h"
#include "waiting.h"

#include <spargio/group.h>
#include <spargio/accept_loop.h>

#include <fcntl.h>
#include <sys/resource.h>

enum {
	CLIENTS = 200
};

static atomic_uint served[4]; /* by shard */

static int echo(struct sp_conn *conn, void *arg)
{
	char data[64];
	int n;

	(void)arg;
	EXPECT_EQ(conn->home, sp_shard());
	atomic_fetch_add(&served[sp_shard()], 1);
	while ((n = sp_recv(conn->fd, data, sizeof(data))) > 0)
		if (sp_send_all(conn->fd, data, (size_t)n) < 0)
			break;
	return 0;
}

/* Connect @count times, say something, hear it again. */
static void talk(const struct sp_addr *at, int count)
{
	for (int i = 0; i < count; i++) {
		struct sp_conn conn = { -1, 0 };
		char word[4] = { 'w', 'o', (char)i, 0 }, back[4] = "";

		EXPECT_EQ(sp_connect(at, SP_HOME_HERE, &conn), 0);
		EXPECT_EQ(sp_send_all(conn.fd, word, 4), 0);
		EXPECT_EQ(sp_recv_exact(conn.fd, back, 4), 1);
		EXPECT_EQ(memcmp(word, back, 4), 0);
		close(conn.fd);
	}
}

struct server {
	int listener;
	uint32_t home;
	struct sp_group *group;
	const int *listeners;
	int ret;
};

static int serve_one(void *arg)
{
	struct server *s = arg;
	struct sp_attr attr = { .place = SP_PINNED, .group = s->group };

	s->ret = sp_accept_loop(s->listener, s->home, &attr, echo, NULL);
	return 0;
}

static int serve_shards(void *arg)
{
	struct server *s = arg;
	struct sp_attr attr = { .place = SP_PINNED, .group = s->group };

	s->ret = sp_accept_loop_shards(s->listeners, &attr, echo, NULL);
	return 0;
}

static void forget_served(void)
{
	for (size_t i = 0; i < COUNT(served); i++)
		atomic_store(&served[i], 0);
}

static int spread_body(void *arg)
{
	struct server server = { .home = SP_HOME_NEXT };
	int before = count_fds();
	struct sp_addr at;
	struct sp_task task;

	(void)arg;
	forget_served();
	server.listener = listen_somewhere(&at);
	EXPECT_EQ(sp_group_new(&server.group), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, serve_one, &server, &task), 0);
	talk(&at, CLIENTS);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(server.ret, -ECANCELED);
	sp_group_free(server.group);
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(atomic_load(&served[i]), CLIENTS / 2);
	close(server.listener);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_one_listener_serves_the_shards_in_turn(void **state)
{
	(void)state;
	run_on(2, spread_body, NULL);
}

static int shards_body(void *arg)
{
	struct server server = { 0 };
	int before = count_fds();
	struct sp_addr at;
	struct sp_task task;
	unsigned int sum = 0;
	int fds[2];

	(void)arg;
	forget_served();
	EXPECT_EQ(sp_addr_parse("127.0.0.1:0", 0, &at), 0);
	EXPECT_EQ(sp_listen_many(&at, NULL, 2, fds), 0);
	EXPECT_EQ(sp_addr_local(fds[0], &at), 0);
	server.listeners = fds;
	EXPECT_EQ(sp_group_new(&server.group), 0);
	EXPECT_EQ(sp_go(serve_shards, &server, &task), 0);
	/* The kernel chooses: in the end it has chosen both. */
	while (atomic_load(&served[0]) == 0 || atomic_load(&served[1]) == 0)
		talk(&at, 10);
	for (int i = 0; i < 2; i++)
		sum += atomic_load(&served[i]);
	EXPECT_EQ(sum % 10, 0);
	/* One that ends takes the others along. */
	EXPECT_EQ(sp_shutdown(fds[1], SHUT_RD), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(server.ret, -EINVAL);
	sp_group_free(server.group);
	close_pair(fds);
	EXPECT_EQ(count_fds(), before);
	EXPECT_EQ(sp_listen_many(&at, NULL, 2, fds), 0);
	close_pair(fds);
	at.in4.sin_addr.s_addr = htonl(0xc0000201); /* not ours */
	EXPECT_EQ(sp_listen_many(&at, NULL, 2, fds), -EADDRNOTAVAIL);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_a_listener_for_each_shard(void **state)
{
	(void)state;
	run_on(2, shards_body, NULL);
}

/* The loop by hand */

static int acceptor_waits(void *arg)
{
	struct sp_acceptor *a = NULL;
	struct sp_conn conn;
	int err;

	EXPECT_EQ(sp_acceptor_open(*(int *)arg, &a), 0);
	err = sp_acceptor_next(a, SP_HOME_HERE, &conn);
	sp_acceptor_close(a);
	return err;
}

static int ends_body(void *arg)
{
	struct sp_acceptor *a = NULL;
	struct sp_conn conn = { -1, 0 };
	struct sp_addr at;
	struct sp_task task;
	int before = count_fds();
	int listener = listen_somewhere(&at);
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_acceptor_open(listener, &a), 0);
	EXPECT_EQ(sp_acceptor_next_until(a, SP_HOME_HERE, sp_in(SP_MS), &conn),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_acceptor_next(a, 9, &conn), -EINVAL);
	sp_acceptor_close(a);
	sp_acceptor_close(NULL);

	EXPECT_EQ(sp_go_on(NULL, 1, acceptor_waits, &listener, &task), 0);
	until_waiting(sp_runtime(), "accept", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);

	EXPECT_EQ(sp_go_on(NULL, 1, acceptor_waits, &listener, &task), 0);
	until_waiting(sp_runtime(), "accept", 1);
	EXPECT_EQ(sp_shutdown(listener, SHUT_RD), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -EINVAL);
	close(listener);

	EXPECT_EQ(sp_acceptor_open(-1, &a), 0);
	EXPECT_EQ(sp_acceptor_next(a, SP_HOME_HERE, &conn), -EBADF);
	sp_acceptor_close(a);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_an_acceptor_ends_in_every_way(void **state)
{
	struct sp_acceptor *a;

	(void)state;
	run_on(2, ends_body, NULL);
	assert_int_equal(sp_acceptor_open(0, &a), -EPERM);
}

/*
 * Many come while the fiber takes none: all are found later, or closed with
 * the acceptor.
 */
static int flood_body(void *arg)
{
	static struct sp_addr to[CLIENTS];
	static struct sp_conn conns[CLIENTS];
	struct sp_acceptor *a = NULL;
	struct sp_conn conn = { -1, 0 };
	struct sp_addr at;
	int before = count_fds();
	int listener = listen_somewhere(&at);

	if (*(bool *)arg)
		EXPECT_EQ(fcntl(listener, F_SETFL, O_NONBLOCK), 0);
	for (int i = 0; i < CLIENTS; i++)
		to[i] = at;
	EXPECT_EQ(sp_acceptor_open(listener, &a), 0);
	EXPECT_EQ(sp_acceptor_next_until(a, SP_HOME_HERE, sp_in(SP_MS), &conn),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_connect_many(to, CLIENTS, SP_HOME_HERE, sp_in(30 * SP_S),
				  conns),
		  CLIENTS);
	for (int i = 0; i < CLIENTS - 10; i++) {
		EXPECT_EQ(sp_acceptor_next(a, SP_HOME_HERE, &conn), 0);
		close(conn.fd);
	}
	sp_acceptor_close(a);
	for (int i = 0; i < CLIENTS; i++)
		close(conns[i].fd);
	close(listener);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_connections_wait_for_a_slow_fiber(void **state)
{
	bool nonblocking[] = { false, true };

	(void)state;
	for (size_t i = 0; i < COUNT(nonblocking); i++)
		run_on(1, flood_body, &nonblocking[i]);
}

/*
 * No descriptors: those connected are served on, the others when there are
 * some again.
 */
static uint64_t accept_pauses(void)
{
	struct sp_shard_stats stats;

	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	return stats.accept_pauses;
}

static int exhausted_body(void *arg)
{
	struct server server = { .home = SP_HOME_HERE };
	struct sp_conn old = { -1, 0 }, waiting = { -1, 0 };
	struct rlimit limit, tight;
	struct sp_addr at;
	struct sp_task task;
	char c = 'a';

	(void)arg;
	server.listener = listen_somewhere(&at);
	EXPECT_EQ(sp_group_new(&server.group), 0);
	/*
	 * Room for both ends of one connection and one of another. Before the
	 * acceptor begins: a multishot accept keeps the limit of when it was
	 * armed.
	 */
	EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	tight = limit;
	tight.rlim_cur = (rlim_t)server.listener + 4;
	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, serve_one, &server, &task), 0);
	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &old), 0);
	EXPECT_EQ(sp_send_all(old.fd, &c, 1), 0);
	EXPECT_EQ(sp_recv_exact(old.fd, &c, 1), 1);
	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &waiting), 0);
	while (accept_pauses() < 2)
		sp_sleep(SP_MS);
	EXPECT_EQ(sp_send_all(old.fd, &c, 1), 0);
	EXPECT_EQ(sp_recv_exact(old.fd, &c, 1), 1);

	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	EXPECT_EQ(sp_send_all(waiting.fd, &c, 1), 0);
	EXPECT_EQ(sp_recv_exact(waiting.fd, &c, 1), 1);
	close(old.fd);
	close(waiting.fd);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(server.ret, -ECANCELED);
	sp_group_free(server.group);
	close(server.listener);
	return 0;
}

static void test_exhaustion_is_sat_out(void **state)
{
	(void)state;
	run_on(1, exhausted_body, NULL);
}

/* Dropped with an accept in flight; all else the fiber had is lost. */
static struct sp_acceptor *dropped;

static int accept_shielded(void *arg)
{
	struct sp_conn conn;

	sp_shield_begin();
	EXPECT_EQ(sp_acceptor_open(*(int *)arg, &dropped), 0);
	return sp_acceptor_next(dropped, SP_HOME_HERE, &conn);
}

static void test_stop_ends_the_shots_of_dropped_fibers(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_addr at;
	struct sp_rt *rt;
	int listener = listen_somewhere(&at);

	(void)state;
	opts.shards = 1;
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_go_on(rt, 0, accept_shielded, &listener, NULL), 0);
	until_waiting(rt, "accept", 1);
	assert_int_equal(sp_stop(rt, sp_in(5 * SP_MS)), -ETIMEDOUT);
	close(listener);
	free(dropped);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_listener_serves_the_shards_in_turn),
		cmocka_unit_test(test_a_listener_for_each_shard),
		cmocka_unit_test(test_an_acceptor_ends_in_every_way),
		cmocka_unit_test(test_connections_wait_for_a_slow_fiber),
		cmocka_unit_test(test_exhaustion_is_sat_out),
		cmocka_unit_test(test_stop_ends_the_shots_of_dropped_fibers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
