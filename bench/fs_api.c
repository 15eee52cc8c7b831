/*
 * Reading a file that is in the page cache, 4 KiB at a time.
 *
 *	fs_read_rtt_4k			256 reads, one after the other
 *	fs_read_throughput_4k_qd32	4096 reads, 32 at a time, each into a
 *					buffer of its own that is new
 *
 *	floor		pread(2) in a loop
 *	floor_ring	an io_uring and nothing else, on the driver's thread
 *	spargio		a command to a fiber that is at home on shard 1, the
 *			reads, a reply; the driver blocks meanwhile
 *	spargio_fiber	the same reads without the command and the reply
 *
 * 32 at a time is 32 fibers for spargio, and sp_pread_many() for the variants
 * that end in _many.
 */
#include "bench.h"
#include "fibers.h"

#include "spargio/io/ring.h"

#include <spargio/fiber.h>
#include <spargio/file.h>
#include <spargio/rpc.h>
#include <spargio/time.h>

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK = 4096,
	BLOCKS = 4096, /* 16 MiB */
	RTT_READS = 256,
	BATCH = 32,
	BATCH_READS = 4096,
};

static int file = -1;
static struct sp_rt *rt;
static struct sp_rpc *rpc;
static struct sp__ring ring;

static uint64_t look(uint64_t i, const uint8_t *data)
{
	return (i % BLOCKS) ^ data[0];
}

static off_t offset_of(uint64_t i)
{
	return (off_t)(i % BLOCKS) * BLOCK;
}

/* What every way of reading must come to. */
static void check_sum(uint64_t sum, uint64_t reads)
{
	uint64_t want = 0;

	for (uint64_t i = 0; i < reads; i++)
		want += (i % BLOCKS) ^ 0xa5;
	fibers_check(sum == want, "the bytes are wrong");
}

static uint8_t *new_buffer(void)
{
	uint8_t *data = malloc(BLOCK);

	fibers_check(data != NULL, "no memory");
	return data;
}

/* pread(2) */

static uint64_t plain_rtt(void)
{
	uint8_t data[BLOCK] = { 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < RTT_READS; i++) {
		fibers_check(pread(file, data, BLOCK, offset_of(i)) == BLOCK,
			     "pread");
		sum += look(i, data);
	}
	return sum;
}

static uint64_t plain_batches(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < BATCH_READS; i++) {
		uint8_t *data = new_buffer();

		fibers_check(pread(file, data, BLOCK, offset_of(i)) == BLOCK,
			     "pread");
		sum += look(i, data);
		free(data);
	}
	return sum;
}

/* A ring, bare */

static void ring_read(uint64_t i, uint8_t *data)
{
	struct io_uring_sqe *sqe = sp__ring_sqe(&ring);

	fibers_check(sqe != NULL, "no room in the ring");
	io_uring_prep_read(sqe, file, data, BLOCK, (uint64_t)offset_of(i));
}

static void ring_wait(unsigned int n)
{
	while (n > 0) {
		unsigned int head, tail;

		(void)sp__ring_enter(&ring, 1, SP_NEVER);
		head = atomic_load_explicit(ring.cq_head, memory_order_relaxed);
		tail = atomic_load_explicit(ring.cq_tail, memory_order_acquire);
		for (; head != tail; head++, n--)
			fibers_check(ring.cqes[head & ring.cq_mask].res ==
					     BLOCK,
				     "a read of the ring");
		atomic_store_explicit(ring.cq_head, head, memory_order_release);
	}
}

static uint64_t ring_rtt(void)
{
	uint8_t data[BLOCK] = { 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < RTT_READS; i++) {
		ring_read(i, data);
		ring_wait(1);
		sum += look(i, data);
	}
	return sum;
}

static uint64_t ring_batches(void)
{
	uint8_t *data[BATCH];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < BATCH_READS; i += BATCH) {
		for (uint64_t k = 0; k < BATCH; k++) {
			data[k] = new_buffer();
			ring_read(i + k, data[k]);
		}
		ring_wait(BATCH);
		for (uint64_t k = 0; k < BATCH; k++) {
			sum += look(i + k, data[k]);
			free(data[k]);
		}
	}
	return sum;
}

/* Fibers */

static uint64_t fiber_rtt(void)
{
	uint8_t data[BLOCK] = { 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < RTT_READS; i++) {
		fibers_check(sp_pread(file, data, BLOCK, offset_of(i)) == BLOCK,
			     "sp_pread");
		sum += look(i, data);
	}
	return sum;
}

struct read_one {
	uint64_t i;
	uint8_t *data;
};

static int read_one(void *arg)
{
	const struct read_one *r = arg;

	return (int)sp_pread(file, r->data, BLOCK, offset_of(r->i));
}

static uint64_t fiber_batches(void)
{
	struct read_one reads[BATCH];
	struct sp_task tasks[BATCH];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < BATCH_READS; i += BATCH) {
		for (uint64_t k = 0; k < BATCH; k++) {
			reads[k] = (struct read_one){ i + k, new_buffer() };
			fibers_check(sp_go(read_one, &reads[k], &tasks[k]) == 0,
				     "spawn");
		}
		for (uint64_t k = 0; k < BATCH; k++) {
			int ret = 0;

			fibers_check(sp_join(tasks[k], &ret) == 0 &&
					     ret == BLOCK,
				     "a fiber's read");
			sum += look(i + k, reads[k].data);
			free(reads[k].data);
		}
	}
	return sum;
}

