/*
 * An operation of your own: describe it in a submission queue entry of
 * io_uring, get its result like that of any call.
 */
#include <spargio/fiber.h>
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
 * An operation that the runtime cannot carry out where the ring does not have
 * it returns -EOPNOTSUPP; the blocking pool can do it instead.
 */
static void fill_advise(struct io_uring_sqe *sqe, void *arg)
{
	io_uring_prep_fadvise(sqe, *(int *)arg, 0, 0, POSIX_FADV_SEQUENTIAL);
}

static int advise_blocking(void *arg)
{
	return -posix_fadvise(*(int *)arg, 0, 0, POSIX_FADV_SEQUENTIAL);
}

static int advise(int fd)
{
	int ret = 0;
	int err = sp_op_raw(fill_advise, &fd, NULL); /* yields */

	if (err != -EOPNOTSUPP)
		return err;
	sp_shield_begin(); /* what it works on is on our stack */
	err = sp_block(advise_blocking, &fd, &ret); /* yields */
	sp_shield_end();
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
	n = advise(fd);
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
