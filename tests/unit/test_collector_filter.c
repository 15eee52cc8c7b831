#include "check.h"

#include "collector/policy/filter.h"
#include "rib/event.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct filter filter_of(const char *const *rules)
{
	struct filter f = FILTER_INIT;
	char why[FILTER_WHY_MAX];

	for (; *rules != NULL; rules++)
		CHECK(filter_add(&f, *rules, why) == 0, "%s: %s", *rules, why);
	return f;
}

static struct bmp_peer peer(const char *address, uint32_t as, uint8_t view)
{
	struct bmp_peer p = {
		.type = view == BMP_VIEW_LOC_RIB ? BMP_PEER_LOC_RIB
						 : BMP_PEER_GLOBAL,
		.view = view,
		.as = as,
		.address = { [10] = 0xff, [11] = 0xff },
	};

	if (inet_pton(AF_INET, address, p.address + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, address, p.address), 1);
	return p;
}

static enum filter_action ask(const struct filter *f, const struct bmp_peer *p,
			      enum bgp_family family)
{
	struct filter_chain chain = { { f }, 1 };
	struct filter_peer seen = filter_peer_of(p);
	enum filter_action action = filter_decide(&chain, &seen, family);
	struct filter_mask m = filter_ask(&chain, &seen);

	/* The kept answer says the same. */
	assert_int_equal(filter_stores(m, family), action != FILTER_DROP);
	assert_int_equal(filter_publishes(m, family), action == FILTER_PUBLISH);
	return action;
}

static void test_wrong_rules_say_why(void **state)
{
	static const struct {
		const char *rule, *why;
	} cases[] = {
		{ "",
		  "a rule begins with publish, store or drop, not with ''" },
		{ "refuse view=pre", "a rule begins with publish, store or "
				     "drop, not with 'refuse'" },
		{ "drop view", "'view' is none of peer=, as=, type=, view=, "
			       "family=, rd=" },
		{ "drop color=red", "'color' is none of peer=, as=, type=, "
				    "view=, family=, rd=" },
		{ "drop view=middle",
		  "view='middle': allowed is some of in-pre, in-post, out-pre, "
		  "out-post, loc-rib, pre, post, in, out" },
		{ "drop view=", "view='': allowed is some of in-pre, in-post, "
				"out-pre, out-post, loc-rib, pre, post, in, "
				"out" },
		{ "drop as=64510-64500", "as='64510-64500': allowed is a "
					 "number or a range as 64500-64510" },
		{ "drop as=4294967296", "as='4294967296': allowed is a number "
					"or a range as 64500-64510" },
		{ "drop as=-1", "as='-1': allowed is a number or a range as "
				"64500-64510" },
		{ "drop peer=192.0.2.1/24", "peer='192.0.2.1/24': allowed is "
					    "an address or a network as "
					    "192.0.2.0/24" },
		{ "drop type=ebgp", "type='ebgp': allowed is some of global, "
				    "rd, local, loc-rib" },
		{ "drop family=ipv5", "family='ipv5': allowed is names as "
				      "ipv4-unicast, l2vpn-evpn, or unknown" },
		{ "drop rd=1", "rd='1': allowed is 64500:1, 192.0.2.1:1 or 0x "
			       "and 16 hex digits" },
		{ "drop rd=70000:65536", "rd='70000:65536': allowed is "
					 "64500:1, 192.0.2.1:1 or 0x and 16 "
					 "hex digits" },
		{ "drop as=1 as=2", "'as' twice in one rule" },
	};
	struct filter f = FILTER_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char why[FILTER_WHY_MAX] = "";

		CHECK(filter_add(&f, cases[i].rule, why) == -EINVAL, "%s",
		      cases[i].rule);
		assert_string_equal(why, cases[i].why);
	}
	assert_int_equal(f.count, 0);
}

static void test_a_rule_that_is_too_long_is_refused(void **state)
{
	char rule[400] = "drop family=ipv4-unicast";
	size_t len = strlen(rule);
	char why[FILTER_WHY_MAX];
	struct filter f = FILTER_INIT;

	(void)state;
	for (unsigned int i = 2; i < BGP_FAMILIES && len < 180; i++)
		len += (size_t)snprintf(rule + len, sizeof(rule) - len, ",%s",
					bgp_family_info(i)->name);
	assert_int_equal(filter_add(&f, rule, why), -EINVAL);
	assert_string_equal(why,
			    "longer than 160 bytes; make several rules of it");
	memset(rule, 'x', sizeof(rule) - 1);
	assert_int_equal(filter_add(&f, rule, why), -EINVAL);
}

static void test_without_rules_all_is_published(void **state)
{
	struct filter f = FILTER_INIT;
	struct bmp_peer p = peer("192.0.2.1", 64500, BMP_VIEW_IN_PRE);

	(void)state;
	assert_int_equal(ask(&f, &p, BGP_IPV4_UNICAST), FILTER_PUBLISH);
	assert_int_equal(ask(&f, &p, BGP_FAMILY_UNKNOWN), FILTER_PUBLISH);
}

