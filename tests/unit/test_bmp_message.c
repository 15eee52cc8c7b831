/* Rules and field notes are numbered as in docs/protocol-tests.md. */
#include "check.h"

#include "bmp/bgp_writer.h"
#include "bmp/message.h"
#include "bmp/stats.h"
#include "bmp/update.h"

#include <string.h>

static uint8_t buf[200000];

static const uint8_t v4_mapped[16] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7,
};

static struct bmp_peer a_peer(uint8_t type)
{
	struct bmp_peer peer = {
		.type = type,
		.view = type == BMP_PEER_LOC_RIB ? BMP_VIEW_LOC_RIB
						 : BMP_VIEW_IN_PRE,
		.as = 65001,
		.bgp_id = 0xc0000207,
		.distinguisher = 0x0000fde800000001,
		.time_ns = UINT64_C(1700000000123456000),
	};

	if (type != BMP_PEER_LOC_RIB)
		memcpy(peer.address, v4_mapped, 16);
	return peer;
}

static enum bmp_status decode(const struct bmp_writer *w, enum bmp_v4 v4,
			      struct bmp_message *out)
{
	struct wire_view in = { w->p, w->len };
	struct bmp_frame frame;
	size_t need;

	assert_false(w->full);
	assert_int_equal(bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame,
					&need),
			 BMP_FRAME_WHOLE);
	assert_int_equal(frame.whole.len, w->len);
	return bmp_message_decode(&frame, v4, out);
}

/* A message of @type: the per-peer header, then @body. */
static enum bmp_status decode_body(uint8_t type, uint8_t peer_type,
				   const void *body, size_t len,
				   struct bmp_message *out)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(peer_type);
	size_t begin = bmp_write_begin(&w, 3, type);

	bmp_write_peer(&w, &peer);
	bmp_put(&w, body, len);
	bmp_write_end(&w, begin);
	return decode(&w, BMP_V4_OFF, out);
}

static struct wire_view an_open(uint8_t *at, size_t cap)
{
	struct bmp_writer w = bmp_writer_on(at, cap);
	struct bgp_open open = {
		.version = 4,
		.my_as = 65001,
		.as = 65001,
		.four_byte_as = true,
		.hold_time = 180,
		.bgp_id = 0xc0000207,
		.families = bgp_family_bit(BGP_IPV4_UNICAST),
	};

	bgp_write_open(&w, &open);
	assert_false(w.full);
	return (struct wire_view){ at, w.len };
}

static void test_rule_01_unknown_type_is_ignored(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_message m;

	(void)state;
	for (unsigned type = BMP_TYPES; type < 256; type++) {
		w.len = 0;
		bmp_write_end(&w, bmp_write_begin(&w, 3, (uint8_t)type));
		assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_UNKNOWN_TYPE);
		assert_int_equal(m.type, type);
		assert_false(m.has_peer);
	}
}

static void test_rule_03_initiation_tlvs_may_repeat_and_be_empty(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	size_t begin = bmp_write_begin(&w, 3, BMP_INITIATION);
	static const uint16_t want[] = { 2, 1, 0, 0 };
	struct tlv_iter it;
	struct bmp_message m;
	struct tlv tlv = { 0 };
	size_t n = 0;

	(void)state;
	bmp_write_tlv(&w, BMP_INIT_SYS_NAME, NULL, 0);
	bmp_write_tlv(&w, BMP_INIT_SYS_DESCR, NULL, 0);
	bmp_write_tlv(&w, BMP_INIT_STRING, "a", 1);
	bmp_write_tlv(&w, BMP_INIT_STRING, "b", 1);
	bmp_write_end(&w, begin);
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
	for (it = tlv_start(m.tlvs, m.tlv_form); tlv_next(&it, &tlv); n++)
		assert_int_equal(tlv.type, want[n]);
	assert_int_equal(n, COUNT(want));
	assert_false(it.cut);
}

static void test_note_07_empty_sys_name_is_legal(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	bmp_write_initiation(&w, "", "");
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
	assert_true(tlv_find(m.tlvs, TLV_BMP, BMP_INIT_SYS_NAME, &tlv));
	assert_int_equal(tlv.value.len, 0);

	/* None at all is as good, to us. */
	w.len = 0;
	bmp_write_initiation(&w, NULL, NULL);
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
	assert_false(tlv_find(m.tlvs, TLV_BMP, BMP_INIT_SYS_NAME, &tlv));
}

