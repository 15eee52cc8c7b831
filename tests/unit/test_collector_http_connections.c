/* Places and deadlines of HTTP connections, without a server. */
#include "check.h"

#include "collector/base/ip.h"
#include "collector/http/connections.h"

#include <spargio/time.h>

#include <sys/socket.h>
#include <unistd.h>

#define ALL	    6
#define PER_ADDRESS 4
#define RESERVED    2

/* One end is the list's, the other tells whether it was shut down. */
struct client {
	int fds[2];
	struct http_connection *place;
};

static struct http_connections *make_list(void)
{
	const struct http_connection_limits limits = {
		.all = ALL,
		.per_address = PER_ADDRESS,
		.reserved = RESERVED,
	};
	struct http_connections *list = http_connections_new(&limits);

	assert_non_null(list);
	return list;
}

static struct client dial(struct http_connections *list, const char *from,
			  int64_t now)
{
	uint8_t address[16];
	struct client c;
	struct sp_addr at;

	assert_true(ip_parse(from, address) > 0);
	ip_to_sockaddr(address, 1, &at);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, c.fds), 0);
	c.place = http_connection_open(list, c.fds[0], &at.any, now);
	assert_non_null(c.place);
	return c;
}

static bool is_ended(const struct client *c)
{
	char byte;

	return recv(c->fds[1], &byte, 1, MSG_DONTWAIT) == 0;
}

static void hang_up(struct client *c)
{
	http_connection_close(c->place);
	close(c->fds[0]);
	close(c->fds[1]);
}

static void set_all(struct client *clients, size_t n,
		    enum http_connection_state state)
{
	for (size_t i = 0; i < n; i++)
		http_connection_set_state(clients[i].place, state, 0);
}

static void hang_up_all(struct client *clients, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hang_up(&clients[i]);
}

static void test_oldest_reader_of_the_address_makes_room(void **state)
{
	struct http_connections *list = make_list();
	struct client c[PER_ADDRESS + 2];

	(void)state;
	/* The oldest of all is of another address. */
	c[PER_ADDRESS + 1] = dial(list, "192.0.2.9", 0);
	for (int i = 0; i < PER_ADDRESS; i++)
		c[i] = dial(list, "192.0.2.1", 10 - i);
	http_connection_set_state(c[3].place, HTTP_CONNECTION_WORKING, 1);
	c[PER_ADDRESS] = dial(list, "192.0.2.1", 20);
	assert_false(http_connection_is_reserved(c[PER_ADDRESS].place));
	/* c[3] was there first, but a handler has it. */
	assert_true(is_ended(&c[2]));
	for (int i = 0; i < PER_ADDRESS + 2; i++)
		if (i != 2)
			assert_false(is_ended(&c[i]));
	hang_up_all(c, PER_ADDRESS + 2);
	http_connections_free(list);
}

static void test_oldest_reader_of_all_makes_room(void **state)
{
	static const char *const from[ALL] = { "192.0.2.1",   "192.0.2.2",
					       "192.0.2.3",   "192.0.2.4",
					       "2001:db8::1", "192.0.2.6" };
	struct http_connections *list = make_list();
	struct http_connection_stats stats;
	struct client c[ALL + 1];

	(void)state;
	for (int i = 0; i < ALL; i++)
		c[i] = dial(list, from[i], i);
	http_connection_set_state(c[0].place, HTTP_CONNECTION_STREAMING, 0);
	c[ALL] = dial(list, "192.0.2.7", 20);
	assert_false(http_connection_is_reserved(c[ALL].place));
	assert_true(is_ended(&c[1]));
	http_connections_stats(list, &stats);
	assert_int_equal(stats.evicted, 1);
	assert_int_equal(stats.open, ALL + 1);
	hang_up_all(c, ALL + 1);
	http_connections_stats(list, &stats);
	assert_int_equal(stats.open, 0);
	http_connections_free(list);
}

static void test_reserved_if_nobody_reads(void **state)
{
	struct http_connections *list = make_list();
	struct client c[PER_ADDRESS + RESERVED + 1];

	(void)state;
	for (int i = 0; i < PER_ADDRESS; i++)
		c[i] = dial(list, "192.0.2.1", i);
	set_all(c, PER_ADDRESS, HTTP_CONNECTION_SENDING);
	for (int i = PER_ADDRESS; i < PER_ADDRESS + RESERVED; i++) {
		c[i] = dial(list, "192.0.2.1", i);
		assert_true(http_connection_is_reserved(c[i].place));
		http_connection_set_state(c[i].place, HTTP_CONNECTION_SENDING,
					  i);
	}
	/* One more: the older of the reserved, whatever it does. */
	c[PER_ADDRESS + RESERVED] = dial(list, "192.0.2.1", 50);
	assert_true(
		http_connection_is_reserved(c[PER_ADDRESS + RESERVED].place));
	assert_true(is_ended(&c[PER_ADDRESS]));
	for (int i = 0; i < PER_ADDRESS; i++)
		assert_false(is_ended(&c[i]));
	hang_up_all(c, PER_ADDRESS + RESERVED + 1);
	http_connections_free(list);
}

static void test_ipv6_counts_by_64(void **state)
{
	static const char *const from[PER_ADDRESS + 2] = {
		"2001:db8::1", "2001:db8::2:0:0:1", "2001:db8::3",
		"2001:db8::4", "2001:db8::5",	    "2001:db8:0:1::1"
	};
	struct http_connections *list = make_list();
	struct client c[PER_ADDRESS + 2];

	(void)state;
	for (int i = 0; i < PER_ADDRESS + 2; i++)
		c[i] = dial(list, from[i], i);
	assert_true(is_ended(&c[0]));
	for (int i = 1; i < PER_ADDRESS + 2; i++)
		assert_false(is_ended(&c[i]));
	hang_up_all(c, PER_ADDRESS + 2);
	http_connections_free(list);
}

static void test_deadlines(void **state)
{
	static const struct {
		enum http_connection_state state;
		int64_t seconds; /* 0: none */
	} cases[] = {
		{ HTTP_CONNECTION_READING, HTTP_READ_SECONDS },
		{ HTTP_CONNECTION_SENDING, HTTP_SEND_SECONDS },
		{ HTTP_CONNECTION_WORKING, 0 },
		{ HTTP_CONNECTION_STREAMING, 0 },
	};
	struct http_connections *list = make_list();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct client c = dial(list, "192.0.2.1", 0);
		int64_t end = cases[i].seconds * SP_S;

		http_connection_set_state(c.place, cases[i].state, 0);
		http_connections_expire(list, end);
		assert_false(is_ended(&c));
		http_connections_expire(list, end + 3600 * SP_S);
		assert_int_equal(is_ended(&c), cases[i].seconds != 0);
		hang_up(&c);
	}
	http_connections_free(list);
}

/* What was shut down stays so until libmicrohttpd closes it. */
static void test_ended_is_ended(void **state)
{
	struct http_connections *list = make_list();
	struct client c = dial(list, "192.0.2.1", 0);
	struct http_connection_stats stats;

	(void)state;
	http_connections_expire(list, 3600 * SP_S);
	http_connection_set_state(c.place, HTTP_CONNECTION_READING, 0);
	http_connections_expire(list, 7200 * SP_S);
	http_connections_stats(list, &stats);
	assert_int_equal(stats.expired, 1);
	hang_up(&c);
	http_connections_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oldest_reader_of_the_address_makes_room),
		cmocka_unit_test(test_oldest_reader_of_all_makes_room),
		cmocka_unit_test(test_reserved_if_nobody_reads),
		cmocka_unit_test(test_ipv6_counts_by_64),
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_ended_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