static void test_each_word_matches_what_it_says(void **state)
{
	static const struct {
		const char *rule, *address;
		uint32_t as;
		uint8_t view, family;
		enum filter_action want;
	} cases[] = {
		/* clang-format off */
		{ "drop peer=192.0.2.0/24", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop peer=192.0.2.0/24", "192.0.3.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop peer=2001:db8::/32", "2001:db8::9", 1, BMP_VIEW_IN_PRE, BGP_IPV6_UNICAST, FILTER_DROP },
		{ "drop peer=192.0.2.9", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop peer=::/0", "2001:db8::9", 1, BMP_VIEW_IN_PRE, BGP_IPV6_UNICAST, FILTER_DROP },
		{ "drop peer=::/0", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop peer=::ffff:0:0/96", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop peer=::/0", "::", 1, BMP_VIEW_LOC_RIB, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop peer=::", "::", 1, BMP_VIEW_LOC_RIB, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "store as=64500", "192.0.2.9", 64500, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_STORE },
		{ "store as=64500", "192.0.2.9", 64501, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "store as=64500-64501", "192.0.2.9", 64501, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_STORE },
		{ "store as=64500-64501", "192.0.2.9", 64502, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop view=post", "192.0.2.9", 1, BMP_VIEW_IN_POST, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop view=post", "192.0.2.9", 1, BMP_VIEW_OUT_POST, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop view=post", "192.0.2.9", 1, BMP_VIEW_OUT_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop view=out", "192.0.2.9", 1, BMP_VIEW_OUT_PRE, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop view=in", "192.0.2.9", 1, BMP_VIEW_OUT_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop view=in-pre,loc-rib", "::", 1, BMP_VIEW_LOC_RIB, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop type=loc-rib", "::", 1, BMP_VIEW_LOC_RIB, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop type=rd,local", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop family=l2vpn-evpn,unknown", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_L2VPN_EVPN, FILTER_DROP },
		{ "drop family=l2vpn-evpn,unknown", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_FAMILY_UNKNOWN, FILTER_DROP },
		{ "drop family=l2vpn-evpn,unknown", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop as=1 view=pre", "192.0.2.9", 1, BMP_VIEW_IN_POST, BGP_IPV4_UNICAST, FILTER_PUBLISH },
		{ "drop as=1 view=pre", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_IPV4_UNICAST, FILTER_DROP },
		{ "drop", "192.0.2.9", 1, BMP_VIEW_IN_PRE, BGP_FAMILY_UNKNOWN, FILTER_DROP },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *rules[] = { cases[i].rule, NULL };
		struct filter f = filter_of(rules);
		struct bmp_peer p =
			peer(cases[i].address, cases[i].as, cases[i].view);

		CHECK(ask(&f, &p, cases[i].family) == cases[i].want,
		      "case %zu: %s", i, cases[i].rule);
		filter_release(&f);
	}
}

static void test_distinguishers(void **state)
{
	static const struct {
		const char *rule;
		uint64_t rd;
	} cases[] = {
		{ "drop rd=64500:7", 0x0000fbf400000007 },
		{ "drop rd=192.0.2.1:7", 0x0001c00002010007 },
		{ "drop rd=70000:7", 0x0002000111700007 },
		{ "drop rd=0x0002000000070007", 0x0002000000070007 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *rules[] = { cases[i].rule, NULL };
		struct filter f = filter_of(rules);
		struct bmp_peer p = peer("192.0.2.1", 1, BMP_VIEW_IN_PRE);

		p.type = BMP_PEER_RD;
		p.distinguisher = cases[i].rd;
		CHECK(ask(&f, &p, BGP_IPV4_UNICAST) == FILTER_DROP, "%s",
		      cases[i].rule);
		p.distinguisher++;
		CHECK(ask(&f, &p, BGP_IPV4_UNICAST) == FILTER_PUBLISH, "%s",
		      cases[i].rule);
		filter_release(&f);
	}
}

static void test_the_first_rule_that_matches_decides(void **state)
{
	static const char *const rules[] = {
		"publish as=64500 family=ipv4-unicast",
		"store as=64500",
		"drop",
		NULL,
	};
	struct filter f = filter_of(rules);
	struct bmp_peer mine = peer("192.0.2.1", 64500, BMP_VIEW_IN_PRE);
	struct bmp_peer other = peer("192.0.2.1", 64501, BMP_VIEW_IN_PRE);

	(void)state;
	assert_int_equal(ask(&f, &mine, BGP_IPV4_UNICAST), FILTER_PUBLISH);
	assert_int_equal(ask(&f, &mine, BGP_IPV6_UNICAST), FILTER_STORE);
	assert_int_equal(ask(&f, &other, BGP_IPV4_UNICAST), FILTER_DROP);
	filter_release(&f);
}

static void test_a_router_s_rules_come_before_the_collector_s(void **state)
{
	static const char *const own[] = { "publish view=post", NULL };
	static const char *const all[] = { "drop view=post", "store", NULL };
	struct filter router = filter_of(own), collector = filter_of(all);
	struct filter_chain chain = { { &router, &collector }, 2 };
	struct bmp_peer post = peer("192.0.2.1", 1, BMP_VIEW_IN_POST);
	struct bmp_peer pre = peer("192.0.2.1", 1, BMP_VIEW_IN_PRE);
	struct filter_peer p = filter_peer_of(&post);

	(void)state;
	assert_int_equal(filter_decide(&chain, &p, BGP_IPV4_UNICAST),
			 FILTER_PUBLISH);
	p = filter_peer_of(&pre);
	assert_int_equal(filter_decide(&chain, &p, BGP_IPV4_UNICAST),
			 FILTER_STORE);
	filter_release(&router);
	filter_release(&collector);
}

static void test_types_without_a_name_are_seen_by_open_rules(void **state)
{
	static const char *const typed[] = {
		"drop type=global,rd,local,loc-rib", NULL
	};
	static const char *const open[] = { "drop", NULL };
	struct filter f = filter_of(typed), g = filter_of(open);
	struct bmp_peer p = peer("192.0.2.1", 1, BMP_VIEW_IN_PRE);

	(void)state;
	p.type = 200;
	assert_int_equal(ask(&f, &p, BGP_IPV4_UNICAST), FILTER_PUBLISH);
	assert_int_equal(ask(&g, &p, BGP_IPV4_UNICAST), FILTER_DROP);
	filter_release(&f);
	filter_release(&g);
}

static void test_rules_are_written_as_they_are_read(void **state)
{
	static const struct {
		const char *rule, *want;
	} cases[] = {
		{ "drop", "drop" },
		{ "store   view=post", "store view=post" },
		{ "drop view=in-pre,out-pre", "drop view=pre" },
		{ "drop view=in,out,loc-rib", "drop" },
		{ "drop view=in,out-pre", "drop view=pre,in-post" },
		{ "publish peer=192.0.2.1", "publish peer=192.0.2.1/32" },
		{ "publish peer=0.0.0.0/0", "publish peer=0.0.0.0/0" },
		{ "publish peer=::/0", "publish peer=::/0" },
		{ "drop as=5-5", "drop as=5" },
		{ "drop as=0-4294967295", "drop" },
		{ "drop as=0", "drop as=0" },
		{ "drop type=rd,global", "drop type=global,rd" },
		{ "drop type=global,rd,local,loc-rib",
		  "drop type=global,rd,local,loc-rib" },
		{ "drop family=unknown,ipv4-unicast",
		  "drop family=unknown,ipv4-unicast" },
		{ "drop rd=64500:1", "drop rd=64500:1" },
		{ "drop rd=0x0000fbf400000001", "drop rd=64500:1" },
		{ "drop rd=0x0002000000070007", "drop rd=0x0002000000070007" },
		{ "drop rd=0xffff000000000000", "drop rd=0xffff000000000000" },
		{ "drop rd=7:7 family=link-state view=loc-rib type=loc-rib "
		  "as=1-2 peer=::",
		  "drop peer=::/128 as=1-2 type=loc-rib view=loc-rib "
		  "family=link-state rd=7:7" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *rules[] = { cases[i].rule, NULL };
		const char *again[] = { cases[i].want, NULL };
		struct filter f = filter_of(rules), g = filter_of(again);
		char text[FILTER_TEXT_MAX + 1];
		struct filter copy;

		filter_rule_format(&f.rules[0], text, sizeof(text));
		assert_string_equal(text, cases[i].want);
		CHECK(filter_equal(&f, &g), "%s", text);
		assert_int_equal(filter_copy(&f, &copy), 0);
		CHECK(filter_equal(&f, &copy), "copy of %s", text);
		copy.rules[0].views ^= 1;
		CHECK(!filter_equal(&f, &copy), "changed copy of %s", text);
		filter_release(&copy);
		filter_release(&f);
		filter_release(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_rules_say_why),
		cmocka_unit_test(test_a_rule_that_is_too_long_is_refused),
		cmocka_unit_test(test_without_rules_all_is_published),
		cmocka_unit_test(test_each_word_matches_what_it_says),
		cmocka_unit_test(test_distinguishers),
		cmocka_unit_test(test_the_first_rule_that_matches_decides),
		cmocka_unit_test(
			test_a_router_s_rules_come_before_the_collector_s),
		cmocka_unit_test(
			test_types_without_a_name_are_seen_by_open_rules),
		cmocka_unit_test(test_rules_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
