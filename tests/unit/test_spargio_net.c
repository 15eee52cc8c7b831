#include "unique_name.h"
#include "sockets.h"
#include "waiting.h"

#include <spargio/message.h>

#include <fcntl.h>
#include <sys/resource.h>

/* Homes */

static int home_body(void *arg)
{
	struct sp_conn conn;
	uint32_t seen[3] = { 0 };

	(void)arg;
	EXPECT_EQ(sp_adopt(7, SP_HOME_HERE, &conn), 0);
	EXPECT_EQ(conn.fd, 7);
	EXPECT_EQ(conn.home, sp_shard());
	EXPECT_EQ(sp_adopt(7, 2, &conn), 0);
	EXPECT_EQ(conn.home, 2);
	EXPECT_EQ(sp_adopt(7, 3, &conn), -EINVAL);
	for (int i = 0; i < 6; i++) {
		EXPECT_EQ(sp_adopt(7, SP_HOME_NEXT, &conn), 0);
		seen[conn.home]++;
	}
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(seen[i], 2);
	return 0;
}

static void test_a_connection_has_a_home(void **state)
{
	struct sp_conn conn;
	struct sp_addr addr;

	(void)state;
	run_on(3, home_body, NULL);
	assert_int_equal(sp_addr_parse("127.0.0.1:1", 0, &addr), 0);
	assert_int_equal(sp_adopt(7, SP_HOME_HERE, &conn), -EPERM);
	assert_int_equal(sp_connect(&addr, 0, &conn), -EPERM);
	assert_int_equal(sp_accept(0, 0, &conn), -EPERM);
	assert_int_equal(sp_connect_many(&addr, 1, 0, SP_NEVER, &conn), -EPERM);
}

static atomic_uint ran_on;

static int note_shard(struct sp_conn *conn, void *arg)
{
	EXPECT_EQ(conn->home, 2);
	EXPECT_EQ(*(int *)arg, 5);
	atomic_store(&ran_on, sp_shard());
	if (sp_send_all(conn->fd, "s", 1) < 0)
		return -1;
	return 77;
}

static int keep_it(struct sp_conn *conn, void *arg)
{
	*(int *)arg = conn->fd;
	conn->fd = -1;
	return 0;
}

