/*
 * The first connect() of a replay is interrupted, as libFuzzer's alarm may do:
 * the kernel goes on with it, and the caller gets EINTR. Linked with
 * --wrap=connect.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>

/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	static atomic_flag interrupted = ATOMIC_FLAG_INIT;
	int err = __real_connect(fd, to, len);

	if (err < 0 || atomic_flag_test_and_set(&interrupted))
		return err;
	errno = EINTR;
	return -1; /* with errno, as connect(2) does */
}
/* NOLINTEND(bugprone-reserved-identifier) */
