#include "kernel_version.h"
#include "sockets.h"
#include "waiting.h"

#include <spargio/probe.h>
#include <spargio/rstream.h>

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

/*
 * Every test runs in every mode, and on io_uring and epoll. Where the kernel
 * cannot, two modes are the same.
 */
static enum sp_recv_mode mode_now;

static void run_modes(struct sp_opts opts, int (*fn)(void *), void *arg)
{
	static const enum sp_recv_mode modes[] = {
		SP_RECV_BUNDLES,
		SP_RECV_SINGLES,
		SP_RECV_READY,
	};

	for (size_t i = 0; i < COUNT(modes); i++) {
		opts.recv_mode = mode_now = modes[i];
		run_with(&opts, fn, arg);
	}
}

/* Streams take from the buffers of their shard. */
static bool buffers_are_shared(void)
{
	struct sp_probe probe;

	sp_probe_get(&probe);
	return mode_now != SP_RECV_READY &&
	       sp_probe_has(&probe, SP_FEATURE_RECV_MULTISHOT) &&
	       strcmp(sp_backend_name(sp_runtime()), "io_uring") == 0;
}

static struct sp_opts options(uint32_t buffers, uint32_t size)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 2;
	opts.recv_buffers = buffers;
	opts.recv_buffer_size = size;
	return opts;
}

/* Bytes that say where in the stream they are. */
static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i * 13 + (i >> 8) * 7 + (i >> 16));
}

struct source {
	int fd;
	size_t total;
	size_t piece; /* at most so many in one send; 0: all at once */
	int ret;
};

static int send_pattern(void *arg)
{
	struct source *s = arg;
	uint8_t data[8192];
	size_t sent = 0;

	while (sent < s->total && s->ret == 0) {
		size_t n = s->piece == 0 ? sizeof(data) : s->piece;

		n = n < s->total - sent ? n : s->total - sent;
		for (size_t i = 0; i < n; i++)
			data[i] = byte_at(sent + i);
		s->ret = sp_send_all(s->fd, data, n);
		sent += n;
		if (s->piece != 0)
			sp_yield();
	}
	if (s->ret == 0)
		s->ret = sp_shutdown(s->fd, SHUT_WR);
	return 0;
}

static bool is_pattern(struct sp_segment segment, size_t at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (segment.data[i] != byte_at(at + i))
			return false;
	return true;
}

/* Messages of every size, as they lie */

struct shape {
	uint32_t buffers, size; /* of the shard */
	size_t total, piece;
	size_t want; /* messages of 1 to @want bytes */
};

static const struct shape shapes[] = {
	{ 256, 16384, 3 * 1024 * 1024, 0, 4096 },
	{ 16, 256, 300 * 1024, 0, 100 },
	{ 2, 64, 20 * 1024, 0, 1000 },
	{ 8, 128, 20 * 1024, 7, 60 },
	{ 64, 4096, 1024 * 1024, 0, 70000 },
	{ 256, 16384, 4096, 1, 3000 },
};

static int shape_body(void *arg)
{
	const struct shape *shape = arg;
	struct source source = { .total = shape->total, .piece = shape->piece };
	struct sp_rstream *rs = NULL;
	struct sp_shard_stats stats;
	struct sp_segment segment;
	struct sp_task task;
	size_t at = 0, step = 1;
	int fds[2], n = 0;

	tcp_pair(fds);
	source.fd = fds[0];
	EXPECT_EQ(sp_go_on(NULL, 1, send_pattern, &source, &task), 0);
	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	while (at < shape->total) {
		size_t want = 1 + step++ * 37 % shape->want;

		if (want > shape->total - at)
			want = shape->total - at;
		n = sp_rstream_peek(rs, want, &segment);
		if (n < (int)want || !is_pattern(segment, at, want))
			break;
		sp_rstream_consume(rs, want);
		at += want;
	}
	EXPECT_EQ(at, shape->total);
	EXPECT_EQ(sp_rstream_peek(rs, 1, &segment), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(source.ret, 0);
	sp_rstream_close(rs);
	close_pair(fds);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.recv_out, 0);
	EXPECT_EQ(stats.pending_ops, 0);
	return 0;
}

