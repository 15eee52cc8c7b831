/* NLRI in another form than the OPENs say: rib/add_path.h. */
#include "apply_messages.h"
#include "curation_cases.h"

#include "rib/read.h"

#include "bmp/decode_context.h"

#define ODD "198.51.100.0/24" /* 198 is no length: readable in its form only */

static struct stage_peer negotiated(void)
{
	struct stage_peer a = peer_a();

	a.add_path = true;
	return a;
}

static struct bgp_nlri with_id(const char *prefix, uint32_t path_id)
{
	struct bgp_nlri n = stage_nlri(prefix);

	n.has_path_id = true;
	n.path_id = path_id;
	return n;
}

static bool has_path(const struct stage_peer *p, const char *prefix,
		     uint32_t path_id)
{
	struct bgp_nlri n = with_id(prefix, path_id);

	return stage_find(&s, p, &n) != NULL;
}

static void put_path(const struct stage_peer *p, const char *prefix,
		     uint32_t path_id)
{
	struct bgp_nlri n = with_id(prefix, path_id);

	stage_put(&s, p, &n, 1, 1);
}

/* An even number of /24 without identifiers reads as half as many with. */
static void put_ambiguous(const struct stage_peer *p, unsigned from)
{
	stage_many(&s, p, from, 2, 1);
}

static void check_switched(uint64_t times)
{
	assert_int_equal(flow().add_path_switched, times);
}

static void test_negotiated_but_not_sent(void **state)
{
	struct stage_peer a = negotiated();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_announce(&s, &a, ODD, 7);
	assert_true(stage_has(&s, &a, ODD));
	assert_int_equal(flow().add_path_guessed, 1);
	check_switched(1);
	/* From now on what could be read both ways is read so. */
	put_ambiguous(&a, 0);
	assert_true(stage_has(&s, &a, "10.0.0.0/24"));
	assert_true(stage_has(&s, &a, "10.0.1.0/24"));
	stage_withdraw(&s, &a, ODD);
	assert_false(stage_has(&s, &a, ODD));
	assert_int_equal(stage_count(&s), 2);
	assert_int_equal(flow().add_path_guessed, 1);
	assert_int_equal(flow().verdicts[BGP_RESET], 0);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 0);
	assert_int_equal(s.notices[RIB_NOTICE_ADD_PATH], 1);
	assert_false(s.last_notice.add_path);
	stage_end(&s);
}

/* Each view and family is learned by itself. */
static void test_views_and_families_are_apart(void **state)
{
	struct stage_peer a = negotiated();
	struct stage_peer post = a;

	(void)state;
	stage_view(&post, BMP_VIEW_IN_POST);
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_announce(&s, &post, ODD, 7);
	check_switched(1);
	put_path(&a, ODD, 7);
	assert_true(has_path(&a, ODD, 7));
	assert_true(stage_has(&s, &post, ODD));
	stage_announce(&s, &post, "2001:db8::/32", 7);
	check_switched(2);
	assert_true(stage_has(&s, &post, "2001:db8::/32"));
	/* One line for a peer. */
	assert_int_equal(s.notices[RIB_NOTICE_ADD_PATH], 1);
	stage_end(&s);
}

/* What was read in the wrong form is taken back, and read again. */
static void test_ambiguous_messages_before_the_evidence(void **state)
{
	struct stage_peer a = negotiated();
	struct bgp_nlri pair[2] = { stage_nlri("10.0.0.0/24"),
				    stage_nlri("10.0.1.0/24") };
	struct bgp_nlri six[2] = { stage_nlri("2001:db8::/48"),
				   stage_nlri("64:ff9b::/32") };

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	put_ambiguous(&a, 0);
	put_ambiguous(&a, 2);
	stage_take(&s, &a, pair, 2);
	stage_put(&s, &a, six, 2, 5);
	assert_int_equal(s.withdrawn, 1);
	assert_true(has_path(&a, "10.0.3.0/24", 0x180a0002));
	/* The least that can be read both ways: an identifier, and 0/0. */
	stage_announce(&s, &a, "203.0.113.0/26", 3);
	assert_true(has_path(&a, "0.0.0.0/0", 0x1acb0071));
	stage_announce(&s, &a, ODD, 7);
	assert_int_equal(s.synthetic[RIB_REASON_TREAT_AS_WITHDRAW], 2);
	assert_true(stage_has(&s, &a, ODD));
	assert_true(stage_has(&s, &a, "10.0.2.0/24"));
	assert_true(stage_has(&s, &a, "10.0.3.0/24"));
	assert_int_equal(stage_med(&s, &a, "203.0.113.0/26"), 3);
	assert_false(stage_has(&s, &a, "10.0.0.0/24"));
	assert_int_equal(stage_med(&s, &a, "2001:db8::/48"), 5);
	assert_int_equal(stage_count(&s), 6);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 0);
	assert_int_equal(s.notices[RIB_NOTICE_ADD_PATH], 1);
	stage_end(&s);
}

