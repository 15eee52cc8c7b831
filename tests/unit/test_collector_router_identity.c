#include "check.h"

#include "collector/base/router_identity.h"
#include "bmp/bgp_writer.h"
#include "bmp/writer.h"
#include "egress/subject.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static const uint8_t nowhere[16];
static uint8_t buf[4096];

static void address(const char *text, uint8_t out[16])
{
	memcpy(out, (const uint8_t[16]){ [10] = 0xff, [11] = 0xff }, 16);
	if (inet_pton(AF_INET, text, out + 12) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, out), 1);
}

static struct rib_identity of_address(const char *text)
{
	struct rib_identity id;
	uint8_t a[16];

	address(text, a);
	identity_from_address(a, &id);
	return id;
}

static struct rib_identity of_name(const char *name)
{
	struct rib_identity id;

	assert_int_equal(identity_from_name(nowhere, name, strlen(name), &id),
			 0);
	return id;
}

/*
 * Made by another program from the description in the header. These values are
 * a promise: a change of them moves every router to another shard.
 */
static void test_the_hash_never_changes(void **state)
{
	const struct {
		struct rib_identity id;
		uint64_t hash;
		uint32_t of_2, of_3, of_64;
	} cases[] = {
		{ of_address("192.0.2.1"), 0xc259bdebd7e7ae12, 1, 2, 48 },
		{ of_address("0.0.0.0"), 0xb536b0de0a7e5185, 1, 2, 45 },
		{ of_address("2001:db8::1"), 0xc28d68e271ef3532, 1, 2, 48 },
		{ of_address("::"), 0x5f39a8aa81fb413b, 0, 1, 23 },
		{ of_name("core1"), 0x6a23785e24fa80fe, 0, 1, 26 },
		{ of_name("192.0.2.1"), 0xe2a544b208d8d099, 1, 2, 56 },
		{ of_name("Z\xc3\xbcrich-1"), 0xa4e1c613f60cd125, 1, 1, 41 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rib_identity *id = &cases[i].id;

		CHECK(identity_hash(id) == cases[i].hash, "hash of case %zu",
		      i);
		CHECK(identity_shard(id, 1) == 0 &&
			      identity_shard(id, 2) == cases[i].of_2 &&
			      identity_shard(id, 3) == cases[i].of_3 &&
			      identity_shard(id, 64) == cases[i].of_64,
		      "shard of case %zu", i);
	}
}

static void test_both_forms_of_an_address_are_one_router(void **state)
{
	struct rib_identity a = of_address("192.0.2.1");
	struct rib_identity b = of_address("::ffff:192.0.2.1");

	(void)state;
	assert_true(rib_identity_equal(&a, &b));
	assert_int_equal(identity_hash(&a), identity_hash(&b));
}

static void test_a_name_is_not_an_address(void **state)
{
	struct rib_identity a = of_address("192.0.2.1");
	struct rib_identity n = of_name("192.0.2.1");
	struct rib_identity m = of_name("192.0.2.1");

	(void)state;
	address("198.51.100.1", m.address);
	assert_false(rib_identity_equal(&a, &n));
	assert_false(rib_identity_equal(&n, &a));
	/* Where a named router comes from does not matter. */
	assert_true(rib_identity_equal(&n, &m));
	assert_int_equal(identity_hash(&n), identity_hash(&m));
}

static void test_shards_get_about_as_many(void **state)
{
	uint32_t counts[7] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 7000; i++) {
		struct rib_identity id = of_address("10.0.0.0");

		wire_put_u32(id.address + 12, 0x0a000000 + i);
		counts[identity_shard(&id, 7)]++;
	}
	for (size_t i = 0; i < COUNT(counts); i++)
		CHECK(counts[i] > 800 && counts[i] < 1200, "shard %zu: %u", i,
		      counts[i]);
}

