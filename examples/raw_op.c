/*
 * An operation of your own: describe it in a submission queue entry of
 * io_uring, get its result like that of any call.
 */
#include <spargio/op.h>
#include <spargio/pool.h>
#include <spargio/runtime.h>

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the call's arguments become. */
struct transfer {
	int fd;
	void *data;
	unsigned len;
	uint64_t offset;
};

static void fill_write(struct io_uring_sqe *sqe, void *arg)
{
	const struct transfer *t = arg;

	io_uring_prep_write(sqe, t->fd, t->data, t->len, t->offset);
}

static void fill_read(struct io_uring_sqe *sqe, void *arg)
{
	const struct transfer *t = arg;

	io_uring_prep_read(sqe, t->fd, t->data, t->len, t->offset);
}

/* How many bytes, or a negative errno. Yields. */
static int write_at(int fd, void *data, unsigned len, uint64_t offset)
{
	struct transfer t = { fd, data, len, offset };

	return sp_op_raw(fill_write, &t, NULL);
}

static int read_at(int fd, void *data, unsigned len, uint64_t offset)
{
	struct transfer t = { fd, data, len, offset };

	return sp_op_raw(fill_read, &t, NULL);
}

/*
 * An operation that the epoll back end does not know returns -EOPNOTSUPP
 * there; the blocking pool can do it instead.
 */
struct reserve {
	int fd;
	off_t len;
};

static void fill_reserve(struct io_uring_sqe *sqe, void *arg)
{
	const struct reserve *r = arg;

	io_uring_prep_fallocate(sqe, r->fd, 0, 0, r->len);
}

static int reserve_blocking(void *arg)
{
	const struct reserve *r = arg;

	return fallocate(r->fd, 0, 0, r->len) < 0 ? -errno : 0;
}

static int reserve(int fd, off_t len)
{
	struct reserve r = { fd, len };
	int ret = 0;
	int err = sp_op_raw(fill_reserve, &r, NULL); /* yields */

	if (err != -EOPNOTSUPP)
		return err;
	err = sp_block(reserve_blocking, &r, &ret); /* yields */
	return err < 0 ? err : ret;
}

static int body(void *arg)
{
	char sent[] = "by hand", got[8] = "";
	int fd = memfd_create("example", MFD_CLOEXEC);
	int n;

	(void)arg;
	if (fd < 0)
		return -errno;
	n = reserve(fd, 4096);
	if (n == 0)
		n = write_at(fd, sent, sizeof(sent), 100);
	if (n == sizeof(sent))
		n = read_at(fd, got, sizeof(got), 100);
	close(fd);
	if (n < 0)
		return n;
	printf("read back: %s\n", got);
	return 0;
}

int main(void)
{
	return sp_run(NULL, body, NULL) == 0 ? 0 : 1;
}
