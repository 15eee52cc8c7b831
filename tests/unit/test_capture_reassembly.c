#include "check.h"

#include "capture/reassembly.h"

#include <string.h>

#define LEN 6000

static uint8_t sent[LEN];
static uint8_t got[2 * LEN];
static size_t got_len;
static uint64_t missing;

static struct capture_reassembly r;

static void start(uint32_t sequence)
{
	for (size_t i = 0; i < LEN; i++)
		sent[i] = (uint8_t)(i * 7 + i / 251);
	got_len = 0;
	missing = 0;
	capture_reassembly_init(&r, sequence);
}

/* Take what is ready. Missing bytes leave their place in the copy empty. */
static void drain(void)
{
	struct capture_chunk chunk;

	while (capture_reassembly_next(&r, &chunk)) {
		assert_true(chunk.bytes.len > 0);
		missing += chunk.missing;
		got_len += chunk.missing;
		assert_true(got_len + chunk.bytes.len <= sizeof(got));
		memcpy(got + got_len, chunk.bytes.p, chunk.bytes.len);
		got_len += chunk.bytes.len;
	}
}

/* Bytes @from to @to of what was sent arrive, from a buffer that then dies. */
static void arrive(uint32_t base, size_t from, size_t to)
{
	uint8_t *copy = malloc(to - from);

	memcpy(copy, sent + from, to - from);
	assert_int_equal(capture_reassembly_push(&r, base + (uint32_t)from,
						 (struct wire_view){
							 copy, to - from },
						 (uint32_t)(to - from)),
			 0);
	drain();
	free(copy);
}

static void expect(size_t len)
{
	CHECK(got_len == len, "%zu bytes, want %zu", got_len, len);
	assert_memory_equal(got, sent, len);
}

static void test_in_order(void **state)
{
	(void)state;
	start(1000);
	arrive(1000, 0, 100);
	arrive(1000, 100, 101);
	arrive(1000, 101, 400);
	expect(400);
	assert_int_equal(r.counts.reordered, 0);
	capture_reassembly_fini(&r);
}

static void test_retransmits_are_delivered_once(void **state)
{
	(void)state;
	start(1000);
	arrive(1000, 0, 100);
	arrive(1000, 0, 100);
	arrive(1000, 50, 150);
	arrive(1000, 149, 150); /* a keepalive probe repeats the last byte */
	expect(150);
	assert_int_equal(r.counts.repeated, 151);
	capture_reassembly_fini(&r);
}

static void test_overlaps_on_both_sides(void **state)
{
	(void)state;
	start(1000);
	arrive(1000, 200, 300);
	arrive(1000, 150, 250);
	arrive(1000, 250, 400);
	expect(0);
	arrive(1000, 0, 160);
	expect(400);
	assert_int_equal(missing, 0);
	capture_reassembly_fini(&r);
}

static void test_any_order_gives_the_same_bytes(void **state)
{
	enum {
		PIECES = 60
	};
	size_t order[PIECES];
	uint32_t x = 42;

	(void)state;
	for (int round = 0; round < 200; round++) {
		/* Around the wrap, too. */
		uint32_t base = round % 2 ? 0xfffffe00u : 77;

		for (size_t i = 0; i < PIECES; i++)
			order[i] = i;
		for (size_t i = PIECES - 1; i > 0; i--) {
			size_t swap, j;

			x = x * 1664525 + 1013904223;
			j = (x >> 8) % (i + 1);
			swap = order[i];
			order[i] = order[j];
			order[j] = swap;
		}
		start(base);
		for (size_t i = 0; i < PIECES; i++) {
			size_t from = order[i] * 100;
			/* Every third overlaps what follows it. */
			size_t to = from + (order[i] % 3 ? 100 : 150);

			arrive(base, from, to > LEN ? LEN : to);
		}
		expect(LEN);
		assert_int_equal(missing, 0);
		assert_int_equal(r.waiting_pieces, 0);
		assert_int_equal(r.waiting_bytes, 0);
		capture_reassembly_fini(&r);
	}
}

static void test_sequence_numbers_wrap(void **state)
{
	(void)state;
	start(0xffffffffu);
	arrive(0xffffffffu, 1, 100); /* starts at 0 */
	expect(0);
	arrive(0xffffffffu, 0, 1);
	expect(100);
	arrive(0xffffffffu, 0, 50);
	expect(100);
	capture_reassembly_fini(&r);
}