static void test_messages_of_every_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(shapes); i++)
		run_modes(options(shapes[i].buffers, shapes[i].size),
			  shape_body, (void *)&shapes[i]);
}

/* Ends and errors */

static int ends_body(void *arg)
{
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	EXPECT_EQ(sp_rstream_open(fds[1], 100, &rs), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 101, &segment), -EMSGSIZE);
	EXPECT_EQ(sp_rstream_peek_until(rs, 1, sp_in(SP_MS), &segment),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_send_all(fds[0], "abcde", 5), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 5, &segment), 5);
	sp_rstream_consume(rs, 2);
	/* Too few: nothing is lost by waiting in vain. */
	EXPECT_EQ(sp_rstream_peek_until(rs, 4, sp_in(SP_MS), &segment),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_rstream_peek(rs, 3, &segment), 3);
	EXPECT_EQ(memcmp(segment.data, "cde", 3), 0);
	EXPECT_EQ(sp_shutdown(fds[0], SHUT_WR), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 4, &segment), 3);
	EXPECT_EQ(memcmp(segment.data, "cde", 3), 0);
	sp_rstream_consume(rs, 3);
	EXPECT_EQ(sp_rstream_peek(rs, 1, &segment), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 1, &segment), 0);
	sp_rstream_close(rs);
	close_pair(fds);

	tcp_pair(fds);
	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	EXPECT_EQ(sp_send_all(fds[0], "xyz", 3), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 3, &segment), 3);
	close_with_reset(fds[0]);
	EXPECT_EQ(sp_rstream_peek(rs, 4, &segment), -ECONNRESET);
	/* What came before can still be had. */
	EXPECT_EQ(sp_rstream_peek(rs, 3, &segment), 3);
	EXPECT_EQ(memcmp(segment.data, "xyz", 3), 0);
	sp_rstream_consume(rs, 3);
	EXPECT_EQ(sp_rstream_peek(rs, 1, &segment), -ECONNRESET);
	sp_rstream_close(rs);
	close(fds[1]);

	EXPECT_EQ(sp_rstream_open(-1, 0, &rs), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 1, &segment), -EBADF);
	sp_rstream_close(rs);
	sp_rstream_close(NULL);
	return 0;
}

static void test_ends_and_errors(void **state)
{
	struct sp_rstream *rs;

	(void)state;
	run_modes(options(0, 0), ends_body, NULL);
	assert_int_equal(sp_rstream_open(0, 0, &rs), -EPERM);
}

/*
 * EOF right behind the last bytes, while the kernel reads those for a multishot
 * receive: Linux 6.18 sometimes loses the EOF (decision 0100).
 */

struct last_words {
	int fd;
	bool reset;
};

static int say_and_go(void *arg)
{
	struct last_words *last = arg;
	char words[2000] = { 0 };

	for (size_t i = 0; i < 400; i++)
		EXPECT_EQ(sp_send_all(last->fd, words, 1 + i * 7 % 1900), 0);
	if (last->reset)
		close_with_reset(last->fd);
	else
		close(last->fd);
	return 0;
}

/* How the stream ended. */
static int hear_the_end(int fds[2], bool reset)
{
	struct last_words last = { fds[0], reset };
	struct sp_segment segment;
	struct sp_rstream *rs;
	struct sp_task task;
	int n;

	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, say_and_go, &last, &task), 0);
	while ((n = sp_rstream_peek_until(rs, 1, sp_in(10 * SP_S), &segment)) >
	       0)
		sp_rstream_consume(rs, segment.len);
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_rstream_close(rs);
	close(fds[1]);
	return n;
}

static int last_words_body(void *arg)
{
	int fds[2], end = 0, reset = -ECONNRESET;

	(void)arg;
	for (int i = 0; i < 50 && end == 0; i++) {
		EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
		end = hear_the_end(fds, false);
	}
	for (int i = 0; i < 50 && reset == -ECONNRESET; i++) {
		tcp_pair(fds);
		reset = hear_the_end(fds, true);
	}
	EXPECT_EQ(end, 0);
	EXPECT_EQ(reset, -ECONNRESET);
	return 0;
}

static void test_the_end_right_behind_the_last_bytes(void **state)
{
	(void)state;
	run_modes(options(256, 16384), last_words_body, NULL);
}