static void test_tlv_list_cut_keeps_what_stands_before(void **state)
{
	static const uint8_t lists[][9] = {
		{ 0, 1, 0, 1, 'x', 0, 2, 0, 9 }, /* value beyond the end */
		{ 0, 1, 0, 1, 'x', 0, 2, 0, 1 }, /* value missing */
	};
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++) {
		size_t begin;

		w.len = 0;
		begin = bmp_write_begin(&w, 3, BMP_INITIATION);
		bmp_put(&w, lists[i], sizeof(lists[i]));
		bmp_write_end(&w, begin);
		assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_CUT_TLVS);
		assert_true(bmp_status_usable(BMP_CUT_TLVS));
		assert_true(tlv_find(m.tlvs, TLV_BMP, 1, &tlv));
		assert_false(tlv_find(m.tlvs, TLV_BMP, 2, &tlv));
	}
}

static void test_rule_04_termination_reasons(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	for (int reason = 0; reason < BMP_TERM_REASONS; reason++) {
		w.len = 0;
		bmp_write_termination(&w, (uint16_t)reason);
		assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
		assert_false(m.has_peer);
		assert_true(tlv_find(m.tlvs, TLV_BMP, BMP_TERM_REASON, &tlv));
		assert_int_equal(tlv.value.len, 2);
		assert_int_equal(wire_get_u16(tlv.value.p), reason);
	}
}

static void test_rule_06_identity_has_all_its_parts(void **state)
{
	struct bmp_message m;

	(void)state;
	decode_body(BMP_PEER_DOWN, BMP_PEER_RD, "\4", 1, &m);
	assert_true(m.has_peer);
	assert_int_equal(m.peer.type, BMP_PEER_RD);
	assert_true(m.peer.distinguisher == 0x0000fde800000001);
	assert_memory_equal(m.peer.address, v4_mapped, 16);
	assert_int_equal(m.peer.view, BMP_VIEW_IN_PRE);
}

static void test_unknown_peer_type_is_told(void **state)
{
	struct bmp_message m;

	(void)state;
	assert_int_equal(decode_body(BMP_STATISTICS, 4, "\0\0\0\0", 4, &m),
			 BMP_UNKNOWN_PEER_TYPE);
	assert_true(m.has_peer);
	assert_int_equal(m.peer.type, 4);
}

static void test_rule_12_peer_up_takes_opens_by_their_own_length(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	uint8_t open[100];
	struct bmp_peer_up_parts up = {
		.local_port = 179,
		.remote_port = 50000,
		.sent_open = an_open(open, sizeof(open)),
		.received_open = an_open(open, sizeof(open)),
		.table_name = "red",
	};
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	memcpy(up.local_address, v4_mapped, 16);
	bmp_write_peer_up(&w, &peer, &up);
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
	assert_int_equal(m.up.local_port, 179);
	assert_int_equal(m.up.remote_port, 50000);
	assert_memory_equal(m.up.local_address, v4_mapped, 16);
	assert_int_equal(m.up.sent_open.whole.len, up.sent_open.len);
	assert_memory_equal(m.up.received_open.whole.p, up.received_open.p,
			    up.received_open.len);
	assert_true(tlv_find(m.tlvs, TLV_BMP, BMP_PEER_UP_TABLE_NAME, &tlv));
	assert_int_equal(tlv.value.len, 3);
}

