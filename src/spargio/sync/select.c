/*
 * Select, in three steps.
 *
 * 1. Try the cases one by one, in random order. 2. If none can happen, add a
 * waiter to the object of each case. All waiters have the same epoch, that of
 * the fiber's wait, and each has its own code. So the wake word decides which
 * case happens: the first claim succeeds, later claims fail. 3. When woken,
 * remove the remaining waiters. If the wake-up was a timer reset, no case has
 * happened, and the select starts again.
 *
 * A channel operation needs two sides, and both sides may be in a select. Lock
 * order prevents a race: step 2 locks all channels of the select, in order of
 * address, while it tries their cases again and adds its waiters. So no other
 * fiber can claim this select before its waiters are in the lists of all
 * channels, and this select needs to claim only the other side. If two selects
 * have matching cases, the later one finds the waiter of the other. The
 * waiters of other kinds of cases are added afterwards, each under the lock of
 * its object.
 */
#include "spargio/io/op.h"
#include "spargio/sched/current.h"
#include "spargio/sched/group.h"
#include "spargio/sched/spin.h"
#include "spargio/sched/task.h"
#include "spargio/sched/time.h"
#include "spargio/sched/wait.h"
#include "spargio/sched/wake.h"
#include "spargio/sync/channel.h"

#include <spargio/select.h>

#include <assert.h>
#include <errno.h>
#include <poll.h>

enum kind {
	NEVER, /* 0: a case that was not set */
	RECV,
	SEND,
	JOIN,
	FD,
	TOKEN,
	AT,
	TIMER,
};

/* The waiter of a case, in sp_case._space. */
union space {
	struct sp__waiter waiter; /* JOIN, TOKEN, TIMER */
	struct sp__chan_waiter chan;
	struct sp__op op;
};

static_assert(sizeof(union space) <= sizeof(((struct sp_case *)0)->_space) &&
		      alignof(union space) <= 16,
	      "struct sp_case must have room for what waits for it");

struct select {
	struct sp_case *cases;
	uint32_t count;
	struct sp_fiber *self;
	uint64_t epoch;
	/* The first @placed cases may have a waiter to remove. */
	uint32_t placed;
	uint8_t order[SP_CASES_MAX];   /* random order */
	uint8_t by_lock[SP_CASES_MAX]; /* cases of channels, by address */
	uint32_t channels;
};

/* Making cases */

struct sp_case sp_case_recv(struct sp_chan *chan, void *out)
{
	return (struct sp_case){ ._kind = chan == NULL ? NEVER : RECV,
				 ._on.chan = chan,
				 ._data = out };
}

struct sp_case sp_case_send(struct sp_chan *chan, const void *item)
{
	/* The cast is safe because the item is only read. */
	return (struct sp_case){ ._kind = chan == NULL ? NEVER : SEND,
				 ._on.chan = chan,
				 ._data = (void *)item };
}

struct sp_case sp_case_join(struct sp_task task, int *ret)
{
	return (struct sp_case){ ._kind = JOIN,
				 ._on.task = task,
				 ._data = ret };
}

struct sp_case sp_case_fd(int fd, uint32_t events)
{
	return (struct sp_case){ ._kind = FD,
				 ._on = { .poll = { fd, events } } };
}

struct sp_case sp_case_token(struct sp_token *token)
{
	return (struct sp_case){ ._kind = token == NULL ? NEVER : TOKEN,
				 ._on.token = token };
}

struct sp_case sp_case_at(int64_t when)
{
	return (struct sp_case){ ._kind = AT, ._on.when = when };
}

struct sp_case sp_case_timer(struct sp_timer *timer)
{
	return (struct sp_case){ ._kind = timer == NULL ? NEVER : TIMER,
				 ._on.timer = timer };
}

static bool is_channel(const struct sp_case *c)
{
	return c->_kind == RECV || c->_kind == SEND;
}

static union space *space_of(struct sp_case *c)
{
	return (union space *)c->_space;
}

static uint32_t code_of(uint32_t index)
{
	return SP__EVENT + index;
}

