/* draft-ietf-grow-bmp-tlv-20 and -21, draft-ietf-grow-bmp-path-marking-tlv-05 */
#include "check.h"

#include "bmp/names.h"
#include "bmp/rm_tlv.h"

/* A Route Monitoring of version 4 that has @list. */
static struct bmp_message monitoring(const uint8_t *list, size_t len)
{
	return (struct bmp_message){
		.version = 4,
		.type = BMP_ROUTE_MONITORING,
		.tlv_form = TLV_BMP_INDEXED,
		.tlvs = { list, len },
	};
}

/* One that has the number @n, as tlv20 has it. */
static uint32_t take(struct bmp_sequence *s, uint32_t n)
{
	uint8_t list[] = { 0, 1, 0, 4, 0, 0, 0, 0, 0, 0 };
	struct bmp_message m = monitoring(list, sizeof(list));

	wire_put_u32(list + 6, n);
	return bmp_sequence_take(s, &m, BMP_V4_TLV20);
}

static void test_each_draft_has_its_numbers(void **state)
{
	static const struct {
		enum bmp_v4 v4;
		uint16_t update, sequence, group, stateless;
	} drafts[] = {
		{ BMP_V4_TLV20, 7, 1, 4, 6 },
		{ BMP_V4_TLV21, 4, 5, 1, 3 },
		{ BMP_V4_LEGACY, 4, 0, 2, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(drafts); i++) {
		enum bmp_v4 v4 = drafts[i].v4;

		assert_int_equal(bmp_rm_tlv_find(v4, drafts[i].update),
				 BMP_RM_UPDATE);
		assert_int_equal(bmp_rm_tlv_find(v4, drafts[i].group),
				 BMP_RM_GROUP);
		assert_int_equal(bmp_rm_tlv_find(v4, drafts[i].stateless),
				 BMP_RM_STATELESS);
		if (drafts[i].sequence != 0)
			assert_int_equal(bmp_rm_tlv_find(v4,
							 drafts[i].sequence),
					 BMP_RM_SEQUENCE);
		assert_int_equal(bmp_rm_tlv_find(v4, 8), BMP_RM_UNKNOWN);
		assert_int_equal(bmp_rm_tlv_find(v4, 0x8001), BMP_RM_UNKNOWN);
	}
	assert_int_equal(bmp_rm_tlv_find(BMP_V4_LEGACY, 5),
			 BMP_RM_PATH_MARKING);
	assert_int_equal(bmp_rm_tlv_find(BMP_V4_OFF, 4), BMP_RM_UNKNOWN);
}

static void test_gaps_are_counted(void **state)
{
	struct bmp_sequence s = { 0 };

	(void)state;
	assert_int_equal(take(&s, 1000), 0); /* nothing to compare with */
	assert_int_equal(take(&s, 1001), 0);
	assert_int_equal(take(&s, 1005), 3);
	assert_int_equal(take(&s, 1006), 0);
	assert_int_equal(take(&s, 5), 0); /* counts anew */
	assert_int_equal(take(&s, 7), 1);
	assert_int_equal(take(&s, UINT32_MAX), 0); /* a step back */
	assert_int_equal(take(&s, 0), 0);	   /* wraps */
	assert_int_equal(take(&s, 2), 1);
}

/* Whether messages without a number are counted by the router or not. */
static void test_messages_without_a_number_are_no_gap(void **state)
{
	struct bmp_message other = { .version = 4, .type = BMP_STATISTICS };
	struct bmp_sequence s = { 0 };

	(void)state;
	assert_int_equal(take(&s, 1), 0);
	assert_int_equal(bmp_sequence_take(&s, &other, BMP_V4_TLV20), 0);
	assert_int_equal(take(&s, 3), 0);
	assert_int_equal(bmp_sequence_take(&s, &other, BMP_V4_TLV20), 0);
	assert_int_equal(take(&s, 4), 0);
	assert_int_equal(bmp_sequence_take(&s, &other, BMP_V4_TLV20), 0);
	assert_int_equal(take(&s, 7), 1);
}

/* RFC 7911: 69, RFC 6793: 65, RFC 8277: 8; a capability as in an OPEN. */
static void test_stateless_parsing_changes_how_an_update_is_read(void **state)
{
	static const uint8_t list[] = {
		0, 6, 0, 6, 0, 0, 69, 4, 0, 1, 1,    2,	   /* add-path */
		0, 6, 0, 6, 0, 0, 65, 4, 0, 0, 0xfd, 0xe8, /* 4-byte AS */
		0, 6, 0, 6, 0, 0, 8,  4, 0, 1, 4,    2,	   /* two labels */
		0, 6, 0, 3, 0, 0, 69, 9, 0,		   /* cut */
	};
	struct bmp_message m = monitoring(list, sizeof(list));
	struct bgp_decode_opts opts = { .as_width = 2,
					.add_path_either = UINT64_MAX };
	struct bgp_decode_opts same = opts;
	struct bgp_overrides over = { .as_width = 2 };

	(void)state;
	bmp_rm_decode_opts(&m, BMP_V4_LEGACY, NULL, &same);
	assert_memory_equal(&same, &opts, sizeof(opts));
	bmp_rm_decode_opts(&m, BMP_V4_TLV20, NULL, &opts);
	assert_true(opts.add_path == bgp_family_bit(BGP_IPV4_UNICAST));
	assert_true(opts.add_path_either == ~bgp_family_bit(BGP_IPV4_UNICAST));
	assert_true(opts.multiple_labels == bgp_family_bit(BGP_IPV4_LABELED));
	assert_int_equal(opts.as_width, 4);
	assert_true(opts.as_width_certain);
	/* The operator has the last word. */
	over.add_path_off[BMP_VIEW_IN_PRE] = bgp_family_bit(BGP_IPV4_UNICAST);
	bmp_rm_decode_opts(&m, BMP_V4_TLV20, &over, &opts);
	assert_true(opts.add_path == 0);
	assert_int_equal(opts.as_width, 2);
}

static void test_path_marking(void **state)
{
	static const uint8_t both[] = { 0, 0, 4, 2, 0, 3, 0 };
	struct bmp_path_marking marking;

	(void)state;
	assert_true(
		bmp_path_marking_read((struct wire_view){ both, 6 }, &marking));
	assert_int_equal(marking.status, 0x402);
	assert_true(marking.has_reason);
	assert_string_equal(bmp_path_status_name(1), "best");
	assert_string_equal(bmp_path_status_name(10), "stale");
	assert_string_equal(bmp_path_status_name(12), "unknown");
	assert_string_equal(bmp_path_reason_name(marking.reason),
			    "local-preference");
	assert_true(
		bmp_path_marking_read((struct wire_view){ both, 4 }, &marking));
	assert_false(marking.has_reason);
	for (size_t len = 0; len <= 7; len++)
		assert_int_equal(
			bmp_path_marking_read((struct wire_view){ both, len },
					      &marking),
			len == 4 || len == 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_draft_has_its_numbers),
		cmocka_unit_test(test_gaps_are_counted),
		cmocka_unit_test(test_messages_without_a_number_are_no_gap),
		cmocka_unit_test(
			test_stateless_parsing_changes_how_an_update_is_read),
		cmocka_unit_test(test_path_marking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
