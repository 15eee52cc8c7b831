#include "waiting.h"

#include <spargio/channel.h>
#include <spargio/group.h>
#include <spargio/op.h>
#include <spargio/select.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

static uint32_t other_shard(void)
{
	return sp_shard_count(sp_runtime()) - 1;
}

static struct sp_chan *chan_of(uint32_t capacity)
{
	struct sp_chan *chan = NULL;

	EXPECT_EQ(sp_chan_new(sizeof(int), capacity, &chan), 0);
	return chan;
}

static uint32_t pending_ops(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < sp_shard_count(sp_runtime()); i++) {
		struct sp_shard_stats stats;

		EXPECT_EQ(sp_stats_shard(sp_runtime(), i, &stats), 0);
		sum += stats.pending_ops;
	}
	return sum;
}

static int sleep_and_return(void *arg)
{
	EXPECT_EQ(sp_sleep(SP_MS), 0);
	return (int)(intptr_t)arg;
}

static int sleep_forever(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

/* One of each kind; the others can never happen. */

struct world {
	struct sp_chan *in, *out;
	struct sp_token *token;
	struct sp_timer *timer;
	struct sp_task task;
	int fd[2];
};

enum {
	RECV,
	SEND,
	JOIN,
	FD,
	TOKEN,
	AT,
	TIMER,
	KINDS,
};

static void world_open(struct world *w)
{
	w->in = chan_of(0);
	w->out = chan_of(0);
	EXPECT_EQ(sp_token_new(NULL, &w->token), 0);
	EXPECT_EQ(sp_timer_new(SP_NEVER, &w->timer), 0);
	EXPECT_EQ(pipe(w->fd), 0);
}

static void world_close(struct world *w)
{
	sp_chan_free(w->in);
	sp_chan_free(w->out);
	sp_token_free(w->token);
	sp_timer_free(w->timer);
	close(w->fd[0]);
	close(w->fd[1]);
}

/* Make one kind happen, before the other fiber asks or once it waits. */
struct push {
	struct world *world;
	int kind;
	bool early;
	atomic_bool pushed;
};

static int push_one(void *arg)
{
	struct push *p = arg;
	struct world *w = p->world;
	int item = 17;

	if (!p->early)
		until_waiting(sp_runtime(), "select", 1);
	atomic_store(&p->pushed, true);
	switch (p->kind) {
	case RECV:
		EXPECT_EQ(sp_chan_send(w->in, &item), 0);
		break;
	case SEND:
		EXPECT_EQ(sp_chan_recv(w->out, &item), 0);
		EXPECT_EQ(item, 23);
		break;
	case JOIN:
		EXPECT_EQ(sp_cancel(w->task), 0);
		break;
	case FD:
		EXPECT_EQ(write(w->fd[1], "x", 1), 1);
		break;
	case TOKEN:
		sp_token_cancel(w->token);
		break;
	case TIMER:
		sp_timer_reset(w->timer, sp_in(SP_MS));
		break;
	default:
		break;
	}
	return 0;
}

static void check_kind(struct world *w, int kind, uint32_t shard, bool early)
{
	struct push p = { .world = w, .kind = kind, .early = early };
	struct sp_task pusher;
	int in = 0, out = 23, ret = 0;

	EXPECT_EQ(sp_go_on(NULL, shard, sleep_forever, NULL, &w->task), 0);
	EXPECT_EQ(sp_go_on(NULL, shard, push_one, &p, &pusher), 0);
	while (early && !atomic_load(&p.pushed))
		EXPECT_EQ(sp_sleep(SP_MS), 0);

	struct sp_case cases[KINDS] = {
		[RECV] = sp_case_recv(w->in, &in),
		[SEND] = sp_case_send(w->out, &out),
		[JOIN] = sp_case_join(w->task, &ret),
		[FD] = sp_case_fd(w->fd[0], POLLIN),
		[TOKEN] = sp_case_token(w->token),
		[AT] = sp_case_at(kind == AT ? sp_in(5 * SP_MS) : SP_NEVER),
		[TIMER] = sp_case_timer(w->timer),
	};

	EXPECT_EQ(sp_select(cases, KINDS), kind);
	EXPECT_EQ(cases[kind].result, kind == FD ? POLLIN : 0);
	EXPECT_EQ(in, kind == RECV ? 17 : 0);
	EXPECT_EQ(ret, kind == JOIN ? -ECANCELED : 0);
	EXPECT_EQ(sp_join(pusher, NULL), 0);

	/* Nothing of the others happened, nothing was left. */
	EXPECT_EQ(pending_ops(), 0);
	EXPECT_EQ(sp_chan_try_send(w->in, &out), -EAGAIN);
	EXPECT_EQ(sp_chan_try_recv(w->out, &in), -EAGAIN);
	if (kind == JOIN) {
		EXPECT_EQ(sp_join(w->task, NULL), -ESRCH);
	} else {
		EXPECT_EQ(sp_cancel(w->task), 0);
		EXPECT_EQ(sp_join(w->task, &ret), 0);
		EXPECT_EQ(ret, -ECANCELED);
	}
}

static int kinds_body(void *arg)
{
	(void)arg;
	for (int early = 0; early < 2; early++) {
		for (int kind = 0; kind < KINDS; kind++) {
			struct world w;

			world_open(&w);
			check_kind(&w, kind, other_shard(), early);
			world_close(&w);
		}
	}
	return 0;
}

static void test_each_kind_happens_alone(void **state)
{
	(void)state;
	run_on(1, kinds_body, NULL);
	run_on(2, kinds_body, NULL);
}

/* Nothing can happen */

static int select_forever(void *arg)
{
	struct world *w = arg;
	int in = 0, out = 0;
	struct sp_case cases[] = {
		sp_case_recv(w->in, &in),    sp_case_send(w->out, &out),
		sp_case_join(w->task, NULL), sp_case_fd(w->fd[0], POLLIN),
		sp_case_token(w->token),     sp_case_timer(w->timer),
	};

	return sp_select(cases, COUNT(cases));
}

static int nothing_body(void *arg)
{
	struct sp_case many[SP_CASES_MAX + 1] = { 0 };
	struct sp_case never[] = {
		sp_case_recv(NULL, NULL),
		sp_case_send(NULL, NULL),
		sp_case_token(NULL),
		sp_case_timer(NULL),
	};
	struct world w;
	struct sp_task task;
	int ret = 0, out;

	(void)arg;
	EXPECT_EQ(sp_select_until(never, COUNT(never), sp_in(SP_MS)),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_try_select(never, COUNT(never)), -EAGAIN);
	EXPECT_EQ(sp_select_until(NULL, 0, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_try_select(many, SP_CASES_MAX), -EAGAIN);
	EXPECT_EQ(sp_select(many, SP_CASES_MAX + 1), -EINVAL);

	world_open(&w);
	EXPECT_EQ(sp_go_on(NULL, 0, sleep_forever, NULL, &w.task), 0);
	EXPECT_EQ(sp_go_on(NULL, other_shard(), select_forever, &w, &task), 0);
	until_waiting(sp_runtime(), "select", 1);
	EXPECT_EQ(pending_ops(), 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	EXPECT_EQ(pending_ops(), 0);
	EXPECT_EQ(sp_chan_try_send(w.in, &ret), -EAGAIN);
	EXPECT_EQ(sp_chan_try_recv(w.out, &out), -EAGAIN);
	/* The joiner is gone, too: somebody else may join. */
	EXPECT_EQ(sp_cancel(w.task), 0);
	EXPECT_EQ(sp_join(w.task, NULL), 0);
	world_close(&w);
	return 0;
}

static void test_cancel_and_deadline_leave_nothing(void **state)
{
	struct sp_case never = { 0 };

	(void)state;
	run_on(1, nothing_body, NULL);
	run_on(2, nothing_body, NULL);
	assert_int_equal(sp_select(&never, 1), -EPERM);
	assert_int_equal(sp_try_select(&never, 1), -EAGAIN);
}

/* What a case says when its object is no good */

static int results_body(void *arg)
{
	struct sp_chan *chan = chan_of(1);
	struct sp_task task;
	int item = 1, ret = 0;

	(void)arg;
	EXPECT_EQ(sp_chan_send(chan, &item), 0);
	sp_chan_close(chan);
	for (int i = 0; i < 2; i++) {
		struct sp_case recv = sp_case_recv(chan, &item);

		EXPECT_EQ(sp_select(&recv, 1), 0);
		EXPECT_EQ(recv.result, i == 0 ? 0 : -EPIPE);
	}
	struct sp_case send = sp_case_send(chan, &item);
	EXPECT_EQ(sp_select(&send, 1), 0);
	EXPECT_EQ(send.result, -EPIPE);
	sp_chan_free(chan);

	struct sp_case fd = sp_case_fd(-1, POLLIN);
	EXPECT_EQ(sp_select(&fd, 1), 0);
	EXPECT_EQ(fd.result, -EBADF);

	struct sp_case self = sp_case_join(sp_self(), NULL);
	EXPECT_EQ(sp_select(&self, 1), 0);
	EXPECT_EQ(self.result, -EDEADLK);

	EXPECT_EQ(sp_go(sleep_and_return, (void *)7, &task), 0);
	struct sp_case join = sp_case_join(task, &ret);
	EXPECT_EQ(sp_select(&join, 1), 0);
	EXPECT_EQ(join.result, 0);
	EXPECT_EQ(ret, 7);
	EXPECT_EQ(sp_select(&join, 1), 0);
	EXPECT_EQ(join.result, -ESRCH);
	return 0;
}

static int close_soon(void *arg)
{
	until_waiting(sp_runtime(), "select", 1);
	sp_chan_close(arg);
	return 0;
}

static int close_body(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		struct sp_chan *chan = chan_of(0), *other = chan_of(0);
		int item = 3;
		struct sp_case cases[] = {
			sp_case_recv(other, &item),
			i == 0 ? sp_case_recv(chan, &item)
			       : sp_case_send(chan, &item),
		};
		struct sp_task task;

		EXPECT_EQ(sp_go_on(NULL, other_shard(), close_soon, chan,
				   &task),
			  0);
		EXPECT_EQ(sp_select(cases, 2), 1);
		EXPECT_EQ(cases[1].result, -EPIPE);
		EXPECT_EQ(item, 3);
		EXPECT_EQ(sp_join(task, NULL), 0);
		sp_chan_free(chan);
		sp_chan_free(other);
	}
	return 0;
}

static void test_case_says_what_is_wrong(void **state)
{
	(void)state;
	run_on(1, results_body, NULL);
	run_on(2, results_body, NULL);
	run_on(1, close_body, NULL);
	run_on(2, close_body, NULL);
}

/* Fairness */

static int fairness_body(void *arg)
{
	enum {
		N = 5,
		ROUNDS = 2000
	};
	int happened[N] = { 0 };
	struct sp_chan *chan[N];
	int fd[2], item = 0;

	(void)arg;
	EXPECT_EQ(pipe(fd), 0);
	EXPECT_EQ(write(fd[1], "x", 1), 1);
	for (int i = 0; i < N; i++)
		chan[i] = chan_of(2);
	/* 0, 1, 2 and 4 can happen each time, 3 never. */
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 2; i++)
			(void)sp_chan_try_send(chan[i], &item);
		(void)sp_chan_try_recv(chan[2], &item);
		struct sp_case cases[N] = {
			sp_case_recv(chan[0], &item),
			sp_case_recv(chan[1], &item),
			sp_case_send(chan[2], &item),
			sp_case_recv(chan[3], &item),
			sp_case_fd(fd[0], POLLIN),
		};
		int i = sp_select(cases, N);

		EXPECT(i >= 0 && i < N);
		if (i >= 0)
			happened[i]++;
	}
	for (int i = 0; i < N; i++)
		if (i != 3)
			EXPECT(happened[i] > ROUNDS / 4 * 3 / 4);
	EXPECT_EQ(happened[3], 0);
	for (int i = 0; i < N; i++)
		sp_chan_free(chan[i]);
	close(fd[0]);
	close(fd[1]);
	return 0;
}