static int go_body(void *arg)
{
	static const enum sp_place places[] = { SP_PINNED, SP_PREFER };
	struct sp_attr attr = { .place = SP_ROUND_ROBIN };
	struct sp_conn conn = { .home = 2 };
	struct sp_task task;
	int fds[2], ret = 0, five = 5;
	char c;

	(void)arg;
	for (size_t i = 0; i < COUNT(places); i++) {
		tcp_pair(fds);
		attr.place = places[i];
		conn.fd = fds[1];
		EXPECT_EQ(sp_conn_go(&conn, &attr, note_shard, &five, &task),
			  0);
		EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(ret, 77);
		if (places[i] == SP_PINNED)
			EXPECT_EQ(atomic_load(&ran_on), 2);
		/* It was closed. */
		EXPECT_EQ(sp_recv(fds[0], &c, 1), 1);
		EXPECT_EQ(sp_recv(fds[0], &c, 1), 0);
		close(fds[0]);
	}
	tcp_pair(fds);
	conn.fd = fds[1];
	EXPECT_EQ(sp_conn_go(&conn, &attr, keep_it, &ret, &task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(ret, fds[1]);
	EXPECT_EQ(sp_send_all(fds[1], "k", 1), 0);
	attr.place = SP_ROUND_ROBIN;
	EXPECT_EQ(sp_conn_go(&conn, &attr, note_shard, &five, &task), -EINVAL);
	/* No attributes: pinned. */
	EXPECT_EQ(sp_conn_go(&conn, NULL, keep_it, &ret, &task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	close_pair(fds);
	return 0;
}

static void test_a_fiber_at_the_home_of_a_connection(void **state)
{
	(void)state;
	run_on(3, go_body, NULL);
}

/* Hand over by message */

static int take_over(void *arg)
{
	struct sp_conn conn = { -1, 0 };
	struct sp_msg msg;
	char c = 0;

	(void)arg;
	EXPECT_EQ(sp_msg_recv(&msg), 0);
	EXPECT_EQ(msg.tag, 9);
	EXPECT_EQ(sp_conn_take(&msg, &conn), 0);
	EXPECT_EQ(conn.home, sp_shard());
	EXPECT_EQ(sp_recv_exact(conn.fd, &c, 1), 1);
	EXPECT_EQ(c, 'x');
	close(conn.fd);
	msg.len = 0;
	EXPECT_EQ(sp_conn_take(&msg, &conn), -EBADMSG);
	return 0;
}

static int message_body(void *arg)
{
	struct sp_conn conn;
	struct sp_task task;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	EXPECT_EQ(sp_adopt(fds[1], SP_HOME_HERE, &conn), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, take_over, NULL, &task), 0);
	EXPECT_EQ(sp_conn_send(&conn, 1, 9), 0);
	EXPECT_EQ(sp_conn_send(&conn, 5, 9), -EINVAL);
	EXPECT_EQ(sp_send_all(fds[0], "x", 1), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	close(fds[0]);
	return 0;
}

static void test_a_connection_is_handed_over_by_message(void **state)
{
	(void)state;
	run_on(2, message_body, NULL);
}

/* Connecting */

/* A port that nobody listens at, nor can: it is taken while the file is open. */
static int closed_port(struct sp_addr *at)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	EXPECT_EQ(sp_addr_parse("127.0.0.1:0", 0, at), 0);
	EXPECT_EQ(bind(fd, &at->any, at->len), 0);
	EXPECT_EQ(sp_addr_local(fd, at), 0);
	return fd;
}

static int refused_body(void *arg)
{
	struct sp_conn conn = { -1, 0 };
	struct sp_addr at;
	int before = count_fds();
	int taken = closed_port(&at);

	(void)arg;
	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &conn), -ECONNREFUSED);
	EXPECT_EQ(sp_connect(&at, 9, &conn), -EINVAL);
	EXPECT_EQ(conn.fd, -1);
	EXPECT_EQ(sp_addr_parse("unix:/nowhere/at/all", 0, &at), 0);
	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &conn), -ENOENT);
	close(taken);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_nobody_listens(void **state)
{
	(void)state;
	run_on(1, refused_body, NULL);
}

/* A listener whose queue is full answers nobody. */
static int full_listener(struct sp_addr *at, int fillers[4])
{
	int fd = closed_port(at);

	EXPECT_EQ(listen(fd, 0), 0);
	for (int i = 0; i < 4; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(fillers[i], &at->any, at->len);
	}
	return fd;
}

static int connect_cancelled(void *arg)
{
	struct sp_conn conn;

	return sp_connect(arg, SP_HOME_HERE, &conn);
}