static void test_a_hole_is_named_when_closed(void **state)
{
	(void)state;
	start(1000);
	arrive(1000, 0, 100);
	arrive(1000, 150, 200);
	arrive(1000, 300, 400);
	expect(100);
	capture_reassembly_close(&r);
	drain();
	assert_int_equal(got_len, 400);
	assert_int_equal(missing, 150);
	assert_int_equal(r.counts.missing, 150);
	assert_memory_equal(got + 150, sent + 150, 50);
	assert_memory_equal(got + 300, sent + 300, 100);
	capture_reassembly_fini(&r);
}

static void test_a_late_segment_fills_the_hole(void **state)
{
	(void)state;
	start(1000);
	arrive(1000, 100, 200);
	arrive(1000, 200, 300);
	expect(0);
	arrive(1000, 0, 100);
	expect(300);
	capture_reassembly_fini(&r);
}

/* A hole that never fills costs a bounded amount of memory. */
static void test_waiting_is_bounded(void **state)
{
	static uint8_t big[64 * 1024];
	struct capture_chunk chunk;
	uint32_t at = 2000;
	size_t seen = 0;

	(void)state;
	start(1000);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(capture_reassembly_push(
					 &r, at,
					 (struct wire_view){ big, sizeof(big) },
					 sizeof(big)),
				 0);
		at += sizeof(big);
		while (capture_reassembly_next(&r, &chunk)) {
			missing += chunk.missing;
			seen += chunk.bytes.len;
		}
		assert_true(r.waiting_bytes <=
			    CAPTURE_WAITING_BYTES + sizeof(big));
	}
	assert_int_equal(missing, 1000);
	assert_int_equal(seen, 200 * sizeof(big));
	capture_reassembly_fini(&r);
}

static void test_waiting_is_bounded_in_number(void **state)
{
	struct capture_chunk chunk;

	(void)state;
	start(1000);
	for (uint32_t i = 0; i < 2 * CAPTURE_WAITING_PIECES; i++) {
		assert_int_equal(capture_reassembly_push(&r, 3000 + i,
							 (struct wire_view){
								 sent, 1 },
							 1),
				 0);
		while (capture_reassembly_next(&r, &chunk))
			missing += chunk.missing;
		assert_true(r.waiting_pieces <= CAPTURE_WAITING_PIECES + 1);
	}
	assert_int_equal(missing, 2000);
	capture_reassembly_fini(&r);
}

/* A capture with a short snapshot length: the end of each segment is gone. */
static void test_bytes_the_capture_cut_are_missing(void **state)
{
	struct capture_chunk chunk;

	(void)state;
	start(1000);
	capture_reassembly_push(&r, 1000, (struct wire_view){ sent, 60 }, 100);
	assert_true(capture_reassembly_next(&r, &chunk));
	assert_int_equal(chunk.bytes.len, 60);
	assert_int_equal(chunk.missing, 0);
	assert_false(capture_reassembly_next(&r, &chunk));
	capture_reassembly_push(&r, 1100, (struct wire_view){ sent, 60 }, 100);
	assert_true(capture_reassembly_next(&r, &chunk));
	assert_int_equal(chunk.missing, 40);
	assert_true(chunk.segment_start);
	capture_reassembly_fini(&r);
}

static void test_only_untrimmed_chunks_start_a_segment(void **state)
{
	struct capture_chunk chunk;

	(void)state;
	start(1000);
	capture_reassembly_push(&r, 1000, (struct wire_view){ sent, 60 }, 60);
	assert_true(capture_reassembly_next(&r, &chunk));
	assert_true(chunk.segment_start);
	capture_reassembly_push(&r, 1030, (struct wire_view){ sent, 60 }, 60);
	assert_true(capture_reassembly_next(&r, &chunk));
	assert_false(chunk.segment_start);
	assert_int_equal(chunk.bytes.len, 30);
	capture_reassembly_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_retransmits_are_delivered_once),
		cmocka_unit_test(test_overlaps_on_both_sides),
		cmocka_unit_test(test_any_order_gives_the_same_bytes),
		cmocka_unit_test(test_sequence_numbers_wrap),
		cmocka_unit_test(test_a_hole_is_named_when_closed),
		cmocka_unit_test(test_a_late_segment_fills_the_hole),
		cmocka_unit_test(test_waiting_is_bounded),
		cmocka_unit_test(test_waiting_is_bounded_in_number),
		cmocka_unit_test(test_bytes_the_capture_cut_are_missing),
		cmocka_unit_test(test_only_untrimmed_chunks_start_a_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