static void test_choice_is_fair(void **state)
{
	(void)state;
	run_on(1, fairness_body, NULL);
}

/* Two selects against each other, each offering both directions */

struct duel {
	struct sp_chan *x, *y;
	bool same; /* both ends of one channel in one select */
	atomic_bool over;
	atomic_int sent[4], received[4];
	atomic_llong sent_sum, received_sum;
};

struct side {
	struct duel *duel;
	int me;
};

static int duel_side(void *arg)
{
	struct side *side = arg;
	struct duel *d = side->duel;
	struct sp_chan *to = side->me % 2 || d->same ? d->x : d->y;
	struct sp_chan *from = side->me % 2 && !d->same ? d->y : d->x;
	int out = side->me * 1000000, in;

	while (!atomic_load(&d->over)) {
		struct sp_case cases[] = {
			sp_case_recv(from, &in),
			sp_case_send(to, &out),
		};
		int i = sp_select_until(cases, 2, sp_in(50 * SP_MS));

		if (i < 0) {
			EXPECT_EQ(i, -ETIMEDOUT);
			continue;
		}
		EXPECT_EQ(cases[i].result, 0);
		if (i == 1) {
			atomic_fetch_add(&d->sent[side->me], 1);
			atomic_fetch_add(&d->sent_sum, out);
			out++;
		} else {
			atomic_fetch_add(&d->received[side->me], 1);
			atomic_fetch_add(&d->received_sum, in);
		}
	}
	return 0;
}

