#include "check.h"

#include "bmp/nlri.h"
#include "bmp/nlri_key.h"
#include "bmp/nlri_text.h"

#include <string.h>

static struct bgp_nlri_format how_of(enum bgp_family family)
{
	const struct bgp_family_info *info = bgp_family_info(family);

	return (struct bgp_nlri_format){
		.afi = info->afi,
		.safi = info->safi,
		.family = (uint8_t)family,
	};
}

/* The routes of a field as text, or "malformed". */
static void read_all(const uint8_t *p, size_t len,
		     const struct bgp_nlri_format *format, char *out,
		     size_t cap)
{
	struct text t = text_start(out, cap);
	struct wire_view field = { p, len };
	struct bgp_nlri_iter it;
	uint32_t n = 0, count = UINT32_MAX;
	char line[512];

	bgp_nlri_start(&it, field, format);
	for (; bgp_nlri_next(&it); n++) {
		bgp_nlri_text(&it.nlri, line, sizeof(line));
		if (n != 0)
			text_str(&t, ", ");
		text_str(&t, line);
	}
	/* The count that looks at lengths only comes to the same end. */
	assert_int_equal(bgp_nlri_count(field, format, &count), !it.malformed);
	assert_int_equal(count, it.malformed ? UINT32_MAX : n);
	if (it.malformed)
		text_str(&t, n != 0 ? ", malformed" : "malformed");
	text_end(&t);
}

struct nlri_case {
	enum bgp_family family;
	const uint8_t *in;
	size_t len;
	const char *want;
};

static void check_cases(const struct nlri_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bgp_nlri_format format = how_of(cases[i].family);
		char got[1024];

		read_all(cases[i].in, cases[i].len, &format, got, sizeof(got));
		CHECK(strcmp(got, cases[i].want) == 0,
		      "case %zu, %s: got \"%s\", want \"%s\"", i,
		      bgp_family_info(cases[i].family)->name, got,
		      cases[i].want);
	}
}

static void test_plain_prefixes(void **state)
{
	const struct nlri_case cases[] = {
		/* clang-format off */
		{ BGP_IPV4_UNICAST, NULL, 0, "" },
		{ BGP_IPV4_UNICAST, BYTES(0), "0.0.0.0/0" },
		{ BGP_IPV4_UNICAST, BYTES(32, 192, 0, 2, 1), "192.0.2.1/32" },
		{ BGP_IPV4_UNICAST, BYTES(8, 10, 16, 10, 1, 24, 10, 1, 2), "10.0.0.0/8, 10.1.0.0/16, 10.1.2.0/24" },
		{ BGP_IPV4_MULTICAST, BYTES(4, 0xe0), "224.0.0.0/4" },
		{ BGP_IPV6_UNICAST, BYTES(0), "::/0" },
		{ BGP_IPV6_UNICAST, BYTES(32, 0x20, 1, 0x0d, 0xb8), "2001:db8::/32" },
		{ BGP_IPV6_UNICAST, BYTES(64, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 1), "2001:db8:0:1::/64" },
		{ BGP_IPV6_UNICAST, BYTES(65, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 1, 0x80), "2001:db8:0:1:8000::/65" },
		{ BGP_IPV6_UNICAST, BYTES(128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), "::1/128" },
		{ BGP_IPV6_MULTICAST, BYTES(8, 0xff), "ff00::/8" },
		/* A mapped address in IPv6 stays what it is. */
		{ BGP_IPV6_UNICAST, BYTES(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), "::ffff:0:0/96" },
		/* clang-format on */
	};

	(void)state;
	check_cases(cases, COUNT(cases));
}