static uint64_t many_batches(void)
{
	struct sp_transfer reads[BATCH];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < BATCH_READS; i += BATCH) {
		for (uint64_t k = 0; k < BATCH; k++)
			reads[k] =
				(struct sp_transfer){ file, new_buffer(), BLOCK,
						      offset_of(i + k), 0 };
		fibers_check(sp_pread_many(reads, BATCH) == 0, "sp_pread_many");
		for (uint64_t k = 0; k < BATCH; k++) {
			fibers_check(reads[k].res == BLOCK, "one of many");
			sum += look(i + k, reads[k].data);
			free(reads[k].data);
		}
	}
	return sum;
}

/* A command is the function to run; the reply is its sum. */

typedef uint64_t shape(void);

static int worker_main(void *arg)
{
	struct sp_request request;

	(void)arg;
	while (sp_rpc_recv(rpc, &request) == 0) {
		shape *run = (shape *)request.value;

		(void)sp_rpc_reply(&request, (void *)(uintptr_t)run());
	}
	return 0;
}

static uint64_t command(shape *run)
{
	void *reply = NULL;

	fibers_check(sp_rpc_call(rpc, (void *)run, &reply) == 0, "a command");
	return (uint64_t)(uintptr_t)reply;
}

/* For bench_loops_run() */

struct subject {
	shape *run;
	uint64_t reads;
	enum {
		IN_DRIVER,
		BY_COMMAND,
		IN_FIBER,
	} where;
	uint64_t left; /* of IN_FIBER */
};

static int repeat(void *arg)
{
	const struct subject *s = arg;

	for (uint64_t i = 0; i < s->left; i++)
		check_sum(s->run(), s->reads);
	return 0;
}

static void run_subject(void *arg, uint64_t iterations)
{
	struct subject *s = arg;

	if (s->where == IN_FIBER) {
		s->left = iterations;
		fibers_check(sp_call_on(rt, 1, repeat, s, NULL) == 0,
			     "the loop did not run");
		return;
	}
	for (uint64_t i = 0; i < iterations; i++)
		check_sum(s->where == IN_DRIVER ? s->run() : command(s->run),
			  s->reads);
}

static void make_file(void)
{
	char path[] = "/tmp/spargio-fs_api-XXXXXX";
	uint8_t block[BLOCK];

	memset(block, 0xa5, sizeof(block));
	file = mkostemp(path, O_CLOEXEC);
	fibers_check(file >= 0, "no temporary file");
	unlink(path);
	for (uint64_t i = 0; i < BLOCKS; i++)
		fibers_check(pwrite(file, block, BLOCK, offset_of(i)) == BLOCK,
			     "cannot fill the temporary file");
}

static void start(void)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_attr attr = { .place = SP_PREFER, .shard = 1 };

	opts.ring_entries = 256;
	opts.cq_entries = 2048;
	fibers_check(sp__ring_open(&ring, &opts, 0) == 0, "no io_uring here");
	rt = fibers_start(2);
	fibers_check(sp_rpc_new(1, &rpc) == 0, "no rpc");
	fibers_check(sp_go_attr(rt, &attr, worker_main, NULL, NULL) == 0,
		     "no worker");
}

int main(int argc, char **argv)
{
	struct bench b = bench_begin(argc, argv,
				     "Times 4 KiB reads from the page cache.\n"
				     "Needs io_uring and 16 MiB in /tmp.\n");
	static struct subject rtt[] = {
		{ plain_rtt, RTT_READS, IN_DRIVER, 0 },
		{ ring_rtt, RTT_READS, IN_DRIVER, 0 },
		{ fiber_rtt, RTT_READS, BY_COMMAND, 0 },
		{ fiber_rtt, RTT_READS, IN_FIBER, 0 },
	};
	static struct subject qd32[] = {
		{ plain_batches, BATCH_READS, IN_DRIVER, 0 },
		{ ring_batches, BATCH_READS, IN_DRIVER, 0 },
		{ fiber_batches, BATCH_READS, BY_COMMAND, 0 },
		{ fiber_batches, BATCH_READS, IN_FIBER, 0 },
		{ many_batches, BATCH_READS, BY_COMMAND, 0 },
		{ many_batches, BATCH_READS, IN_FIBER, 0 },
	};
	static const char *const variants[] = {
		"floor",	 "floor_ring",	 "spargio",
		"spargio_fiber", "spargio_many", "spargio_fiber_many",
	};
	struct bench_loop loops[10];

	/* Else free() may give the pages back after each batch. */
	mallopt(M_TRIM_THRESHOLD, 1 << 28);
	make_file();
	start();
	for (size_t i = 0; i < 4; i++)
		loops[i] = (struct bench_loop){ "fs_read_rtt_4k", variants[i],
						"us", run_subject, &rtt[i] };
	for (size_t i = 0; i < 6; i++)
		loops[4 + i] =
			(struct bench_loop){ "fs_read_throughput_4k_qd32",
					     variants[i], "us", run_subject,
					     &qd32[i] };
	/* Finding how many make a sample warms all of them up. */
	bench_loops_run(&b, loops, 10);
	sp_rpc_close(rpc);
	fibers_stop(rt);
	sp_rpc_free(rpc);
	sp__ring_close(&ring);
	return 0;
}
