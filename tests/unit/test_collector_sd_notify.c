#include "check.h"

#include "collector/base/sd_notify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The manager's end: a datagram socket with a name of its own. */
struct manager {
	int fd;
	char name[64];
	char got[1024];
};

static void listen_abstract(struct manager *m)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int len;

	snprintf(m->name, sizeof(m->name), "@arancini-notify-%d", getpid());
	len = snprintf(a.sun_path, sizeof(a.sun_path), "%s", m->name);
	a.sun_path[0] = '\0';
	m->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(m->fd >= 0);
	assert_int_equal(bind(m->fd, (struct sockaddr *)&a,
			      (socklen_t)(offsetof(struct sockaddr_un,
						   sun_path) +
					  (size_t)len)),
			 0);
}

static const char *next(struct manager *m)
{
	ssize_t n = recv(m->fd, m->got, sizeof(m->got) - 1, MSG_DONTWAIT);

	m->got[n > 0 ? n : 0] = '\0';
	return m->got;
}

static void test_without_a_socket_nothing_happens(void **state)
{
	struct sd_notify n;

	(void)state;
	assert_int_equal(sd_notify_open(&n, NULL, "1000000", NULL), 0);
	assert_int_equal(n.watchdog_ns, 0);
	assert_int_equal(sd_notify_ready(&n), 0);
	assert_int_equal(sd_notify_status(&n, "fine"), 0);
	sd_notify_close(&n);
	sd_notify_close(NULL);
}

static void test_messages_are_those_of_the_protocol(void **state)
{
	struct manager m = { 0 };
	struct sd_notify n;

	(void)state;
	listen_abstract(&m);
	assert_int_equal(sd_notify_open(&n, m.name, NULL, NULL), 0);
	assert_int_equal(sd_notify_ready(&n), 0);
	assert_string_equal(next(&m), "READY=1");
	assert_int_equal(sd_notify_alive(&n), 0);
	assert_string_equal(next(&m), "WATCHDOG=1");
	assert_int_equal(sd_notify_stopping(&n), 0);
	assert_string_equal(next(&m), "STOPPING=1");
	assert_int_equal(sd_notify_reloading(&n, 1234567), 0);
	assert_string_equal(next(&m), "RELOADING=1\nMONOTONIC_USEC=1234");
	assert_int_equal(sd_notify_status(&n, "12 routers\nREADY=0"), 0);
	assert_string_equal(next(&m), "STATUS=12 routers READY=0");
	sd_notify_close(&n);
	close(m.fd);
}

static void test_a_path_works_as_well(void **state)
{
	char folder[] = "/tmp/test_collector_notify.XXXXXX";
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct manager m = { 0 };
	struct sd_notify n;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/socket", folder);
	assert_true(sd_notify_open(&n, a.sun_path, NULL, NULL) == -ENOENT);
	assert_int_equal(sd_notify_ready(&n), 0); /* nobody wants to know */
	m.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(m.fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(sd_notify_open(&n, a.sun_path, NULL, NULL), 0);
	assert_int_equal(sd_notify_ready(&n), 0);
	assert_string_equal(next(&m), "READY=1");
	sd_notify_close(&n);
	close(m.fd);
	unlink(a.sun_path);
	rmdir(folder);
}

static void test_sockets_that_cannot_be_are_refused(void **state)
{
	char longer[200];
	struct sd_notify n;

	(void)state;
	memset(longer, '/', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(sd_notify_open(&n, "", NULL, NULL), -EINVAL);
	assert_int_equal(sd_notify_open(&n, "@", NULL, NULL), -EINVAL);
	assert_int_equal(sd_notify_open(&n, "relative", NULL, NULL), -EINVAL);
	assert_int_equal(sd_notify_open(&n, longer, NULL, NULL), -EINVAL);
	assert_int_equal(n.fd, -1);
}

static void test_the_watchdog_is_fed_twice_as_often(void **state)
{
	char mine[24], other[24];
	const struct {
		const char *usec, *pid;
		int64_t want;
	} cases[] = {
		{ NULL, NULL, 0 },
		{ "30000000", NULL, INT64_C(15000000000) },
		{ "30000000", mine, INT64_C(15000000000) },
		{ "30000000", other, 0 },
		{ "soon", NULL, 0 },
		{ "-5", NULL, 0 },
		{ "99999999999999999999", NULL, 0 },
	};
	struct manager m = { 0 };

	(void)state;
	snprintf(mine, sizeof(mine), "%d", getpid());
	snprintf(other, sizeof(other), "%d", getpid() + 1);
	listen_abstract(&m);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sd_notify n;

		assert_int_equal(sd_notify_open(&n, m.name, cases[i].usec,
						cases[i].pid),
				 0);
		CHECK(n.watchdog_ns == cases[i].want, "case %zu", i);
		sd_notify_close(&n);
	}
	close(m.fd);
}

/* Ends only if nothing waits: nobody reads. */
static void test_a_manager_that_does_not_read_does_not_stop_us(void **state)
{
	struct manager m = { 0 };
	struct sd_notify n;
	int err = 0;

	(void)state;
	listen_abstract(&m);
	assert_int_equal(sd_notify_open(&n, m.name, NULL, NULL), 0);
	for (int i = 0; i < 100000 && err == 0; i++)
		err = sd_notify_alive(&n);
	assert_int_equal(err, -EAGAIN);
	sd_notify_close(&n);
	close(m.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_socket_nothing_happens),
		cmocka_unit_test(test_messages_are_those_of_the_protocol),
		cmocka_unit_test(test_a_path_works_as_well),
		cmocka_unit_test(test_sockets_that_cannot_be_are_refused),
		cmocka_unit_test(test_the_watchdog_is_fed_twice_as_often),
		cmocka_unit_test(
			test_a_manager_that_does_not_read_does_not_stop_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
