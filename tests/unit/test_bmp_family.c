/*
 * Every family can be found and has a name, every kind of NLRI has all its
 * operations, and none of them breaks at NLRI that are empty, cut or random.
 */
#include "check.h"

#include "bmp/bgp_writer.h"
#include "bmp/names.h"
#include "bmp/nlri_key.h"
#include "bmp/nlri_ops.h"
#include "bmp/nlri_text.h"

#include <string.h>

static bool is_word(const char *s)
{
	return s[0] != '\0' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(s);
}

static void test_every_family_is_found_and_named(void **state)
{
	(void)state;
	for (enum bgp_family f = BGP_FAMILY_UNKNOWN + 1; f < BGP_FAMILIES;
	     f++) {
		const struct bgp_family_info *info = bgp_family_info(f);

		CHECK(info->name != NULL && is_word(info->name), "%u: name", f);
		CHECK(bgp_family_find(info->afi, info->safi) == f,
		      "%s is not found", info->name);
		CHECK(info->kind != BGP_NLRI_RAW, "%s is raw", info->name);
		CHECK(info->kind != BGP_NLRI_PREFIX || info->addr_bits == 32 ||
			      info->addr_bits == 128,
		      "%s: prefixes of no length", info->name);
		for (enum bgp_family other = 0; info->name != NULL && other < f;
		     other++)
			CHECK(strcmp(info->name,
				     bgp_family_info(other)->name) != 0,
			      "two are %s", info->name);
	}
}

static void test_others_are_unknown(void **state)
{
	unsigned known = 0;

	(void)state;
	for (unsigned afi = 0; afi < 65536; afi++)
		for (unsigned safi = 0; safi < 256; safi++)
			known +=
				bgp_family_find((uint16_t)afi, (uint8_t)safi) !=
				BGP_FAMILY_UNKNOWN;
	assert_int_equal(known, BGP_FAMILIES - 1);
	assert_string_equal(bgp_family_info(BGP_FAMILY_UNKNOWN)->name,
			    "unknown");
}

/* The first operation that is missing, or NULL. */
static const char *missing_operation(const struct bgp_nlri_ops *ops)
{
	return ops->read == NULL    ? "read"
	       : ops->key == NULL   ? "key"
	       : ops->value == NULL ? "value"
	       : ops->text == NULL  ? "text"
	       : ops->write == NULL ? "write"
	       : ops->text == bgp_nlri_text_typed && ops->layouts == NULL
		       ? "layouts"
		       : NULL;
}

static void test_every_kind_has_all_operations(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < BGP_NLRI_KINDS; kind++) {
		const struct bgp_nlri_ops *ops = bgp_nlri_ops[kind];
		const char *missing = missing_operation(ops);

		CHECK(ops->name != NULL && is_word(ops->name), "%u: name",
		      kind);
		CHECK(missing == NULL, "%s: .%s is missing", ops->name,
		      missing);
	}
}

/* All that is done with one NLRI. */
static void use_nlri(const struct bgp_nlri *n)
{
	uint8_t bytes[512];
	char text[512];
	struct bmp_writer w = bmp_writer_on(bytes, sizeof(bytes));

	CHECK(bgp_nlri_key(n, bytes, sizeof(bytes)) <=
			      n->wire.len + BGP_NLRI_KEY_SLACK ||
		      n->kind == BGP_NLRI_PREFIX,
	      "%s: a long key", bgp_family_info(n->family)->name);
	(void)bgp_nlri_value(n, bytes, sizeof(bytes));
	assert_int_not_equal(bgp_nlri_text(n, text, sizeof(text)), 0);
	bgp_write_nlri(&w, n);
}

static void test_every_family_takes_any_bytes(void **state)
{
	uint8_t field[96];
	uint32_t seed = 1;

	(void)state;
	for (int f = 0; f < BGP_FAMILIES; f++) {
		struct bgp_nlri_format format = {
			.afi = bgp_family_info(f)->afi,
			.safi = bgp_family_info(f)->safi,
			.family = (uint8_t)f,
		};

		/* test_every_kind_has_all_operations() has said which. */
		if (missing_operation(bgp_nlri_ops[bgp_family_info(f)->kind]))
			continue;
		for (int round = 0; round < 2000; round++) {
			size_t len = (size_t)round % (sizeof(field) + 1);
			struct bgp_nlri_iter it;

			for (size_t i = 0; i < len; i++) {
				seed = seed * 1664525 + 1013904223;
				/* Small numbers are types and lengths. */
				field[i] = (uint8_t)(seed >> 28 & 3
							     ? seed >> 24 & 31
							     : seed >> 16);
			}
			bgp_nlri_start(&it, (struct wire_view){ field, len },
				       &format);
			while (bgp_nlri_next(&it))
				use_nlri(&it.nlri);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_family_is_found_and_named),
		cmocka_unit_test(test_others_are_unknown),
		cmocka_unit_test(test_every_kind_has_all_operations),
		cmocka_unit_test(test_every_family_takes_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