static void test_note_12_header_only_open_still_brings_the_peer_up(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	uint8_t open[100];
	static const uint8_t header_only[19] = {
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255, 255, 0,   19,	1,
	};
	struct bmp_peer_up_parts up = {
		.sent_open = { header_only, sizeof(header_only) },
		.received_open = an_open(open, sizeof(open)),
	};
	struct bmp_message m;

	(void)state;
	bmp_write_peer_up(&w, &peer, &up);
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OPEN_UNUSABLE);
	assert_true(bmp_status_usable(BMP_OPEN_UNUSABLE));
	assert_int_equal(m.up.sent_open.whole.len, 0);
	/* Its length was true, so the other one is found. */
	assert_int_equal(m.up.received_open.whole.len, up.received_open.len);

	/* A length that cannot be: what follows is nobody's, TLVs neither. */
	up.sent_open = (struct wire_view){ header_only, 17 };
	w.len = 0;
	bmp_write_peer_up(&w, &peer, &up);
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OPEN_UNUSABLE);
	assert_int_equal(m.up.received_open.whole.len, 0);
	assert_int_equal(m.tlvs.len, 0);

	/* No OPEN at all. */
	up = (struct bmp_peer_up_parts){ .local_port = 179 };
	w.len = 0;
	bmp_write_peer_up(&w, &peer, &up);
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OPEN_UNUSABLE);
	assert_int_equal(m.up.received_open.whole.len, 0);
}

static void test_rule_18_peer_down_reasons(void **state)
{
	uint8_t notification[32];
	struct bmp_writer n = bmp_writer_on(notification, sizeof(notification));
	static const struct {
		uint8_t reason;
		bool notification;
	} cases[] = {
		{ 1, true },  { 2, false }, { 3, true },
		{ 4, false }, { 5, false }, { 6, false },
	};
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	struct bmp_message m;

	(void)state;
	bgp_write_notification(&n, 6, 2, (struct wire_view){ 0 });
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
		struct wire_view v = { notification,
				       cases[i].notification ? n.len : 0 };

		bmp_write_peer_down(&w, &peer, cases[i].reason, 24, v);
		assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
		assert_int_equal(m.down.reason, cases[i].reason);
		assert_int_equal(m.down.notification.whole.len, v.len);
		assert_int_equal(m.down.fsm_event,
				 cases[i].reason == 2 ? 24 : 0);
	}
}

static void test_rule_18_loc_rib_down_has_tlvs(void **state)
{
	static const uint8_t body[] = { 6, 0, 3, 0, 3, 'r', 'e', 'd' };
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	assert_int_equal(decode_body(BMP_PEER_DOWN, BMP_PEER_LOC_RIB, body,
				     sizeof(body), &m),
			 BMP_OK);
	assert_true(tlv_find(m.tlvs, TLV_BMP, BMP_PEER_UP_TABLE_NAME, &tlv));
	assert_memory_equal(tlv.value.p, "red", 3);
}

static void test_note_12_peer_down_without_notification_counts(void **state)
{
	struct bmp_message m;

	(void)state;
	assert_int_equal(decode_body(BMP_PEER_DOWN, 0, "\1", 1, &m),
			 BMP_NO_NOTIFICATION);
	assert_true(bmp_status_usable(BMP_NO_NOTIFICATION));
	assert_int_equal(m.down.reason, 1);
	assert_int_equal(decode_body(BMP_PEER_DOWN, 0, "\3junk", 5, &m),
			 BMP_NO_NOTIFICATION);
	assert_int_equal(decode_body(BMP_PEER_DOWN, 0, "\7", 1, &m),
			 BMP_UNKNOWN_REASON);
	assert_true(bmp_status_usable(BMP_UNKNOWN_REASON));
	/* The two bytes of reason 2 may be missing, too. */
	assert_int_equal(decode_body(BMP_PEER_DOWN, 0, "\2", 1, &m), BMP_OK);
	assert_int_equal(decode_body(BMP_PEER_DOWN, 0, "", 0, &m), BMP_SHORT);
}

static void test_note_13_loc_ribs_differ_by_distinguisher(void **state)
{
	struct bmp_message m;

	(void)state;
	decode_body(BMP_STATISTICS, BMP_PEER_LOC_RIB, "\0\0\0\0", 4, &m);
	assert_int_equal(m.peer.type, BMP_PEER_LOC_RIB);
	assert_true(m.peer.distinguisher == 0x0000fde800000001);
}

static size_t put_update(uint8_t *at, size_t cap, size_t routes)
{
	struct bmp_writer w = bmp_writer_on(at, cap);
	struct bgp_nlri nlri[1] = { { .family = BGP_IPV4_UNICAST,
				      .kind = BGP_NLRI_PREFIX,
				      .prefix_len = 32 } };
	struct bgp_update_parts parts = { 0 };
	size_t begin = w.len;

	bgp_write_update(&w, &parts);
	for (size_t i = 0; i < routes; i++)
		bgp_write_nlri(&w, nlri);
	bmp_patch_u16(&w, begin + 16, w.len - begin);
	assert_false(w.full);
	return w.len;
}

