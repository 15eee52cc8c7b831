/*
 * Every byte arrives, once and in order, through receive streams: many
 * connections at a time, with messages of random sizes, random pauses, random
 * ends (by shutdown, by reset, by cancelling the fiber that receives), and
 * fewer buffers than connections. In the end no buffer, no operation and no
 * descriptor is left over.
 *
 *	soak_spargio_rstream [MEGABYTES [CONNECTIONS [BUFFERS [SIZE [MODE]]]]]
 *
 * Default: 1000 MB, 1000 connections, 128 buffers of 4096 bytes for each
 * shard. MODE is a number of enum sp_recv_mode.
 *
 * The stream of a connection is a table of random bytes, read from a place of
 * its own, round and round: the sender sends from it and the receiver compares
 * with it. The sum of the bytes goes back to the sender, which has its own.
 */
#include <spargio/group.h>
#include <spargio/rstream.h>
#include <spargio/runtime.h>
#include <spargio/accept_loop.h>
#include <spargio/socket.h>
#include <spargio/stats.h>
#include <spargio/time.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE ((size_t)1048573) /* a prime: no piece of a buffer fits twice */

enum {
	SHARDS = 2,
	MESSAGE_MAX = 70000,
};

/* What the sender says first. */
struct hello {
	uint64_t slot;
	uint64_t start; /* where in the table */
	uint64_t total; /* bytes to come */
};

struct receipt {
	uint64_t count;
	uint64_t sum;
};

/* One connection after the other. */
struct slot {
	uint64_t seed;
	atomic_bool broken; /* the receiver was cancelled */
	_Atomic uint64_t receiver_id;
	struct sp_fiber *_Atomic receiver;
};

static struct {
	uint8_t table[2 * TABLE]; /* twice, so that no piece wraps */
	uint64_t target;
	uint32_t connections;
	struct slot *slots;
	struct sp_addr at;

	_Atomic uint64_t received, sent, lives, cancels, resets, wrong;
	atomic_bool over;
} soak;

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t below(uint64_t *state, uint64_t n)
{
	return next_random(state) % n;
}

static void complain(const char *what, long long got, long long want)
{
	fprintf(stderr, "soak: %s: %lld, not %lld\n", what, got, want);
	atomic_fetch_add(&soak.wrong, 1);
}

static uint64_t sum_of(const uint8_t *data, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += data[i];
	return sum;
}

/* Receiving */

struct reader {
	struct sp_rstream *rs;
	struct hello hello;
	struct receipt got;
	uint64_t seed;
};

/* Look at a message, compare all that is there, use up a random part. */
static int read_message(struct reader *r)
{
	uint64_t left = r->hello.total - r->got.count;
	size_t want = 1 + below(&r->seed,
				below(&r->seed, 4) == 0 ? MESSAGE_MAX : 500);
	const uint8_t *expected =
		&soak.table[(r->hello.start + r->got.count) % TABLE];
	struct sp_segment segment;
	size_t used;
	int n;

	want = want < left ? want : left;
	n = sp_rstream_peek(r->rs, want, &segment);
	if (n < (int)want)
		return n < 0 ? n : -EPIPE;
	/* What follows the stream's end would be somebody else's. */
	if (segment.len > left || segment.len > TABLE ||
	    memcmp(segment.data, expected, segment.len) != 0) {
		complain("bytes at", (long long)r->got.count, -1);
		return -EBADMSG;
	}
	used = want + below(&r->seed, segment.len - want + 1);
	r->got.sum += sum_of(segment.data, used);
	r->got.count += used;
	sp_rstream_consume(r->rs, used);
	return 0;
}

/* Be somewhere else for a while: with a segment in hand, or paused. */
static int dawdle(struct reader *r)
{
	uint64_t dice = below(&r->seed, 400);
	int err = 0;

	if (dice < 4) {
		err = sp_rstream_pause(r->rs);
		if (err == 0)
			err = sp_sleep((int64_t)below(&r->seed, 3 * SP_MS));
	} else if (dice < 8) {
		sp_yield();
	} else if (dice == 9) {
		struct sp_segment segment;

		err = sp_rstream_peek_until(r->rs, MESSAGE_MAX,
					    sp_in(50 * SP_US), &segment);
		err = err >= 0 || err == -ETIMEDOUT ? 0 : err;
	}
	return err;
}

static int read_hello(struct reader *r)
{
	struct sp_segment segment;
	int n = sp_rstream_peek(r->rs, sizeof(r->hello), &segment);

	if (n < (int)sizeof(r->hello))
		return n < 0 ? n : -EPIPE;
	memcpy(&r->hello, segment.data, sizeof(r->hello));
	sp_rstream_consume(r->rs, sizeof(r->hello));
	r->seed = r->hello.start * 31 + r->hello.slot;
	return 0;
}

