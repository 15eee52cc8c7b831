/*
 * Shapes of traffic with an echo server.
 *
 *	net_echo_rtt_256b			512 round trips of 256 bytes
 *	net_stream_throughput_4k_window32	one stream, 2048 frames
 *	net_stream_imbalanced_4k_hot1_light7	eight: one of 2048 frames, the
 *						others of 128
 *	net_stream_hotspot_rotation_4k		eight, 64 steps: the one whose
 *						turn it is 32 frames, the
 *						others 2
 *	net_pipeline_hotspot_rotation_4k_window32
 *						eight of 1024 frames, each
 *						frame computed on; who has the
 *						hard ones changes
 *	net_keyed_hotspot_rotation_4k		rotation, and 16 messages for
 *						each frame to one of two owners
 *	net_stream_bursty_tenants		eight, 32 steps that all begin
 *						together: two that prefer the
 *						same shard send 64 frames, the
 *						others nothing
 *	accept_connect_churn_skewed		short connections to a server
 *						of its own: see net_churn.h
 *
 * A frame is 4096 bytes; up to 32 are sent, then as many received. "per_frame"
 * is a call for each frame, "batched" one for all of a window. The server is
 * plain threads, one for each connection, that read up to 64 KiB and write it
 * back; TCP_NODELAY at both ends; eight connections all the time, two shards.
 * The "floor" of the shapes with one stream is a plain thread with a connection
 * of its own and blocking calls: floor_per_frame, floor_batched.
 */
#include "bench.h"
#include "fibers.h"
#include "net_churn.h"

#include <spargio/fiber.h>
#include <spargio/group.h>
#include <spargio/sync.h>
#include <spargio/message.h>
#include <spargio/net.h>
#include <spargio/runtime.h>
#include <spargio/socket.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum {
	STREAMS = 8,
	SHARDS = 2,
	FRAME = 4096,
	WINDOW = 32,
	STEPS = 64,
	SMALL = 256,
	KEYED = 16, /* messages for a frame */
	BURSTS = 32,
	BURST = 64,
	TAG_ADD = 1,
	TAG_STOP,
};

/* The server */

static void *echo_main(void *arg)
{
	static _Thread_local char data[64 * 1024];
	int fd = (int)(intptr_t)arg;
	ssize_t n;

	while ((n = read(fd, data, sizeof(data))) > 0)
		for (ssize_t done = 0; done < n;) {
			ssize_t ret =
				write(fd, data + done, (size_t)(n - done));

			if (ret <= 0)
				return NULL;
			done += ret;
		}
	close(fd);
	return NULL;
}

struct server {
	struct sp_addr at;
	int listener;
	pthread_t threads[STREAMS + 1]; /* the last one is the floor's */
};

static void server_open(struct server *s)
{
	fibers_check(sp_addr_parse("127.0.0.1:0", 0, &s->at) == 0 &&
			     sp_listen(&s->at, NULL, &s->listener) == 0 &&
			     sp_addr_local(s->listener, &s->at) == 0,
		     "no listener");
}

static void server_accept(struct server *s)
{
	struct sp_tcp_opts opts = { .no_delay = 1 };

	for (int i = 0; i <= STREAMS; i++) {
		int fd = accept(s->listener, NULL, NULL);

		fibers_check(fd >= 0 && sp_tcp_set(fd, &opts) == 0 &&
				     pthread_create(&s->threads[i], NULL,
						    echo_main,
						    (void *)(intptr_t)fd) == 0,
			     "no server");
	}
	close(s->listener);
}

/* The clients */

struct stream {
	int fd;
	uint32_t index;
	char out[WINDOW][FRAME];
	char in[WINDOW][FRAME];
	uint64_t sum; /* of first bytes */
	uint64_t work;
};

static struct stream streams[STREAMS];
static bool batched; /* what the present loop does */

static void send_frames(struct stream *s, uint64_t frames)
{
	int err = 0;

	if (batched) {
		struct iovec iov[WINDOW];

		for (uint64_t i = 0; i < frames; i++)
			iov[i] = (struct iovec){ s->out[i], FRAME };
		err = sp_sendv_all(s->fd, iov, frames);
	}
	for (uint64_t i = 0; i < frames && !batched && err == 0; i++)
		err = sp_send_all(s->fd, s->out[i], FRAME);
	fibers_check(err == 0, "send");
}

