#include "sockets.h"
#include "waiting.h"

#include <spargio/file.h>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>

#define BIG (4 * 1024 * 1024)

struct end {
	int fd;
	int64_t deadline;
	char *data;
	size_t len;
	int ret;
};

static void fill(char *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		data[i] = (char)(i * 7 + i / 251);
}

static int receiver(void *arg)
{
	struct end *end = arg;

	end->ret = sp_recv_exact_until(end->fd, end->data, end->len,
				       end->deadline);
	return 0;
}

static int waiter(void *arg)
{
	struct end *end = arg;

	end->ret = sp_recv_until(end->fd, end->data, end->len, end->deadline);
	return 0;
}

static int sender(void *arg)
{
	struct end *end = arg;

	end->ret =
		sp_send_all_until(end->fd, end->data, end->len, end->deadline);
	return 0;
}

static struct sp_task start(int (*fn)(void *), struct end *end)
{
	struct sp_task task = { 0 };

	EXPECT_EQ(sp_go_on(NULL, 1, fn, end, &task), 0);
	return task;
}

/* Everything arrives, in order, however it is cut */

static int all_body(void *arg)
{
	char *out = malloc(BIG), *in = calloc(1, BIG);
	struct end to = { .deadline = SP_NEVER, .data = in, .len = BIG };
	struct sp_task task;
	struct iovec iov[5];
	int fds[2];

	(void)arg;
	fill(out, BIG);
	tcp_pair(fds);
	to.fd = fds[1];
	task = start(receiver, &to);
	EXPECT_EQ(sp_send_all(fds[0], out, BIG), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(to.ret, 1);
	EXPECT_EQ(memcmp(in, out, BIG), 0);

	/* Pieces of all sizes, empty ones among them, on both sides. */
	memset(in, 0, BIG);
	to.ret = -1;
	task = start(receiver, &to);
	iov[0] = (struct iovec){ out, 1 };
	iov[1] = (struct iovec){ NULL, 0 };
	iov[2] = (struct iovec){ out + 1, BIG / 2 };
	iov[3] = (struct iovec){ out + 1 + BIG / 2, BIG / 2 - 1 };
	iov[4] = (struct iovec){ NULL, 0 };
	EXPECT_EQ(sp_sendv_all(fds[0], iov, 5), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(to.ret, 1);
	EXPECT_EQ(memcmp(in, out, BIG), 0);

	memset(in, 0, BIG);
	to = (struct end){ fds[0], SP_NEVER, out, BIG, -1 };
	task = start(sender, &to);
	iov[0] = (struct iovec){ in, 3 };
	iov[2] = (struct iovec){ in + 3, BIG - 10 };
	iov[3] = (struct iovec){ in + BIG - 7, 7 };
	EXPECT_EQ(sp_recvv_exact(fds[1], iov, 5), 1);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(to.ret, 0);
	EXPECT_EQ(memcmp(in, out, BIG), 0);
	EXPECT_EQ(sp_recvv_exact(fds[1], iov, 0), 1);
	EXPECT_EQ(sp_sendv_all(fds[0], NULL, 0), 0);
	close_pair(fds);
	free(out);
	free(in);
	return 0;
}

static void test_all_bytes_in_one_call(void **state)
{
	(void)state;
	run_on(2, all_body, NULL);
}

/* More pieces than the kernel takes in one call, each of @arg bytes. */
static int many_body(void *arg)
{
	enum {
		PIECES = 3000
	};
	static struct iovec iov[PIECES];
	size_t each = *(size_t *)arg, all = PIECES * each;
	char *out = malloc(all), *in = calloc(1, all);
	struct end to = { .deadline = SP_NEVER, .data = in, .len = all };
	struct sp_task task;
	int fds[2];

	fill(out, all);
	for (int i = 0; i < PIECES; i++)
		iov[i] = (struct iovec){ out + (size_t)i * each, each };
	tcp_pair(fds);
	make_narrow(fds);
	to.fd = fds[1];
	task = start(receiver, &to);
	EXPECT_EQ(sp_sendv_all(fds[0], iov, PIECES), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(to.ret, 1);
	EXPECT_EQ(memcmp(in, out, all), 0);
	close_pair(fds);
	free(out);
	free(in);
	return 0;
}

static void test_more_pieces_than_the_kernel_takes(void **state)
{
	size_t one = 1, odd = 997; /* too many for the socket at once */

	(void)state;
	run_on(2, many_body, &one);
	run_on(2, many_body, &odd);
}

/* Who can always send leaves room for others, and can be stopped. */

static int counter(void *arg)
{
	int *turns = arg;

	while (!sp_cancelled()) {
		++*turns;
		sp_yield();
	}
	return 0;
}

static int many_sends(void *arg)
{
	int fd = *(int *)arg, ret = 1;

	for (int i = 0; i < 100000 && ret == 1; i++)
		ret = sp_send(fd, "x", 1);
	return ret;
}

static int send_when_cancelled(void *arg)
{
	while (!sp_cancelled())
		sp_yield();
	return sp_send(*(int *)arg, "x", 1);
}

static int room_body(void *arg)
{
	struct sp_task count, send;
	struct sp_addr at;
	int fds[2], turns = 0, ret = 0;

	/* Datagrams that nobody reads: there is always room. */
	(void)arg;
	EXPECT_EQ(sp_addr_parse("127.0.0.1:0", 0, &at), 0);
	for (int i = 0; i < 2; i++)
		fds[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	EXPECT_EQ(bind(fds[1], &at.any, at.len), 0);
	EXPECT_EQ(sp_addr_local(fds[1], &at), 0);
	EXPECT_EQ(connect(fds[0], &at.any, at.len), 0);

	EXPECT_EQ(sp_go(counter, &turns, &count), 0);
	EXPECT_EQ(sp_go(many_sends, &fds[0], &send), 0);
	EXPECT_EQ(sp_join(send, &ret), 0);
	EXPECT_EQ(ret, 1);
	EXPECT(turns > 1000);
	EXPECT_EQ(sp_go(send_when_cancelled, &fds[0], &send), 0);
	EXPECT_EQ(sp_cancel(send), 0);
	EXPECT_EQ(sp_join(send, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(sp_cancel(count), 0);
	EXPECT_EQ(sp_join(count, NULL), 0);
	close_pair(fds);
	return 0;
}

static void test_who_can_always_send_leaves_room(void **state)
{
	(void)state;
	run_on(1, room_body, NULL);
}

/* Ends of streams */

static int end_body(void *arg)
{
	char data[8] = "";
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	EXPECT_EQ(sp_send_all(fds[0], "abc", 3), 0);
	EXPECT_EQ(sp_shutdown(fds[0], SHUT_WR), 0);
	EXPECT_EQ(sp_recv(fds[1], data, 2), 2);
	EXPECT_EQ(sp_recv_exact(fds[1], data, 2), -EPIPE);
	EXPECT_EQ(sp_recv_exact(fds[1], data, 2), 0);
	EXPECT_EQ(sp_recv(fds[1], data, 2), 0);
	/* Half closed: the other direction still works. */
	EXPECT_EQ(sp_send_all(fds[1], "defg", 4), 0);
	EXPECT_EQ(sp_recv_exact(fds[0], data, 4), 1);
	EXPECT_EQ(memcmp(data, "defg", 4), 0);
	EXPECT_EQ(sp_send_all(fds[0], "x", 1), -EPIPE);
	close_pair(fds);
	EXPECT_EQ(sp_recv(-1, data, 1), -EBADF);
	EXPECT_EQ(sp_send(-1, data, 1), -EBADF);
	EXPECT_EQ(sp_shutdown(-1, SHUT_WR), -EBADF);
	return 0;
}

static void test_an_ended_stream_says_so(void **state)
{
	char c;

	(void)state;
	run_on(1, end_body, NULL);
	assert_int_equal(sp_recv(0, &c, 1), -EPERM);
	assert_int_equal(sp_send_all(0, &c, 1), -EPERM);
}

static int reset_body(void *arg)
{
	char data[8];
	int fds[2], err = 0;

	(void)arg;
	tcp_pair(fds);
	close_with_reset(fds[0]);
	EXPECT_EQ(sp_recv(fds[1], data, 1), -ECONNRESET);
	/* Nobody dies of SIGPIPE; an error may take a packet to come back. */
	for (int i = 0; i < 1000 && err == 0; i++)
		err = sp_send_all(fds[1], "x", 1);
	EXPECT_EQ(err, -EPIPE);
	close(fds[1]);
	return 0;
}

static void test_a_reset_reaches_both_directions(void **state)
{
	(void)state;
	run_on(1, reset_body, NULL);
}

/* Ended from elsewhere */

static int until_body(void *arg)
{
	char c = 0;
	struct end end = { .deadline = SP_NEVER, .data = &c, .len = 1 };
	struct sp_task task;
	char *big = calloc(1, BIG);
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	make_narrow(fds);
	end.fd = fds[0];
	EXPECT_EQ(sp_recv_until(fds[0], &c, 1, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_recv_exact_until(fds[0], &c, 1, sp_in(SP_MS)), -ETIMEDOUT);
	/* Nobody reads: there is no room for all of it. */
	EXPECT_EQ(sp_send_all_until(fds[0], big, BIG, sp_in(5 * SP_MS)),
		  -ETIMEDOUT);

	task = start(waiter, &end);
	until_waiting(sp_runtime(), "receive", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(end.ret, -ECANCELED);

	/* Shut down underneath. */
	task = start(waiter, &end);
	until_waiting(sp_runtime(), "receive", 1);
	EXPECT_EQ(sp_shutdown(fds[0], SHUT_RDWR), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(end.ret, 0);
	close_pair(fds);
	free(big);
	return 0;
}

static void test_a_wait_is_ended_by_deadline_cancel_and_shutdown(void **state)
{
	(void)state;
	run_on(2, until_body, NULL);
}

/* A connection that is given up is not a deadline that has passed */

static int given_up_body(void *arg)
{
	char *big = calloc(1, BIG);
	struct sp_addr at;
	int listener = listen_somewhere(&at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int fds[2], err;

	(void)arg;
	half_open_pair(fds);
	EXPECT_EQ(sp_recv_until(fds[1], big, 1, sp_in(60 * SP_S)),
		  -ECONNABORTED);
	close_pair(fds);
	half_open_pair(fds);
	EXPECT_EQ(sp_recv_exact(fds[1], big, 2), -ECONNABORTED);
	close_pair(fds);
	half_open_pair(fds);
	make_narrow(fds);
	/* A ring that has sent a part by then hears of the rest only. */
	err = sp_send_all_until(fds[1], big, BIG, sp_in(60 * SP_S));
	EXPECT(err == -ECONNABORTED || err == -EPIPE);
	close_pair(fds);
	half_open_pair(fds);
	EXPECT_EQ(sp_read(fds[1], big, 1), -ECONNABORTED);
	close_pair(fds);

	/* An attempt has no time of its own that could be mistaken. */
	make_deaf(listener);
	make_hasty(fd);
	EXPECT_EQ(sp_connect_fd(fd, &at), -ETIMEDOUT);
	close(fd);
	close(listener);
	free(big);
	return 0;
}

static void test_a_peer_that_does_not_answer(void **state)
{
	(void)state;
	run_on(1, given_up_body, NULL);
}

/* The number is closed while a fiber waits: a bug, but one that ends. */
static int closed_body(void *arg)
{
	char c = 0;
	struct end end = { .data = &c, .len = 1 };
	struct sp_task task;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	end.fd = fds[0];
	end.deadline = sp_in(20 * SP_MS);
	/* On this shard: for two threads it would be a race as well. */
	EXPECT_EQ(sp_go(waiter, &end, &task), 0);
	until_waiting(sp_runtime(), "receive", 1);
	close(fds[0]);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(end.ret, -ETIMEDOUT);
	close(fds[1]);
	return 0;
}

static void test_closed_underneath_still_times_out(void **state)
{
	(void)state;
	run_on(1, closed_body, NULL);
}

/* Descriptors that do not block, as other libraries have them */

static int nonblocking_body(void *arg)
{
	char *out = malloc(BIG), *in = calloc(1, BIG);
	struct end to = { .deadline = SP_NEVER, .data = in, .len = BIG };
	struct sp_task task;
	int fds[2];

	(void)arg;
	fill(out, BIG);
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	to.fd = fds[1];
	task = start(receiver, &to);
	until_waiting(sp_runtime(), "receive", 1);
	EXPECT_EQ(sp_send_all(fds[0], out, BIG), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(to.ret, 1);
	EXPECT_EQ(memcmp(in, out, BIG), 0);
	EXPECT_EQ(sp_recv_until(fds[0], in, 1, sp_in(SP_MS)), -ETIMEDOUT);
	close_pair(fds);
	free(out);
	free(in);
	return 0;
}

static void test_descriptors_that_do_not_block(void **state)
{
	(void)state;
	run_on(2, nonblocking_body, NULL);
}

/* Signals that interrupt system calls */

static void on_signal(int number)
{
	(void)number;
}

struct pest {
	pthread_t victim;
	atomic_bool stop;
};

static void *pester(void *arg)
{
	struct pest *pest = arg;

	while (!atomic_load(&pest->stop)) {
		pthread_kill(pest->victim, SIGUSR1);
		usleep(50);
	}
	return NULL;
}

static int interrupted_body(void *arg)
{
	struct pest pest = { .victim = pthread_self() };
	pthread_t thread;

	(void)arg;
	EXPECT_EQ(pthread_create(&thread, NULL, pester, &pest), 0);
	for (int i = 0; i < 5; i++)
		all_body(NULL);
	atomic_store(&pest.stop, true);
	pthread_join(thread, NULL);
	return 0;
}

static void test_interruptions_are_not_seen(void **state)
{
	struct sigaction action = { .sa_handler = on_signal };

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	run_on(2, interrupted_body, NULL);
}

/* Options */

static int option_of(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	EXPECT_EQ(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static int options_body(void *arg)
{
	struct sp_tcp_opts opts = {
		.no_delay = 1,
		.keepalive_s = 30,
		.keepalive_every = 5,
		.keepalive_count = 3,
		.user_timeout_ms = 20000,
		.send_buffer = 65536,
		.recv_buffer = 32768,
	};
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	EXPECT_EQ(sp_tcp_set(fds[0], &opts), 0);
	EXPECT_EQ(option_of(fds[0], IPPROTO_TCP, TCP_NODELAY), 1);
	EXPECT_EQ(option_of(fds[0], SOL_SOCKET, SO_KEEPALIVE), 1);
	EXPECT_EQ(option_of(fds[0], IPPROTO_TCP, TCP_KEEPIDLE), 30);
	EXPECT_EQ(option_of(fds[0], IPPROTO_TCP, TCP_KEEPINTVL), 5);
	EXPECT_EQ(option_of(fds[0], IPPROTO_TCP, TCP_KEEPCNT), 3);
	EXPECT_EQ(option_of(fds[0], IPPROTO_TCP, TCP_USER_TIMEOUT), 20000);
	EXPECT_EQ(option_of(fds[0], SOL_SOCKET, SO_SNDBUF), 2 * 65536);
	EXPECT_EQ(option_of(fds[0], SOL_SOCKET, SO_RCVBUF), 2 * 32768);
	opts = (struct sp_tcp_opts){ .no_delay = -1 };
	EXPECT_EQ(sp_tcp_set(fds[0], &opts), 0);
	EXPECT_EQ(option_of(fds[0], IPPROTO_TCP, TCP_NODELAY), 0);
	EXPECT_EQ(option_of(fds[0], IPPROTO_TCP, TCP_KEEPCNT), 3);
	opts = (struct sp_tcp_opts){ .keepalive_s = -1 };
	EXPECT_EQ(sp_tcp_set(fds[0], &opts), -EINVAL);
	EXPECT_EQ(sp_tcp_set(-1, &(struct sp_tcp_opts){ .no_delay = 1 }),
		  -EBADF);
	close_pair(fds);
	return 0;
}

static void test_options_are_set(void **state)
{
	(void)state;
	run_on(1, options_body, NULL);
}

/* A key on both ends lets a connection through, on one end it does not. */
static int md5_body(void *arg)
{
	struct sp_conn client = { -1, 0 }, server = { -1, 0 };
	struct sp_addr at, peer;
	int listener = listen_somewhere(&at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char key[100] = "secret";
	int err;

	(void)arg;
	EXPECT_EQ(sp_addr_parse("127.0.0.1", 0, &peer), 0);
	EXPECT_EQ(sp_tcp_md5(listener, &peer, key, 81), -EINVAL);
	err = sp_tcp_md5(listener, &peer, key, 6);
	if (err < 0) {
		/* Not in this kernel; or qemu took the key for a number. */
		EXPECT(err == -ENOPROTOOPT || err == -EINVAL);
	} else {
		EXPECT_EQ(sp_connect_until(&at, SP_HOME_HERE, sp_in(50 * SP_MS),
					   &client),
			  -ETIMEDOUT);
		EXPECT_EQ(sp_tcp_md5(fd, &at, key, 6), 0);
		EXPECT_EQ(sp_connect_fd(fd, &at), 0);
		EXPECT_EQ(sp_accept(listener, SP_HOME_HERE, &server), 0);
		close(server.fd);
	}
	close(fd);
	close(listener);
	return 0;
}

static void test_md5_signatures(void **state)
{
	(void)state;
	run_on(1, md5_body, NULL);
}

static int cred_body(void *arg)
{
	struct sp_cred cred = { 0 };
	int fds[2];

	(void)arg;
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	EXPECT_EQ(sp_unix_cred(fds[0], &cred), 0);
	EXPECT_EQ(cred.pid, getpid());
	EXPECT_EQ(cred.uid, getuid());
	EXPECT_EQ(cred.gid, getgid());
	EXPECT_EQ(sp_unix_cred(-1, &cred), -EBADF);
	close_pair(fds);
	return 0;
}

static void test_who_is_at_the_other_end(void **state)
{
	(void)state;
	run_on(1, cred_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_bytes_in_one_call),
		cmocka_unit_test(test_more_pieces_than_the_kernel_takes),
		cmocka_unit_test(test_who_can_always_send_leaves_room),
		cmocka_unit_test(test_an_ended_stream_says_so),
		cmocka_unit_test(test_a_reset_reaches_both_directions),
		cmocka_unit_test(
			test_a_wait_is_ended_by_deadline_cancel_and_shutdown),
		cmocka_unit_test(test_a_peer_that_does_not_answer),
		cmocka_unit_test(test_closed_underneath_still_times_out),
		cmocka_unit_test(test_descriptors_that_do_not_block),
		cmocka_unit_test(test_interruptions_are_not_seen),
		cmocka_unit_test(test_options_are_set),
		cmocka_unit_test(test_md5_signatures),
		cmocka_unit_test(test_who_is_at_the_other_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