/* What was received before there was a stream comes first */

static int prepend_body(void *arg)
{
	static const char early[] = "received before";
	struct source source = { .total = 5000 };
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	source.fd = fds[0];
	EXPECT_EQ(sp_rstream_open(fds[1], 1000, &rs), 0);
	EXPECT_EQ(sp_rstream_prepend(rs, NULL, 0), 0);
	EXPECT_EQ(sp_rstream_prepend(rs, early, 15), 0);
	/* Nothing has come yet, and it is there. */
	EXPECT_EQ(sp_rstream_peek_until(rs, 9, 0, &segment), 15);
	EXPECT_EQ(memcmp(segment.data, early, 15), 0);
	sp_rstream_consume(rs, 9);
	EXPECT_EQ(sp_rstream_peek_until(rs, 7, 0, &segment), -ETIMEDOUT);
	EXPECT_EQ(sp_rstream_arrived(rs), 6);
	EXPECT_EQ(send_pattern(&source), 0);
	/* In one piece with what comes. */
	EXPECT(sp_rstream_peek(rs, 906, &segment) >= 906);
	EXPECT_EQ(memcmp(segment.data, early + 9, 6), 0);
	segment.data += 6;
	EXPECT(is_pattern(segment, 0, 900));
	sp_rstream_consume(rs, 906);
	EXPECT(sp_rstream_peek(rs, 1000, &segment) >= 1000);
	EXPECT(is_pattern(segment, 900, 1000));
	sp_rstream_close(rs);

	/* More than can be peeked at. */
	EXPECT_EQ(sp_rstream_open(fds[1], 10, &rs), 0);
	EXPECT_EQ(sp_rstream_prepend(rs, early, 15), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 10, &segment), 15);
	sp_rstream_close(rs);
	close_pair(fds);
	return 0;
}

static void test_what_was_received_before_comes_first(void **state)
{
	(void)state;
	run_modes(options(8, 256), prepend_body, NULL);
}

/* A connection that is given up is not a deadline that has passed */

static int given_up_body(void *arg)
{
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	int fds[2];

	(void)arg;
	half_open_pair(fds);
	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	EXPECT_EQ(sp_rstream_peek_until(rs, 1, sp_in(60 * SP_S), &segment),
		  -ECONNABORTED);
	/* For good, and who asks without waiting is told so. */
	EXPECT_EQ(sp_rstream_peek_until(rs, 1, 0, &segment), -ECONNABORTED);
	sp_rstream_close(rs);
	close_pair(fds);
	return 0;
}

static void test_a_peer_that_does_not_answer(void **state)
{
	(void)state;
	run_modes(options(0, 0), given_up_body, NULL);
}

/* Cancelled and shut down while it waits */

struct peeker {
	struct sp_rstream *rs;
	int fd, ret;
};

static int peek_one(void *arg)
{
	struct peeker *p = arg;
	struct sp_segment segment;

	EXPECT_EQ(sp_rstream_open(p->fd, 0, &p->rs), 0);
	p->ret = sp_rstream_peek(p->rs, 1, &segment);
	sp_rstream_close(p->rs);
	return 0;
}

