/*
 * Bytes through a receive stream, against a bare loop over a ring.
 *
 *	recv_stream	floor	multishot receive and a ring of buffers, with
 *				nothing else in the loop
 *			spargio	sp_rstream_peek() and sp_rstream_consume()
 *
 * Both have 256 buffers of 16 KiB, bundles where the kernel has them, look at
 * the first byte of each segment and give it back. The sender is a thread on
 * the other CPU that writes 256 KiB at a time; it lives as long as the bench.
 */
#include "bench.h"
#include "fibers.h"

#include <spargio/fiber.h>
#include <spargio/net.h>
#include <spargio/rstream.h>
#include <spargio/runtime.h>

#include <liburing.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFERS	    256
#define BUFFER_SIZE 16384
#define WRITE_SIZE  (256 * 1024)
#define BUNDLE	    (1U << 4)  /* IORING_RECVSEND_BUNDLE, since Linux 6.10 */
#define FEAT_BUNDLE (1U << 14) /* IORING_FEAT_RECVSEND_BUNDLE */

/* A connection whose other end sends as many bytes as it is told to. */
struct feed {
	int in, out;
	sem_t go;
	uint64_t bytes;
	pthread_t thread;
};

static void *feed_main(void *arg)
{
	struct feed *feed = arg;
	char *data = calloc(1, WRITE_SIZE);

	fibers_pin(1);
	for (;;) {
		uint64_t left;

		sem_wait(&feed->go);
		for (left = feed->bytes; left > 0;) {
			size_t n = left < WRITE_SIZE ? left : WRITE_SIZE;
			ssize_t ret = write(feed->out, data, n);

			fibers_check(ret > 0, "the sender failed");
			left -= (uint64_t)ret;
		}
		if (feed->bytes == 0)
			break;
	}
	free(data);
	return NULL;
}

static void feed_open(struct feed *feed)
{
	struct sp_addr at;
	int listener = -1;

	fibers_check(sp_addr_parse("127.0.0.1:0", 0, &at) == 0 &&
			     sp_listen(&at, NULL, &listener) == 0 &&
			     sp_addr_local(listener, &at) == 0,
		     "no listener");
	feed->out = socket(AF_INET, SOCK_STREAM, 0);
	fibers_check(connect(feed->out, &at.any, at.len) == 0, "no connection");
	feed->in = accept(listener, NULL, NULL);
	close(listener);
	sem_init(&feed->go, 0, 0);
	fibers_check(feed->in >= 0 && pthread_create(&feed->thread, NULL,
						     feed_main, feed) == 0,
		     "no sender");
}

static void feed_start(struct feed *feed, uint64_t bytes)
{
	feed->bytes = bytes;
	sem_post(&feed->go);
}

static void feed_close(struct feed *feed)
{
	feed_start(feed, 0);
	pthread_join(feed->thread, NULL);
	close(feed->in);
	close(feed->out);
}

/* The floor */

static struct {
	struct feed feed;
	struct io_uring ring;
	struct io_uring_buf_ring *bufs;
	char *data;
	bool bundles;
} bare;

static void bare_give(unsigned int id)
{
	io_uring_buf_ring_add(bare.bufs, bare.data + (size_t)id * BUFFER_SIZE,
			      BUFFER_SIZE, (unsigned short)id, BUFFERS - 1, 0);
	io_uring_buf_ring_advance(bare.bufs, 1);
}

static void bare_open(void)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_SINGLE_ISSUER |
			 IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
		.cq_entries = 4096,
	};
	struct io_uring_buf_reg reg = { .ring_entries = BUFFERS };

	feed_open(&bare.feed);
	fibers_check(io_uring_queue_init_params(256, &bare.ring, &p) == 0,
		     "no ring");
	bare.bundles = p.features & FEAT_BUNDLE;
	bare.bufs = aligned_alloc(4096, 4096);
	bare.data = aligned_alloc(4096, (size_t)BUFFERS * BUFFER_SIZE);
	fibers_check(bare.bufs != NULL && bare.data != NULL, "no memory");
	memset(bare.bufs, 0, 4096);
	reg.ring_addr = (uintptr_t)bare.bufs;
	fibers_check(io_uring_register_buf_ring(&bare.ring, &reg, 0) == 0,
		     "no ring of buffers");
	for (unsigned int i = 0; i < BUFFERS; i++)
		bare_give(i);
}

