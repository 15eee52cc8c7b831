/*
 * A bzip2 file that threads decompress says what one that is read in order
 * says: the same bytes, then the same end, whatever is wrong with it. On a
 * machine with one CPU both are read in order.
 */
#include "check.h"
#include "random.h"

#include "capture/bzip2_blocks.h"
#include "capture/source.h"

#include <bzlib.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAIN	  (800 * 1000)
#define ROOM	  (2 * PLAIN)
#define LONG_RUNS (20 * 1000 * 1000)

static uint8_t *plain, *packed, *changed;
static size_t packed_len;
static struct draws draws;
static char path[] = "/tmp/capture-blocks-XXXXXX";

/* Blocks of 100,000 bytes, so that there are many. */
static size_t pack(const uint8_t *from, size_t len, uint8_t *to)
{
	unsigned n = ROOM;

	assert_int_equal(BZ2_bzBuffToBuffCompress((char *)to, &n, (char *)from,
						  (unsigned)len, 1, 0, 0),
			 BZ_OK);
	return n;
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	draws = draws_start("bzip2 blocks");
	plain = malloc(PLAIN);
	packed = malloc(ROOM);
	changed = malloc(ROOM);
	if (fd < 0 || plain == NULL || packed == NULL || changed == NULL)
		return -1; /* cmocka: the set-up failed */
	close(fd);
	/* Half of the bits are random. */
	for (size_t i = 0; i < PLAIN; i++)
		plain[i] = (uint8_t)(draw(&draws) & 0x0f);
	packed_len = pack(plain, PLAIN, packed);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	free(plain);
	free(packed);
	free(changed);
	return 0;
}

static void write_file(const uint8_t *p, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, len), (ssize_t)len);
	close(fd);
}

/* Read both at the same time; returns how both end. */
static enum capture_source_status compare(struct capture_source *a,
					  struct capture_source *b,
					  const char *what, uint64_t *len)
{
	static uint8_t of_a[50000], of_b[50000];
	enum capture_source_status ends = CAPTURE_SOURCE_OK, other;
	size_t got, have, n;

	*len = 0;
	while ((ends = capture_source_read(a, of_a, sizeof(of_a), &have)) ==
	       CAPTURE_SOURCE_OK) {
		for (n = 0; n < have; n += got) {
			other = capture_source_read(b, of_b, have - n, &got);
			CHECK(other == CAPTURE_SOURCE_OK, "%s: ends at %llu",
			      what, (unsigned long long)(*len + n));
			if (other != CAPTURE_SOURCE_OK)
				return other;
			CHECK(memcmp(of_a + n, of_b, got) == 0, "%s: bytes",
			      what);
		}
		*len += have;
	}
	other = capture_source_read(b, of_b, 1, &got);
	CHECK(other == ends, "%s: %d, not %d", what, ends, other);
	return ends;
}

static enum capture_source_status check(const uint8_t *p, size_t size,
					const char *what, uint64_t *len)
{
	struct capture_source *threads, *memory;
	enum capture_source_status ends;

	write_file(p, size);
	assert_int_equal(capture_source_open(path, &threads), 0);
	assert_int_equal(capture_source_open_memory((struct wire_view){ p,
									size },
						    &memory),
			 0);
	CHECK(capture_source_format(threads) == capture_source_format(memory),
	      "%s: format", what);
	ends = compare(threads, memory, what, len);
	capture_source_close(threads);
	capture_source_close(memory);
	return ends;
}

static void test_a_whole_file(void **state)
{
	uint64_t len;

	(void)state;
	assert_int_equal(check(packed, packed_len, "whole", &len),
			 CAPTURE_SOURCE_END);
	assert_int_equal(len, PLAIN);
}

/* Threads are used: otherwise this file tests nothing. */
static void test_threads_read_it(void **state)
{
	struct capture_blocks *b;
	uint8_t bytes[4096];
	uint64_t len = 0;
	size_t got;
	int fd;

	(void)state;
	write_file(packed, packed_len);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	b = capture_blocks_new(fd, packed_len);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		assert_non_null(b);
	while (b != NULL && capture_blocks_read(b, bytes, sizeof(bytes),
						&got) == CAPTURE_BLOCKS_OK) {
		assert_memory_equal(bytes, plain + len, got);
		len += got;
	}
	if (b != NULL) {
		assert_int_equal(len, PLAIN);
		assert_int_equal(capture_blocks_read(b, bytes, 1, &got),
				 CAPTURE_BLOCKS_END);
	}
	capture_blocks_free(b);
	/* Nobody reads on: threads that wait for a place end. */
	b = capture_blocks_new(fd, packed_len);
	capture_blocks_free(b);
	close(fd);
}

