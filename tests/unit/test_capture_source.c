#include "check.h"

#include "capture/source.h"

#include <bzlib.h>
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define ORIGINAL 300000
#define ROOM	 (4 * ORIGINAL)

struct bytes {
	uint8_t p[ROOM];
	size_t len;
};

static struct bytes original, packed, again, read_back;

/* Compressible, but not so that a member fits in one buffer. */
static void make_original(void)
{
	uint32_t x = 1;

	original.len = ORIGINAL;
	for (size_t i = 0; i < ORIGINAL; i++) {
		x = x * 1664525 + 1013904223;
		original.p[i] = (uint8_t)(x >> (24 + (i & 3)));
	}
	/* Looks like BMP, so that the format within can be asked for. */
	memcpy(original.p, "\3\0\0\0\40\4", 6);
}

static void gzip(const struct bytes *from, struct bytes *to)
{
	z_stream z = { .next_in = (Bytef *)from->p,
		       .avail_in = (uInt)from->len,
		       .next_out = to->p,
		       .avail_out = ROOM };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->len = ROOM - z.avail_out;
	deflateEnd(&z);
}

static void bzip2(const struct bytes *from, struct bytes *to)
{
	unsigned len = ROOM;

	assert_int_equal(BZ2_bzBuffToBuffCompress((char *)to->p, &len,
						  (char *)from->p,
						  (unsigned)from->len, 1, 0, 0),
			 BZ_OK);
	to->len = len;
}

static void xz(const struct bytes *from, struct bytes *to)
{
	size_t at = 0;

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL,
						 from->p, from->len, to->p, &at,
						 ROOM),
			 LZMA_OK);
	to->len = at;
}

static void zstd(const struct bytes *from, struct bytes *to)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	to->len = ZSTD_compress2(ctx, to->p, ROOM, from->p, from->len);
	assert_false(ZSTD_isError(to->len));
	ZSTD_freeCCtx(ctx);
}

static const struct {
	const char *name;
	void (*pack)(const struct bytes *from, struct bytes *to);
} formats[] = {
	{ "gzip", gzip },
	{ "bzip2", bzip2 },
	{ "xz", xz },
	{ "zstd", zstd },
};

static enum capture_source_status drain(struct capture_source *source)
{
	enum capture_source_status status;
	size_t got = 0;

	read_back.len = 0;
	/* An odd size, so that nothing falls on a boundary. */
	while ((status =
			capture_source_read(source, read_back.p + read_back.len,
					    4093, &got)) == CAPTURE_SOURCE_OK)
		read_back.len += got;
	return status;
}

/* Read @in to its end. */
static enum capture_source_status read_all(const struct bytes *in)
{
	struct capture_source *source;
	enum capture_source_status status;

	assert_int_equal(capture_source_open_memory(
				 (struct wire_view){ in->p, in->len }, &source),
			 0);
	status = drain(source);
	capture_source_close(source);
	return status;
}

static bool is_prefix_of_original(void)
{
	return read_back.len <= original.len &&
	       memcmp(read_back.p, original.p, read_back.len) == 0;
}

static void append(struct bytes *to, const void *bytes, size_t len)
{
	memcpy(to->p + to->len, bytes, len);
	to->len += len;
}

static void test_plain_bytes_pass(void **state)
{
	(void)state;
	assert_int_equal(read_all(&original), CAPTURE_SOURCE_END);
	assert_int_equal(read_back.len, original.len);
	assert_true(is_prefix_of_original());
}

static void test_nothing_is_a_whole_file(void **state)
{
	static const struct bytes nothing;

	(void)state;
	assert_int_equal(read_all(&nothing), CAPTURE_SOURCE_END);
	assert_int_equal(read_back.len, 0);
}

static void test_each_compression_is_peeled_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		formats[i].pack(&original, &packed);
		CHECK(read_all(&packed) == CAPTURE_SOURCE_END, "%s",
		      formats[i].name);
		CHECK(read_back.len == original.len && is_prefix_of_original(),
		      "%s: %zu bytes", formats[i].name, read_back.len);
	}
}

static void test_members_follow_each_other(void **state)
{
	static const uint8_t padding[8];

	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		formats[i].pack(&original, &packed);
		again = packed;
		append(&packed, padding, sizeof(padding));
		append(&packed, again.p, again.len);
		append(&packed, padding, sizeof(padding));
		CHECK(read_all(&packed) == CAPTURE_SOURCE_END, "%s",
		      formats[i].name);
		CHECK(read_back.len == 2 * original.len, "%s: %zu bytes",
		      formats[i].name, read_back.len);
		CHECK(memcmp(read_back.p + original.len, original.p,
			     original.len) == 0,
		      "%s: the second member differs", formats[i].name);
	}
}

static void test_compression_in_compression(void **state)
{
	struct capture_source *source;

	(void)state;
	xz(&original, &again);
	gzip(&again, &packed);
	zstd(&packed, &again);
	assert_int_equal(capture_source_open_memory(
				 (struct wire_view){ again.p, again.len },
				 &source),
			 0);
	assert_int_equal(capture_source_format(source), CAPTURE_BMP);
	assert_int_equal(drain(source), CAPTURE_SOURCE_END);
	assert_int_equal(read_back.len, original.len);
	assert_true(is_prefix_of_original());
	capture_source_close(source);
}

