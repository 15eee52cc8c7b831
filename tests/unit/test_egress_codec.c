#include "check.h"

#include "egress/codec.h"
#include "egress/capnp/packed.h"

#include <errno.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return *state >> 11;
}

/* A word of the kind that @state picks: zero, dense or something between. */
static uint64_t random_word(uint64_t *state)
{
	uint64_t word = 0;
	unsigned chance = next_random(state) % 4;

	for (int i = 0; i < 64; i += 8)
		if (next_random(state) % 4 < chance)
			word |= (next_random(state) & 0xff) << i;
	return chance == 3 ? word | UINT64_C(0x0101010101010101) : word;
}

/* Whole messages of random words; returns the bytes written. */
static uint32_t random_messages(uint64_t seed, uint8_t *out, int messages)
{
	uint64_t state = seed;
	uint32_t len = 0;

	for (int m = 0; m < messages; m++) {
		uint64_t words = next_random(&state) % 700;
		uint64_t table = words << 32;
		uint64_t repeat = 0, word = 0;

		memcpy(out + len, &table, 8);
		len += 8;
		for (uint64_t i = 0; i < words; i++) {
			/* Runs, also longer than one count can say. */
			if (repeat == 0) {
				word = random_word(&state);
				repeat =
					next_random(&state) % 20 == 0 ? 600 : 1;
			}
			repeat--;
			memcpy(out + len, &word, 8);
			len += 8;
		}
	}
	return len;
}

static void test_there_and_back(void **state)
{
	static uint8_t plain[3 * 701 * 8];
	struct egress_codec *codec = NULL, *other = NULL;

	(void)state;
	assert_int_equal(egress_codec_new(&codec), 0);
	assert_int_equal(egress_codec_new(&other), 0);
	for (uint64_t seed = 0; seed < 300; seed++) {
		for (int how = 0; how < EGRESS_ENCODINGS; how++) {
			struct egress_batch *batch =
				egress_batch_new(sizeof(plain));
			struct wire_view got;

			batch->len = random_messages(seed, batch->bytes, 3);
			memcpy(plain, batch->bytes, batch->len);
			batch->plain_len = batch->len;
			assert_int_equal(egress_codec_close(codec, how, batch),
					 0);
			CHECK(batch->len <= batch->plain_len,
			      "%u bytes became %u", batch->plain_len,
			      batch->len);
			assert_int_equal(egress_codec_open(other,
							   batch->encoding,
							   (struct wire_view){
								   batch->bytes,
								   batch->len },
							   &got),
					 0);
			assert_int_equal(got.len, batch->plain_len);
			assert_memory_equal(got.p, plain, got.len);
			egress_batch_free(batch);
		}
	}
	egress_codec_free(codec);
	egress_codec_free(other);
	egress_codec_free(NULL);
}

static void test_compression_makes_smaller(void **state)
{
	struct egress_codec *codec = NULL;

	(void)state;
	assert_int_equal(egress_codec_new(&codec), 0);
	for (int how = EGRESS_PACKED; how < EGRESS_ENCODINGS; how++) {
		struct egress_batch *batch = egress_batch_new(8 + 8 * 1000);
		uint64_t table = UINT64_C(1000) << 32;

		memset(batch->bytes, 0, batch->cap);
		memcpy(batch->bytes, &table, 8);
		batch->len = batch->cap;
		assert_int_equal(egress_codec_close(codec, how, batch), 0);
		assert_int_equal(batch->encoding, how);
		CHECK(batch->len < 100, "%u bytes of zeros", batch->len);
		egress_batch_free(batch);
	}
	egress_codec_free(codec);
}

/* The examples of the specification of Cap'n Proto's packing. */
static void test_packing_by_the_book(void **state)
{
	const struct {
		const uint8_t *plain;
		size_t plain_len;
		const uint8_t *packed;
		size_t packed_len;
	} cases[] = {
		/* clang-format off */
		{ BYTES(8, 0, 0, 0, 3, 0, 2, 0, 0x19, 0, 0, 0, 0xaa, 1, 0, 0),
		  BYTES(0x51, 8, 3, 2, 0x31, 0x19, 0xaa, 1) },
		{ BYTES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		  BYTES(0, 1) },
		{ BYTES(1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 9, 9, 9, 9, 9, 9, 1),
		  BYTES(0xff, 1, 2, 3, 4, 5, 6, 7, 8, 1, 9, 0, 9, 9, 9, 9, 9, 9) },
		/* clang-format on */
	};
	uint8_t got[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire_view packed = { cases[i].packed,
					    cases[i].packed_len };
		size_t whole = cases[i].plain_len & ~(size_t)7;

		assert_int_equal(capnp_unpack_length(packed), whole);
		assert_int_equal(capnp_unpack(packed, got, sizeof(got)), whole);
		assert_memory_equal(got, cases[i].plain, whole);
		assert_int_equal(capnp_unpack(packed, got, whole - 1), -E2BIG);
		for (size_t cut = 1; cut < packed.len; cut++) {
			int64_t len;

			packed.len--;
			len = capnp_unpack(packed, got, sizeof(got));
			assert_int_equal(capnp_unpack_length(packed), len);
			CHECK(len == -EBADMSG || len < (int64_t)whole,
			      "cut by %zu: %d", cut, (int)len);
		}
	}
}

static void test_what_cannot_be_read_is_refused(void **state)
{
	static const uint8_t half[12] = { [4] = 2 };
	uint8_t zeros[2 * 5000];
	struct egress_codec *codec = NULL;
	struct egress_batch *batch = egress_batch_new(sizeof(half));
	struct wire_view out;

	(void)state;
	assert_int_equal(egress_codec_new(&codec), 0);
	memcpy(batch->bytes, half, sizeof(half));
	batch->len = sizeof(half);
	assert_int_equal(egress_codec_close(codec, EGRESS_PACKED, batch),
			 -EINVAL);
	assert_memory_equal(batch->bytes, half, sizeof(half));
	assert_int_equal(batch->encoding, EGRESS_PLAIN);

	assert_int_equal(egress_codec_open(codec, EGRESS_ZSTD,
					   (struct wire_view){ half, 12 },
					   &out),
			 -EBADMSG);
	assert_int_equal(egress_codec_open(codec, EGRESS_ENCODINGS,
					   (struct wire_view){ half, 12 },
					   &out),
			 -ENOTSUP);
	/* Two bytes for two thousand: ten thousand would be ten million. */
	for (size_t i = 0; i < sizeof(zeros); i += 2) {
		zeros[i] = 0;
		zeros[i + 1] = 255;
	}
	assert_int_equal(egress_codec_open(codec, EGRESS_PACKED,
					   (struct wire_view){ zeros,
							       sizeof(zeros) },
					   &out),
			 -E2BIG);
	egress_batch_free(batch);
	egress_codec_free(codec);
}

static void test_names(void **state)
{
	enum egress_encoding got = EGRESS_ENCODINGS;

	(void)state;
	for (int i = 0; i < EGRESS_ENCODINGS; i++) {
		const char *name = egress_encoding_name(i);

		assert_int_equal(egress_encoding_find(name, strlen(name), &got),
				 0);
		assert_int_equal(got, i);
	}
	assert_int_equal(egress_encoding_find("zst", 3, &got), -ENOENT);
	assert_int_equal(egress_encoding_find("zstd ", 5, &got), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_compression_makes_smaller),
		cmocka_unit_test(test_packing_by_the_book),
		cmocka_unit_test(test_what_cannot_be_read_is_refused),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