static void test_rule_26_length_out_of_range_is_malformed(void **state)
{
	const struct nlri_case cases[] = {
		/* clang-format off */
		{ BGP_IPV4_UNICAST, BYTES(33, 1, 2, 3, 4, 5), "malformed" },
		{ BGP_IPV4_UNICAST, BYTES(255, 1, 2, 3, 4), "malformed" },
		{ BGP_IPV4_UNICAST, BYTES(8, 10, 33, 1, 2, 3, 4, 5), "10.0.0.0/8, malformed" },
		{ BGP_IPV4_UNICAST, BYTES(24, 10, 1), "malformed" },
		{ BGP_IPV6_UNICAST, BYTES(129, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "malformed" },
		{ BGP_IPV4_LABELED, BYTES(23, 0, 0, 1), "malformed" },
		{ BGP_IPV4_LABELED, BYTES(57, 0, 0, 1, 1, 2, 3, 4, 5), "malformed" },
		{ BGP_IPV4_VPN, BYTES(87, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0), "malformed" },
		{ BGP_IPV4_VPN, BYTES(121, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5), "malformed" },
		{ BGP_IPV4_MULTICAST_VPN, BYTES(97, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5), "malformed" },
		{ BGP_IPV4_MULTICAST_VPN, BYTES(63, 0, 0, 0, 0, 0, 0, 0, 0), "malformed" },
		/* clang-format on */
	};

	(void)state;
	check_cases(cases, COUNT(cases));
}

static void test_rule_26_stray_host_bits_are_masked_and_counted(void **state)
{
	const struct {
		enum bgp_family family;
		const uint8_t *in;
		size_t len;
		uint32_t stray;
		const char *want;
	} cases[] = {
		/* clang-format off */
		{ BGP_IPV4_UNICAST, BYTES(9, 10, 0xff), 1, "10.128.0.0/9" },
		{ BGP_IPV4_UNICAST, BYTES(1, 0xff, 8, 10, 31, 10, 0, 0, 1), 2, "128.0.0.0/1, 10.0.0.0/8, 10.0.0.0/31" },
		{ BGP_IPV6_UNICAST, BYTES(3, 0xff), 1, "e000::/3" },
		{ BGP_IPV6_UNICAST, BYTES(65, 0x20, 1, 0, 0, 0, 0, 0, 0, 0xff), 1, "2001::8000:0:0:0/65" },
		{ BGP_IPV4_LABELED, BYTES(25, 0, 1, 1, 0xff), 1, "128.0.0.0/1" },
		/* The next prefix's bytes are nobody's stray bits. */
		{ BGP_IPV4_UNICAST, BYTES(8, 10, 32, 255, 255, 255, 255), 0, "10.0.0.0/8, 255.255.255.255/32" },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bgp_nlri_format format = how_of(cases[i].family);
		struct wire_view field = { cases[i].in, cases[i].len };
		struct bgp_prefix batch[8];
		struct bgp_nlri_iter it;
		char got[256];

		read_all(cases[i].in, cases[i].len, &format, got, sizeof(got));
		CHECK(strcmp(got, cases[i].want) == 0, "%s", got);
		bgp_nlri_start(&it, field, &format);
		while (bgp_nlri_next(&it))
			;
		CHECK(it.host_bits == cases[i].stray, "%s: %u", got,
		      it.host_bits);
		bgp_nlri_start(&it, field, &format);
		if (!it.plain)
			continue;
		bgp_nlri_take(&it, batch, COUNT(batch));
		CHECK(it.host_bits == cases[i].stray, "%s: batch %u", got,
		      it.host_bits);
	}
}

static void test_batches_are_the_same_routes(void **state)
{
	static const enum bgp_family families[] = { BGP_IPV4_UNICAST,
						    BGP_IPV6_UNICAST };
	uint8_t field[64 * 21];
	size_t len = 0;

	(void)state;
	/* Path ids and prefixes of all lengths that both families have. */
	for (uint8_t i = 0; i <= 32; i++) {
		memcpy(field + len, (uint8_t[]){ 0, 0, 0, i, i }, 5);
		memset(field + len + 5, 0x5a, (i + 7u) / 8);
		len += 5 + (i + 7u) / 8;
	}
	for (size_t f = 0; f < 2 * COUNT(families); f++) {
		struct bgp_nlri_format format = how_of(families[f / 2]);
		struct wire_view view = { field, len };
		struct bgp_nlri_iter a, b;
		struct bgp_prefix batch[5];
		size_t n;

		format.add_path = true;
		/* The last one once whole and once cut. */
		view.len -= f % 2;
		bgp_nlri_start(&a, view, &format);
		bgp_nlri_start(&b, view, &format);
		while ((n = bgp_nlri_take(&a, batch, COUNT(batch))) != 0) {
			for (size_t i = 0; i < n; i++) {
				assert_true(bgp_nlri_next(&b));
				assert_memory_equal(b.nlri.address,
						    batch[i].address, 16);
				assert_int_equal(b.nlri.prefix_len,
						 batch[i].len);
				assert_int_equal(b.nlri.path_id,
						 batch[i].path_id);
			}
		}
		assert_false(bgp_nlri_next(&b));
		assert_int_equal(a.malformed, f % 2);
		assert_int_equal(b.malformed, f % 2);
		assert_int_equal(a.host_bits, b.host_bits);
	}
}

/* The same route, or the same refusal, whatever the field. */
static void test_the_first_is_the_first_of_a_walk(void **state)
{
	static const struct {
		enum bgp_family family;
		bool add_path, plain;
	} kinds[] = {
		{ BGP_IPV4_UNICAST, false, true },
		{ BGP_IPV6_UNICAST, false, true },
		{ BGP_IPV4_UNICAST, true, false },
		{ BGP_IPV4_VPN, false, false },
	};
	uint8_t field[20];

	(void)state;
	for (size_t i = 0; i < COUNT(kinds) * 256 * 20; i++) {
		size_t kind = i / (256 * 20);
		struct bgp_nlri_format format = how_of(kinds[kind].family);
		struct wire_view view = { field, i % 20 };
		struct bgp_prefix first;
		struct bgp_nlri_iter it;
		bool host_bits, got;

		format.add_path = kinds[kind].add_path;
		memset(field, 0x5b, sizeof(field));
		field[0] = (uint8_t)(i / 20);
		got = bgp_nlri_first(view, &format, &first, &host_bits);
		bgp_nlri_start(&it, view, &format);
		assert_int_equal(got, kinds[kind].plain && bgp_nlri_next(&it));
		if (!got)
			continue;
		assert_memory_equal(first.address, it.nlri.address, 16);
		assert_int_equal(first.len, it.nlri.prefix_len);
		assert_int_equal(first.path_id, 0);
		assert_int_equal(host_bits, it.host_bits);
	}
}

#define RD_A 0, 0, 0xfd, 0xe8, 0, 0, 0, 1 /* 65000:1 */
#define RD_B 0, 1, 192, 0, 2, 1, 0, 2	  /* 192.0.2.1:2 */
#define RD_C 0, 2, 0, 1, 0, 0, 0, 3	  /* 65536:3 */

static void test_labels_and_distinguishers(void **state)
{
	const struct nlri_case cases[] = {
		/* clang-format off */
		{ BGP_IPV4_LABELED, BYTES(32, 0, 1, 1, 10), "10.0.0.0/8" },
		{ BGP_IPV6_LABELED, BYTES(24, 0, 1, 1), "::/0" },
		{ BGP_IPV4_VPN, BYTES(96, 0, 1, 1, RD_A, 10), "rd 65000:1 10.0.0.0/8" },
		{ BGP_IPV4_VPN, BYTES(88, 0, 1, 1, RD_B), "rd 192.0.2.1:2 0.0.0.0/0" },
		{ BGP_IPV6_VPN, BYTES(104, 0, 1, 1, RD_C, 0x20, 1), "rd 65536:3 2001::/16" },
		{ BGP_IPV4_MULTICAST_VPN, BYTES(72, RD_A, 10), "rd 65000:1 10.0.0.0/8" },
		/* The bottom bit is not needed where there is one label. */
		{ BGP_IPV4_LABELED, BYTES(32, 0, 1, 0, 10), "10.0.0.0/8" },
		/* Two labels nobody agreed on, seen by the length. */
		{ BGP_IPV4_LABELED, BYTES(80, 0, 1, 0, 0, 2, 1, 10, 0, 0, 1), "10.0.0.1/32" },
		/* clang-format on */
	};

	(void)state;
	check_cases(cases, COUNT(cases));
}

static void test_rule_16_multiple_labels_up_to_the_bottom(void **state)
{
	static const uint8_t in[] = { 56, 0, 1, 0, 0, 2, 1, 10 };
	struct bgp_nlri_format format = how_of(BGP_IPV4_LABELED);
	struct wire_view field = { in, sizeof(in) };
	struct bgp_nlri_iter it;

	(void)state;
	format.multiple_labels = true;
	bgp_nlri_start(&it, field, &format);
	assert_true(bgp_nlri_next(&it));
	assert_int_equal(it.nlri.labels.len, 6);
	assert_int_equal(bgp_label_value(it.nlri.labels.p), 16);
	assert_int_equal(bgp_label_value(it.nlri.labels.p + 3), 32);
	assert_int_equal(it.nlri.prefix_len, 8);

	/* The same bytes without the capability: one label, 32 bits. */
	format.multiple_labels = false;
	bgp_nlri_start(&it, field, &format);
	assert_true(bgp_nlri_next(&it));
	assert_int_equal(it.nlri.labels.len, 3);
	assert_int_equal(it.nlri.prefix_len, 32);

	/* With it, a stack without a bottom is malformed. */
	format.multiple_labels = true;
	field.p = (const uint8_t[]){ 32, 0, 1, 0, 10 };
	field.len = 5;
	bgp_nlri_start(&it, field, &format);
	assert_false(bgp_nlri_next(&it));
	assert_true(it.malformed);
}

static size_t key_of(const uint8_t *p, size_t len,
		     const struct bgp_nlri_format *format, uint8_t *key,
		     size_t cap)
{
	struct bgp_nlri_iter it;
	size_t n;

	bgp_nlri_start(&it, (struct wire_view){ p, len }, format);
	assert_true(bgp_nlri_next(&it));
	n = bgp_nlri_key(&it.nlri, key, cap);
	assert_true(n <= cap);
	assert_true(n <= len + BGP_NLRI_KEY_SLACK);
	return n;
}

static void check_same_key(bool same, const uint8_t *a, size_t a_len,
			   const uint8_t *b, size_t b_len,
			   const struct bgp_nlri_format *how_a,
			   const struct bgp_nlri_format *how_b,
			   const char *name)
{
	uint8_t key_a[BGP_NLRI_KEY_SMALL], key_b[BGP_NLRI_KEY_SMALL];
	size_t n = key_of(a, a_len, how_a, key_a, sizeof(key_a));
	size_t m = key_of(b, b_len, how_b, key_b, sizeof(key_b));

	CHECK((n == m && memcmp(key_a, key_b, n) == 0) == same, "%s", name);
}

static void test_rule_25_label_of_a_withdrawal_is_not_key(void **state)
{
	static const uint8_t announced[] = { 32, 0, 1, 1, 10 };
	static const uint8_t withdrawn[] = { 32, 0x80, 0, 0, 10 };
	static const uint8_t zero[] = { 32, 0, 0, 0, 10 };
	struct bgp_nlri_format a = how_of(BGP_IPV4_LABELED), w = a;
	struct bgp_nlri_iter it;
	uint8_t value[8];

	(void)state;
	w.withdrawn = true;
	/* Also where more labels were agreed on: a withdrawal has one. */
	w.multiple_labels = true;
	check_same_key(true, announced, sizeof(announced), withdrawn,
		       sizeof(withdrawn), &a, &w, "0x800000");
	check_same_key(true, announced, sizeof(announced), zero, sizeof(zero),
		       &a, &w, "0x000000");
	bgp_nlri_start(&it, (struct wire_view){ withdrawn, 5 }, &w);
	assert_true(bgp_nlri_next(&it));
	assert_int_equal(it.nlri.labels.len, 0);
	assert_int_equal(bgp_nlri_value(&it.nlri, value, sizeof(value)), 0);
	bgp_nlri_start(&it, (struct wire_view){ announced, 5 }, &a);
	assert_true(bgp_nlri_next(&it));
	assert_int_equal(bgp_nlri_value(&it.nlri, value, sizeof(value)), 3);
	assert_memory_equal(value, announced + 1, 3);
}

static void test_rule_25_vpn_key_is_distinguisher_and_prefix(void **state)
{
	static const uint8_t a[] = { 96, 0, 1, 1, RD_A, 10 };
	static const uint8_t label[] = { 96, 0, 2, 1, RD_A, 10 };
	static const uint8_t rd[] = { 96, 0, 1, 1, RD_B, 10 };
	static const uint8_t prefix[] = { 96, 0, 1, 1, RD_A, 11 };
	static const uint8_t length[] = { 97, 0, 1, 1, RD_A, 10, 0 };
	static const uint8_t stray[] = { 97, 0, 1, 1, RD_A, 10, 0x7f };
	struct bgp_nlri_format format = how_of(BGP_IPV4_VPN);

	(void)state;
	check_same_key(true, a, sizeof(a), label, sizeof(label), &format,
		       &format, "label");
	check_same_key(false, a, sizeof(a), rd, sizeof(rd), &format, &format,
		       "rd");
	check_same_key(false, a, sizeof(a), prefix, sizeof(prefix), &format,
		       &format, "prefix");
	check_same_key(false, a, sizeof(a), length, sizeof(length), &format,
		       &format, "length");
	check_same_key(true, stray, sizeof(stray), length, sizeof(length),
		       &format, &format, "stray bits");
}

#define ESI   0, 1, 2, 3, 4, 5, 6, 7, 8, 9
#define ESI_2 0, 9, 9, 9, 9, 9, 9, 9, 9, 9
#define TAG   0, 0, 0, 100
#define MAC   48, 0, 0, 0x5e, 0, 0x53, 1

static void test_evpn_routes(void **state)
{
	const struct nlri_case cases[] = {
		/* clang-format off */
		{ BGP_L2VPN_EVPN, BYTES(1, 25, RD_A, ESI, TAG, 0, 1, 1),
		  "ethernet-ad rd 65000:1 esi 00:01:02:03:04:05:06:07:08:09 tag 100" },
		{ BGP_L2VPN_EVPN, BYTES(2, 33, RD_A, ESI, TAG, MAC, 0, 0, 1, 1),
		  "mac-ip rd 65000:1 tag 100 mac 00:00:5e:00:53:01 ip *" },
		{ BGP_L2VPN_EVPN, BYTES(2, 40, RD_A, ESI, TAG, MAC, 32, 192, 0, 2, 9, 0, 1, 1, 0, 2, 1),
		  "mac-ip rd 65000:1 tag 100 mac 00:00:5e:00:53:01 ip 192.0.2.9" },
		{ BGP_L2VPN_EVPN, BYTES(3, 17, RD_A, TAG, 32, 192, 0, 2, 1),
		  "inclusive-multicast rd 65000:1 tag 100 originator 192.0.2.1" },
		{ BGP_L2VPN_EVPN, BYTES(4, 23, RD_A, ESI, 32, 192, 0, 2, 1),
		  "ethernet-segment rd 65000:1 esi 00:01:02:03:04:05:06:07:08:09 originator 192.0.2.1" },
		{ BGP_L2VPN_EVPN, BYTES(5, 34, RD_A, ESI, TAG, 24, 10, 1, 2, 3, 192, 0, 2, 1, 0, 1, 1),
		  "ip-prefix rd 65000:1 tag 100 prefix 10.1.2.0/24" },
		{ BGP_L2VPN_EVPN, BYTES(5, 58, RD_A, ESI, TAG, 16, 0x20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1),
		  "ip-prefix rd 65000:1 tag 100 prefix 2001::/16" },
		{ BGP_L2VPN_EVPN, BYTES(6, 24, RD_A, TAG, 0, 32, 224, 0, 0, 5, 32, 192, 0, 2, 1, 2),
		  "selective-multicast rd 65000:1 tag 100 source * group 224.0.0.5 originator 192.0.2.1" },
		{ BGP_L2VPN_EVPN, BYTES(7, 34, RD_A, ESI, TAG, 0, 32, 224, 0, 0, 5, 32, 192, 0, 2, 1, 2),
		  "membership-report-synch rd 65000:1 esi 00:01:02:03:04:05:06:07:08:09 tag 100 source * group 224.0.0.5 originator 192.0.2.1" },
		{ BGP_L2VPN_EVPN, BYTES(8, 39, RD_A, ESI, TAG, 0, 32, 224, 0, 0, 5, 32, 192, 0, 2, 1, 0, 0, 0, 0, 9, 2),
		  "leave-synch rd 65000:1 esi 00:01:02:03:04:05:06:07:08:09 tag 100 source * group 224.0.0.5 originator 192.0.2.1" },
		{ BGP_L2VPN_EVPN, BYTES(9, 20, RD_A, TAG, 1, 2, 3, 4, 5, 6, 7, 8),
		  "per-region-i-pmsi rd 65000:1 tag 100 region 01:02:03:04:05:06:07:08" },
		{ BGP_L2VPN_EVPN, BYTES(10, 23, RD_A, TAG, 0, 32, 224, 0, 0, 5, 32, 192, 0, 2, 1),
		  "s-pmsi rd 65000:1 tag 100 source * group 224.0.0.5 originator 192.0.2.1" },
		/* RFC 9572 3.3 */
		{ BGP_L2VPN_EVPN, BYTES(11, 11, RD_A, 1, 2, 3), "leaf route 0000fde800000001010203" },
		{ BGP_L2VPN_EVPN, BYTES(11, 3, 1, 2, 3), "leaf route 010203" },
		{ BGP_L2VPN_EVPN, BYTES(12, 9, RD_A, 7), "type 12 rd 65000:1 07" },
		{ BGP_L2VPN_EVPN, BYTES(3, 18, RD_A, TAG, 32, 192, 0, 2, 1, 7),
		  "inclusive-multicast rd 65000:1 tag 100 originator 192.0.2.1 malformed 0000006420c000020107" },
		{ BGP_L2VPN_EVPN, BYTES(1, 9, RD_A, 7), "ethernet-ad rd 65000:1 malformed 07" },
		/* A length that says too much, or too little for a distinguisher. */
		{ BGP_L2VPN_EVPN, BYTES(1, 26, RD_A, ESI, TAG, 0, 1, 1), "malformed" },
		{ BGP_L2VPN_EVPN, BYTES(1, 7, 0, 0, 0, 0, 0, 0, 0), "malformed" },
		/* clang-format on */
	};

	(void)state;
	check_cases(cases, COUNT(cases));
}

/* RFC 7432 7.2: of a MAC route neither segment nor labels are key. */
static void test_evpn_mac_key(void **state)
{
	static const uint8_t a[] = { 2, 33, RD_A, ESI, TAG, MAC, 0, 0, 1, 1 };
	static const uint8_t esi[] = {
		2, 33, RD_A, ESI_2, TAG, MAC, 0, 0, 1, 1
	};
	static const uint8_t labels[] = { 2, 36, RD_A, ESI, TAG, MAC, 0,
					  0, 9,	 1,    0,   9,	 1 };
	static const uint8_t ip[] = { 2, 37, RD_A, ESI, TAG, MAC, 32,
				      1, 2,  3,	   4,	0,   1,	  1 };
	struct bgp_nlri_format format = how_of(BGP_L2VPN_EVPN);
	struct bgp_nlri_iter it;
	uint8_t value[32];

	(void)state;
	check_same_key(true, a, sizeof(a), esi, sizeof(esi), &format, &format,
		       "esi");
	check_same_key(true, a, sizeof(a), labels, sizeof(labels), &format,
		       &format, "labels");
	check_same_key(false, a, sizeof(a), ip, sizeof(ip), &format, &format,
		       "ip");
	bgp_nlri_start(&it, (struct wire_view){ labels, sizeof(labels) },
		       &format);
	assert_true(bgp_nlri_next(&it));
	/* Segment and two labels. */
	assert_int_equal(bgp_nlri_value(&it.nlri, value, sizeof(value)), 16);
}

/*
 * RFC 9251 9.3: reserved bytes, maximum response time and flags are not key;
 * nor where a router sends five bytes of the six.
 */
static void test_evpn_leave_synch_key_ends_at_the_originator(void **state)
{
	static const uint8_t six[] = { 8, 39, RD_A, ESI, TAG, 0, 32, 224,
				       0, 0,  5,    32,	 192, 0, 2,  1,
				       0, 0,  0,    0,	 9,   2 };
	static const uint8_t five[] = { 8,   38, RD_A, ESI, TAG, 0,   32,
					224, 0,	 0,    5,   32,	 192, 0,
					2,   1,	 0,    0,   0,	 7,   2 };
	static const uint8_t other[] = { 8,   38, RD_A, ESI, TAG, 0,   32,
					 224, 0,  0,	5,   32,  192, 0,
					 2,   2,  0,	0,   0,	  7,   2 };
	struct bgp_nlri_format format = how_of(BGP_L2VPN_EVPN);

	(void)state;
	check_same_key(true, six, sizeof(six), five, sizeof(five), &format,
		       &format, "tail");
	check_same_key(false, five, sizeof(five), other, sizeof(other), &format,
		       &format, "originator");
}

static void test_evpn_ad_key_has_the_segment(void **state)
{
	static const uint8_t a[] = { 1, 25, RD_A, ESI, TAG, 0, 1, 1 };
	static const uint8_t esi[] = { 1, 25, RD_A, ESI_2, TAG, 0, 1, 1 };
	static const uint8_t label[] = { 1, 25, RD_A, ESI, TAG, 0, 2, 1 };
	struct bgp_nlri_format format = how_of(BGP_L2VPN_EVPN);

	(void)state;
	check_same_key(false, a, sizeof(a), esi, sizeof(esi), &format, &format,
		       "esi");
	check_same_key(true, a, sizeof(a), label, sizeof(label), &format,
		       &format, "label");
}

static void test_stray_bits_are_not_in_typed_keys(void **state)
{
	static const uint8_t a[] = { 5, 34,  RD_A, ESI, TAG, 20, 10, 1, 0x20,
				     0, 192, 0,	   2,	1,   0,	 1,  1 };
	static const uint8_t b[] = { 5, 34,  RD_A, ESI, TAG, 20, 10, 1, 0x2f,
				     9, 192, 0,	   2,	1,   0,	 1,  1 };
	static const uint8_t rt[] = { 33, 0, 0, 0, 1, 0x00 };
	static const uint8_t rt_stray[] = { 33, 0, 0, 0, 1, 0x7f };
	static const uint8_t rt_other[] = { 33, 0, 0, 0, 1, 0x80 };
	struct bgp_nlri_format format = how_of(BGP_L2VPN_EVPN);

	(void)state;
	check_same_key(true, a, sizeof(a), b, sizeof(b), &format, &format,
		       "evpn");
	format = how_of(BGP_ROUTE_TARGET);
	check_same_key(true, rt, sizeof(rt), rt_stray, sizeof(rt_stray),
		       &format, &format, "route target");
	check_same_key(false, rt, sizeof(rt), rt_other, sizeof(rt_other),
		       &format, &format, "another route target");
}

static void test_other_families(void **state)
{
	const struct nlri_case cases[] = {
		/* clang-format off */
		{ BGP_IPV4_FLOWSPEC, BYTES(10, 1, 24, 10, 3, 0, 2, 24, 20, 3, 0), "flow dst 10.3.0.0/24 src 20.3.0.0/24" },
		{ BGP_IPV4_FLOWSPEC, BYTES(8, 3, 0x81, 6, 5, 0x03, 80, 0xc5, 90), "flow proto =6 dport >=80&<=90" },
		{ BGP_IPV4_FLOWSPEC, BYTES(4, 10, 0x91, 5, 220), "flow length =1500" },
		{ BGP_IPV4_FLOWSPEC, BYTES(3, 9, 0x81, 2), "flow tcp-flags =0x02" },
		{ BGP_IPV4_FLOWSPEC, BYTES(3, 12, 0x82, 1), "flow fragment !~0x01" },
		{ BGP_IPV4_FLOWSPEC, BYTES(2, 3, 0x81), "flow proto  malformed 0381" },
		{ BGP_IPV4_FLOWSPEC, BYTES(0xf0, 3, 3, 0x81, 6), "flow proto =6" },
		{ BGP_IPV4_FLOWSPEC, BYTES(9, 1, 2), "malformed" },
		{ BGP_IPV4_FLOWSPEC_VPN, BYTES(11, RD_A, 3, 0x81, 17), "flow rd 65000:1 proto =17" },
		{ BGP_IPV6_FLOWSPEC, BYTES(7, 1, 32, 0, 0x20, 1, 0x0d, 0xb8), "flow dst 2001:db8::/32" },
		{ BGP_IPV6_FLOWSPEC, BYTES(5, 1, 32, 16, 0x0d, 0xb8), "flow dst 0:db8::/32 offset 16" },
		/* RFC 8956 3.8.2; then the same bits from an odd offset on */
		{ BGP_IPV6_FLOWSPEC, BYTES(8, 2, 104, 64, 0x12, 0x34, 0x56, 0x78, 0x9a), "flow src ::1234:5678:9a00:0/104 offset 64" },
		{ BGP_IPV6_FLOWSPEC, BYTES(8, 2, 104, 65, 0x24, 0x68, 0xac, 0xf1, 0x35), "flow src ::1234:5678:9a00:0/104 offset 65" },
		{ BGP_IPV6_FLOWSPEC, BYTES(3, 1, 0, 0), "flow dst ::/0" },
		{ BGP_IPV6_FLOWSPEC, BYTES(3, 1, 16, 16), "flow dst  malformed 011010" },
		{ BGP_L2VPN_FLOWSPEC, BYTES(12, RD_A, 14, 0x91, 8, 0), "flow rd 65000:1 component-14 =2048" },
		{ BGP_ROUTE_TARGET, BYTES(0), "route-target default" },
		{ BGP_ROUTE_TARGET, BYTES(96, 0, 0, 0, 100, 0, 2, 0, 100, 0, 0, 0, 1), "route-target 100:0002006400000001/96" },
		{ BGP_ROUTE_TARGET, BYTES(31, 0, 0, 0, 0), "malformed" },
		{ BGP_ROUTE_TARGET, BYTES(97, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "malformed" },
		{ BGP_IPV4_SR_POLICY, BYTES(96, 0, 0, 0, 1, 0, 0, 0, 100, 192, 0, 2, 1), "sr-policy distinguisher 1 color 100 endpoint 192.0.2.1" },
		{ BGP_IPV6_SR_POLICY, BYTES(96, 0, 0, 0, 1, 0, 0, 0, 100, 192, 0, 2, 1), "malformed" },
		{ BGP_L2VPN_VPLS, BYTES(0, 17, RD_A, 0, 1, 0, 2, 0, 8, 0, 1, 1), "vpls rd 65000:1 ve 1 offset 2" },
		{ BGP_L2VPN_VPLS, BYTES(0, 12, RD_A, 192, 0, 2, 1), "vpls-discovery rd 65000:1 pe 192.0.2.1" },
		{ BGP_IPV4_MVPN, BYTES(1, 12, RD_A, 192, 0, 2, 1), "intra-as-i-pmsi rd 65000:1 originator 192.0.2.1" },
		{ BGP_IPV4_MVPN, BYTES(2, 12, RD_A, 0, 0, 0, 9), "inter-as-i-pmsi rd 65000:1 as 9" },
		{ BGP_IPV4_MVPN, BYTES(5, 18, RD_A, 32, 10, 0, 0, 1, 32, 224, 0, 0, 5), "source-active rd 65000:1 source 10.0.0.1 group 224.0.0.5" },
		{ BGP_IPV4_MVPN, BYTES(7, 22, RD_A, 0, 0, 0, 9, 32, 10, 0, 0, 1, 32, 224, 0, 0, 5), "source-tree-join rd 65000:1 as 9 source 10.0.0.1 group 224.0.0.5" },
		{ BGP_IPV4_MVPN, BYTES(4, 4, 1, 2, 3, 4), "leaf route 01020304" },
		/* RFC 6037 4.2.3 */
		{ BGP_IPV4_MDT, BYTES(128, RD_A, 192, 0, 2, 1, 232, 0, 0, 1), "mdt rd 65000:1 source 192.0.2.1 group 232.0.0.1" },
		{ BGP_IPV4_MDT, BYTES(96, RD_A, 192, 0, 2, 1), "malformed" },
		/* RFC 9832 5: as SAFI 128 */
		{ BGP_IPV4_CLASSFUL_TRANSPORT, BYTES(120, 0, 1, 1, RD_A, 192, 0, 2, 1), "rd 65000:1 192.0.2.1/32" },
		{ BGP_IPV6_CLASSFUL_TRANSPORT, BYTES(120, 0, 1, 1, RD_A, 0x20, 1, 0xd, 0xb8), "rd 65000:1 2001:db8::/32" },
		/* RFC 9815 5.1: as SAFI 71 */
		{ BGP_LINK_STATE_SPF, BYTES(0, 1, 0, 25, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 12, 2, 0, 0, 8, 0, 0, 0xfd, 0xe8, 0, 0, 0, 1),
		  "link-state node protocol 2 id 0 local-node(as 279172874240001)" },
		/* draft-tantsura-idr-unreachability-safi-06 3 */
		{ BGP_IPV4_UNREACHABILITY, BYTES(0, 5, 24, 10, 1, 2, 9), "unreachable prefix 10.1.2.0/24" },
		{ BGP_IPV6_UNREACHABILITY, BYTES(0, 5, 32, 0x20, 1, 0xd, 0xb8), "unreachable prefix 2001:db8::/32" },
		{ BGP_IPV4_UNREACHABILITY, BYTES(0, 9, 24, 10, 1, 2), "malformed" },
		/* RFC 9871 2.9.1 and 2.9.2 */
		{ BGP_IPV4_CAR, BYTES(15, 8, 1, 24, 10, 1, 2, 0, 0, 0, 100, 1, 3, 0, 1, 1), "color-aware prefix 10.1.2.0/24 color 100" },
		{ BGP_IPV6_CAR, BYTES(7, 5, 2, 32, 0x20, 1, 0xd, 0xb8), "ip-prefix prefix 2001:db8::/32" },
		{ BGP_IPV4_VPN_CAR, BYTES(18, 16, 1, RD_A, 24, 10, 1, 2, 0, 0, 0, 100), "color-aware rd 65000:1 prefix 10.1.2.0/24 color 100" },
		{ BGP_IPV4_CAR, BYTES(7, 6, 2, 24, 10, 1, 2, 0), "malformed" },
		{ BGP_IPV6_ROUTE_TARGET, BYTES(96, 0, 0, 0, 100, 0, 2, 0, 100, 0, 0, 0, 1), "route-target 100:0002006400000001/96" },
		/* RFC 7117 9.2: types of RFC 6514 */
		{ BGP_L2VPN_MCAST_VPLS, BYTES(3, 22, RD_A, 32, 10, 0, 0, 1, 32, 224, 0, 0, 5, 192, 0, 2, 1), "s-pmsi rd 65000:1 source 10.0.0.1 group 224.0.0.5 originator 192.0.2.1" },
		{ BGP_L2VPN_MCAST_VPLS, BYTES(4, 4, 1, 2, 3, 4), "leaf route 01020304" },
		/* draft-ietf-idr-flowspec-l2vpn */
		{ BGP_L2VPN_FLOWSPEC_PLAIN, BYTES(4, 14, 0x91, 8, 0), "flow component-14 =2048" },
		/* RFC 9015 3.1.1 and 3.1.2 */
		{ BGP_SFC, BYTES(0, 1, 0, 10, RD_A, 0, 41), "sfir rd 65000:1 sf-type 41" },
		{ BGP_SFC, BYTES(0, 2, 0, 11, RD_A, 0, 1, 2), "sfpr rd 65000:1 spi 258" },
		{ BGP_IPV4_MUP, BYTES(1, 0, 1, 11, RD_A, 16, 10, 1), "interwork-segment rd 65000:1 prefix 10.1.0.0/16" },
		{ BGP_IPV4_MUP, BYTES(1, 0, 2, 12, RD_A, 192, 0, 2, 1), "direct-segment rd 65000:1 address 192.0.2.1" },
		{ BGP_LINK_STATE, BYTES(0, 1, 0, 25, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 12, 2, 0, 0, 8, 0, 0, 0xfd, 0xe8, 0, 0, 0, 1),
		  "link-state node protocol 2 id 0 local-node(as 279172874240001)" },
		{ BGP_LINK_STATE, BYTES(0, 9, 0, 2, 1, 2), "link-state type-9 0102" },
		{ BGP_LINK_STATE, BYTES(0, 1, 0, 9, 1, 2), "malformed" },
		{ BGP_FAMILY_UNKNOWN, BYTES(1, 2, 3), "raw 010203" },
		/* clang-format on */
	};

	(void)state;
	check_cases(cases, COUNT(cases));
}

static void test_add_path_before_every_kind(void **state)
{
	static const uint8_t in[] = { 0,   0,  0,    7,	  1,   25, RD_A, ESI,
				      TAG, 0,  1,    1,	  0,   0,  0,	 8,
				      1,   25, RD_A, ESI, TAG, 0,  1,	 1 };
	struct bgp_nlri_format format = how_of(BGP_L2VPN_EVPN);
	struct bgp_nlri_iter it;

	(void)state;
	format.add_path = true;
	bgp_nlri_start(&it, (struct wire_view){ in, sizeof(in) }, &format);
	for (uint32_t id = 7; id <= 8; id++) {
		assert_true(bgp_nlri_next(&it));
		assert_int_equal(it.nlri.path_id, id);
		assert_int_equal(it.nlri.type, 1);
	}
	assert_false(bgp_nlri_next(&it));
	assert_false(it.malformed);
	/* A path id without a route. */
	bgp_nlri_start(&it, (struct wire_view){ in, 3 }, &format);
	assert_false(bgp_nlri_next(&it));
	assert_true(it.malformed);
}

static void test_key_says_how_long_it_would_be(void **state)
{
	static const uint8_t in[] = { 24, 10, 1, 2 };
	struct bgp_nlri_format format = how_of(BGP_IPV4_UNICAST);
	struct bgp_nlri_iter it;
	uint8_t key[4] = { 0xee, 0xee, 0xee, 0xee };

	(void)state;
	bgp_nlri_start(&it, (struct wire_view){ in, sizeof(in) }, &format);
	assert_true(bgp_nlri_next(&it));
	assert_int_equal(bgp_nlri_key(&it.nlri, key, 2), 4);
	assert_int_equal(key[2], 0xee);
	assert_int_equal(bgp_nlri_key(&it.nlri, key, 4), 4);
	assert_memory_equal(key, in, 4);
}

/* Numbers are dense; AFI and SAFI lead back to them; nothing else does. */
static void test_families_are_found_by_afi_and_safi(void **state)
{
	(void)state;
	for (int f = 1; f < BGP_FAMILIES; f++) {
		const struct bgp_family_info *info = bgp_family_info(f);

		assert_int_equal(bgp_family_find(info->afi, info->safi), f);
		assert_true(bgp_family_bit(f) != 0);
	}
	assert_int_equal(bgp_family_find(0, 1), BGP_FAMILY_UNKNOWN);
	assert_int_equal(bgp_family_find(3, 1), BGP_FAMILY_UNKNOWN);
	assert_int_equal(bgp_family_find(1, 135), BGP_FAMILY_UNKNOWN);
	assert_int_equal(bgp_family_find(2, 255), BGP_FAMILY_UNKNOWN);
	assert_int_equal(bgp_family_find(25, 6), BGP_FAMILY_UNKNOWN);
	assert_true(bgp_family_bit(BGP_FAMILY_UNKNOWN) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_prefixes),
		cmocka_unit_test(test_rule_26_length_out_of_range_is_malformed),
		cmocka_unit_test(
			test_rule_26_stray_host_bits_are_masked_and_counted),
		cmocka_unit_test(test_batches_are_the_same_routes),
		cmocka_unit_test(test_the_first_is_the_first_of_a_walk),
		cmocka_unit_test(test_labels_and_distinguishers),
		cmocka_unit_test(test_rule_16_multiple_labels_up_to_the_bottom),
		cmocka_unit_test(test_rule_25_label_of_a_withdrawal_is_not_key),
		cmocka_unit_test(
			test_rule_25_vpn_key_is_distinguisher_and_prefix),
		cmocka_unit_test(test_evpn_routes),
		cmocka_unit_test(test_evpn_mac_key),
		cmocka_unit_test(test_evpn_ad_key_has_the_segment),
		cmocka_unit_test(
			test_evpn_leave_synch_key_ends_at_the_originator),
		cmocka_unit_test(test_stray_bits_are_not_in_typed_keys),
		cmocka_unit_test(test_other_families),
		cmocka_unit_test(test_add_path_before_every_kind),
		cmocka_unit_test(test_key_says_how_long_it_would_be),
		cmocka_unit_test(test_families_are_found_by_afi_and_safi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