static void test_files_that_are_cut(void **state)
{
	uint64_t len;

	(void)state;
	for (int i = 0; i < 6; i++) {
		size_t size = 70000 + draw(&draws) % (packed_len - 70000);

		assert_int_equal(check(packed, size, "cut", &len),
				 CAPTURE_SOURCE_TRUNCATED);
	}
	/* Inside of the end of the stream */
	for (size_t n = 1; n <= 10; n += 3)
		assert_int_equal(check(packed, packed_len - n, "its end", &len),
				 CAPTURE_SOURCE_TRUNCATED);
}

static void test_damage(void **state)
{
	uint64_t len;

	(void)state;
	for (int i = 0; i < 6; i++) {
		memcpy(changed, packed, packed_len);
		changed[draw(&draws) % packed_len] ^=
			(uint8_t)(1u << (draw(&draws) % 8));
		(void)check(changed, packed_len, "damage", &len);
	}
	/* The checksum of the stream */
	memcpy(changed, packed, packed_len);
	changed[packed_len - 3] ^= 0x55;
	assert_int_equal(check(changed, packed_len, "checksum", &len),
			 CAPTURE_SOURCE_CORRUPT);
	assert_int_equal(len, PLAIN);
}

/* Streams in a row, of other sizes of blocks; then zeros, then garbage */
static void test_what_follows_a_stream(void **state)
{
	size_t n = packed_len;
	unsigned room = ROOM - (unsigned)packed_len;
	uint64_t len;

	(void)state;
	memcpy(changed, packed, packed_len);
	assert_int_equal(BZ2_bzBuffToBuffCompress((char *)changed + n, &room,
						  (char *)plain, 500000, 9, 0,
						  0),
			 BZ_OK);
	n += room;
	assert_int_equal(check(changed, n, "two streams", &len),
			 CAPTURE_SOURCE_END);
	assert_int_equal(len, PLAIN + 500000);
	memset(changed + n, 0, 1000);
	assert_int_equal(check(changed, n + 1000, "padding", &len),
			 CAPTURE_SOURCE_END);
	assert_int_equal(len, PLAIN + 500000);
	memset(changed + n, 'x', 100);
	assert_int_equal(check(changed, n + 100, "garbage", &len),
			 CAPTURE_SOURCE_TRAILING);
	assert_int_equal(len, PLAIN + 500000);
}

/* bzip2 in bzip2: the outer one is what threads read. */
static void test_compression_inside(void **state)
{
	uint64_t len;
	size_t n = pack(packed, packed_len, changed);

	(void)state;
	assert_int_equal(check(changed, n, "inside", &len), CAPTURE_SOURCE_END);
	assert_int_equal(len, PLAIN);
}

/* The pattern of a block among the bytes of one: the file is read again. */
static void test_a_pattern_that_is_no_block(void **state)
{
	static const uint8_t magic[] = { 0x31, 0x41, 0x59, 0x26, 0x53, 0x59 };
	uint64_t len;

	(void)state;
	memcpy(changed, packed, packed_len);
	memcpy(changed + packed_len / 2, magic, sizeof(magic));
	(void)check(changed, packed_len, "pattern", &len);
	assert_true(len > 0 && len < PLAIN);
}

/* A block that unpacks to the most that a block can. */
static void test_long_runs(void **state)
{
	uint8_t *runs = calloc(1, LONG_RUNS);
	size_t n, half = PLAIN / 2;
	uint64_t len;

	(void)state;
	assert_non_null(runs);
	/* Random first: a file of runs alone is too small for threads. */
	memcpy(runs, plain, half);
	n = pack(runs, LONG_RUNS, changed);
	assert_int_equal(check(changed, n, "runs", &len), CAPTURE_SOURCE_END);
	assert_int_equal(len, LONG_RUNS);
	free(runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_whole_file),
		cmocka_unit_test(test_threads_read_it),
		cmocka_unit_test(test_files_that_are_cut),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_what_follows_a_stream),
		cmocka_unit_test(test_compression_inside),
		cmocka_unit_test(test_a_pattern_that_is_no_block),
		cmocka_unit_test(test_long_runs),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