static int read_all(struct reader *r, const struct sp_conn *conn)
{
	struct sp_segment segment;
	struct slot *slot;
	int err = read_hello(r);

	if (err < 0)
		return err;
	slot = &soak.slots[r->hello.slot];
	atomic_store(&slot->receiver, sp_self().fiber);
	atomic_store(&slot->receiver_id, sp_self().id);
	while (err == 0 && r->got.count < r->hello.total) {
		err = read_message(r);
		if (err == 0)
			err = dawdle(r);
	}
	if (err == 0) {
		int n = sp_rstream_peek(r->rs, 1, &segment);

		if (n > 0)
			complain("more than all", n, 0);
		err = n < 0 ? n : 0;
	}
	atomic_store(&slot->receiver_id, 0);
	if (err == 0)
		err = sp_send_all(conn->fd, &r->got, sizeof(r->got));
	return err;
}

static int receive(struct sp_conn *conn, void *arg)
{
	struct reader r = { 0 };
	int err = sp_rstream_open(conn->fd, 128 * 1024, &r.rs);

	(void)arg;
	if (err < 0) {
		complain("open", err, 0);
		return err;
	}
	err = read_all(&r, conn);
	atomic_fetch_add(&soak.received, r.got.count);
	if (err != 0 && err != -ECANCELED && err != -ECONNRESET &&
	    err != -EPIPE && err != -EBADMSG)
		complain("receive", err, 0);
	sp_rstream_close(r.rs);
	return 0;
}

/* Sending */

/* Send @total bytes of the table from @start in random pieces. */
static int send_stream(int fd, uint64_t *seed, struct hello hello,
		       uint64_t stop_at, struct receipt *out)
{
	int err = sp_send_all(fd, &hello, sizeof(hello));

	while (err == 0 && out->count < stop_at) {
		const uint8_t *data =
			&soak.table[(hello.start + out->count) % TABLE];
		uint64_t most = below(seed, 3) == 0 ? TABLE / 8 : 3000;
		size_t len = 1 + below(seed, most);

		len = len < stop_at - out->count ? len : stop_at - out->count;
		err = sp_send_all(fd, data, len);
		if (err == 0) {
			out->sum += sum_of(data, len);
			out->count += len;
		}
		if (below(seed, 50) == 0)
			(void)sp_sleep((int64_t)below(seed, SP_MS));
	}
	return err;
}

static void check_receipt(struct slot *slot, int fd, const struct receipt *mine)
{
	struct receipt theirs = { 0 };
	int err = sp_shutdown(fd, SHUT_WR);

	if (err == 0)
		err = sp_recv_exact(fd, &theirs, sizeof(theirs));
	if (atomic_load(&slot->broken))
		return;
	if (err != 1) {
		complain("receipt", err, 1);
		return;
	}
	if (theirs.count != mine->count)
		complain("count", (long long)theirs.count,
			 (long long)mine->count);
	if (theirs.sum != mine->sum)
		complain("sum", (long long)theirs.sum, (long long)mine->sum);
}