static int cancel_body(void *arg)
{
	struct peeker peeker = { 0 };
	struct sp_task task;
	char c = 0;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	peeker.fd = fds[1];
	EXPECT_EQ(sp_go_on(NULL, 1, peek_one, &peeker, &task), 0);
	until_waiting(sp_runtime(), "receive stream", 1);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(peeker.ret, -ECANCELED);
	/* The stream is gone and has taken nothing from the socket. */
	EXPECT_EQ(sp_send_all(fds[0], "k", 1), 0);
	EXPECT_EQ(sp_recv(fds[1], &c, 1), 1);
	EXPECT_EQ(c, 'k');

	EXPECT_EQ(sp_go_on(NULL, 1, peek_one, &peeker, &task), 0);
	until_waiting(sp_runtime(), "receive stream", 1);
	EXPECT_EQ(sp_shutdown(fds[1], SHUT_RDWR), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(peeker.ret, 0);
	close_pair(fds);
	return 0;
}

static void test_a_waiting_stream_is_cancelled_and_shut_down(void **state)
{
	(void)state;
	run_modes(options(0, 0), cancel_body, NULL);
}

/* Dropped with a multishot receive in flight. */
static int peek_shielded(void *arg)
{
	sp_shield_begin();
	return peek_one(arg);
}

static void test_stop_ends_the_shots_of_dropped_fibers(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	static struct peeker peeker;
	struct sp_rt *rt;
	int fds[2];

	(void)state;
	opts.shards = 1;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	peeker.fd = fds[0];
	assert_int_equal(sp_start(&opts, &rt), 0);
	assert_int_equal(sp_go_on(rt, 0, peek_shielded, &peeker, NULL), 0);
	until_waiting(rt, "receive stream", 1);
	assert_int_equal(sp_stop(rt, sp_in(5 * SP_MS)), -ETIMEDOUT);
	close_pair(fds);
	free(peeker.rs);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

/* A stream whose fiber does not look leaves the rest in the socket */

/* A kernel that cannot bound a receive is cancelled too late. */
static bool is_bounded(void)
{
	switch (mode_now) {
	case SP_RECV_BUNDLES:
		return profile_version() >= version_of("6.17") ||
		       /* There are no buffers to take. */
		       profile_version() < version_of("6.0");
	case SP_RECV_SINGLES:
		return false;
	default:
		return true;
	}
}

static int greedy_body(void *arg)
{
	struct source source = { .total = 8 * 1024 * 1024 };
	struct sp_shard_stats stats;
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	struct sp_task task;
	size_t at = 0;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	make_narrow(fds);
	source.fd = fds[0];
	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, send_pattern, &source, &task), 0);
	EXPECT(sp_rstream_peek(rs, 1, &segment) > 0);
	/* Somewhere else for a while: the sender gets stuck. */
	until_waiting(sp_runtime(), "send", 1);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT(stats.recv_out <= (is_bounded() ? 16 : 64));
	while (at < source.total) {
		int n = sp_rstream_peek(rs, 1, &segment);

		if (n <= 0 || !is_pattern(segment, at, segment.len))
			break;
		at += segment.len;
		sp_rstream_consume(rs, segment.len);
	}
	EXPECT_EQ(at, source.total);
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_rstream_close(rs);
	close_pair(fds);
	return 0;
}

static void test_a_stream_takes_no_more_than_its_share(void **state)
{
	(void)state;
	run_modes(options(64, 4096), greedy_body, NULL);
}

/* Pausing */

static int pause_body(void *arg)
{
	struct source source = { .total = 4 * 1024 * 1024 };
	struct sp_shard_stats stats;
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	struct sp_task task;
	size_t at = 0;
	int fds[2], pauses = 0;

	(void)arg;
	tcp_pair(fds);
	source.fd = fds[0];
	EXPECT_EQ(sp_rstream_open(fds[1], 128 * 1024, &rs), 0);
	EXPECT_EQ(sp_rstream_pause(rs), 0); /* nothing there yet */
	EXPECT_EQ(sp_go_on(NULL, 1, send_pattern, &source, &task), 0);
	while (at < source.total) {
		int n = sp_rstream_peek(rs, 1 + at % 2000, &segment);
		size_t used;

		if (n <= 0 || !is_pattern(segment, at, segment.len))
			break;
		used = segment.len / 2 + 1;
		at += used;
		sp_rstream_consume(rs, used);
		if (++pauses % 3 == 0) {
			EXPECT_EQ(sp_rstream_pause(rs), 0);
			EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
			/* A share is less than what can be set aside. */
			if (is_bounded())
				EXPECT_EQ(stats.recv_out, 0);
			EXPECT_EQ(stats.pending_ops, 0);
		}
	}
	EXPECT_EQ(at, source.total);
	EXPECT_EQ(sp_join(task, NULL), 0);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.recv_pauses, pauses / 3 + 1);
	sp_rstream_close(rs);
	close_pair(fds);
	return 0;
}

static void test_a_paused_stream_holds_nothing(void **state)
{
	(void)state;
	run_modes(options(64, 4096), pause_body, NULL);
}