static void test_tokens_are_as_documented_and_read_back(void **state)
{
	const struct {
		struct rib_identity id;
		const char *token;
	} cases[] = {
		{ of_address("192.0.2.1"), "v4_192_0_2_1" },
		{ of_address("0.0.0.0"), "v4_0_0_0_0" },
		{ of_address("2001:db8::1"), "v6_2001_db8_0_0_0_0_0_1" },
		{ of_address("::"), "v6_0_0_0_0_0_0_0_0" },
		{ of_name("core-1"), "id_core-1" },
		{ of_name("core_1"), "id_core_5f1" },
		{ of_name("core1.example"), "id_core1_2eexample" },
		{ of_name("192.0.2.1"), "id_192_2e0_2e2_2e1" },
		{ of_name("v4_192_0_2_1"), "id_v4_5f192_5f0_5f2_5f1" },
		{ of_name("../etc"), "id__2e_2e_2fetc" },
		{ of_name("a b*>"), "id_a_20b_2a_3e" },
		{ of_name("Z\xc3\xbcrich"), "id_Z_c3_bcrich" },
		{ of_name("CORE"), "id_CORE" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char token[IDENTITY_TOKEN_MAX + 1];
		struct rib_identity again;

		assert_int_equal(identity_token(&cases[i].id, token),
				 strlen(cases[i].token));
		assert_string_equal(token, cases[i].token);
		assert_int_equal(identity_from_token(token, &again), 0);
		CHECK(rib_identity_equal(&again, &cases[i].id), "%s", token);
	}
}

/* Every byte in every place: the token gives the name back, so none collide. */
static void test_no_two_names_share_a_token(void **state)
{
	(void)state;
	for (int a = 0x20; a < 0x7f; a++)
		for (int b = 0x21; b < 0x7f; b++) {
			char name[] = { (char)a, (char)b, '\0' };
			struct rib_identity id = of_name(name);
			char token[IDENTITY_TOKEN_MAX + 1];
			struct rib_identity again;

			identity_token(&id, token);
			assert_int_equal(identity_from_token(token, &again), 0);
			assert_string_equal(again.name, name);
		}
}

static void test_tokens_of_nobody_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"id_",
		"core1",
		"id_a_",
		"id_a_2",
		"id_a_2E", /* hex digits are lower case */
		"id__61",  /* an "a" needs no escape */
		"id_a.b",  /* a dot does */
		"id_a/b",
		"id_\xff",
		"id__00",
		"v4_192_0_2",
		"v4_192_0_2_256",
		"v4_192_0_2_01",
		"v6_2001_db8_0_0_0_0_0",
		"v6_2001_DB8_0_0_0_0_0_1",
		"v6_2001_db8__1",
		"v6_0_0_0_0_0_ffff_c000_201", /* IPv4 has its own form */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct rib_identity id;

		CHECK(identity_from_token(bad[i], &id) == -EINVAL, "%s",
		      bad[i]);
	}
}

static void test_names_that_cannot_be_are_refused(void **state)
{
	char name[RIB_NAME_MAX + 2];
	struct rib_identity id = { .name = "before" };

	(void)state;
	assert_int_equal(identity_from_name(nowhere, "", 0, &id), -EINVAL);
	assert_int_equal(identity_from_name(nowhere, " \0", 2, &id), -EINVAL);
	assert_int_equal(identity_from_name(nowhere, "a\nb", 3, &id), -EINVAL);
	assert_int_equal(identity_from_name(nowhere, "a\0b", 3, &id), -EINVAL);
	assert_int_equal(identity_from_name(nowhere, "a\xff", 2, &id), -EINVAL);
	memset(name, 'a', sizeof(name));
	assert_int_equal(identity_from_name(nowhere, name, RIB_NAME_MAX + 1,
					    &id),
			 -ENAMETOOLONG);
	/* 64 bytes, but 192 and three more as a token. */
	memset(name, '.', sizeof(name));
	assert_int_equal(identity_from_name(nowhere, name, 64, &id),
			 -ENAMETOOLONG);
	assert_string_equal(id.name, "before");
	assert_int_equal(identity_from_name(nowhere, name, 63, &id), 0);
	assert_int_equal(identity_from_name(nowhere, "core1 \0", 7, &id), 0);
	assert_string_equal(id.name, "core1");
}

static void test_the_longest_token_fits_a_subject(void **state)
{
	char name[RIB_NAME_MAX];
	char prefix[SUBJECT_PREFIX_MAX];
	char token[IDENTITY_TOKEN_MAX + 1];
	char subject[SUBJECT_MAX];
	struct rib_identity id;

	(void)state;
	memset(name, '.', sizeof(name));
	memset(prefix, 'p', sizeof(prefix));
	prefix[sizeof(prefix) - 1] = '\0';
	assert_int_equal(identity_from_name(nowhere, name, 63, &id), 0);
	assert_int_equal(identity_token(&id, token), IDENTITY_TOKEN_MAX);
	assert_true(subject_update(prefix, token, UINT32_MAX, UINT16_MAX,
				   UINT8_MAX, subject) > 0);
}

static struct bmp_message decoded(const struct bmp_writer *w)
{
	struct wire_view in = { w->p, w->len };
	struct bmp_frame frame;
	struct bmp_message msg;
	size_t need;