static void reset(int fd)
{
	struct linger linger = { .l_onoff = 1 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	atomic_fetch_add(&soak.resets, 1);
}

/* One connection from its beginning to one of its ends. */
static void live(struct slot *slot)
{
	struct hello hello = { .slot = (uint64_t)(slot - soak.slots) };
	struct receipt mine = { 0 };
	struct sp_conn conn;
	uint64_t stop_at;
	int err = sp_connect(&soak.at, SP_HOME_HERE, &conn);

	if (err < 0) {
		complain("connect", err, 0);
		return;
	}
	hello.start = below(&slot->seed, TABLE);
	hello.total =
		1 + below(&slot->seed,
			  below(&slot->seed, 5) == 0 ? 2 * TABLE : TABLE / 16);
	stop_at = hello.total;
	if (below(&slot->seed, 20) == 0)
		stop_at = below(&slot->seed, hello.total);
	atomic_store(&slot->broken, false);
	err = send_stream(conn.fd, &slot->seed, hello, stop_at, &mine);
	atomic_fetch_add(&soak.sent, mine.count);
	if (err < 0 && !atomic_load(&slot->broken))
		complain("send", err, 0);
	if (err == 0 && stop_at == hello.total)
		check_receipt(slot, conn.fd, &mine);
	else
		reset(conn.fd);
	close(conn.fd);
	atomic_fetch_add(&soak.lives, 1);
}

static int send_lives(void *arg)
{
	while (atomic_load(&soak.received) < soak.target &&
	       atomic_load(&soak.wrong) == 0)
		live(arg);
	return 0;
}

/* Cancel a receiver now and then. */
static int sabotage(void *arg)
{
	uint64_t seed = 99;

	(void)arg;
	while (!atomic_load(&soak.over) && sp_sleep(2 * SP_MS) == 0) {
		struct slot *slot = &soak.slots[below(&seed, soak.connections)];
		uint64_t id = atomic_load(&slot->receiver_id);
		struct sp_task task = { atomic_load(&slot->receiver), id };

		if (id == 0)
			continue;
		/* Before, so that nobody takes it for a failure. */
		atomic_store(&slot->broken, true);
		if (sp_cancel(task) == 0)
			atomic_fetch_add(&soak.cancels, 1);
	}
	return 0;
}

/* The whole */

static int serve(void *arg)
{
	struct sp_attr attr = { .place = SP_PINNED, .name = "receive" };
	int listener = *(int *)arg;

	return sp_accept_loop(listener, SP_HOME_NEXT, &attr, receive, NULL);
}

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static void check_left_over(int fds)
{
	struct sp_shard_stats s;

	/* Receivers end after their senders: wait for the last of them. */
	for (int64_t late = sp_in(20 * SP_S);
	     count_fds() != fds && sp_now() < late;)
		(void)sp_sleep(SP_MS);
	if (count_fds() != fds)
		complain("descriptors", count_fds(), fds);
	for (uint32_t i = 0; i < SHARDS; i++) {
		(void)sp_stats_shard(sp_runtime(), i, &s);
		if (s.recv_out != 0 || s.pending_ops != 0)
			complain("buffers and operations left",
				 (long long)s.recv_out + s.pending_ops, 0);
		printf("soak: shard %u: starved %" PRIu64 ", copied %" PRIu64
		       " MB, paused %" PRIu64 ", operations %" PRIu64 "\n",
		       i, s.recv_starved, s.recv_copied / 1000000,
		       s.recv_pauses, s.ops);
	}
}

static int run_senders(void)
{
	struct sp_attr attr = { .place = SP_ROUND_ROBIN };
	int err = sp_group_new(&attr.group);

	for (uint32_t i = 0; i < soak.connections && err == 0; i++) {
		soak.slots[i].seed = i + 1;
		err = sp_go_attr(NULL, &attr, send_lives, &soak.slots[i], NULL);
	}
	if (err == 0)
		err = sp_group_wait(attr.group);
	sp_group_free(attr.group);
	return err;
}

static int body(void *arg)
{
	struct sp_task server = { 0 }, saboteur = { 0 };
	int fds = count_fds();
	int listener = -1;
	int err = sp_addr_parse("127.0.0.1:0", 0, &soak.at);

	(void)arg;
	if (err == 0)
		err = sp_listen(&soak.at, NULL, &listener);
	if (err == 0)
		err = sp_addr_local(listener, &soak.at);
	if (err == 0)
		err = sp_go(serve, &listener, &server);
	if (err == 0)
		err = sp_go(sabotage, NULL, &saboteur);
	if (err == 0)
		err = run_senders();
	if (err < 0)
		return err;
	atomic_store(&soak.over, true);
	(void)sp_join(saboteur, NULL);
	(void)sp_cancel(server);
	(void)sp_join(server, NULL);
	close(listener);
	check_left_over(fds);
	return 0;
}

static uint64_t argument(int argc, char **argv, int i, uint64_t fallback)
{
	return argc > i ? strtoull(argv[i], NULL, 10) : fallback;
}

int main(int argc, char **argv)
{
	struct sp_opts opts = SP_OPTS_INIT;
	uint64_t seed = 1;
	int64_t began = sp_now();
	int err;

	soak.target = argument(argc, argv, 1, 1000) * 1000000;
	soak.connections = (uint32_t)argument(argc, argv, 2, 1000);
	opts.shards = SHARDS;
	opts.recv_buffers = (uint32_t)argument(argc, argv, 3, 128);
	opts.recv_buffer_size = (uint32_t)argument(argc, argv, 4, 4096);
	opts.recv_mode = (enum sp_recv_mode)argument(argc, argv, 5, 0);
	soak.slots = calloc(soak.connections, sizeof(*soak.slots));
	if (soak.slots == NULL)
		return 1;
	for (size_t i = 0; i < TABLE; i++)
		soak.table[i] = soak.table[i + TABLE] =
			(uint8_t)next_random(&seed);
	err = sp_run(&opts, body, NULL);
	printf("soak: %" PRIu64 " MB in %" PRIu64 " connections, %" PRIu64
	       " cancelled, %" PRIu64 " reset, %.1f s\n",
	       atomic_load(&soak.received) / 1000000, atomic_load(&soak.lives),
	       atomic_load(&soak.cancels), atomic_load(&soak.resets),
	       (double)(sp_now() - began) / 1e9);
	free(soak.slots);
	if (err < 0)
		fprintf(stderr, "soak: %s\n", strerror(-err));
	return err < 0 || atomic_load(&soak.wrong) != 0;
}