/* A busy kernel delivers on loopback after send(2) has returned. */
static void until_delivered(int fd)
{
	int64_t end = sp_in(10 * SP_S);
	int unacknowledged = 1;

	while (unacknowledged > 0 && sp_now() < end) {
		EXPECT_EQ(ioctl(fd, SIOCOUTQ, &unacknowledged), 0);
		if (unacknowledged > 0)
			sp_sleep(SP_MS / 10);
	}
	EXPECT_EQ(unacknowledged, 0);
}

/* What has come, wherever it is, and nothing that comes later */
static int arrived_body(void *arg)
{
	enum {
		TOTAL = 60000
	};
	static uint8_t bytes[TOTAL];
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	size_t at = 0;
	int fds[2];

	(void)arg;
	for (size_t i = 0; i < TOTAL; i++)
		bytes[i] = byte_at(i);
	tcp_pair(fds);
	EXPECT_EQ(sp_rstream_open(fds[1], 20000, &rs), 0);
	EXPECT_EQ(sp_rstream_arrived(rs), 0);
	EXPECT_EQ(send(fds[0], bytes, TOTAL, 0), TOTAL);
	/* More than what a pause may set aside. */
	until_delivered(fds[0]);
	EXPECT_EQ(sp_rstream_arrived(rs), TOTAL);
	while (at < TOTAL) {
		int n = sp_rstream_peek(rs, 1, &segment);

		if (n <= 0 || !is_pattern(segment, at, segment.len))
			break;
		n = n > 777 ? 777 : n;
		sp_rstream_consume(rs, (size_t)n);
		at += (size_t)n;
		EXPECT_EQ(sp_rstream_arrived(rs), TOTAL - at);
	}
	EXPECT_EQ(at, TOTAL);
	/* The end is no byte. */
	EXPECT_EQ(send(fds[0], bytes, 5, 0), 5);
	shutdown(fds[0], SHUT_WR);
	until_delivered(fds[0]);
	EXPECT_EQ(sp_rstream_arrived(rs), 5);
	EXPECT_EQ(sp_rstream_peek(rs, 6, &segment), 5);
	EXPECT_EQ(sp_rstream_arrived(rs), 5);
	sp_rstream_consume(rs, 5);
	EXPECT_EQ(sp_rstream_arrived(rs), 0);
	sp_rstream_close(rs);
	close_pair(fds);
	return 0;
}

static void test_what_has_arrived_is_counted(void **state)
{
	(void)state;
	run_modes(options(64, 4096), arrived_body, NULL);
	run_modes(options(8, 1024), arrived_body, NULL);
}

/* More streams than buffers, all with bytes waiting */

enum {
	CROWD = 40,
	CROWD_BYTES = 64 * 1024
};

static atomic_uint crowd_done;

static int crowd_reader(void *arg)
{
	int fd = *(int *)arg;
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	size_t at = 0;
	int n;

	EXPECT_EQ(sp_rstream_open(fd, 0, &rs), 0);
	while ((n = sp_rstream_peek(rs, 1, &segment)) > 0) {
		size_t used = segment.len < 100 ? segment.len : 100;

		EXPECT(is_pattern(segment, at, segment.len));
		sp_rstream_consume(rs, used);
		at += used;
		sp_yield(); /* with a segment in hand */
	}
	EXPECT_EQ(n, 0);
	EXPECT_EQ(at, CROWD_BYTES);
	sp_rstream_close(rs);
	atomic_fetch_add(&crowd_done, 1);
	return 0;
}

/* All of them read at the same time, out of four buffers. */
static void crowd_reads(void)
{
	static struct source sources[CROWD];
	static struct sp_task tasks[2 * CROWD];
	static int fds[CROWD][2];

	atomic_store(&crowd_done, 0);
	for (int i = 0; i < CROWD; i++) {
		tcp_pair(fds[i]);
		sources[i] = (struct source){ .fd = fds[i][0],
					      .total = CROWD_BYTES };
		EXPECT_EQ(sp_go_on(NULL, 1, send_pattern, &sources[i],
				   &tasks[i]),
			  0);
		EXPECT_EQ(sp_go_on(NULL, 0, crowd_reader, &fds[i][1],
				   &tasks[CROWD + i]),
			  0);
	}
	for (int i = 0; i < 2 * CROWD; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	EXPECT_EQ(atomic_load(&crowd_done), CROWD);
	for (int i = 0; i < CROWD; i++)
		close_pair(fds[i]);
}

static int crowd_body(void *arg)
{
	struct sp_shard_stats stats;

	(void)arg;
	crowd_reads();
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.recv_out, 0);
	EXPECT_EQ(stats.recv_starved > 0, buffers_are_shared());
	return 0;
}