static void bare_arm(void)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&bare.ring);

	io_uring_prep_recv_multishot(sqe, bare.feed.in, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = 0;
	if (bare.bundles)
		sqe->ioprio |= BUNDLE;
}

/* Buffers come back in the order they went: the next id is the next number. */
static uint64_t bare_take(const struct io_uring_cqe *cqe, uint64_t *sum)
{
	unsigned int id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

	if (cqe->res <= 0)
		return 0;
	for (int left = cqe->res; left > 0; left -= BUFFER_SIZE) {
		*sum += (uint64_t)bare.data[(size_t)id * BUFFER_SIZE];
		bare_give(id);
		id = (id + 1) & (BUFFERS - 1);
	}
	return (uint64_t)cqe->res;
}

static uint64_t bare_run(uint64_t bytes)
{
	uint64_t got = 0, sum = 0;
	static bool armed;

	feed_start(&bare.feed, bytes);
	while (got < bytes) {
		struct io_uring_cqe *cqe;
		unsigned int head, n = 0;

		if (!armed)
			bare_arm();
		armed = true;
		io_uring_submit_and_wait(&bare.ring, 1);
		io_uring_for_each_cqe(&bare.ring, head, cqe)
		{
			got += bare_take(cqe, &sum);
			armed = armed && (cqe->flags & IORING_CQE_F_MORE);
			n++;
		}
		io_uring_cq_advance(&bare.ring, n);
	}
	bench_keep(&sum);
	return got;
}

/* The runtime */

static struct {
	struct feed feed;
	struct sp_rt *rt;
	struct sp_rstream *rs;
	struct fibers fibers;
} ours;

static void ours_body(uint64_t bytes)
{
	struct sp_segment segment;
	uint64_t got = 0, sum = 0;

	if (ours.rs == NULL)
		fibers_check(sp_rstream_open(ours.feed.in, 0, &ours.rs) == 0,
			     "no stream");
	feed_start(&ours.feed, bytes);
	while (got < bytes) {
		fibers_check(sp_rstream_peek(ours.rs, 1, &segment) > 0,
			     "the stream ended");
		sum += segment.data[0];
		got += segment.len;
		sp_rstream_consume(ours.rs, segment.len);
	}
	bench_keep(&sum);
}

static void ours_close(uint64_t unused)
{
	(void)unused;
	sp_rstream_close(ours.rs);
}

static double rate(uint64_t bytes, uint64_t began)
{
	return (double)bytes * 1e3 / (double)(bench_now_ns() - began);
}

int main(int argc, char **argv)
{
	struct bench b =
		bench_begin(argc, argv,
			    "Measures receive streams against a bare ring.");
	uint64_t bytes = b.quick ? UINT64_C(64) << 20 : UINT64_C(256) << 20;
	double floor[BENCH_ROUNDS_MAX], spargio[BENCH_ROUNDS_MAX];
	double floor_cpu = 0, spargio_cpu = 0;

	ours.rt = fibers_start(1);
	ours.fibers = (struct fibers){ ours.rt, ours_body, 0 };
	feed_open(&ours.feed);
	fibers_pin(0);
	bare_open();
	/* The first round of each warms up. */
	for (unsigned int i = 0; i <= b.rounds; i++) {
		double cpu = bench_cpu_seconds();
		uint64_t began = bench_now_ns();

		bare_run(bytes);
		floor[i == 0 ? 0 : i - 1] = rate(bytes, began);
		floor_cpu += bench_cpu_seconds() - cpu;
		cpu = bench_cpu_seconds();
		began = bench_now_ns();
		fibers_run(&ours.fibers, bytes);
		spargio[i == 0 ? 0 : i - 1] = rate(bytes, began);
		spargio_cpu += bench_cpu_seconds() - cpu;
	}
	bench_report("recv_stream", "floor", "MB/s", floor, b.rounds,
		     floor_cpu);
	bench_report("recv_stream", "spargio", "MB/s", spargio, b.rounds,
		     spargio_cpu);
	ours.fibers.body = ours_close;
	fibers_run(&ours.fibers, 0);
	feed_close(&ours.feed);
	feed_close(&bare.feed);
	fibers_stop(ours.rt);
	io_uring_queue_exit(&bare.ring);
	free(bare.bufs);
	free(bare.data);
	return 0;
}