static int duel_body(void *arg)
{
	struct duel *d = arg;
	struct side side[4];
	struct sp_task task[4];
	int sent = 0, received = 0;

	d->x = chan_of(0);
	d->y = chan_of(0);
	for (int i = 0; i < 4; i++) {
		side[i] = (struct side){ d, i };
		EXPECT_EQ(sp_go_on(NULL, (uint32_t)i / 2 % (other_shard() + 1),
				   duel_side, &side[i], &task[i]),
			  0);
	}
	/* Everybody gets somewhere, in both directions. */
	for (int i = 0; i < 4; i++)
		while (atomic_load(&d->sent[i]) < 1000 ||
		       atomic_load(&d->received[i]) < 1000)
			EXPECT_EQ(sp_sleep(SP_MS), 0);
	atomic_store(&d->over, true);
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(sp_join(task[i], NULL), 0);
		sent += atomic_load(&d->sent[i]);
		received += atomic_load(&d->received[i]);
	}
	EXPECT_EQ(sent, received);
	EXPECT_EQ(atomic_load(&d->sent_sum), atomic_load(&d->received_sum));
	sp_chan_free(d->x);
	sp_chan_free(d->y);
	return 0;
}

static void test_selects_meet_each_other(void **state)
{
	(void)state;
	for (int same = 0; same < 2; same++) {
		for (uint32_t shards = 1; shards <= 2; shards++) {
			struct duel d = { .same = same };

			run_on(shards, duel_body, &d);
		}
	}
}

