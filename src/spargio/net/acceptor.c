/*
 * Multishot accept.
 *
 * One submission reports every connection. Connections that the fiber has not
 * taken yet wait in a queue; if the queue gets long, the accept is cancelled
 * and connections wait in the kernel's queue until ours is empty. On a kernel
 * without multishot accept, connections are accepted one at a time.
 */
#include "spargio/io/multishot.h"
#include "spargio/io/sys.h"
#include "spargio/net/net.h"
#include "spargio/sched/backend.h"
#include "spargio/sched/current.h"
#include "spargio/sched/wait.h"

#include <spargio/accept_loop.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define QUEUE_LONG 64
#define PAUSE_MIN  (10 * SP_MS)
#define PAUSE_MAX  (1 * SP_S)

struct sp_acceptor {
	struct sp__multishot multishot; /* must be the first member */
	int listener;
	bool has_multishot; /* the kernel supports multishot accept */
	int error;	    /* error that ended the accept */
	int64_t pause;
	/* Accepted descriptors, from begin to end. */
	int *queue;
	size_t begin, end, size;
};

static int queue_push(struct sp_acceptor *a, int fd)
{
	if (a->begin == a->end)
		a->begin = a->end = 0;
	if (a->end == a->size) {
		size_t size = a->size == 0 ? QUEUE_LONG : 2 * a->size;
		int *grown = realloc(a->queue, size * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		a->queue = grown;
		a->size = size;
	}
	a->queue[a->end++] = fd;
	return 0;
}

static void on_event(struct sp__op *op)
{
	struct sp_acceptor *a = (struct sp_acceptor *)op;

	if (op->res < 0)
		a->error = op->res;
	else if (queue_push(a, op->res) < 0)
		sp__sys()->close(op->res);
	if (!op->done && a->end - a->begin >= QUEUE_LONG)
		sp__multishot_cancel(&a->multishot);
	sp__multishot_wake(&a->multishot);
}

static int wait_multishot(struct sp_acceptor *a, int64_t deadline)
{
	int err = sp__wait_refused(sp__fiber_self());

	if (err < 0)
		return err;
	sp__multishot_wait_begin(&a->multishot);
	if (!sp__multishot_armed(&a->multishot)) {
		io_uring_prep_multishot_accept(&a->multishot.op.sqe,
					       a->listener, NULL, NULL,
					       SOCK_CLOEXEC);
		sp__multishot_arm(&a->multishot);
	}
	return sp__multishot_wait_end(&a->multishot, deadline, "accept");
}

/*
 * Accept one connection and add it to the queue. Returns 0 or an error for
 * look_into().
 */
static int accept_one(struct sp_acceptor *a, int64_t deadline)
{
	struct sp_conn conn;
	int err = sp_accept_until(a->listener, SP_HOME_HERE, deadline, &conn);

	if (err == 0 && queue_push(a, conn.fd) < 0) {
		sp__sys()->close(conn.fd);
		err = -ENOMEM;
	}
	return err;
}

static int pause_for(struct sp_acceptor *a, int64_t deadline)
{
	int64_t until = sp_in(a->pause);
	int err;

	sp__count(&a->multishot.home->counts.accept_pauses, 1);
	err = sp_sleep_until(until < deadline ? until : deadline);
	if (err == 0 && until >= deadline)
		err = -ETIMEDOUT;
	a->pause = 2 * a->pause < PAUSE_MAX ? 2 * a->pause : PAUSE_MAX;
	return err;
}

/*
 * Handle an error of accept. Returns 0 to try again, perhaps after a pause, or
 * the error that the caller of sp_acceptor_next() gets.
 */
static int look_into(struct sp_acceptor *a, int error, int64_t deadline)
{
	switch (error) {
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
	case -ENOBUFS:
		return pause_for(a, deadline);
	/*
	 * The kernel lacks multishot accept, or the listener was shut down: in
	 * the second case the retry without multishot fails, too.
	 */
	case -EINVAL:
	/*
	 * -EAGAIN: io_uring does not wait on a listener that is O_NONBLOCK; try
	 * again without multishot.
	 */
	case -EAGAIN:
		if (a->has_multishot) {
			a->has_multishot = false;
			return 0;
		}
		return error;
	default:
		return sp__accept_again(error) ? 0 : error;
	}
}

/*
 * Take the error that ended the multishot accept. 0 for -ECANCELED, because
 * only we cancel it, and for -EINTR.
 */
static int take_error(struct sp_acceptor *a)
{
	int error = a->error;

	a->error = 0;
	return error == -ECANCELED || error == -EINTR ? 0 : error;
}

int sp_acceptor_next(struct sp_acceptor *acceptor, uint32_t home,
		     struct sp_conn *out)
{
	return sp_acceptor_next_until(acceptor, home, SP_NEVER, out);
}

int sp_acceptor_next_until(struct sp_acceptor *a, uint32_t home,
			   int64_t deadline, struct sp_conn *out)
{
	uint32_t shard;
	int err = sp__multishot_go_home(&a->multishot);

	if (err == 0)
		err = sp__home(home, &shard);
	while (err == 0 && a->begin == a->end) {
		int error = take_error(a);

		if (error == 0 && a->has_multishot)
			err = wait_multishot(a, deadline);
		else if (error == 0)
			error = accept_one(a, deadline);
		/* -ETIMEDOUT and -ECANCELED of the wait concern the caller. */
		if (error == -ETIMEDOUT || error == -ECANCELED)
			err = error;
		else if (error < 0)
			err = look_into(a, error, deadline);
		/* Without has_multishot a wait may end on another shard. */
		if (err == 0)
			err = sp__multishot_go_home(&a->multishot);
	}
	if (err < 0)
		return err;
	a->pause = PAUSE_MIN;
	*out = (struct sp_conn){ .fd = a->queue[a->begin++], .home = shard };
	return 0;
}

int sp_acceptor_open(int listener, struct sp_acceptor **out)
{
	struct sp_fiber *self = sp__fiber_self();
	struct sp_acceptor *a;

	if (self == NULL)
		return -EPERM;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return -ENOMEM;
	sp__multishot_init(&a->multishot, self->shard, on_event);
	a->listener = listener;
	a->has_multishot = self->shard->backend->provide != NULL;
	a->pause = PAUSE_MIN;
	*out = a;
	return 0;
}

void sp_acceptor_close(struct sp_acceptor *acceptor)
{
	if (acceptor == NULL)
		return;
	(void)sp__multishot_go_home(&acceptor->multishot);
	sp__multishot_stop(&acceptor->multishot);
	while (acceptor->begin < acceptor->end)
		sp__sys()->close(acceptor->queue[acceptor->begin++]);
	free(acceptor->queue);
	free(acceptor);
}