/* One keeps a buffer all the time: the others share the rest. */
static int held_body(void *arg)
{
	struct sp_rstream *rs = NULL;
	struct sp_shard_stats stats;
	struct sp_segment segment;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	EXPECT_EQ(sp_send_all(fds[0], "held", 4), 0);
	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	EXPECT_EQ(sp_rstream_peek(rs, 4, &segment), 4);
	crowd_reads();
	EXPECT_EQ(memcmp(segment.data, "held", 4), 0);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.recv_out, buffers_are_shared() ? 1 : 0);
	sp_rstream_close(rs);
	EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
	EXPECT_EQ(stats.recv_out, 0);
	close_pair(fds);
	return 0;
}

static void test_more_streams_than_buffers(void **state)
{
	(void)state;
	run_modes(options(4, 256), crowd_body, NULL);
	run_modes(options(4, 256), held_body, NULL);
}

/* Waiting streams hold nothing: one that has bytes gets buffers */

static int idle_body(void *arg)
{
	enum {
		IDLE = 50
	};
	static struct peeker peekers[IDLE];
	static struct sp_task tasks[IDLE];
	static int fds[IDLE][2];
	struct shape shape = { 4, 256, 100 * 1024, 0, 300 };

	(void)arg;
	for (int i = 0; i < IDLE; i++) {
		tcp_pair(fds[i]);
		/* Each has the beginning of a message. */
		peekers[i].fd = fds[i][1];
		EXPECT_EQ(sp_go_on(NULL, 0, peek_one, &peekers[i], &tasks[i]),
			  0);
	}
	until_waiting(sp_runtime(), "receive stream", IDLE);
	for (int i = 0; i < IDLE; i++)
		EXPECT_EQ(sp_cancel(tasks[i]), 0);
	for (int i = 0; i < IDLE; i++)
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
	shape_body(&shape);
	for (int i = 0; i < IDLE; i++)
		close_pair(fds[i]);
	return 0;
}

struct half {
	int fd;
	int ret;
};

/* Has three of four bytes and waits for the last. */
static int half_reader(void *arg)
{
	struct half *half = arg;
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;

	EXPECT_EQ(sp_rstream_open(half->fd, 0, &rs), 0);
	half->ret = sp_rstream_peek(rs, 4, &segment);
	EXPECT(half->ret == 4 && memcmp(segment.data, "four", 4) == 0);
	sp_rstream_close(rs);
	return 0;
}

static int waiting_body(void *arg)
{
	enum {
		WAITING = 30
	};
	static struct half halves[WAITING];
	static struct sp_task tasks[WAITING];
	static int fds[WAITING][2];
	struct sp_shard_stats stats;

	(void)arg;
	for (int i = 0; i < WAITING; i++) {
		tcp_pair(fds[i]);
		EXPECT_EQ(sp_send_all(fds[i][0], "fou", 3), 0);
		halves[i].fd = fds[i][1];
		EXPECT_EQ(sp_go_on(NULL, 0, half_reader, &halves[i], &tasks[i]),
			  0);
	}
	/* All of them have read their part, out of four buffers. */
	for (int64_t late = sp_in(10 * SP_S); sp_now() < late;) {
		EXPECT_EQ(sp_stats_shard(sp_runtime(), 0, &stats), 0);
		if (stats.recv_copied == 3 * WAITING || !buffers_are_shared())
			break;
		sp_sleep(SP_MS);
	}
	EXPECT_EQ(stats.recv_out, 0);
	for (int i = 0; i < WAITING; i++)
		EXPECT_EQ(sp_send_all(fds[i][0], "r", 1), 0);
	for (int i = 0; i < WAITING; i++) {
		EXPECT_EQ(sp_join(tasks[i], NULL), 0);
		EXPECT_EQ(halves[i].ret, 4);
		close_pair(fds[i]);
	}
	return 0;
}