static void test_note_15_update_at_the_limit_is_read(void **state)
{
	static uint8_t pdu[70000];
	/* 65,535 - 23 is 13102 routes of 5 bytes and 2 left over. */
	size_t len = put_update(pdu, sizeof(pdu), 13102);
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	struct bmp_message m;

	(void)state;
	assert_int_equal(len, 65533);
	wire_put_u16(pdu + 16, 65535);
	pdu[65533] = 8;
	pdu[65534] = 10;
	bmp_write_route_monitoring(&w, &peer, (struct wire_view){ pdu, 65535 });
	assert_true(w.len > 65535);
	assert_true(w.len <= BMP_MAX_FRAME_FLOOR);
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
	assert_int_equal(m.update.whole.len, 65535);
}

static void test_bgp_message_is_checked(void **state)
{
	uint8_t pdu[64];
	size_t len = put_update(pdu, sizeof(pdu), 1);
	struct bmp_message m;

	(void)state;
	assert_int_equal(decode_body(0, 0, pdu, len, &m), BMP_OK);
	assert_int_equal(decode_body(0, 0, pdu, len - 1, &m), BMP_BAD_PDU);
	assert_int_equal(decode_body(0, 0, pdu, 18, &m), BMP_BAD_PDU);
	pdu[len] = 0;
	assert_int_equal(decode_body(0, 0, pdu, len + 1, &m),
			 BMP_TRAILING_BYTES);
	assert_true(bmp_status_usable(BMP_TRAILING_BYTES));
	pdu[18] = BGP_PDU_KEEPALIVE;
	assert_int_equal(decode_body(0, 0, pdu, len, &m), BMP_NOT_UPDATE);
	pdu[18] = BGP_PDU_UPDATE;
	pdu[17] = 18;
	assert_int_equal(decode_body(0, 0, pdu, len, &m), BMP_BAD_PDU);
	pdu[17] = (uint8_t)len;
	pdu[15] = 0xfe;
	assert_int_equal(decode_body(0, 0, pdu, len, &m), BMP_BAD_PDU);
}

/* Huawei VRP 8.23, multi14-r23: a TLV of type 60002 after the UPDATE. */
static void test_tlv_after_the_update_is_kept(void **state)
{
	uint8_t body[64];
	size_t len = put_update(body, sizeof(body), 1);
	static const uint8_t tlv_bytes[] = { 0xea, 0x62, 0, 4, 0, 0, 0, 10 };
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	memcpy(body + len, tlv_bytes, sizeof(tlv_bytes));
	assert_int_equal(decode_body(0, 0, body, len + sizeof(tlv_bytes), &m),
			 BMP_TRAILING_BYTES);
	assert_int_equal(m.update.whole.len, len);
	assert_true(tlv_find(m.tlvs, TLV_BMP, 60002, &tlv));
}

static void test_mirroring_is_never_an_update(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	static const uint8_t broken[] = { 1, 2, 3 };
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	/* Verbatim: what is mirrored may be no BGP message at all. */
	bmp_write_mirroring(&w, &peer,
			    (struct wire_view){ broken, sizeof(broken) });
	assert_int_equal(decode(&w, BMP_V4_OFF, &m), BMP_OK);
	assert_int_equal(m.type, BMP_ROUTE_MIRRORING);
	assert_true(tlv_find(m.tlvs, TLV_BMP, BMP_MIRROR_PDU, &tlv));
	assert_memory_equal(tlv.value.p, broken, sizeof(broken));

	/* "Messages lost" may come alone. */
	assert_int_equal(decode_body(BMP_ROUTE_MIRRORING, 0, "\0\1\0\2\0\1", 6,
				     &m),
			 BMP_OK);
	assert_true(tlv_find(m.tlvs, TLV_BMP, BMP_MIRROR_INFO, &tlv));
	assert_int_equal(wire_get_u16(tlv.value.p), 1);
}

