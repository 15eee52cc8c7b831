#include "check.h"

#include "bmp/frame.h"

#define MAX 1000

static void test_verdicts(void **state)
{
	const struct {
		const char *name;
		const uint8_t *in;
		size_t len;
		enum bmp_frame_status want;
		size_t need;
	} cases[] = {
		/* clang-format off */
		{ "nothing", NULL, 0, BMP_FRAME_PARTIAL, 6 },
		{ "version only", BYTES(3), BMP_FRAME_PARTIAL, 6 },
		{ "version 1", BYTES(1), BMP_FRAME_BAD_VERSION, 0 },
		{ "half a header", BYTES(3, 0, 0, 0), BMP_FRAME_PARTIAL, 6 },
		{ "length 0, as BIRD once sent", BYTES(3, 0, 0, 0, 0, 4), BMP_FRAME_TOO_SHORT, 0 },
		{ "length 5", BYTES(3, 0, 0, 0, 5, 4), BMP_FRAME_TOO_SHORT, 0 },
		{ "length 4 GiB", BYTES(3, 255, 255, 255, 255, 0), BMP_FRAME_TOO_LONG, 0 },
		{ "one over the limit", BYTES(3, 0, 0, 3, 233, 0), BMP_FRAME_TOO_LONG, 0 },
		{ "at the limit, body missing", BYTES(3, 0, 0, 3, 232, 0), BMP_FRAME_PARTIAL, 1000 },
		{ "header only", BYTES(3, 0, 0, 0, 6, 4), BMP_FRAME_WHOLE, 0 },
		{ "unknown type is still a frame", BYTES(3, 0, 0, 0, 7, 99, 1), BMP_FRAME_WHOLE, 0 },
		{ "version 4", BYTES(4, 0, 0, 0, 6, 0), BMP_FRAME_WHOLE, 0 },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire_view in = { cases[i].in, cases[i].len };
		struct bmp_frame frame;
		size_t need = 0;
		enum bmp_frame_status got =
			bmp_frame_next(in, MAX, &frame, &need);

		CHECK(got == cases[i].want, "%s: got %d", cases[i].name, got);
		CHECK(need == cases[i].need, "%s: need %zu", cases[i].name,
		      need);
	}
}

static void test_whole_frame_leaves_the_next_alone(void **state)
{
	static const uint8_t in[] = { 3, 0, 0, 0, 8, 5, 0xaa, 0xbb, 3, 0 };
	struct bmp_frame frame;
	size_t need = 0;

	(void)state;
	assert_int_equal(bmp_frame_next((struct wire_view){ in, sizeof(in) },
					MAX, &frame, &need),
			 BMP_FRAME_WHOLE);
	assert_int_equal(frame.version, 3);
	assert_int_equal(frame.type, 5);
	assert_ptr_equal(frame.whole.p, in);
	assert_int_equal(frame.whole.len, 8);
	assert_ptr_equal(frame.body.p, in + 6);
	assert_int_equal(frame.body.len, 2);
}

static enum bmp_frame_status next(const uint8_t *p, size_t len, uint32_t max,
				  size_t *need)
{
	struct bmp_frame frame;

	return bmp_frame_next((struct wire_view){ p, len }, max, &frame, need);
}

static void test_rule_01_lengths_and_versions(void **state)
{
	uint8_t header[6] = { 3, 0, 0, 0, 6, 0 };
	size_t need = 0;

	(void)state;
	for (unsigned version = 0; version < 256; version++) {
		header[0] = (uint8_t)version;
		assert_int_equal(next(header, 6, MAX, &need),
				 version == 3 || version == 4
					 ? BMP_FRAME_WHOLE
					 : BMP_FRAME_BAD_VERSION);
	}
	/* The largest UPDATE there is must pass at the lowest limit. */
	header[0] = 3;
	wire_put_u32(header + 1, 48 + 65535);
	assert_int_equal(next(header, 6, BMP_MAX_FRAME_FLOOR, &need),
			 BMP_FRAME_PARTIAL);
	assert_int_equal(need, 48 + 65535);
}

/* Whatever the chunks, the same frames come out. */
static void test_rule_01_a_frame_in_any_number_of_chunks(void **state)
{
	static const uint8_t in[] = { 3, 0, 0, 0, 9, 4, 1, 2,
				      3, 3, 0, 0, 0, 6, 5 };

	(void)state;
	for (size_t chunk = 1; chunk <= sizeof(in); chunk++) {
		size_t start = 0, have = 0, frames = 0;

		while (start < sizeof(in)) {
			struct wire_view v = { in + start, have - start };
			struct bmp_frame frame;
			size_t need = 0;

			if (bmp_frame_next(v, MAX, &frame, &need) ==
			    BMP_FRAME_WHOLE) {
				assert_int_equal(frame.type, 4 + frames);
				frames++;
				start += frame.whole.len;
				continue;
			}
			assert_true(need > v.len);
			assert_true(have < sizeof(in));
			have = have + chunk < sizeof(in) ? have + chunk
							 : sizeof(in);
		}
		assert_int_equal(frames, 2);
	}
}

static void test_note_05_length_zero_ends_the_session(void **state)
{
	size_t need = 0;

	(void)state;
	for (uint8_t length = 0; length < 6; length++)
		assert_int_equal(next((uint8_t[]){ 3, 0, 0, 0, length, 4 }, 6,
				      MAX, &need),
				 BMP_FRAME_TOO_SHORT);
}

static void test_note_06_four_gib_are_refused_before_allocating(void **state)
{
	static const uint8_t in[] = { 3, 255, 255, 255, 255, 0 };
	size_t need = 0;

	(void)state;
	assert_int_equal(next(in, sizeof(in), BMP_MAX_FRAME_DEFAULT, &need),
			 BMP_FRAME_TOO_LONG);
	assert_int_equal(need, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_whole_frame_leaves_the_next_alone),
		cmocka_unit_test(test_rule_01_lengths_and_versions),
		cmocka_unit_test(test_rule_01_a_frame_in_any_number_of_chunks),
		cmocka_unit_test(test_note_05_length_zero_ends_the_session),
		cmocka_unit_test(
			test_note_06_four_gib_are_refused_before_allocating),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
