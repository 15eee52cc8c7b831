#include "check.h"

#include "bmp/writer.h"
#include "capture/recording.h"

#include <errno.h>
#include <string.h>

#define SECOND	UINT64_C(1000000000)
#define MORNING (UINT64_C(1700000000) * SECOND)

/* Statistics Reports made at the given seconds; 0: the router did not say. */
static size_t write_session(uint8_t *buf, size_t size, const uint64_t *seconds,
			    size_t n, size_t *starts)
{
	struct bmp_writer w = bmp_writer_on(buf, size);

	bmp_write_initiation(&w, "a router", "r1");
	for (size_t i = 0; i < n; i++) {
		struct bmp_peer peer = { .as = 64500 };

		if (seconds[i] != 0)
			peer.time_ns = MORNING + seconds[i] * SECOND;
		starts[i] = w.len;
		bmp_write_statistics(&w, &peer, NULL, 0);
	}
	assert_false(w.full);
	return w.len;
}

static int read_memory(struct capture_recording *r, const void *p, size_t n,
		       int (*read)(struct capture_recording *,
				   struct capture_source *))
{
	struct capture_source *source;
	int err;

	assert_int_equal(capture_source_open_memory((struct wire_view){ p, n },
						    &source),
			 0);
	err = read(r, source);
	capture_source_close(source);
	return err;
}

static void test_marks_follow_the_headers(void **state)
{
	static const uint64_t seconds[] = { 100, 100, 0, 103, 90, 107 };
	struct capture_recording r = { 0 };
	const struct capture_track *track;
	size_t starts[COUNT(seconds)];
	uint8_t buf[4096];
	size_t n = write_session(buf, sizeof(buf), seconds, COUNT(seconds),
				 starts);

	(void)state;
	assert_int_equal(read_memory(&r, buf, n, capture_recording_read), 0);
	assert_int_equal(r.count, 1);
	track = r.tracks[0];
	assert_int_equal(track->len, n);
	assert_memory_equal(track->bytes, buf, n);
	/* From the beginning, and where it is later than before. */
	assert_int_equal(track->mark_count, 3);
	assert_int_equal(track->marks[0].at, 0);
	assert_int_equal(track->marks[0].ns, 0);
	assert_int_equal(track->marks[1].at, starts[3]);
	assert_int_equal(track->marks[1].ns, 3 * SECOND);
	assert_int_equal(track->marks[2].at, starts[5]);
	assert_int_equal(track->marks[2].ns, 7 * SECOND);
	assert_int_equal(r.first_ns, MORNING + 100 * SECOND);
	capture_recording_fini(&r);
}

static void test_a_broken_session_is_kept_broken(void **state)
{
	static const uint64_t seconds[] = { 1, 2, 3 };
	struct capture_recording r = { 0 };
	size_t starts[COUNT(seconds)];
	uint8_t buf[4096];
	size_t n = write_session(buf, sizeof(buf), seconds, COUNT(seconds),
				 starts);

	(void)state;
	/* Framing is lost at the second message; the last one is cut, too. */
	buf[starts[1]] = 77;
	n -= 5;
	assert_int_equal(read_memory(&r, buf, n, capture_recording_read), 0);
	assert_int_equal(r.tracks[0]->len, n);
	assert_memory_equal(r.tracks[0]->bytes, buf, n);
	assert_int_equal(r.tracks[0]->mark_count, 1);
	capture_recording_fini(&r);
}

static void test_what_is_not_bmp_is_refused_unless_raw(void **state)
{
	static const char text[] = "hello, this is a file of text";
	struct capture_recording r = { 0 };

	(void)state;
	assert_int_equal(read_memory(&r, text, sizeof(text),
				     capture_recording_read),
			 -EINVAL);
	assert_int_equal(r.count, 0);
	assert_string_not_equal(r.error, "");
	assert_int_equal(read_memory(&r, text, sizeof(text),
				     capture_recording_read_raw),
			 0);
	assert_int_equal(r.count, 1);
	assert_memory_equal(r.tracks[0]->bytes, text, sizeof(text));
	capture_recording_fini(&r);
}

static void test_files_add_up(void **state)
{
	static const uint64_t seconds[] = { 1 };
	struct capture_recording r = { 0 };
	size_t starts[1];
	uint8_t buf[4096];
	size_t n = write_session(buf, sizeof(buf), seconds, 1, starts);

	(void)state;
	for (size_t i = 1; i <= 3; i++) {
		assert_int_equal(read_memory(&r, buf, n,
					     capture_recording_read),
				 0);
		assert_int_equal(r.count, i);
	}
	capture_recording_fini(&r);
	assert_int_equal(r.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks_follow_the_headers),
		cmocka_unit_test(test_a_broken_session_is_kept_broken),
		cmocka_unit_test(test_what_is_not_bmp_is_refused_unless_raw),
		cmocka_unit_test(test_files_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