/* A version 4 Route Monitoring whose TLV of @type holds an UPDATE. */
static enum bmp_status decode_v4(uint16_t type, enum bmp_v4 v4,
				 struct bmp_message *out)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	uint8_t pdu[64];
	size_t len = put_update(pdu, sizeof(pdu), 1);
	size_t begin = bmp_write_begin(&w, 4, BMP_ROUTE_MONITORING);

	bmp_write_peer(&w, &peer);
	bmp_put_u16(&w, 5); /* something else first */
	bmp_put_u16(&w, 1);
	bmp_put_u16(&w, 0x8000); /* index, G bit set: not in the length */
	bmp_put_u8(&w, 0xaa);
	bmp_put_u16(&w, type);
	bmp_put_u16(&w, (uint16_t)len);
	bmp_put_u16(&w, 0);
	bmp_put(&w, pdu, len);
	bmp_write_end(&w, begin);
	return decode(&w, v4, out);
}

static void test_v4_numbering_is_a_parameter(void **state)
{
	struct bmp_message m;
	struct tlv tlv = { 0 };

	(void)state;
	assert_int_equal(decode_v4(7, BMP_V4_OFF, &m), BMP_V4_REFUSED);
	assert_int_equal(decode_v4(7, BMP_V4_TLV20, &m), BMP_OK);
	assert_int_equal(m.update.type, BGP_PDU_UPDATE);
	assert_int_equal(m.version, 4);
	assert_int_equal(m.tlv_form, TLV_BMP_INDEXED);
	assert_true(tlv_find(m.tlvs, TLV_BMP_INDEXED, 5, &tlv));
	assert_int_equal(tlv.index, 0x8000);
	assert_int_equal(decode_v4(4, BMP_V4_LEGACY, &m), BMP_OK);
	/* The other's number is another TLV: no UPDATE, and no guess. */
	assert_int_equal(decode_v4(4, BMP_V4_TLV20, &m), BMP_SHORT);
	assert_int_equal(decode_v4(7, BMP_V4_LEGACY, &m), BMP_SHORT);
}

static void test_v4_statistics_are_in_a_tlv(void **state)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	struct bmp_peer peer = a_peer(BMP_PEER_GLOBAL);
	size_t begin = bmp_write_begin(&w, 4, BMP_STATISTICS);
	static const uint8_t stats[] = { 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 9 };
	struct bmp_stat_iter it;
	struct bmp_message m;
	struct bmp_stat s;

	(void)state;
	bmp_write_peer(&w, &peer);
	bmp_write_tlv(&w, 1, stats, sizeof(stats));
	bmp_write_end(&w, begin);
	assert_int_equal(decode(&w, BMP_V4_TLV20, &m), BMP_OK);
	it = bmp_stat_start(&m);
	assert_true(bmp_stat_next(&it, &s));
	assert_true(s.value == 9);
	assert_false(bmp_stat_next(&it, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule_01_unknown_type_is_ignored),
		cmocka_unit_test(
			test_rule_03_initiation_tlvs_may_repeat_and_be_empty),
		cmocka_unit_test(test_note_07_empty_sys_name_is_legal),
		cmocka_unit_test(test_tlv_list_cut_keeps_what_stands_before),
		cmocka_unit_test(test_rule_04_termination_reasons),
		cmocka_unit_test(test_rule_06_identity_has_all_its_parts),
		cmocka_unit_test(test_unknown_peer_type_is_told),
		cmocka_unit_test(
			test_rule_12_peer_up_takes_opens_by_their_own_length),
		cmocka_unit_test(
			test_note_12_header_only_open_still_brings_the_peer_up),
		cmocka_unit_test(test_rule_18_peer_down_reasons),
		cmocka_unit_test(test_rule_18_loc_rib_down_has_tlvs),
		cmocka_unit_test(
			test_note_12_peer_down_without_notification_counts),
		cmocka_unit_test(test_note_13_loc_ribs_differ_by_distinguisher),
		cmocka_unit_test(test_note_15_update_at_the_limit_is_read),
		cmocka_unit_test(test_bgp_message_is_checked),
		cmocka_unit_test(test_tlv_after_the_update_is_kept),
		cmocka_unit_test(test_mirroring_is_never_an_update),
		cmocka_unit_test(test_v4_numbering_is_a_parameter),
		cmocka_unit_test(test_v4_statistics_are_in_a_tlv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