static void test_waiting_streams_hold_no_buffer(void **state)
{
	(void)state;
	run_modes(options(4, 256), idle_body, NULL);
	run_modes(options(4, 256), waiting_body, NULL);
}

/* Used from another shard, and by a fiber that is stolen */

static int moving_body(void *arg)
{
	struct source source = { .total = 512 * 1024 };
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	struct sp_task task;
	size_t at = 0;
	uint32_t turn = 0;
	int fds[2];

	(void)arg;
	tcp_pair(fds);
	source.fd = fds[0];
	EXPECT_EQ(sp_go_on(NULL, 1, send_pattern, &source, &task), 0);
	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	while (at < source.total) {
		int n = sp_rstream_peek(rs, 500, &segment);

		EXPECT_EQ(sp_shard(), 0);
		if (n <= 0 || !is_pattern(segment, at, segment.len))
			break;
		if (turn++ % 3 == 0)
			EXPECT_EQ(sp_migrate(1), 0);
		at += segment.len;
		sp_rstream_consume(rs, segment.len);
	}
	EXPECT(at + 500 > source.total);
	EXPECT_EQ(sp_migrate(1), 0);
	EXPECT_EQ(sp_rstream_shard(rs), 0);
	sp_rstream_close(rs);
	EXPECT_EQ(sp_shard(), 0);
	EXPECT_EQ(sp_join(task, NULL), 0);
	close_pair(fds);
	return 0;
}

static void test_a_fiber_elsewhere_comes_home(void **state)
{
	(void)state;
	run_modes(options(8, 1024), moving_body, NULL);
}

/* Descriptors that do not block; Unix sockets */

static int nonblocking_body(void *arg)
{
	struct source source = { .total = 256 * 1024 };
	struct sp_rstream *rs = NULL;
	struct sp_segment segment;
	struct sp_task task;
	size_t at = 0;
	int fds[2], n;

	(void)arg;
	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	source.fd = fds[0];
	EXPECT_EQ(sp_rstream_open(fds[1], 0, &rs), 0);
	EXPECT_EQ(sp_go_on(NULL, 1, send_pattern, &source, &task), 0);
	while ((n = sp_rstream_peek(rs, 1, &segment)) > 0) {
		EXPECT(is_pattern(segment, at, segment.len));
		at += segment.len;
		sp_rstream_consume(rs, segment.len);
	}
	EXPECT_EQ(n, 0);
	EXPECT_EQ(at, source.total);
	EXPECT_EQ(sp_join(task, NULL), 0);
	sp_rstream_close(rs);
	close_pair(fds);
	return 0;
}

static void test_sockets_that_do_not_block(void **state)
{
	(void)state;
	run_modes(options(0, 0), nonblocking_body, NULL);
}

static void test_options_are_checked(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.recv_buffers = 1;
	assert_int_equal(sp_run(&opts, ends_body, NULL), -EINVAL);
	opts.recv_buffers = 65536;
	assert_int_equal(sp_run(&opts, ends_body, NULL), -EINVAL);
	opts = SP_OPTS_INIT;
	opts.recv_buffer_size = 1;
	assert_int_equal(sp_run(&opts, ends_body, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_of_every_size),
		cmocka_unit_test(test_ends_and_errors),
		cmocka_unit_test(test_the_end_right_behind_the_last_bytes),
		cmocka_unit_test(test_what_was_received_before_comes_first),
		cmocka_unit_test(test_a_peer_that_does_not_answer),
		cmocka_unit_test(
			test_a_waiting_stream_is_cancelled_and_shut_down),
		cmocka_unit_test(test_stop_ends_the_shots_of_dropped_fibers),
		cmocka_unit_test(test_a_stream_takes_no_more_than_its_share),
		cmocka_unit_test(test_a_paused_stream_holds_nothing),
		cmocka_unit_test(test_what_has_arrived_is_counted),
		cmocka_unit_test(test_more_streams_than_buffers),
		cmocka_unit_test(test_waiting_streams_hold_no_buffer),
		cmocka_unit_test(test_a_fiber_elsewhere_comes_home),
		cmocka_unit_test(test_sockets_that_do_not_block),
		cmocka_unit_test(test_options_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
