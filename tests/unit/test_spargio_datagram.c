#include "unique_name.h"
#include "sockets.h"
#include "waiting.h"

#include <spargio/datagram.h>

static int open_at(const char *text, struct sp_addr *at)
{
	int fd = -1;

	EXPECT_EQ(sp_addr_parse(text, 0, at), 0);
	EXPECT_EQ(sp_datagram_open(at, NULL, &fd), 0);
	EXPECT_EQ(sp_addr_local(fd, at), 0);
	return fd;
}

static int echo_once(void *arg)
{
	int fd = *(int *)arg;
	struct sp_addr from;
	char data[100];
	int n = sp_recvfrom(fd, data, sizeof(data), &from);

	if (n < 0)
		return n;
	return sp_sendto(fd, data, (size_t)n, &from);
}

static void exchange(const char *here, const char *there)
{
	struct sp_addr a_at, b_at, from;
	int a = open_at(here, &a_at), b = open_at(there, &b_at);
	struct sp_task task;
	char back[100] = "";
	int ret = -1;

	EXPECT_EQ(sp_go_on(NULL, 1, echo_once, &b, &task), 0);
	EXPECT_EQ(sp_sendto(a, "hello", 5, &b_at), 0);
	EXPECT_EQ(sp_recvfrom(a, back, sizeof(back), &from), 5);
	EXPECT_EQ(memcmp(back, "hello", 5), 0);
	EXPECT(sp_addr_equal(&from, &b_at));
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, 0);

	/* One that is empty, and one that must be cut. */
	EXPECT_EQ(sp_sendto(a, "", 0, &b_at), 0);
	EXPECT_EQ(sp_recvfrom(b, back, sizeof(back), NULL), 0);
	EXPECT_EQ(sp_sendto(a, "0123456789", 10, &b_at), 0);
	EXPECT_EQ(sp_recvfrom(b, back, 4, &from), 10);
	EXPECT_EQ(memcmp(back, "0123", 4), 0);
	EXPECT(sp_addr_equal(&from, &a_at));

	/* Connected. */
	EXPECT_EQ(sp_connect_fd(a, &b_at), 0);
	EXPECT_EQ(sp_sendto(a, "x", 1, NULL), 0);
	EXPECT_EQ(sp_recv(b, back, sizeof(back)), 1);
	close(a);
	close(b);
}

static int exchange_body(void *arg)
{
	char a[OWN_NAME_MAX], b[OWN_NAME_MAX];

	(void)arg;
	exchange("127.0.0.1:0", "127.0.0.1:0");
	exchange("[::1]:0", "[::1]:0");
	exchange(own_name("datagram-a", a), own_name("datagram-b", b));
	return 0;
}

static void test_datagrams_go_and_come_back(void **state)
{
	(void)state;
	run_on(2, exchange_body, NULL);
}

static int receive_one(void *arg)
{
	char c;

	return sp_recvfrom(*(int *)arg, &c, 1, NULL);
}

static int errors_body(void *arg)
{
	struct sp_datagram_opts reuse = { .reuse_port = true,
					  .recv_buffer = 100000 };
	static char big[70000];
	struct sp_addr at, other;
	struct sp_task task;
	int before = count_fds();
	int a = open_at("127.0.0.1:0", &at), b = -1, c = -1, ret = 0;

	(void)arg;
	EXPECT_EQ(sp_recvfrom_until(a, big, 1, sp_in(SP_MS), NULL), -ETIMEDOUT);
	EXPECT_EQ(sp_sendto(a, big, sizeof(big), &at), -EMSGSIZE);
	EXPECT_EQ(sp_sendto(a, big, 1, NULL), -EDESTADDRREQ);
	EXPECT_EQ(sp_datagram_open(&at, NULL, &b), -EADDRINUSE);
	EXPECT_EQ(sp_recvfrom(-1, big, 1, NULL), -EBADF);

	EXPECT_EQ(sp_go_on(NULL, 1, receive_one, &a, &task), 0);
	until_waiting(sp_runtime(), "receive", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);

	/* Nobody is there: the answer to the first is heard with the next. */
	b = open_at("127.0.0.1:0", &other);
	close(b);
	EXPECT_EQ(sp_connect_fd(a, &other), 0);
	EXPECT_EQ(sp_sendto(a, "x", 1, NULL), 0);
	EXPECT_EQ(sp_recvfrom(a, big, 1, NULL), -ECONNREFUSED);
	close(a);

	EXPECT_EQ(sp_addr_parse("127.0.0.1:0", 0, &at), 0);
	EXPECT_EQ(sp_datagram_open(&at, &reuse, &b), 0);
	EXPECT_EQ(sp_addr_local(b, &at), 0);
	EXPECT_EQ(sp_datagram_open(&at, &reuse, &c), 0);
	close(b);
	close(c);
	EXPECT_EQ(count_fds(), before);
	return 0;
}

static void test_datagrams_that_do_not_arrive(void **state)
{
	char c;

	(void)state;
	run_on(2, errors_body, NULL);
	assert_int_equal(sp_recvfrom(0, &c, 1, NULL), -EPERM);
	assert_int_equal(sp_sendto(0, &c, 1, NULL), -EPERM);
}

/* A Unix datagram socket says when there is no room at the other end. */
static int full_body(void *arg)
{
	char name[OWN_NAME_MAX];
	struct sp_addr a_at, b_at;
	int a = open_at(own_name("datagram-full-a", name), &a_at);
	int b = open_at(own_name("datagram-full-b", name), &b_at);
	int sent = 0, got = 0, err;
	char c = 'f';

	(void)arg;
	EXPECT_EQ(sp_connect_fd(a, &b_at), 0);
	while ((err = sp_sendto_until(a, &c, 1, NULL, sp_in(5 * SP_MS))) == 0)
		sent++;
	EXPECT_EQ(err, -ETIMEDOUT);
	EXPECT(sent > 0);
	while (sp_recvfrom_until(b, &c, 1, sp_in(5 * SP_MS), NULL) == 1)
		got++;
	EXPECT_EQ(got, sent);
	close(a);
	close(b);
	return 0;
}

static void test_a_full_receiver_is_waited_for(void **state)
{
	(void)state;
	run_on(1, full_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_datagrams_go_and_come_back),
		cmocka_unit_test(test_datagrams_that_do_not_arrive),
		cmocka_unit_test(test_a_full_receiver_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