static int self_body(void *arg)
{
	struct sp_chan *chan = chan_of(0);
	int in = 1, out = 2;
	struct sp_case cases[] = {
		sp_case_send(chan, &out),
		sp_case_recv(chan, &in),
	};

	(void)arg;
	/* It cannot meet itself. */
	EXPECT_EQ(sp_select_until(cases, 2, sp_in(SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(in, 1);
	sp_chan_free(chan);
	return 0;
}

static void test_select_does_not_meet_itself(void **state)
{
	(void)state;
	run_on(1, self_body, NULL);
}

/* Exactly once, with plain senders, receivers, selects and deadlines */

struct crowd {
	struct sp_chan *chan[2];
	atomic_llong sent, received;
	atomic_int senders;
};

static int crowd_send(void *arg)
{
	struct crowd *c = arg;
	int me = atomic_fetch_add(&c->senders, 1);

	for (int i = 1; i <= 3000; i++) {
		int item = me * 10000 + i;

		if (me % 2) {
			EXPECT_EQ(sp_chan_send(c->chan[i % 2], &item), 0);
		} else {
			struct sp_case cases[] = {
				sp_case_send(c->chan[0], &item),
				sp_case_send(c->chan[1], &item),
			};
			int k = sp_select(cases, 2);

			EXPECT(k >= 0 && cases[k].result == 0);
		}
		atomic_fetch_add(&c->sent, item);
	}
	return 0;
}

static int crowd_recv(void *arg)
{
	struct crowd *c = arg;
	int open = 2;

	/* Both into the same place: a loser must not write there. */
	while (open > 0) {
		int item = 0, k;
		struct sp_case cases[] = {
			sp_case_recv(c->chan[0], &item),
			sp_case_recv(c->chan[1], &item),
			sp_case_at(sp_in(20 * SP_US)),
		};

		k = sp_select(cases, 3);
		EXPECT(k >= 0);
		if (k == 2)
			EXPECT_EQ(item, 0);
		else if (cases[k].result == 0)
			atomic_fetch_add(&c->received, item);
		else
			open--; /* seen closed twice: near enough to the end */
	}
	return 0;
}

static int crowd_body(void *arg)
{
	struct crowd c = { 0 };
	struct sp_task sender[4], receiver[3];
	int item;

	for (int i = 0; i < 2; i++)
		c.chan[i] = chan_of((uint32_t)(uintptr_t)arg);
	for (uint32_t i = 0; i < 4; i++)
		EXPECT_EQ(sp_go_on(NULL, i / 2, crowd_send, &c, &sender[i]), 0);
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(sp_go_on(NULL, i % 2, crowd_recv, &c, &receiver[i]),
			  0);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(sp_join(sender[i], NULL), 0);
	for (int i = 0; i < 2; i++)
		sp_chan_close(c.chan[i]);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(sp_join(receiver[i], NULL), 0);
	for (int i = 0; i < 2; i++) {
		while (sp_chan_try_recv(c.chan[i], &item) == 0)
			atomic_fetch_add(&c.received, item);
		sp_chan_free(c.chan[i]);
	}
	EXPECT(atomic_load(&c.sent) > 0);
	EXPECT_EQ(atomic_load(&c.sent), atomic_load(&c.received));
	return 0;
}

static void test_every_item_is_received_once(void **state)
{
	(void)state;
	run_on(2, crowd_body, (void *)0);
	run_on(2, crowd_body, (void *)3);
}

/* Descriptors that become ready while channels do, over and over */

static int fd_race_send(void *arg)
{
	struct world *w = arg;
	int item = 1;

	for (int i = 0; i < 1000; i++) {
		if (i % 2)
			EXPECT_EQ(write(w->fd[1], "x", 1), 1);
		EXPECT_EQ(sp_chan_send(w->in, &item), 0);
	}
	sp_chan_close(w->in);
	return 0;
}

static int fd_race_body(void *arg)
{
	struct world w;
	struct sp_task task;
	int items = 0, bytes = 0, item, i;

	(void)arg;
	world_open(&w);
	EXPECT_EQ(fcntl(w.fd[0], F_SETFL, O_NONBLOCK), 0);
	EXPECT_EQ(sp_go_on(NULL, other_shard(), fd_race_send, &w, &task), 0);
	do {
		struct sp_case cases[] = {
			sp_case_recv(w.in, &item),
			sp_case_fd(w.fd[0], POLLIN),
		};
		char c;

		i = sp_select(cases, 2);
		if (i == 1) {
			/*
			 * write(2) wakes after it has let go of the pipe: its
			 * wake-up can meet the wait after the one that got the
			 * byte. One run in 300 under TSan.
			 */
			EXPECT_EQ(cases[1].result, POLLIN);
			bytes += read(w.fd[0], &c, 1) == 1;
		} else if (cases[0].result == 0) {
			items++;
		} else {
			EXPECT_EQ(cases[0].result, -EPIPE);
			if (bytes == 500)
				break;
		}
	} while (i >= 0);
	EXPECT_EQ(items, 1000);
	EXPECT_EQ(bytes, 500);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(pending_ops(), 0);
	world_close(&w);
	return 0;
}

static void test_readiness_and_channels_mix(void **state)
{
	(void)state;
	run_on(1, fd_race_body, NULL);
	run_on(2, fd_race_body, NULL);
}

/*
 * Ready is a hint: all who wait for a descriptor are told, and one of them gets
 * the byte. The other finds EAGAIN, waits again, and gets the next.
 */

struct hint {
	int fd[2];
	int bytes, in_vain;
};

static int read_when_ready(struct hint *h, uint32_t ready)
{
	char c;
	ssize_t n = read(h->fd[0], &c, 1);

	EXPECT_EQ(ready, POLLIN);
	EXPECT(n == 1 || (n < 0 && errno == EAGAIN));
	h->bytes += n == 1;
	h->in_vain += n < 0;
	return n == 1;
}

static int read_by_wait(void *arg)
{
	struct hint *h = arg;
	int ready;

	do {
		ready = sp_wait_fd(h->fd[0], POLLIN);
	} while (ready > 0 && !read_when_ready(h, (uint32_t)ready));
	return ready < 0 ? ready : 0;
}

static int read_by_select(void *arg)
{
	struct hint *h = arg;
	struct sp_case cases[1];

	do {
		cases[0] = sp_case_fd(h->fd[0], POLLIN);
		EXPECT_EQ(sp_select(cases, 1), 0);
	} while (cases[0].result > 0 &&
		 !read_when_ready(h, (uint32_t)cases[0].result));
	return cases[0].result < 0 ? cases[0].result : 0;
}

static int hint_body(void *arg)
{
	struct hint h = { 0 };
	struct sp_task tasks[2];

	(void)arg;
	EXPECT_EQ(pipe2(h.fd, O_NONBLOCK), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, read_by_wait, &h, &tasks[0]), 0);
	EXPECT_EQ(sp_go_on(NULL, 0, read_by_select, &h, &tasks[1]), 0);
	until_waiting(sp_runtime(), "readiness", 1);
	until_waiting(sp_runtime(), "select", 1);
	EXPECT_EQ(write(h.fd[1], "x", 1), 1);
	while (h.bytes + h.in_vain < 2)
		sp_yield();
	EXPECT_EQ(h.bytes, 1);
	EXPECT_EQ(h.in_vain, 1);
	EXPECT_EQ(write(h.fd[1], "x", 1), 1);
	for (int i = 0; i < 2; i++) {
		int ret = -1;

		EXPECT_EQ(sp_join(tasks[i], &ret), 0);
		EXPECT_EQ(ret, 0);
	}
	EXPECT_EQ(h.bytes, 2);
	close(h.fd[0]);
	close(h.fd[1]);
	return 0;
}

static void test_ready_is_a_hint(void **state)
{
	(void)state;
	run_on(1, hint_body, NULL);
}

/* A timer that is moved, to and fro, while a select waits for it */

#define FAR (3600 * SP_S)

static void move_timer(struct sp_timer *timer)
{
	for (int i = 0; i < 1000; i++)
		sp_timer_reset(timer, sp_in(i % 2 ? FAR : 2 * FAR));
}

static int move_near(void *arg)
{
	until_waiting(sp_runtime(), "select", 1);
	move_timer(arg);
	sp_timer_reset(arg, sp_in(SP_MS));
	return 0;
}

static int move_on(void *arg)
{
	move_timer(arg);
	return 0;
}

static int timer_body(void *arg)
{
	struct sp_task task;
	struct sp_case c[2];
	struct world w;
	int item;

	(void)arg;
	world_open(&w);
	c[0] = sp_case_recv(w.in, &item);
	c[1] = sp_case_timer(w.timer);
	sp_timer_reset(w.timer, sp_in(FAR));
	EXPECT_EQ(sp_go_on(NULL, other_shard(), move_near, w.timer, &task), 0);
	EXPECT_EQ(sp_select(c, 2), 1);
	EXPECT_EQ(c[1].result, 0);
	/* Not for being moved: its time has come, and it stays there. */
	EXPECT_EQ(sp_try_select(c, 2), 1);
	EXPECT_EQ(sp_join(task, NULL), 0);

	/* The caller's deadline counts, however often the timer is moved. */
	sp_timer_reset(w.timer, sp_in(FAR));
	EXPECT_EQ(sp_go_on(NULL, other_shard(), move_on, w.timer, &task), 0);
	EXPECT_EQ(sp_select_until(c, 2, sp_in(5 * SP_MS)), -ETIMEDOUT);
	EXPECT_EQ(sp_join(task, NULL), 0);
	world_close(&w);
	return 0;
}

static void test_timer_is_moved_while_a_select_waits(void **state)
{
	(void)state;
	run_on(1, timer_body, NULL);
	run_on(2, timer_body, NULL);
}

/* A task is joined by the select exactly if that case happened. */

static int end_at_once(void *arg)
{
	(void)arg;
	return 5;
}

static int join_race_body(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++) {
		struct sp_task task;
		int ret = 0, k;

		EXPECT_EQ(sp_go_on(NULL, other_shard(), end_at_once, NULL,
				   &task),
			  0);
		struct sp_case cases[] = {
			sp_case_join(task, &ret),
			sp_case_at(sp_in(i % 8 * SP_US)),
		};
		k = sp_select(cases, 2);
		if (k == 1)
			EXPECT_EQ(sp_join(task, &ret), 0);
		EXPECT_EQ(cases[k].result, 0);
		EXPECT_EQ(ret, 5);
		EXPECT_EQ(sp_join(task, NULL), -ESRCH);
	}
	return 0;
}

static void test_task_is_joined_once(void **state)
{
	(void)state;
	run_on(1, join_race_body, NULL);
	run_on(2, join_race_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_happens_alone),
		cmocka_unit_test(test_cancel_and_deadline_leave_nothing),
		cmocka_unit_test(test_case_says_what_is_wrong),
		cmocka_unit_test(test_choice_is_fair),
		cmocka_unit_test(test_selects_meet_each_other),
		cmocka_unit_test(test_select_does_not_meet_itself),
		cmocka_unit_test(test_every_item_is_received_once),
		cmocka_unit_test(test_readiness_and_channels_mix),
		cmocka_unit_test(test_ready_is_a_hint),
		cmocka_unit_test(test_timer_is_moved_while_a_select_waits),
		cmocka_unit_test(test_task_is_joined_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