static void test_too_many_layers_are_left_on(void **state)
{
	struct capture_source *source;

	(void)state;
	packed = original;
	for (int i = 0; i <= CAPTURE_SOURCE_LAYERS; i++) {
		again = packed;
		gzip(&again, &packed);
	}
	assert_int_equal(capture_source_open_memory(
				 (struct wire_view){ packed.p, packed.len },
				 &source),
			 0);
	assert_int_equal(capture_source_format(source), CAPTURE_GZIP);
	capture_source_close(source);
}

/* Wherever the file is cut, what came before is delivered, and no more. */
static void test_truncated_files_say_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		size_t whole, step, best = 0;

		formats[i].pack(&original, &packed);
		whole = packed.len;
		step = whole / 37;
		for (size_t cut = 16; cut < whole; cut += step) {
			packed.len = cut;
			CHECK(read_all(&packed) == CAPTURE_SOURCE_TRUNCATED,
			      "%s cut at %zu", formats[i].name, cut);
			CHECK(is_prefix_of_original(), "%s cut at %zu",
			      formats[i].name, cut);
			CHECK(read_back.len >= best, "%s cut at %zu: less",
			      formats[i].name, cut);
			best = read_back.len;
		}
		CHECK(best > original.len / 2, "%s: only %zu bytes",
		      formats[i].name, best);
	}
}

/* The last bytes are a checksum or hold one: all data, then the bad news. */
static void test_a_wrong_checksum_is_damage(void **state)
{
	static const size_t from_end[] = { 8, 2, 16, 2 };

	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		formats[i].pack(&original, &packed);
		packed.p[packed.len - from_end[i]] ^= 0x10;
		CHECK(read_all(&packed) == CAPTURE_SOURCE_CORRUPT, "%s",
		      formats[i].name);
		CHECK(is_prefix_of_original(), "%s", formats[i].name);
	}
}

static void test_damage_in_the_middle_ends_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		formats[i].pack(&original, &packed);
		memset(packed.p + packed.len / 2, 0xaa, 64);
		CHECK(read_all(&packed) == CAPTURE_SOURCE_CORRUPT, "%s",
		      formats[i].name);
	}
}

static void test_garbage_after_the_last_member(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		formats[i].pack(&original, &packed);
		append(&packed, "garbage", 7);
		CHECK(read_all(&packed) == CAPTURE_SOURCE_TRAILING, "%s",
		      formats[i].name);
		CHECK(read_back.len == original.len, "%s: %zu bytes",
		      formats[i].name, read_back.len);
	}
}

static void test_the_bad_news_stays(void **state)
{
	struct capture_source *source;
	size_t got = 7;
	uint8_t byte;

	(void)state;
	gzip(&original, &packed);
	assert_int_equal(capture_source_open_memory(
				 (struct wire_view){ packed.p, 1000 }, &source),
			 0);
	assert_int_equal(drain(source), CAPTURE_SOURCE_TRUNCATED);
	assert_int_equal(capture_source_read(source, &byte, 1, &got),
			 CAPTURE_SOURCE_TRUNCATED);
	assert_int_equal(got, 7);
	capture_source_close(source);
}

static void test_files(void **state)
{
	char path[] = "/tmp/capture-source-XXXXXX";
	int fd = mkstemp(path);
	struct capture_source *source = NULL;
	uint64_t done, total;

	(void)state;
	gzip(&original, &packed);
	assert_int_equal(write(fd, packed.p, packed.len), (ssize_t)packed.len);
	close(fd);
	assert_int_equal(capture_source_open(path, &source), 0);
	assert_int_equal(drain(source), CAPTURE_SOURCE_END);
	assert_int_equal(read_back.len, original.len);
	capture_source_progress(source, &done, &total);
	assert_int_equal(done, packed.len);
	assert_int_equal(total, packed.len);
	capture_source_close(source);
	unlink(path);

	source = NULL;
	assert_int_equal(capture_source_open(path, &source), -ENOENT);
	assert_int_equal(capture_source_open("/tmp", &source), -EISDIR);
	assert_null(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_bytes_pass),
		cmocka_unit_test(test_nothing_is_a_whole_file),
		cmocka_unit_test(test_each_compression_is_peeled_off),
		cmocka_unit_test(test_members_follow_each_other),
		cmocka_unit_test(test_compression_in_compression),
		cmocka_unit_test(test_too_many_layers_are_left_on),
		cmocka_unit_test(test_truncated_files_say_so),
		cmocka_unit_test(test_a_wrong_checksum_is_damage),
		cmocka_unit_test(test_damage_in_the_middle_ends_it),
		cmocka_unit_test(test_garbage_after_the_last_member),
		cmocka_unit_test(test_the_bad_news_stays),
		cmocka_unit_test(test_files),
	};

	make_original();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