static int slow_body(void *arg)
{
	struct sp_conn conn = { -1, 0 };
	struct sp_addr at;
	struct sp_task task;
	int before = count_fds();
	int fillers[4], listener, ret = 0;

	(void)arg;
	listener = full_listener(&at, fillers);
	EXPECT_EQ(sp_connect_until(&at, SP_HOME_HERE, sp_in(10 * SP_MS), &conn),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_go_on(NULL, 1, connect_cancelled, &at, &task), 0);
	until_waiting(sp_runtime(), "connect", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	for (int i = 0; i < 4; i++)
		close(fillers[i]);
	close(listener);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_connecting_times_out_and_is_cancelled(void **state)
{
	(void)state;
	run_on(2, slow_body, NULL);
}

static int many_body(void *arg)
{
	enum {
		MANY = 600 /* more than are in flight at once */
	};
	static struct sp_addr to[MANY];
	static struct sp_conn conns[MANY];
	struct sp_addr at, closed, named;
	int before = count_fds();
	int listener = listen_somewhere(&at);
	int unix_listener = -1, taken = closed_port(&closed);
	char name[OWN_NAME_MAX];
	uint32_t homes[2] = { 0 };

	(void)arg;
	EXPECT_EQ(sp_addr_parse(own_name("connect-many", name), 0, &named), 0);
	EXPECT_EQ(sp_listen(&named, NULL, &unix_listener), 0);
	for (int i = 0; i < MANY; i++)
		to[i] = i % 10 == 0 ? closed : i % 10 == 1 ? named : at;
	EXPECT_EQ(sp_connect_many(to, MANY, SP_HOME_NEXT, sp_in(60 * SP_S),
				  conns),
		  MANY * 9 / 10);
	for (int i = 0; i < MANY; i++) {
		if (i % 10 == 0) {
			EXPECT_EQ(conns[i].fd, -ECONNREFUSED);
			continue;
		}
		homes[conns[i].home]++;
		close(conns[i].fd);
	}
	EXPECT(homes[0] > MANY / 3 && homes[1] > MANY / 3);
	EXPECT_EQ(sp_connect_many(to, 0, 0, SP_NEVER, conns), 0);
	EXPECT_EQ(sp_connect_many(to, 1, 2, SP_NEVER, conns), -EINVAL);
	close(listener);
	close(unix_listener);
	close(taken);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_many_connect_at_once(void **state)
{
	(void)state;
	run_on(2, many_body, NULL);
}

static int many_late_body(void *arg)
{
	struct sp_addr to[3], at;
	struct sp_conn conns[3];
	int fillers[4], listener, good;
	int before = count_fds();

	(void)arg;
	listener = full_listener(&at, fillers);
	good = listen_somewhere(&to[1]);
	to[0] = to[2] = at;
	EXPECT_EQ(sp_connect_many(to, 3, SP_HOME_HERE, sp_in(10 * SP_MS),
				  conns),
		  1);
	EXPECT_EQ(conns[0].fd, -ETIMEDOUT);
	EXPECT(conns[1].fd >= 0);
	EXPECT_EQ(conns[2].fd, -ETIMEDOUT);
	close(conns[1].fd);
	close(good);
	for (int i = 0; i < 4; i++)
		close(fillers[i]);
	close(listener);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_a_deadline_leaves_those_that_made_it(void **state)
{
	(void)state;
	run_on(1, many_late_body, NULL);
}

/* Accepting */

static int accept_waits(void *arg)
{
	struct sp_conn conn = { -1, 0 };
	int err = sp_accept(*(int *)arg, SP_HOME_HERE, &conn);

	if (err == 0)
		close(conn.fd);
	return err;
}

static int accept_body(void *arg)
{
	struct sp_conn conn = { -1, 0 };
	struct sp_addr at;
	struct sp_task task;
	int listener = listen_somewhere(&at);
	int ret = 0;

	(void)arg;
	EXPECT_EQ(sp_accept_until(listener, SP_HOME_HERE, sp_in(SP_MS), &conn),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_go_on(NULL, 1, accept_waits, &listener, &task), 0);
	until_waiting(sp_runtime(), "accept", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);

	EXPECT_EQ(sp_go_on(NULL, 1, accept_waits, &listener, &task), 0);
	until_waiting(sp_runtime(), "accept", 1);
	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &conn), 0);
	close(conn.fd);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 0);

	/* Ended underneath. */
	EXPECT_EQ(sp_go_on(NULL, 1, accept_waits, &listener, &task), 0);
	until_waiting(sp_runtime(), "accept", 1);
	EXPECT_EQ(sp_shutdown(listener, SHUT_RD), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -EINVAL);
	close(listener);
	return 0;
}

static void test_accepting_ends_in_every_way(void **state)
{
	(void)state;
	run_on(2, accept_body, NULL);
}

/* No descriptor is left: the error is seen, the connection waits. */
static int exhausted_body(void *arg)
{
	struct sp_conn client = { -1, 0 }, conn = { -1, 0 };
	struct rlimit old, tight;
	struct sp_addr at;
	int listener = listen_somewhere(&at);

	(void)arg;
	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &client), 0);
	EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = (rlim_t)client.fd + 1;
	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
	EXPECT_EQ(sp_accept(listener, SP_HOME_HERE, &conn), -EMFILE);
	EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	EXPECT_EQ(sp_accept(listener, SP_HOME_HERE, &conn), 0);
	close(conn.fd);
	close(client.fd);
	close(listener);
	return 0;
}

