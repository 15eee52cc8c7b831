/*
 * The epoll back end where epoll_pwait2(2) is missing: this program brings its
 * own, which the runtime is linked to.
 */
#include "runtime.h"

#include <spargio/op.h>

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

static atomic_int attempts;

int epoll_pwait2(int fd, struct epoll_event *events, int max,
		 const struct timespec *timeout, const sigset_t *mask)
{
	(void)fd;
	(void)events;
	(void)max;
	(void)timeout;
	(void)mask;
	atomic_fetch_add(&attempts, 1);
	errno = ENOSYS;
	return -1;
}

static int wait_often(void *arg)
{
	int fds[2];

	(void)arg;
	EXPECT_EQ(pipe(fds), 0);
	for (int i = 0; i < 10; i++) {
		int64_t began = sp_now();

		EXPECT_EQ(sp_sleep(3 * SP_MS), 0);
		EXPECT(sp_now() - began >= 3 * SP_MS);
		EXPECT_EQ(sp_wait_fd_until(fds[0], POLLIN, sp_in(SP_MS)),
			  -ETIMEDOUT);
	}
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static void test_a_missing_call_is_tried_once(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	setenv("SP_BACKEND", "epoll", 1); /* it wins over sp_opts */
	opts.shards = 1;
	opts.spin_us = 0;
	run_with(&opts, wait_often, NULL);
	assert_int_equal(atomic_load(&attempts), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_missing_call_is_tried_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
