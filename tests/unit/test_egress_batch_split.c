#include "check.h"

#include "egress/batch_split.h"

#include <errno.h>
#include <string.h>

#define WORDS_MAX 64

/* Messages of so many words each, their tables not counted; 0 ends them. */
static struct wire_view batch_of(const uint32_t *words, uint8_t *bytes)
{
	size_t len = 0;

	memset(bytes, 0, 8 * WORDS_MAX);
	for (; *words != 0; words++) {
		memcpy(bytes + len + 4, words, 4);
		len += 8 + 8 * (size_t)*words;
	}
	return (struct wire_view){ bytes, len };
}

static void test_pieces_hold_as_much_as_fits(void **state)
{
	static const struct {
		uint32_t words[5];
		size_t limit;
		size_t len;
		uint32_t messages;
	} cases[] = {
		{ { 1 }, 16, 16, 1 },
		{ { 1, 2, 3 }, 1000, 16 + 24 + 32, 3 },
		{ { 1, 2, 3 }, 72, 16 + 24 + 32, 3 },
		{ { 1, 2, 3 }, 71, 16 + 24, 2 },
		{ { 1, 2, 3 }, 39, 16, 1 },
		/* Too long: alone, whatever stands behind it. */
		{ { 9, 1 }, 16, 80, 1 },
		{ { 1, 9, 1 }, 16, 16, 1 },
		{ { 1, 9, 1 }, 0, 16, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t bytes[8 * WORDS_MAX];
		struct wire_view batch = batch_of(cases[i].words, bytes);
		struct egress_batch_part got;

		assert_int_equal(egress_batch_split(batch, cases[i].limit,
						    &got),
				 0);
		CHECK(got.len == cases[i].len &&
			      got.messages == cases[i].messages,
		      "case %zu: %zu bytes, %u messages", i, got.len,
		      got.messages);
	}
}

/* One after the other they are the batch again. */
static void test_pieces_make_up_the_whole(void **state)
{
	static const uint32_t words[] = { 3, 1, 4, 1, 5, 9, 2, 6, 0 };
	uint8_t bytes[8 * WORDS_MAX];
	struct wire_view batch = batch_of(words, bytes);

	(void)state;
	for (size_t limit = 0; limit <= batch.len + 8; limit += 8) {
		struct egress_batch_part piece;
		uint32_t messages = 0;
		size_t at = 0;

		for (; at < batch.len; at += piece.len) {
			struct wire_view rest = { batch.p + at,
						  batch.len - at };

			assert_int_equal(egress_batch_split(rest, limit,
							    &piece),
					 0);
			assert_true(piece.len <= limit || piece.messages == 1);
			messages += piece.messages;
		}
		assert_int_equal(at, batch.len);
		assert_int_equal(messages, COUNT(words) - 1);
	}
}

static void test_what_is_no_message(void **state)
{
	struct egress_batch_part got = { 7, 7 };
	uint8_t bytes[16];

	(void)state;
	memset(bytes, '.', sizeof(bytes));
	assert_int_equal(egress_batch_split((struct wire_view){ bytes, 16 }, 8,
					    &got),
			 -EBADMSG);
	assert_int_equal(egress_batch_split((struct wire_view){ bytes, 0 }, 8,
					    &got),
			 -EBADMSG);
	assert_int_equal(got.len, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_hold_as_much_as_fits),
		cmocka_unit_test(test_pieces_make_up_the_whole),
		cmocka_unit_test(test_what_is_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