/* More of them than are held: the table is suspect until it is sent again. */
static void test_too_many_ambiguous_messages(void **state)
{
	struct stage_peer a = negotiated();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	for (unsigned i = 0; i < 1000; i++)
		put_ambiguous(&a, 2 * (i % 10));
	stage_announce(&s, &a, "192.0.2.0/24", 7);
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	check_switched(0);
	assert_int_equal(stage_count(&s), 12);
	stage_announce(&s, &a, ODD, 7);
	check_switched(1);
	assert_int_equal(stage_count(&s), 3);
	assert_int_equal(s.synthetic[RIB_REASON_TREAT_AS_WITHDRAW], 10);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 1);
	assert_int_equal(s.notices[RIB_NOTICE_ADD_PATH_INCOMPLETE], 1);
	assert_int_equal(s.last_notice.withdrawn, 10);

	/* Sent again, all of it is right: the form is known by then. */
	again(&a);
	put_ambiguous(&a, 0);
	stage_announce(&s, &a, ODD, 7);
	stage_end_of_rib(&s, &a, 1, 1);
	stage_work(&s);
	assert_true(stage_has(&s, &a, "10.0.0.0/24"));
	assert_true(stage_has(&s, &a, "10.0.1.0/24"));
	assert_int_equal(stage_count(&s), 3);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 0);
	stage_end(&s);
}

/* What an operator has withdrawn does not come back from what is held. */
static void test_purged_before_the_evidence(void **state)
{
	struct stage_peer a = negotiated();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	put_ambiguous(&a, 0);
	assert_true(rib_peer_purge(s.router, &s.when, &a.header));
	stage_work(&s);
	stage_announce(&s, &a, ODD, 7);
	assert_int_equal(stage_count(&s), 1);
	stage_end(&s);
}

static void send_some(const struct stage_peer *p, const char *const *prefixes,
		      size_t n, struct rib_budget *budget);

/* A large table of the wrong form is withdrawn in slices. */
static void test_many_routes_of_the_wrong_form(void **state)
{
	static const char *const odd[] = { ODD };
	struct stage_peer a = negotiated();
	struct rib_budget budget = { .routes = 1000, .bytes_end = UINT64_MAX };

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_many(&s, &a, 0, 400, 1);
	assert_int_equal(stage_count(&s), 200);
	send_some(&a, odd, 1, &budget);
	assert_int_equal(stage_count(&s), 601);
	assert_int_equal(rib_router_pending_withdraw(s.router), 200);
	assert_true(rib_validate(s.rib));
	stage_work_by(&s, 50);
	assert_int_equal(stage_count(&s), 401);
	assert_int_equal(rib_router_pending_withdraw(s.router), 0);
	assert_true(stage_has(&s, &a, ODD));
	assert_int_equal(s.synthetic[RIB_REASON_TREAT_AS_WITHDRAW], 200);
	stage_end(&s);
}

