#include "check.h"

#include "bmp/decode_context.h"
#include "bmp/message.h"
#include "bmp/pdu.h"
#include "bmp/peer.h"

#define IPV4 bgp_family_bit(BGP_IPV4_UNICAST)
#define IPV6 bgp_family_bit(BGP_IPV6_UNICAST)

/* What both OPENs offer of add-path, and which view then has path ids. */
static void test_rule_14_addpath_needs_both_opens(void **state)
{
	enum {
		NONE = 0,
		RECEIVE = 1,
		SEND = 2,
		BOTH = 3
	};
	static const struct {
		uint8_t sent, received;
		bool in, out;
	} cases[] = {
		{ NONE, NONE, false, false },
		{ BOTH, NONE, false, false },
		{ NONE, BOTH, false, false },
		{ RECEIVE, SEND, true, false },
		{ SEND, RECEIVE, false, true },
		{ BOTH, SEND, true, false },
		{ BOTH, RECEIVE, false, true },
		{ SEND, SEND, false, false },
		{ RECEIVE, RECEIVE, false, false },
		{ BOTH, BOTH, true, true },
	};
	static const uint8_t views[] = { BMP_VIEW_IN_PRE, BMP_VIEW_IN_POST,
					 BMP_VIEW_OUT_PRE, BMP_VIEW_OUT_POST };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_open sent = {
			.add_path_receive = cases[i].sent & RECEIVE ? IPV4 : 0,
			.add_path_send = cases[i].sent & SEND ? IPV4 : 0,
		};
		struct bgp_open received = {
			.add_path_receive =
				cases[i].received & RECEIVE ? IPV4 : 0,
			.add_path_send = cases[i].received & SEND ? IPV4 : 0,
		};
		struct bgp_context ctx = { 0 };

		bgp_context_set(&ctx, &sent, &received);
		for (size_t v = 0; v < COUNT(views); v++) {
			struct bmp_peer peer = { .view = views[v] };
			bool want = views[v] >= BMP_VIEW_OUT_PRE ? cases[i].out
								 : cases[i].in;
			bgp_family_set got =
				bgp_context_decode_opts(&ctx, &peer, NULL)
					.add_path;

			CHECK((got == IPV4) == want && (got & ~IPV4) == 0,
			      "case %zu, view %d", i, views[v]);
		}
	}
}

static void test_note_02_unknown_capabilities_are_not_guessed(void **state)
{
	struct bmp_peer peer = { .view = BMP_VIEW_IN_PRE };
	struct bgp_context ctx;

	(void)state;
	bgp_context_init(&ctx);
	assert_false(ctx.known);
	assert_true(bgp_context_decode_opts(&ctx, &peer, NULL).add_path == 0);
	assert_int_equal(bgp_context_decode_opts(&ctx, &peer, NULL).as_width,
			 4);
}

static void test_rule_15_loc_rib_peer_ups_merge(void **state)
{
	struct bgp_open first = { .families = IPV4,
				  .add_path_send = IPV4,
				  .add_path_receive = IPV4,
				  .four_byte_as = true };
	struct bgp_open second = { .families = IPV6, .four_byte_as = true };
	struct bmp_peer peer = { .type = BMP_PEER_LOC_RIB,
				 .view = BMP_VIEW_LOC_RIB };
	struct bgp_context ctx;

	(void)state;
	bgp_context_init(&ctx);
	bgp_context_merge(&ctx, &first, &first);
	bgp_context_merge(&ctx, &second, &second);
	assert_true(ctx.families == (IPV4 | IPV6));
	assert_true(bgp_context_decode_opts(&ctx, &peer, NULL).add_path ==
		    IPV4);

	/* Of a real session, the second replaces the first. */
	bgp_context_set(&ctx, &first, &first);
	bgp_context_set(&ctx, &second, &second);
	assert_true(ctx.families == IPV6);
	assert_true(ctx.add_path_in == 0);
}

/* A Peer Up with an OPEN of AS 65001 and these capabilities on both sides. */
static struct bmp_peer_up up_with(const uint8_t *body, size_t len)
{
	struct bgp_pdu open = { .type = BGP_PDU_OPEN, .body = { body, len } };

	return (struct bmp_peer_up){ .sent_open = open, .received_open = open };
}

#define FIXED 4, 0xfd, 0xe9, 0, 180, 192, 0, 2, 7

static void test_note_12_unusable_open_makes_the_context_unknown(void **state)
{
	static const uint8_t good[] = { FIXED, 8, 2, 6, 69, 4, 0, 1, 1, 3 };
	static const uint8_t cut[] = { FIXED, 8, 2, 6, 69, 4, 0, 1 };
	struct bmp_peer_up up = up_with(good, sizeof(good));
	struct bmp_peer peer = { .type = BMP_PEER_GLOBAL };
	struct bgp_context ctx;

	(void)state;
	bgp_context_init(&ctx);
	assert_int_equal(bgp_context_peer_up(&ctx, &peer, &up), BGP_OPEN_OK);
	assert_true(ctx.known);
	assert_true(ctx.add_path_in == IPV4);
	/* One is enough, and what was known before is of another session. */
	up.received_open.body = (struct wire_view){ cut, sizeof(cut) };
	assert_int_equal(bgp_context_peer_up(&ctx, &peer, &up),
			 BGP_OPEN_CUT_PARAMETERS);
	assert_false(ctx.known);
	assert_true(ctx.add_path_in == 0);

	/* A Loc-RIB's other Peer Ups stand. */
	peer.type = BMP_PEER_LOC_RIB;
	up = up_with(good, sizeof(good));
	bgp_context_peer_up(&ctx, &peer, &up);
	up = up_with(NULL, 0);
	assert_int_equal(bgp_context_peer_up(&ctx, &peer, &up), BGP_OPEN_SHORT);
	assert_true(ctx.known);
	assert_true(ctx.add_path_loc_rib == IPV4);
}