/* Random order of the cases, and lock order of the channels */

/* splitmix64: good enough to be fair. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/*
 * Choose a random order; all orders are equally likely. Starting at a random
 * case and continuing in the given order would be cheaper, but would favour a
 * case that follows many cases that cannot happen.
 */
static void shuffle_order(struct select *s)
{
	struct sp_shard *shard = sp__shard_self();
	uint64_t state = shard != NULL ? shard->seed : (uint64_t)sp_now();

	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t j = (uint32_t)(next_random(&state) % (i + 1));

		if (j != i)
			s->order[i] = s->order[j];
		s->order[j] = (uint8_t)i;
	}
	if (shard != NULL)
		shard->seed = state;
}

/* Fill by_lock with the channels in order of address, by insertion sort. */
static void sort_channels(struct select *s)
{
	s->channels = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		uintptr_t at = (uintptr_t)s->cases[i]._on.chan;
		uint32_t k = s->channels;

		if (!is_channel(&s->cases[i]))
			continue;
		for (; k > 0 &&
		       (uintptr_t)s->cases[s->by_lock[k - 1]]._on.chan > at;
		     k--)
			s->by_lock[k] = s->by_lock[k - 1];
		s->by_lock[k] = (uint8_t)i;
		s->channels++;
	}
}

/* The @k-th channel by address; NULL if the channel before is the same one. */
static struct sp_chan *distinct_channel(const struct select *s, uint32_t k)
{
	struct sp_chan *chan = s->cases[s->by_lock[k]]._on.chan;

	if (k > 0 && s->cases[s->by_lock[k - 1]]._on.chan == chan)
		return NULL;
	return chan;
}

static void lock_channels(struct select *s)
{
	for (uint32_t k = 0; k < s->channels; k++) {
		struct sp_chan *chan = distinct_channel(s, k);

		if (chan != NULL)
			sp__spin_lock(&chan->lock);
	}
}

static void unlock_channels(struct select *s)
{
	for (uint32_t k = 0; k < s->channels; k++) {
		struct sp_chan *chan = distinct_channel(s, k);

		if (chan != NULL)
			sp__spin_unlock(&chan->lock);
	}
}

/* Trying */

static int try_fd(const struct sp_case *c)
{
	struct pollfd p = { .fd = c->_on.poll.fd,
			    .events = (short)c->_on.poll.events };
	int n = poll(&p, 1, 0);

	if (c->_on.poll.fd < 0 || (n > 0 && (p.revents & POLLNVAL)))
		return -EBADF;
	return n > 0 ? p.revents : -EAGAIN;
}

/* The time at which the case happens; SP_NEVER unless it is AT or TIMER. */
static int64_t time_of(const struct sp_case *c)
{
	if (c->_kind == AT)
		return c->_on.when;
	return c->_kind == TIMER ? sp_timer_when(c->_on.timer) : SP_NEVER;
}

/* The channel's lock is held. */
static int try_channel(struct sp_case *c)
{
	return c->_kind == RECV ? sp__chan_recv(c->_on.chan, c->_data)
				: sp__chan_send(c->_on.chan, c->_data);
}

/* Perform the case if it can happen now and return its result; else -EAGAIN. */
static int try_case(struct sp_case *c)
{
	switch ((enum kind)c->_kind) {
	case RECV:
		return sp_chan_try_recv(c->_on.chan, c->_data);
	case SEND:
		return sp_chan_try_send(c->_on.chan, c->_data);
	case JOIN:
		return sp__join_try(c->_on.task, c->_data);
	case FD:
		return try_fd(c);
	case TOKEN:
		return sp_token_cancelled(c->_on.token) ? 0 : -EAGAIN;
	case AT:
	case TIMER:
		return time_of(c) <= sp_now() ? 0 : -EAGAIN;
	case NEVER:
		break;
	}
	return -EAGAIN;
}

static int try_all(struct select *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct sp_case *c = &s->cases[s->order[i]];
		int result = try_case(c);

		if (result != -EAGAIN) {
			c->result = result;
			return s->order[i];
		}
	}
	return -EAGAIN;
}