/* One damaged message does not cost a table whose form is confirmed. */
static void test_one_contradiction_of_a_confirmed_form(void **state)
{
	struct stage_peer a = negotiated();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	put_path(&a, ODD, 7);
	put_path(&a, ODD, 8);
	stage_announce(&s, &a, "203.0.113.0/24", 7);
	check_switched(0);
	assert_true(stage_has(&s, &a, "203.0.113.0/24"));
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 1);
	assert_int_equal(s.synthetic[RIB_REASON_TREAT_AS_WITHDRAW], 0);
	/* The next certain message says that it was damage. */
	put_ambiguous(&a, 0);
	assert_true(stage_has(&s, &a, "203.0.113.0/24"));
	put_path(&a, ODD, 9);
	assert_false(stage_has(&s, &a, "203.0.113.0/24"));
	assert_int_equal(s.synthetic[RIB_REASON_TREAT_AS_WITHDRAW], 1);
	for (uint32_t id = 7; id <= 9; id++)
		assert_true(has_path(&a, ODD, id));
	check_switched(0);
	stage_end(&s);
}

static void test_evidence_changes(void **state)
{
	static const char *const prefixes[] = { "203.0.113.0/24",
						"198.18.0.0/15",
						"192.0.2.0/24" };
	struct stage_peer a = negotiated();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	put_path(&a, ODD, 7);
	for (size_t i = 0; i < COUNT(prefixes); i++) {
		check_switched(0);
		stage_announce(&s, &a, prefixes[i], 7);
		assert_true(stage_has(&s, &a, prefixes[i]));
	}
	check_switched(1);
	assert_false(has_path(&a, ODD, 7));
	assert_int_equal(stage_count(&s), COUNT(prefixes));
	/* And back. */
	for (uint32_t id = 0; id < 3; id++)
		put_path(&a, ODD, 7 + id);
	check_switched(2);
	assert_int_equal(stage_count(&s), 3);
	assert_true(has_path(&a, ODD, 9));
	stage_end(&s);
}

static void test_sent_but_not_negotiated(void **state)
{
	struct stage_peer a = peer_a();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	put_path(&a, ODD, 7);
	assert_true(has_path(&a, ODD, 7));
	check_switched(1);
	assert_true(s.last_notice.add_path);
	/* Identifier 0 is four default routes in the plain form. */
	put_path(&a, ODD, 0);
	assert_true(has_path(&a, ODD, 0));
	assert_int_equal(stage_count(&s), 2);
	stage_end(&s);
}

static void test_kept_while_the_peer_is(void **state)
{
	static const uint8_t address[16] = {
		[10] = 0xff, [11] = 0xff, [12] = 192, [15] = 9
	};
	struct stage_peer a = negotiated();

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	stage_announce(&s, &a, ODD, 7);
	stage_down(&s, &a, 1);
	stage_up(&s, &a);
	put_ambiguous(&a, 0);
	assert_true(stage_has(&s, &a, "10.0.1.0/24"));
	rib_session_close(s.router, &s.when, 0, NULL);
	rib_session_open(s.router, &s.when, address, 4000, NULL);
	stage_up(&s, &a);
	put_ambiguous(&a, 2);
	assert_true(stage_has(&s, &a, "10.0.3.0/24"));
	/* The new session has another program: one message is enough. */
	put_path(&a, ODD, 7);
	assert_true(has_path(&a, ODD, 7));
	check_switched(2);
	stage_end(&s);
}

static void test_operators_know_better(void **state)
{
	struct bgp_overrides over = { 0 };
	struct stage_peer a = negotiated();

	(void)state;
	over.add_path_on[BMP_VIEW_IN_PRE] = bgp_family_bit(BGP_IPV4_UNICAST);
	stage_start(&s, NULL);
	s.over = &over;
	stage_up(&s, &a);
	stage_announce(&s, &a, ODD, 7);
	assert_int_equal(stage_count(&s), 0);
	assert_int_equal(flow().verdicts[BGP_RESET], 1);
	check_switched(0);
	stage_end(&s);
}