static void recv_frames(struct stream *s, uint64_t frames)
{
	int err = 1;

	if (batched)
		err = sp_recv_exact(s->fd, s->in, frames * FRAME);
	for (uint64_t i = 0; i < frames && !batched && err == 1; i++)
		err = sp_recv_exact(s->fd, s->in[i], FRAME);
	fibers_check(err == 1, "receive");
	for (uint64_t i = 0; i < frames; i++)
		s->sum += (uint64_t)(uint8_t)s->in[i][0];
}

/* @frames in windows; @each, unless NULL, is called for every one. */
static void exchange(struct stream *s, uint64_t frames,
		     void (*each)(struct stream *s, uint64_t frame))
{
	for (uint64_t done = 0; done < frames;) {
		uint64_t n = frames - done < WINDOW ? frames - done : WINDOW;

		for (uint64_t i = 0; i < n; i++)
			s->out[i][0] = (char)(done + i);
		send_frames(s, n);
		recv_frames(s, n);
		for (uint64_t i = 0; i < n && each != NULL; i++)
			each(s, done + i);
		done += n;
	}
}

/* The sum of the first bytes of so many frames. */
static uint64_t sum_of(uint64_t frames)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < frames; i++)
		sum += (uint8_t)i;
	return sum;
}

static void check_sum(struct stream *s, uint64_t want)
{
	fibers_check(s->sum == want, "wrong bytes");
	s->sum = 0;
}

static uint64_t rotation_frames(const struct stream *s, uint64_t step)
{
	return s->index == step % STREAMS ? WINDOW : 2;
}

static uint64_t rotation_sum(void)
{
	return STEPS / STREAMS * sum_of(WINDOW) +
	       (STEPS - STEPS / STREAMS) * sum_of(2);
}

/* Run @fn for all streams at once, each on its preferred shard. */
static void all_streams(int (*fn)(void *))
{
	struct sp_group *group;

	fibers_check(sp_group_new(&group) == 0, "no group");
	for (int i = 0; i < STREAMS; i++) {
		struct sp_attr attr = { .place = SP_PREFER,
					.shard = (uint32_t)i % SHARDS,
					.group = group };

		fibers_check(sp_go_attr(NULL, &attr, fn, &streams[i], NULL) ==
				     0,
			     "spawn");
	}
	fibers_check(sp_group_wait(group) == 0, "a stream failed");
	sp_group_free(group);
}

/* The shapes; each does its own @iterations times */

static void echo_rtt(uint64_t iterations)
{
	struct stream *s = &streams[0];

	for (uint64_t n = 0; n < iterations; n++)
		for (int i = 0; i < 512; i++) {
			s->out[0][0] = (char)i;
			fibers_check(sp_send_all(s->fd, s->out[0], SMALL) ==
						     0 &&
					     sp_recv_exact(s->fd, s->in[0],
							   SMALL) == 1 &&
					     s->in[0][0] == (char)i,
				     "echo");
		}
}

static void throughput(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++) {
		exchange(&streams[0], 2048, NULL);
		check_sum(&streams[0], sum_of(2048));
	}
}

static int imbalanced_stream(void *arg)
{
	struct stream *s = arg;
	uint64_t frames = s->index == 0 ? 2048 : 128;

	exchange(s, frames, NULL);
	check_sum(s, sum_of(frames));
	return 0;
}

static void imbalanced(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++)
		all_streams(imbalanced_stream);
}

static int rotation_stream(void *arg)
{
	struct stream *s = arg;

	for (uint64_t step = 0; step < STEPS; step++)
		exchange(s, rotation_frames(s, step), NULL);
	check_sum(s, rotation_sum());
	return 0;
}

static void rotation(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++)
		all_streams(rotation_stream);
}

static void compute(struct stream *s, uint64_t frame)
{
	uint64_t seed = (uint8_t)s->in[frame % WINDOW][0];
	uint64_t x = seed << 40 ^ (uint64_t)s->index << 17 ^ frame << 3 ^
		     UINT64_C(0x9E3779B97F4A7C15);
	uint64_t rounds = s->index == frame / 64 % STREAMS ? 4000 : 150;

	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		x += i * 0x27D4EB2D;
	}
	s->work += x;
}

static int pipeline_stream(void *arg)
{
	struct stream *s = arg;

	exchange(s, 1024, compute);
	check_sum(s, sum_of(1024));
	bench_keep(&s->work);
	return 0;
}

