/*
 * The back end for kernels without a usable io_uring.
 *
 * An operation is tried immediately. If its descriptor is not ready, the
 * operation waits in that descriptor's list until epoll reports readiness. If
 * the operation needs a blocking call, a thread of the pool executes it. Like
 * a ring, the back end delivers results only from poll() and wait().
 */
#include "spargio/io/epoll.h"
#include "spargio/io/offload.h"
#include "spargio/io/op.h"
#include "spargio/io/sync_ops.h"
#include "spargio/sched/memcheck.h"

#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 64

/* The operations that wait for one descriptor. */
struct fd_entry {
	struct sp__op *ops;
	bool added;
};

struct epoll_io {
	int epoll_fd;
	int wakeup_fd;
	struct fd_entry *fds;
	size_t nfds;
	bool only_ms;	     /* the kernel has no epoll_pwait2() */
	uint32_t waiting;    /* operations in lists of descriptors */
	struct sp__op *done; /* operations with a result, newest first */
};

static struct epoll_io *io_of(struct sp_shard *shard)
{
	return shard->io;
}

static void finish_later(struct epoll_io *io, struct sp__op *op, int res)
{
	op->res = res;
	sp__op_push(&io->done, op);
}

/* Descriptors */

static struct fd_entry *entry_of(struct epoll_io *io, int fd)
{
	if ((size_t)fd >= io->nfds) {
		size_t n = io->nfds == 0 ? 64 : io->nfds;
		struct fd_entry *grown;

		while (n <= (size_t)fd)
			n *= 2;
		grown = calloc(n, sizeof(*grown));
		if (grown == NULL)
			return NULL;
		for (size_t i = 0; i < io->nfds; i++) {
			grown[i] = io->fds[i];
			if (grown[i].ops != NULL)
				grown[i].ops->link = &grown[i].ops;
		}
		free(io->fds);
		io->fds = grown;
		io->nfds = n;
	}
	return &io->fds[fd];
}

/*
 * Watch @fd for the events of all operations in its list. EPOLLONESHOT,
 * because the list is different after each event.
 */
static int arm_fd(struct epoll_io *io, int fd, struct fd_entry *entry)
{
	struct epoll_event ev = { .events = EPOLLONESHOT, .data.fd = fd };
	int ret;

	for (struct sp__op *op = entry->ops; op != NULL; op = op->next)
		ev.events |= op->events;
	ret = epoll_ctl(io->epoll_fd,
			entry->added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &ev);
	/*
	 * The descriptor may have been closed, and its number used again,
	 * since it was added.
	 */
	if (ret < 0 && errno == ENOENT)
		ret = epoll_ctl(io->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
	else if (ret < 0 && errno == EEXIST)
		ret = epoll_ctl(io->epoll_fd, EPOLL_CTL_MOD, fd, &ev);
	if (ret < 0)
		return -errno;
	entry->added = true;
	return 0;
}

/* The back end */

static void wait_for_fd(struct sp_shard *shard, struct sp__op *op)
{
	struct epoll_io *io = io_of(shard);
	struct pollfd wait = sp__sqe_wait(&op->sqe);
	int fd = wait.fd;
	struct fd_entry *entry = fd < 0 ? NULL : entry_of(io, fd);
	int err;

	if (entry == NULL) {
		finish_later(io, op, fd < 0 ? -EBADF : -ENOMEM);
		return;
	}
	op->events = (uint16_t)wait.events;
	sp__op_push(&entry->ops, op);
	err = arm_fd(io, fd, entry);
	if (err == 0) {
		io->waiting++;
		return;
	}
	sp__op_detach(op);
	/*
	 * epoll cannot watch a regular file, but a thread of the pool can
	 * access it.
	 */
	if (err == -EPERM)
		sp__offload_start(shard, op);
	else
		finish_later(io, op, err);
}

static void attempt_op(struct sp_shard *shard, struct sp__op *op)
{
	int res = 0;

	switch (sp__sqe_try(&op->sqe, &res)) {
	case SP__DONE:
		finish_later(io_of(shard), op, res);
		break;
	case SP__NOT_READY:
		wait_for_fd(shard, op);
		break;
	case SP__MUST_BLOCK:
		sp__offload_start(shard, op);
		break;
	}
}

static void epoll_cancel(struct sp_shard *shard, struct sp__op *op)
{
	struct epoll_io *io = io_of(shard);

	if (op->offloaded) {
		sp__offload_cancel(shard, op);
		return;
	}
	if (op->link == NULL || op->done)
		return;
	for (struct sp__op *d = io->done; d != NULL; d = d->next)
		if (d == op)
			/* its result is already in the list of results */
			return;
	sp__op_detach(op);
	io->waiting--;
	finish_later(io, op, -ECANCELED);
}

/*
 * End the operations that wait for a descriptor that is being closed.
 * Otherwise they would never end, or would get events of a later file with the
 * same number.
 */
static void cancel_waiting(struct sp_shard *shard, int fd)
{
	struct epoll_io *io = io_of(shard);

	if (fd >= 0 && (size_t)fd < io->nfds)
		while (io->fds[fd].ops != NULL)
			epoll_cancel(shard, io->fds[fd].ops);
}

static void epoll_start(struct sp_shard *shard, struct sp__op *op)
{
	op->link = NULL;
	if (op->sqe.opcode == IORING_OP_CLOSE)
		cancel_waiting(shard, op->sqe.fd);
	attempt_op(shard, op);
}

static void epoll_cancel_all(struct sp_shard *shard)
{
	for (size_t fd = 0; fd < io_of(shard)->nfds; fd++)
		cancel_waiting(shard, (int)fd);
}

static void complete_done_ops(struct sp_shard *shard)
{
	struct epoll_io *io = io_of(shard);
	struct sp__op *op = io->done;

	io->done = NULL;
	while (op != NULL) {
		struct sp__op *next = op->next;

		op->link = NULL;
		sp__op_complete(shard, op, op->res, 0);
		op = next;
	}
}

static void clear_wakeup_fd(struct epoll_io *io)
{
	uint64_t count;

	(void)!read(io->wakeup_fd, &count, sizeof(count));
}

/*
 * Try again every operation that waits for @fd; those that are still not ready
 * keep waiting.
 */
static void fd_ready(struct sp_shard *shard, int fd)
{
	struct epoll_io *io = io_of(shard);
	struct sp__op *op = io->fds[fd].ops;

	io->fds[fd].ops = NULL;
	while (op != NULL) {
		struct sp__op *next = op->next;

		io->waiting--;
		op->link = NULL;
		attempt_op(shard, op);
		op = next;
	}
}

/*
 * Sleep for up to @ns; SP_NEVER means without limit.
 *
 * epoll_pwait2() exists since Linux 5.11. Where it is missing, the error is
 * ENOSYS, or EPERM from a seccomp filter older than the call; if EPERM were
 * taken as a result, an idle shard would spin. After the first such error the
 * call is not tried again.
 */
static int wait_events(struct epoll_io *io, struct epoll_event *events,
		       int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / SP_S, .tv_nsec = ns % SP_S };

	if (!io->only_ms) {
		int n = epoll_pwait2(io->epoll_fd, events, EVENTS_AT_ONCE,
				     ns == SP_NEVER ? NULL : &ts, NULL);

		if (n >= 0 || errno == EINTR)
			return n;
		io->only_ms = true;
	}
	/* Convert to milliseconds, rounded up. */
	ns = ns > 1000 * SP_S ? 1000 * SP_S : ns + SP_MS - 1;
	return epoll_wait(io->epoll_fd, events, EVENTS_AT_ONCE,
			  (int)(ns / SP_MS));
}