/* A message in the batch changes how those behind it are read. */
static void send_some(const struct stage_peer *p, const char *const *prefixes,
		      size_t n, struct rib_budget *budget)
{
	static uint8_t bufs[8][512];
	struct bmp_message msgs[8];
	struct rib_progress progress = { 0 };
	uint64_t failed = 0;

	for (size_t i = 0; i < n; i++) {
		static const uint8_t attrs[] = { 0x40, 1, 1, 0, 0x40, 2,   6,
						 2,    1, 0, 0, 0xfb, 0xf4 };
		uint8_t pdu[256] = { 0 };
		struct bmp_writer w = bmp_writer_on(bufs[i], sizeof(bufs[i]));
		size_t len = 19 + 4 + sizeof(attrs);
		char list[64];
		struct bmp_frame frame;
		size_t need;

		memset(pdu, 0xff, 16);
		pdu[18] = 2;
		wire_put_u16(pdu + 21, sizeof(attrs));
		memcpy(pdu + 23, attrs, sizeof(attrs));
		snprintf(list, sizeof(list), "%s", prefixes[i]);
		for (char *rest = list, *one; (one = strsep(&rest, " "));) {
			struct bgp_nlri nlri = stage_nlri(one);

			assert_int_equal(nlri.prefix_len, 24);
			pdu[len] = 24;
			memcpy(pdu + len + 1, nlri.address + 12, 3);
			len += 4;
		}
		wire_put_u16(pdu + 16, (uint16_t)len);
		bmp_write_route_monitoring(&w, &p->header,
					   (struct wire_view){ pdu, len });
		assert_int_equal(
			bmp_frame_next((struct wire_view){ w.p, w.len },
				       BMP_MAX_FRAME_DEFAULT, &frame, &need),
			BMP_FRAME_WHOLE);
		assert_true(bmp_status_usable(
			bmp_message_decode(&frame, BMP_V4_OFF, &msgs[i])));
	}
	assert_int_equal(apply_some_messages(s.router, &s.when, msgs, n, NULL,
					     budget, &progress, &failed, NULL),
			 n);
	assert_int_equal(failed, 0);
}

static void test_messages_read_ahead_are_read_again(void **state)
{
	static const char *const prefixes[] = { ODD, "10.0.0.0/24 10.0.1.0/24",
						"10.0.2.0/24 10.0.3.0/24",
						"203.0.113.0/24" };
	struct stage_peer a = negotiated();
	struct rib_budget budget = { .routes = 1000, .bytes_end = UINT64_MAX };

	(void)state;
	stage_start(&s, NULL);
	stage_up(&s, &a);
	send_some(&a, prefixes, COUNT(prefixes), &budget);
	assert_int_equal(stage_count(&s), 6);
	assert_true(stage_has(&s, &a, "10.0.0.0/24"));
	assert_true(stage_has(&s, &a, "203.0.113.0/24"));
	assert_int_equal(s.synthetic[RIB_REASON_TREAT_AS_WITHDRAW], 0);
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 0);
	assert_int_equal(flow().announced, 6);
	check_switched(1);
	stage_end(&s);
}

/* Nothing is stored: what was published in the wrong form is only marked. */
static void test_without_curation(void **state)
{
	struct rib_config config = defaults();
	struct stage_peer a = negotiated();

	(void)state;
	config.mode = RIB_MODE_OFF;
	stage_start(&s, &config);
	stage_up(&s, &a);
	put_ambiguous(&a, 0);
	stage_announce(&s, &a, ODD, 7);
	assert_true(stage_has(&s, &a, ODD));
	assert_int_equal(s.events[RIB_EVENT_SUSPECT], 1);
	check_switched(1);
	stage_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_negotiated_but_not_sent),
		cmocka_unit_test(test_views_and_families_are_apart),
		cmocka_unit_test(test_ambiguous_messages_before_the_evidence),
		cmocka_unit_test(test_too_many_ambiguous_messages),
		cmocka_unit_test(test_purged_before_the_evidence),
		cmocka_unit_test(test_many_routes_of_the_wrong_form),
		cmocka_unit_test(test_one_contradiction_of_a_confirmed_form),
		cmocka_unit_test(test_evidence_changes),
		cmocka_unit_test(test_sent_but_not_negotiated),
		cmocka_unit_test(test_kept_while_the_peer_is),
		cmocka_unit_test(test_operators_know_better),
		cmocka_unit_test(test_messages_read_ahead_are_read_again),
		cmocka_unit_test(test_without_curation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