static void pipeline(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++)
		all_streams(pipeline_stream);
}

/* Owners add up what they are sent, until every stream has said stop. */

static int owner(void *arg)
{
	uint64_t *sum = arg;
	struct sp_msg got[64];
	int stops = 0;

	while (stops < STREAMS) {
		int n = sp_msg_recv_many(got, 64);

		if (n < 0)
			return n;
		for (int i = 0; i < n; i++) {
			stops += got[i].tag == TAG_STOP;
			if (got[i].tag == TAG_ADD)
				*sum += got[i].value;
		}
	}
	return 0;
}

static void tell(uint32_t shard, uint16_t tag, uint64_t value)
{
	int err;

	while ((err = sp_msg_send(shard, tag, value)) == -EAGAIN)
		sp_yield();
	fibers_check(err == 0, "message");
}

static void tell_many(uint32_t shard, uint64_t count)
{
	static const uint64_t ones[WINDOW * KEYED] = {
		[0 ... WINDOW * KEYED - 1] = 1,
	};

	while (count > 0) {
		int n = sp_msg_send_many(shard, TAG_ADD, ones, count);

		fibers_check(n >= 0 || n == -EAGAIN, "messages");
		if (n <= 0)
			sp_yield();
		else
			count -= (uint64_t)n;
	}
}

static int keyed_stream(void *arg)
{
	struct stream *s = arg;

	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t frames = rotation_frames(s, step);
		uint32_t to = (uint32_t)step % SHARDS;

		exchange(s, frames, NULL);
		if (batched)
			tell_many(to, frames * KEYED);
		for (uint64_t i = 0; i < frames * KEYED && !batched; i++)
			tell(to, TAG_ADD, 1);
	}
	check_sum(s, rotation_sum());
	for (uint32_t i = 0; i < SHARDS; i++)
		tell(i, TAG_STOP, 0);
	return 0;
}

static void keyed(uint64_t iterations)
{
	const uint64_t frames = (uint64_t)STEPS * (WINDOW + 2 * (STREAMS - 1));

	for (uint64_t n = 0; n < iterations; n++) {
		struct sp_task owners[SHARDS];
		uint64_t sums[SHARDS] = { 0 };

		for (uint32_t i = 0; i < SHARDS; i++)
			fibers_check(sp_go_on(NULL, i, owner, &sums[i],
					      &owners[i]) == 0,
				     "no owner");
		all_streams(keyed_stream);
		for (uint32_t i = 0; i < SHARDS; i++)
			fibers_check(sp_join(owners[i], NULL) == 0, "owner");
		fibers_check(sums[0] + sums[1] == frames * KEYED,
			     "messages were lost");
	}
}

/* Everybody waits for the burst of a step to be over before the next. */

static struct sp_barrier step_begins = SP_BARRIER_INIT(STREAMS);

static int tenant(void *arg)
{
	struct stream *s = arg;
	uint64_t want = 0;

	for (uint32_t step = 0; step < BURSTS; step++) {
		fibers_check(sp_barrier_wait(&step_begins) >= 0, "barrier");
		if (s->index != step % STREAMS &&
		    s->index != (step + SHARDS) % STREAMS)
			continue;
		exchange(s, BURST, NULL);
		want += sum_of(BURST);
	}
	check_sum(s, want);
	return 0;
}

static void bursty(uint64_t iterations)
{
	for (uint64_t n = 0; n < iterations; n++)
		all_streams(tenant);
}

static void churn(uint64_t iterations)
{
	net_churn(iterations, batched);
}

/* The floor: blocking calls */

static struct stream plain;

static void plain_echo(void *arg, uint64_t iterations)
{
	(void)arg;
	for (uint64_t n = 0; n < iterations; n++)
		for (int i = 0; i < 512; i++) {
			plain.out[0][0] = (char)i;
			fibers_check(send(plain.fd, plain.out[0], SMALL, 0) ==
						     SMALL &&
					     recv(plain.fd, plain.in[0], SMALL,
						  MSG_WAITALL) == SMALL &&
					     plain.in[0][0] == (char)i,
				     "plain echo");
		}
}