static void test_loc_rib_whose_ends_both_send(void **state)
{
	struct bgp_open open = { .add_path_send = IPV4 };
	struct bmp_peer peer = { .type = BMP_PEER_LOC_RIB,
				 .view = BMP_VIEW_LOC_RIB };
	struct bgp_context ctx = { 0 };

	(void)state;
	bgp_context_set(&ctx, &open, &open);
	assert_true(bgp_context_decode_opts(&ctx, &peer, NULL).add_path ==
		    IPV4);
}

static void test_note_03_overrides_per_router(void **state)
{
	struct bgp_overrides over = {
		.add_path_on = { [BMP_VIEW_LOC_RIB] = IPV4 | IPV6 },
		.add_path_off = { [BMP_VIEW_LOC_RIB] = IPV6 },
		.as_width = 2,
	};
	struct bmp_peer peer = { .type = BMP_PEER_LOC_RIB,
				 .view = BMP_VIEW_LOC_RIB };
	struct bgp_context ctx;
	struct bgp_decode_opts r;

	(void)state;
	/* GoBGP's Loc-RIB comes without a Peer Up. */
	bgp_context_init(&ctx);
	r = bgp_context_decode_opts(&ctx, &peer, &over);
	assert_true(r.add_path == IPV4);
	assert_int_equal(r.as_width, 2);
	assert_true(r.as_width_certain);
	/* What an operator says is not read the other way. */
	assert_true(r.add_path_either == ~(IPV4 | IPV6));

	/* Of another view nothing was said. */
	peer.type = BMP_PEER_GLOBAL;
	peer.view = BMP_VIEW_IN_POST;
	r = bgp_context_decode_opts(&ctx, &peer, &over);
	assert_true(r.add_path == 0);
	assert_true(r.add_path_either == ~(bgp_family_set)0);
}

static bgp_family_set add_path_in(const struct bgp_context *ctx,
				  enum bmp_view view)
{
	struct bmp_peer peer = { .view = (uint8_t)view };

	return bgp_context_decode_opts(ctx, &peer, NULL).add_path;
}

/* By view and family, over OPENs that come and go. */
static void test_what_messages_show_is_learned(void **state)
{
	struct bgp_open both = { .families = IPV4 | IPV6,
				 .add_path_send = IPV4 | IPV6,
				 .add_path_receive = IPV4 | IPV6 };
	struct bgp_open none = { .families = IPV4 | IPV6 };
	struct bgp_context ctx;

	(void)state;
	bgp_context_init(&ctx);
	bgp_context_set(&ctx, &both, &both);
	bgp_context_learn(&ctx, BMP_VIEW_IN_POST, BGP_IPV4_UNICAST, false);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_POST) == IPV6);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_PRE) == (IPV4 | IPV6));
	assert_true(add_path_in(&ctx, BMP_VIEW_LOC_RIB) == (IPV4 | IPV6));

	bgp_context_reset(&ctx);
	assert_false(ctx.known);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_PRE) == 0);
	bgp_context_set(&ctx, &both, &both);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_POST) == IPV6);
	bgp_context_merge(&ctx, &both, &both);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_POST) == IPV6);

	bgp_context_learn(&ctx, BMP_VIEW_IN_POST, BGP_IPV4_UNICAST, true);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_POST) == (IPV4 | IPV6));
	bgp_context_set(&ctx, &none, &none);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_POST) == IPV4);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_PRE) == 0);
	bgp_context_init(&ctx);
	assert_true(add_path_in(&ctx, BMP_VIEW_IN_POST) == 0);
}

static void test_rule_11_as_width_follows_the_a_flag(void **state)
{
	struct bmp_peer peer = { .two_byte_as = true };
	struct bgp_context ctx;

	(void)state;
	bgp_context_init(&ctx);
	assert_int_equal(bgp_context_decode_opts(&ctx, &peer, NULL).as_width,
			 2);
	peer.two_byte_as = false;
	assert_int_equal(bgp_context_decode_opts(&ctx, &peer, NULL).as_width,
			 4);
}

static void test_rule_11_mirrored_width_follows_the_opens(void **state)
{
	struct bgp_open old = { .four_byte_as = false };
	struct bgp_open new = { .four_byte_as = true };
	struct bmp_peer peer = { .two_byte_as = false };
	struct bgp_context ctx = { 0 };

	(void)state;
	bgp_context_set(&ctx, &new, &old);
	assert_int_equal(
		bgp_context_decode_opts_mirrored(&ctx, &peer, NULL).as_width,
		2);
	bgp_context_set(&ctx, &new, &new);
	peer.two_byte_as = true;
	assert_int_equal(
		bgp_context_decode_opts_mirrored(&ctx, &peer, NULL).as_width,
		4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule_14_addpath_needs_both_opens),
		cmocka_unit_test(
			test_note_02_unknown_capabilities_are_not_guessed),
		cmocka_unit_test(test_rule_15_loc_rib_peer_ups_merge),
		cmocka_unit_test(
			test_note_12_unusable_open_makes_the_context_unknown),
		cmocka_unit_test(test_loc_rib_whose_ends_both_send),
		cmocka_unit_test(test_note_03_overrides_per_router),
		cmocka_unit_test(test_what_messages_show_is_learned),
		cmocka_unit_test(test_rule_11_as_width_follows_the_a_flag),
		cmocka_unit_test(test_rule_11_mirrored_width_follows_the_opens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