static void test_accepting_without_descriptors(void **state)
{
	(void)state;
	run_on(1, exhausted_body, NULL);
}

static int listen_body(void *arg)
{
	struct sp_listen_opts reuse = { .reuse_port = true, .backlog = 5 };
	struct sp_addr at, here, there;
	struct sp_conn client, server;
	char c = 0, name[OWN_NAME_MAX];
	int a = -1, b = -1;

	(void)arg;
	a = listen_somewhere(&at);
	EXPECT_EQ(sp_listen(&at, NULL, &b), -EADDRINUSE);
	close(a);
	EXPECT_EQ(sp_addr_parse("127.0.0.1:0", 0, &at), 0);
	EXPECT_EQ(sp_listen(&at, &reuse, &a), 0);
	EXPECT_EQ(sp_addr_local(a, &at), 0);
	EXPECT_EQ(sp_listen(&at, &reuse, &b), 0);
	close(a);
	close(b);

	/* A Unix socket by the same calls. */
	EXPECT_EQ(sp_addr_parse(own_name("listen", name), 0, &at), 0);
	EXPECT_EQ(sp_listen(&at, NULL, &a), 0);
	EXPECT_EQ(sp_connect(&at, SP_HOME_HERE, &client), 0);
	EXPECT_EQ(sp_accept(a, SP_HOME_HERE, &server), 0);
	EXPECT_EQ(sp_send_all(client.fd, "u", 1), 0);
	EXPECT_EQ(sp_recv(server.fd, &c, 1), 1);
	EXPECT_EQ(c, 'u');
	EXPECT_EQ(sp_addr_local(server.fd, &here), 0);
	EXPECT_EQ(sp_addr_peer(client.fd, &there), 0);
	EXPECT(sp_addr_equal(&here, &at) && sp_addr_equal(&there, &at));
	close(client.fd);
	close(server.fd);
	close(a);
	return 0;
}

static void test_listening_at_an_address(void **state)
{
	(void)state;
	run_on(1, listen_body, NULL);
}

/* A Unix listener whose queue is full: waited for, and bounded. */
static int unix_full_body(void *arg)
{
	struct sp_conn conns[3] = { { -1, 0 }, { -1, 0 }, { -1, 0 } };
	struct sp_listen_opts opts = { .backlog = 1 };
	struct sp_addr at;
	struct sp_task task;
	int listener = -1, ret = -1, queued = 0;
	char name[OWN_NAME_MAX];

	(void)arg;
	EXPECT_EQ(sp_addr_parse(own_name("full", name), 0, &at), 0);
	EXPECT_EQ(sp_listen(&at, &opts, &listener), 0);
	while (queued < 3 &&
	       sp_connect_until(&at, SP_HOME_HERE, sp_in(5 * SP_MS),
				&conns[queued]) == 0)
		queued++;
	EXPECT_EQ(queued, 2);
	EXPECT_EQ(sp_connect_until(&at, SP_HOME_HERE, sp_in(5 * SP_MS),
				   &conns[2]),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_go(connect_cancelled, &at, &task), 0);
	EXPECT_EQ(accept_waits(&listener), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 0);
	for (int i = 0; i < queued; i++)
		close(conns[i].fd);
	close(listener);
	return 0;
}

static void test_a_full_unix_listener_is_waited_for(void **state)
{
	(void)state;
	run_on(1, unix_full_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_connection_has_a_home),
		cmocka_unit_test(test_a_fiber_at_the_home_of_a_connection),
		cmocka_unit_test(test_a_connection_is_handed_over_by_message),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_connecting_times_out_and_is_cancelled),
		cmocka_unit_test(test_many_connect_at_once),
		cmocka_unit_test(test_a_deadline_leaves_those_that_made_it),
		cmocka_unit_test(test_accepting_ends_in_every_way),
		cmocka_unit_test(test_accepting_without_descriptors),
		cmocka_unit_test(test_listening_at_an_address),
		cmocka_unit_test(test_a_full_unix_listener_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
