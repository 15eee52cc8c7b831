/*
 * The journal against the same bytes written plainly, one after the other, and
 * synced as often.
 */
#include "egress.h"

#include "egress/journal/file_ops.h"
#include "egress/journal/journal.h"

#include <spargio/runtime.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAYLOAD	   (16u << 10)
#define TOGETHER   64
#define SYNC_BYTES (8u << 20)
#define SUBJECT	   "arancini.updates.v4_192_0_2_1.64500.1_1"

struct run {
	const struct bench *b;
	char dir[64];
	uint8_t *bytes;
	uint64_t total;
};

static void must(int err, const char *what)
{
	if (err >= 0)
		return;
	fprintf(stderr, "egress: %s: %s\n", what, strerror(-err));
	exit(1);
}

static double rate(uint64_t bytes, uint64_t start_ns)
{
	return (double)bytes * 1e3 / (double)(bench_now_ns() - start_ns);
}

static double plain(struct run *r)
{
	uint64_t start = bench_now_ns();
	int dir = file_open_dir(r->dir);
	int fd = file_open(dir, "plain", O_CREAT | O_TRUNC | O_WRONLY);
	uint64_t unsynced = 0;

	must(fd, "plain");
	for (uint64_t at = 0; at < r->total; at += TOGETHER * PAYLOAD) {
		struct iovec iov[TOGETHER];

		for (size_t i = 0; i < TOGETHER; i++)
			iov[i] = (struct iovec){ r->bytes, PAYLOAD };
		must(file_write(fd, iov, TOGETHER, at), "write");
		unsynced += TOGETHER * PAYLOAD;
		if (unsynced >= SYNC_BYTES) {
			must(file_sync(fd), "sync");
			unsynced = 0;
		}
	}
	must(file_sync(fd), "sync");
	file_close(fd);
	(void)file_unlink(dir, "plain");
	file_close(dir);
	return rate(r->total, start);
}

static double journal(struct run *r)
{
	struct journal_options options = { .dir = r->dir,
					   .max_bytes = 1,
					   .segment_bytes = 0 };
	uint64_t start = bench_now_ns();
	struct journal_fault fault;
	struct journal *j;
	double mbs;

	must(journal_open(&options, &fault, &j), "journal");
	for (uint64_t at = 0; at < r->total; at += TOGETHER * PAYLOAD) {
		struct journal_record records[TOGETHER];

		for (size_t i = 0; i < TOGETHER; i++)
			records[i] = (struct journal_record){
				.time_ns = start,
				.epoch = 1,
				.seq = at + i,
				.updates = 48,
				.subject = SUBJECT,
				.subject_len = sizeof(SUBJECT) - 1,
				.payload = r->bytes,
				.len = PAYLOAD,
			};
		must(journal_append(j, records, TOGETHER), "append");
		if (journal_end(j) - journal_synced(j) >= SYNC_BYTES)
			must(journal_sync(j), "sync");
	}
	must(journal_sync(j), "sync");
	mbs = rate(r->total, start);
	(void)journal_release(j, journal_end(j));
	journal_close(j);
	return mbs;
}

static int measure(void *arg)
{
	struct run *r = arg;
	unsigned rounds = r->b->rounds;
	double floor[BENCH_ROUNDS_MAX];
	double ours[BENCH_ROUNDS_MAX];

	for (unsigned i = 0; i < rounds; i++) {
		floor[i] = plain(r);
		ours[i] = journal(r);
	}
	bench_report("journal", "floor", "MB/s", floor, rounds, 0);
	bench_report("journal", "arancini", "MB/s", ours, rounds, 0);
	return 0;
}

void egress_bench_journal(const struct bench *b)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct run r = { .b = b, .total = b->quick ? 32u << 20 : 256u << 20 };
	char command[96];

	snprintf(r.dir, sizeof(r.dir), "/var/tmp/bench-journal-%d",
		 (int)getpid());
	r.bytes = calloc(1, PAYLOAD);
	if (r.bytes == NULL)
		exit(1);
	opts.shards = 1;
	opts.stack_size = 256 << 10;
	must(sp_run(&opts, measure, &r), "runtime");
	free(r.bytes);
	snprintf(command, sizeof(command), "rm -rf %s", r.dir);
	if (system(command) != 0) /* NOLINT(cert-env33-c): our own folder */
		fprintf(stderr, "egress: %s stays behind\n", r.dir);
}