static void collect_events(struct sp_shard *shard, int64_t ns)
{
	struct epoll_io *io = io_of(shard);
	struct epoll_event events[EVENTS_AT_ONCE];
	int n = wait_events(io, events, ns);

	for (int i = 0; i < n; i++) {
		if (events[i].data.fd == io->wakeup_fd)
			clear_wakeup_fd(io);
		else
			fd_ready(shard, events[i].data.fd);
	}
}

static void epoll_poll(struct sp_shard *shard)
{
	struct epoll_io *io = io_of(shard);

	if (io->waiting != 0)
		collect_events(shard, 0);
	sp__offload_poll(shard);
	complete_done_ops(shard);
}

static bool epoll_ready(struct sp_shard *shard)
{
	struct epoll_io *io = io_of(shard);

	return io->done != NULL || sp__offload_ready(shard);
}

static int64_t time_left(int64_t deadline)
{
	int64_t left;

	if (deadline == SP_NEVER)
		return SP_NEVER;
	left = deadline - sp_now();
	return left < 0 ? 0 : left;
}

static void epoll_wait_for(struct sp_shard *shard, int64_t deadline)
{
	int64_t ns = time_left(deadline);

	if (epoll_ready(shard))
		ns = 0;
	else if (shard->stopping)
		/*
		 * The shard is not parked, so the pool does not wake it: poll
		 * often.
		 */
		ns = SP_MS;
	collect_events(shard, ns);
	sp__offload_poll(shard);
	complete_done_ops(shard);
}

static void epoll_wakeup(struct sp_shard *from, struct sp_shard *target)
{
	uint64_t one = 1;

	(void)from;
	(void)!write(io_of(target)->wakeup_fd, &one, sizeof(one));
}

static void epoll_leave(struct sp_shard *shard)
{
	(void)shard;
}

static void epoll_close(struct sp_shard *shard)
{
	struct epoll_io *io = io_of(shard);

	if (io == NULL)
		return;
	if (io->epoll_fd >= 0)
		close(io->epoll_fd);
	if (io->wakeup_fd >= 0)
		close(io->wakeup_fd);
	free(io->fds);
	free(io);
	shard->io = NULL;
}

static int epoll_open(struct sp_shard *shard)
{
	struct epoll_io *io = calloc(1, sizeof(*io));
	struct epoll_event ev = { .events = EPOLLIN };
	int err = 0;

	if (io == NULL)
		return -ENOMEM;
	shard->io = io;
	/* valgrind would print several lines about epoll_pwait2(). */
	io->only_ms = sp__on_valgrind();
	io->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	io->wakeup_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ev.data.fd = io->wakeup_fd;
	if (io->epoll_fd < 0 || io->wakeup_fd < 0 ||
	    epoll_ctl(io->epoll_fd, EPOLL_CTL_ADD, io->wakeup_fd, &ev) < 0) {
		err = -errno;
		epoll_close(shard);
	}
	return err;
}

const struct sp__backend sp__backend_epoll = {
	.name = "epoll",
	.open = epoll_open,
	.leave = epoll_leave,
	.close = epoll_close,
	.start = epoll_start,
	.cancel = epoll_cancel,
	.cancel_all = epoll_cancel_all,
	.poll = epoll_poll,
	.ready = epoll_ready,
	.wait = epoll_wait_for,
	.wakeup = epoll_wakeup,
};