	assert_false(w->full);
	assert_int_equal(bmp_frame_next(in, BMP_MAX_FRAME_DEFAULT, &frame,
					&need),
			 BMP_FRAME_WHOLE);
	assert_true(bmp_status_usable(
		bmp_message_decode(&frame, BMP_V4_OFF, &msg)));
	return msg;
}

static struct bmp_message an_initiation(const char *sys_name)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));

	bmp_write_initiation(&w, "a router", sys_name);
	return decoded(&w);
}

static struct bmp_message a_peer_up(uint8_t type, uint64_t distinguisher)
{
	struct bmp_writer w = bmp_writer_on(buf, sizeof(buf));
	static uint8_t open_bytes[128];
	struct bmp_writer o = bmp_writer_on(open_bytes, sizeof(open_bytes));
	struct bmp_peer peer = { .type = type,
				 .distinguisher = distinguisher,
				 .bgp_id = 0x01010101,
				 .as = 64500 };
	struct bgp_open open = { .version = 4,
				 .my_as = 64500,
				 .bgp_id = 0xc0000207 };
	struct bmp_peer_up_parts up = { 0 };

	bgp_write_open(&o, &open);
	up.sent_open = (struct wire_view){ o.p, o.len };
	up.received_open = (struct wire_view){ o.p, o.len };
	bmp_write_peer_up(&w, &peer, &up);
	return decoded(&w);
}

static void test_the_sysname_is_in_the_initiation(void **state)
{
	struct bmp_message with = an_initiation("core1.example");
	struct rib_identity id;

	(void)state;
	assert_int_equal(identity_from_message(IDENTITY_SYSNAME, nowhere, &with,
					       &id),
			 1);
	assert_string_equal(id.name, "core1.example");
	with = an_initiation(NULL);
	assert_int_equal(identity_from_message(IDENTITY_SYSNAME, nowhere, &with,
					       &id),
			 0);
	with = an_initiation("bad\x01");
	assert_int_equal(identity_from_message(IDENTITY_SYSNAME, nowhere, &with,
					       &id),
			 -EINVAL);
	with = a_peer_up(BMP_PEER_GLOBAL, 0);
	assert_int_equal(identity_from_message(IDENTITY_SYSNAME, nowhere, &with,
					       &id),
			 0);
}

static void test_the_bgp_id_is_the_router_s_own(void **state)
{
	static const struct {
		uint8_t type;
		uint64_t distinguisher;
		const char *name;
	} cases[] = {
		{ BMP_PEER_GLOBAL, 0, "192.0.2.7" }, /* of the OPEN it sent */
		{ BMP_PEER_LOC_RIB, 0, "1.1.1.1" },  /* of the header */
		{ BMP_PEER_LOC_RIB, 9, NULL },	     /* of another instance */
		{ BMP_PEER_RD, 9, NULL },
	};
	struct bmp_message msg;
	struct rib_identity id;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int got;

		msg = a_peer_up(cases[i].type, cases[i].distinguisher);
		got = identity_from_message(IDENTITY_BGP_ID, nowhere, &msg,
					    &id);
		CHECK(got == (cases[i].name != NULL), "case %zu: %d", i, got);
		if (got == 1)
			assert_string_equal(id.name, cases[i].name);
	}
	msg = an_initiation("core1");
	assert_int_equal(identity_from_message(IDENTITY_BGP_ID, nowhere, &msg,
					       &id),
			 0);
}

static void test_the_address_needs_no_message(void **state)
{
	struct bmp_message msg = an_initiation("core1");
	struct rib_identity id;
	uint8_t from[16];
	char text[64];

	(void)state;
	address("2001:db8::7", from);
	assert_int_equal(identity_from_message(IDENTITY_ADDRESS, from, &msg,
					       &id),
			 1);
	assert_false(rib_identity_named(&id));
	identity_text(&id, text, sizeof(text));
	assert_string_equal(text, "2001:db8::7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_hash_never_changes),
		cmocka_unit_test(test_both_forms_of_an_address_are_one_router),
		cmocka_unit_test(test_a_name_is_not_an_address),
		cmocka_unit_test(test_shards_get_about_as_many),
		cmocka_unit_test(test_tokens_are_as_documented_and_read_back),
		cmocka_unit_test(test_no_two_names_share_a_token),
		cmocka_unit_test(test_tokens_of_nobody_are_refused),
		cmocka_unit_test(test_names_that_cannot_be_are_refused),
		cmocka_unit_test(test_the_longest_token_fits_a_subject),
		cmocka_unit_test(test_the_sysname_is_in_the_initiation),
		cmocka_unit_test(test_the_bgp_id_is_the_router_s_own),
		cmocka_unit_test(test_the_address_needs_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
