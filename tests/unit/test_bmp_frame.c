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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_whole_frame_leaves_the_next_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