/* Waiting */

/* Try the channels, which are locked. Returns a case index or -EAGAIN. */
static int try_channels(struct select *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct sp_case *c = &s->cases[s->order[i]];
		int result = is_channel(c) ? try_channel(c) : -EAGAIN;

		if (result != -EAGAIN) {
			c->result = result;
			return s->order[i];
		}
	}
	return -EAGAIN;
}

static void place_channels(struct select *s)
{
	for (uint32_t k = 0; k < s->channels; k++) {
		uint32_t i = s->by_lock[k];
		struct sp_case *c = &s->cases[i];
		struct sp_chan *chan = c->_on.chan;
		struct sp__chan_waiter *cw = &space_of(c)->chan;

		*cw = (struct sp__chan_waiter){
			.w = { .fiber = s->self,
			       .epoch = s->epoch,
			       .code = code_of(i) },
			.item = c->_data,
		};
		sp__waitlist_add(c->_kind == RECV ? &chan->receivers
						  : &chan->senders,
				 &cw->w);
	}
}

/*
 * Start a poll for case @i. While the poll is in flight, the fiber is pinned
 * to the shard that started the poll.
 */
static void place_fd(struct select *s, struct sp_case *c, uint32_t i)
{
	struct sp__op *op = &space_of(c)->op;

	*op = (struct sp__op){
		.fiber = s->self,
		.epoch = s->epoch,
		.code = code_of(i),
	};
	io_uring_prep_poll_add(&op->sqe, c->_on.poll.fd, c->_on.poll.events);
	s->self->pins++;
	sp__op_start(s->self->shard, op);
}

/* Set up the waiter of case @i. */
static struct sp__waiter *waiter_of(struct select *s, uint32_t i)
{
	struct sp__waiter *w = &space_of(&s->cases[i])->waiter;

	*w = (struct sp__waiter){ .fiber = s->self,
				  .epoch = s->epoch,
				  .code = code_of(i) };
	return w;
}

/*
 * Add a waiter to the object of case @i, unless that is a channel. True if the
 * case can happen now.
 */
static bool place_waiter(struct select *s, uint32_t i)
{
	struct sp_case *c = &s->cases[i];

	switch ((enum kind)c->_kind) {
	case FD:
		place_fd(s, c, i);
		return false;
	case JOIN:
		c->result = sp__join_begin(c->_on.task, waiter_of(s, i));
		return c->result != 0;
	case TOKEN:
		return !sp__token_watch(c->_on.token, waiter_of(s, i));
	case TIMER:
		sp__timer_watch(c->_on.timer, waiter_of(s, i));
		return false;
	case NEVER:
	case RECV:
	case SEND:
	case AT:
		break;
	}
	return false;
}

/*
 * Remove the waiter of a case, except for descriptors, see leave_fd(). If the
 * case happened, set its result.
 */
static void leave_case(struct sp_case *c, bool happened)
{
	union space *space = space_of(c);

	switch ((enum kind)c->_kind) {
	case RECV:
	case SEND:
		/* A waker that still uses our waiter holds this lock. */
		sp__spin_lock(&c->_on.chan->lock);
		sp__waitlist_remove(&space->chan.w);
		sp__spin_unlock(&c->_on.chan->lock);
		if (happened)
			c->result = space->chan.result;
		break;
	case JOIN:
		if (c->result < 0)
			break; /* the task cannot be joined: no waiter */
		if (happened)
			c->result = sp__join_end(c->_on.task, c->_data);
		else
			sp__join_leave(c->_on.task);
		break;
	case TOKEN:
		sp__token_unwatch(c->_on.token, &space->waiter);
		if (happened)
			c->result = 0;
		break;
	case TIMER:
		sp__timer_unwatch(c->_on.timer, &space->waiter);
		break;
	case NEVER:
	case FD:
	case AT:
		break;
	}
}

static void leave_fd(struct sp_case *c, bool happened)
{
	struct sp__op *op = &space_of(c)->op;

	sp__op_finish(op);
	sp__op_unpin(op);
	if (happened)
		c->result = op->res;
}