/* A window in @calls calls of the same size, each way. */
static void plain_window(int calls)
{
	size_t len = (size_t)WINDOW * FRAME / (size_t)calls;
	int good = 0;

	for (int i = 0; i < calls; i++)
		good += send(plain.fd, (char *)plain.out + (size_t)i * len, len,
			     0) == (ssize_t)len;
	for (int i = 0; i < calls; i++)
		good += recv(plain.fd, (char *)plain.in + (size_t)i * len, len,
			     MSG_WAITALL) == (ssize_t)len;
	fibers_check(good == 2 * calls, "plain window");
}

static void plain_per_frame(void *arg, uint64_t iterations)
{
	(void)arg;
	for (uint64_t n = 0; n < iterations * 2048 / WINDOW; n++)
		plain_window(WINDOW);
}

static void plain_batched(void *arg, uint64_t iterations)
{
	(void)arg;
	for (uint64_t n = 0; n < iterations * 2048 / WINDOW; n++)
		plain_window(1);
}

static const struct bench_loop floors[] = {
	{ "net_echo_rtt_256b", "floor_per_frame", "us", plain_echo, NULL },
	{ "net_stream_throughput_4k_window32", "floor_per_frame", "us",
	  plain_per_frame, NULL },
	{ "net_stream_throughput_4k_window32", "floor_batched", "us",
	  plain_batched, NULL },
};

#define FLOORS (sizeof(floors) / sizeof(floors[0]))

/* The whole */

struct shape {
	const char *name;
	void (*body)(uint64_t iterations);
};

static const struct shape shapes[] = {
	{ "net_echo_rtt_256b", echo_rtt },
	{ "net_stream_throughput_4k_window32", throughput },
	{ "net_stream_imbalanced_4k_hot1_light7", imbalanced },
	{ "net_stream_hotspot_rotation_4k", rotation },
	{ "net_pipeline_hotspot_rotation_4k_window32", pipeline },
	{ "net_keyed_hotspot_rotation_4k", keyed },
	{ "net_stream_bursty_tenants", bursty },
	{ "accept_connect_churn_skewed", churn },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void run_per_frame(void *arg, uint64_t iterations)
{
	batched = false;
	fibers_run(arg, iterations);
}

static void run_batched(void *arg, uint64_t iterations)
{
	batched = true;
	fibers_run(arg, iterations);
}

static struct server server;

static void connect_all(uint64_t unused)
{
	struct sp_tcp_opts opts = { .no_delay = 1 };

	(void)unused;
	for (uint32_t i = 0; i < STREAMS; i++) {
		struct sp_conn conn;

		fibers_check(sp_connect(&server.at, i % SHARDS, &conn) == 0 &&
				     sp_tcp_set(conn.fd, &opts) == 0,
			     "no connection");
		streams[i].fd = conn.fd;
		streams[i].index = i;
	}
}

static void connect_plain(void)
{
	struct sp_tcp_opts opts = { .no_delay = 1 };

	plain.fd = socket(AF_INET, SOCK_STREAM, 0);
	fibers_check(connect(plain.fd, &server.at.any, server.at.len) == 0 &&
			     sp_tcp_set(plain.fd, &opts) == 0,
		     "no plain connection");
}

int main(int argc, char **argv)
{
	struct bench b =
		bench_begin(argc, argv, "Measures shapes of TCP traffic.");
	struct fibers fibers[SHAPES];
	struct bench_loop loops[2 * SHAPES + FLOORS];
	struct sp_rt *rt = fibers_start(SHARDS);
	struct fibers connector = { rt, connect_all, 0 };

	server_open(&server);
	net_churn_serve(rt);
	fibers_run(&connector, 1);
	connect_plain();
	server_accept(&server);
	memcpy(&loops[2 * SHAPES], floors, sizeof(floors));
	for (size_t i = 0; i < SHAPES; i++) {
		fibers[i] = (struct fibers){ rt, shapes[i].body, 0 };
		loops[2 * i] =
			(struct bench_loop){ shapes[i].name, "per_frame", "us",
					     run_per_frame, &fibers[i] };
		loops[2 * i + 1] =
			(struct bench_loop){ shapes[i].name, "batched", "us",
					     run_batched, &fibers[i] };
	}
	bench_loops_run(&b, loops, 2 * SHAPES + FLOORS);
	fibers_stop(rt);
	for (int i = 0; i < STREAMS; i++)
		close(streams[i].fd);
	close(plain.fd);
	for (int i = 0; i <= STREAMS; i++)
		pthread_join(server.threads[i], NULL);
	return 0;
}