/*
 * Remove all waiters. @happened is the index of the case that happened, or
 * count if none has. Yields if an operation is in flight.
 */
static void leave_all(struct select *s, uint32_t happened)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (i < s->placed || is_channel(&s->cases[i]))
			leave_case(&s->cases[i], i == happened);
	for (uint32_t i = 0; i < s->placed; i++)
		if (s->cases[i]._kind == FD)
			leave_fd(&s->cases[i], i == happened);
}

/*
 * Add the waiters of all cases except channels, and sleep. Returns the wake-up
 * code.
 */
static uint32_t sleep_on(struct select *s, int64_t deadline)
{
	s->placed = 0;
	while (s->placed < s->count) {
		uint32_t i = s->placed++;
		int64_t when;

		/* If the claim fails, another case happened first. */
		if (place_waiter(s, i) &&
		    sp__wake_claim(s->self, s->epoch, code_of(i)))
			return code_of(i);
		/*
		 * The timer's waiter is placed: a later reset wakes the fiber.
		 */
		when = time_of(&s->cases[i]);
		if (when < deadline)
			deadline = when;
	}
	return sp__wait_end(s->self, s->epoch, deadline, "select", s->cases);
}

/*
 * Called when the wait has timed out. Returns the index of a case whose time
 * has come, or -ETIMEDOUT if the caller's deadline has passed; -EAGAIN if
 * neither, because a timer was reset meanwhile.
 */
static int time_is_up(struct select *s, int64_t deadline)
{
	int64_t now = sp_now();

	for (uint32_t i = 0; i < s->count; i++) {
		struct sp_case *c = &s->cases[s->order[i]];

		if (time_of(c) <= now) {
			c->result = 0;
			return s->order[i];
		}
	}
	return sp__deadline_of(s->self, deadline) <= now ? -ETIMEDOUT : -EAGAIN;
}

/* Returns a case index, an error, or -EAGAIN if no case happened: try again. */
static int wait_all(struct select *s, int64_t deadline)
{
	uint32_t code;
	int i;

	sort_channels(s);
	lock_channels(s);
	i = try_channels(s);
	if (i != -EAGAIN) {
		unlock_channels(s);
		return i;
	}
	s->epoch = sp__wait_begin(s->self);
	place_channels(s);
	unlock_channels(s);

	code = sleep_on(s, deadline);
	if (code == SP__CANCELLED || code == SP__TIMED_OUT) {
		leave_all(s, s->count);
		return code == SP__CANCELLED ? -ECANCELED
					     : time_is_up(s, deadline);
	}
	i = (int)(code - code_of(0));
	leave_all(s, (uint32_t)i);
	/*
	 * A timer uses its waiter only for a reset (its expiry is a deadline of
	 * sleep_on()), so no case has happened yet.
	 */
	return s->cases[i]._kind == TIMER ? -EAGAIN : i;
}

static int begin_select(struct select *s, struct sp_case *cases, size_t count)
{
	if (count > SP_CASES_MAX)
		return -EINVAL;
	s->cases = cases;
	s->count = (uint32_t)count;
	s->self = sp__fiber_self();
	shuffle_order(s);
	return 0;
}

int sp_select(struct sp_case *cases, size_t count)
{
	return sp_select_until(cases, count, SP_NEVER);
}

/*
 * Cost: a lock for each channel and a system call for each descriptor that is
 * tried until a case can happen. If no case can happen, each case costs about
 * as much as a wait for it alone.
 */
int sp_select_until(struct sp_case *cases, size_t count, int64_t deadline)
{
	struct select s;
	int i = begin_select(&s, cases, count);

	if (i < 0)
		return i;
	if (s.self == NULL)
		return -EPERM;
	do {
		i = try_all(&s);
		if (i == -EAGAIN)
			i = wait_all(&s, deadline);
	} while (i == -EAGAIN);
	return i;
}

int sp_try_select(struct sp_case *cases, size_t count)
{
	struct select s;
	int err = begin_select(&s, cases, count);

	return err < 0 ? err : try_all(&s);
}
