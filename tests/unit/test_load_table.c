/*
 * What a table is made of: prefixes that are distinct and lie where prefixes
 * may lie, attribute sets that are distinct and sound, in the shares asked for.
 */
#include "check.h"

#include "bmp/decode_context.h"
#include "bmp/update.h"
#include "load/shape.h"
#include "load/table.h"

#include <errno.h>
#include <string.h>

static struct load_prefixes make_prefixes(enum bgp_family family, uint32_t n)
{
	struct load_random random = load_random_fork(7, n);
	struct load_prefixes prefixes;

	assert_int_equal(load_prefixes_init(&prefixes, family, n, &random), 0);
	assert_int_equal(prefixes.count, n);
	return prefixes;
}

static struct bgp_nlri_iter walk(const struct load_prefixes *prefixes,
				 enum bgp_family family, uint32_t i)
{
	const struct bgp_family_info *info = bgp_family_info(family);
	struct bgp_nlri_format how = {
		.afi = info->afi,
		.safi = info->safi,
		.family = (uint8_t)family,
	};
	struct bgp_nlri_iter it;

	bgp_nlri_start(&it,
		       (struct wire_view){
			       (const uint8_t *)&prefixes->nlri[i],
			       load_prefix_size(&prefixes->nlri[i]) },
		       &how);
	CHECK(bgp_nlri_next(&it), "prefix %u cannot be read", i);
	CHECK(it.host_bits == 0, "prefix %u has stray bits", i);
	return it;
}

static void test_prefixes_are_distinct_and_ascend(void **state)
{
	static const uint32_t counts[] = { 1, 2, 17, 1000, 200000 };

	(void)state;
	for (size_t c = 0; c < 2 * COUNT(counts); c++) {
		enum bgp_family family =
			c % 2 ? BGP_IPV6_UNICAST : BGP_IPV4_UNICAST;
		struct load_prefixes prefixes =
			make_prefixes(family, counts[c / 2]);
		struct bgp_nlri_iter last, it;

		for (uint32_t i = 0; i < prefixes.count; i++, last = it) {
			int order;

			it = walk(&prefixes, family, i);
			if (i == 0)
				continue;
			order = memcmp(last.nlri.address, it.nlri.address, 16);
			CHECK(order < 0 || (order == 0 &&
					    last.nlri.prefix_len <
						    it.nlri.prefix_len),
			      "prefix %u of %u does not ascend", i,
			      prefixes.count);
		}
		load_prefixes_fini(&prefixes);
	}
}

static void test_prefixes_are_in_unicast_space(void **state)
{
	struct load_prefixes v4 = make_prefixes(BGP_IPV4_UNICAST, 100000);
	struct load_prefixes v6 = make_prefixes(BGP_IPV6_UNICAST, 100000);

	(void)state;
	for (uint32_t i = 0; i < v4.count; i++) {
		struct bgp_nlri_iter it = walk(&v4, BGP_IPV4_UNICAST, i);
		uint8_t octet = it.nlri.address[12];

		CHECK(octet > 0 && octet < 224 && octet != 10 && octet != 127,
		      "an IPv4 prefix begins with %u", octet);
		it = walk(&v6, BGP_IPV6_UNICAST, i);
		CHECK(it.nlri.address[0] >> 5 == 1,
		      "an IPv6 prefix begins with %02x", it.nlri.address[0]);
	}
	load_prefixes_fini(&v4);
	load_prefixes_fini(&v6);
}

static void test_prefix_lengths_have_their_shares(void **state)
{
	struct load_prefixes prefixes =
		make_prefixes(BGP_IPV4_UNICAST, 1000000);
	uint32_t counts[33] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < prefixes.count; i++)
		counts[*(const uint8_t *)&prefixes.nlri[i]]++;
	/* Of June 2026, to one in a thousand. */
	assert_in_range(counts[24], 633660, 635660);
	assert_in_range(counts[22], 103700, 105700);
	assert_in_range(counts[16], 11240, 13240);
	load_prefixes_fini(&prefixes);
}

static void test_more_prefixes_than_addresses_are_refused(void **state)
{
	struct load_random random = { 0 };
	struct load_prefixes prefixes;

	(void)state;
	assert_int_equal(load_prefixes_init(&prefixes, BGP_IPV4_UNICAST,
					    40000000, &random),
			 -ERANGE);
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (n-- > 0)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return h;
}

static void test_sets_are_distinct_and_sound(void **state)
{
	/* More than there are origins: some share one. */
	uint32_t n = 150000;
	uint64_t *hashes = calloc(n, sizeof(*hashes));
	struct load_random random = load_random_fork(3, 0);
	struct bgp_decode_opts opts = { .as_width = 4 };
	struct bgp_attrs attrs;
	struct load_sets sets;

	(void)state;
	assert_int_equal(load_sets_init(&sets, BGP_IPV4_UNICAST, n, &random),
			 0);
	assert_int_equal(sets.count, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct load_set *set = &sets.list[i];
		struct wire_view block = { sets.bytes + set->at, set->len };

		CHECK(bgp_attrs_decode(block, &opts, &attrs) == BGP_ACCEPT,
		      "set %u has a fault", i);
		CHECK(attrs.next_hop == block.p + set->next_hop_at,
		      "set %u: the next hop is elsewhere", i);
		CHECK(attrs.as_path.path.p + 2 == block.p + LOAD_SET_AS_AT,
		      "set %u: the first AS is elsewhere", i);
		CHECK(set->len <= LOAD_SET_MAX, "set %u is too long", i);
		hashes[i] = hash_bytes(block.p, block.len);
	}
	qsort(hashes, n, sizeof(*hashes), compare_hashes);
	for (uint32_t i = 1; i < n; i++)
		CHECK(hashes[i - 1] != hashes[i], "two sets are equal");
	load_sets_fini(&sets);
	free(hashes);
}

static void test_shares_of_sets_follow_the_tables(void **state)
{
	struct load_random random = load_random_fork(3, 1);
	uint32_t meds = 0, n = 100000;

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		meds += load_shape_draw(LOAD_MED, &random);
	assert_in_range(meds, 41000, 43000);
}

static void test_each_set_is_used(void **state)
{
	struct load_plan plan = LOAD_PLAN_INIT;
	struct load_table *table;

	(void)state;
	plan.prefixes = 50000;
	plan.per_update = 1;
	assert_int_equal(load_table_new(&plan, &table), 0);
	for (int h = 0; h < LOAD_HALVES; h++) {
		const struct load_half *half = &table->halves[h];
		uint32_t *uses = calloc(half->table_sets, sizeof(*uses));
		uint32_t most = 0;

		assert_int_equal(half->table_sets,
				 (half->prefixes.count * 18 + 50) / 100);
		for (uint32_t b = 0; b < half->blocks; b++)
			uses[half->set_of[b]]++;
		for (uint32_t s = 0; s < half->table_sets; s++) {
			CHECK(uses[s] > 0, "set %u is not used", s);
			if (uses[s] > most)
				most = uses[s];
		}
		/* A few have many; evenly it would be six each. */
		CHECK(most > 50, "the most used set has %u routes", most);
		free(uses);
	}
	load_table_free(table);
}

static void test_a_plan_that_cannot_be_is_named(void **state)
{
	struct load_plan good = LOAD_PLAN_INIT;
	struct load_plan bad[7];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = good;
	bad[0].routers = 0;
	bad[1].peers = 1u << 25;
	bad[2].per_update = LOAD_PER_UPDATE_MAX + 1;
	bad[3].v6_share = LOAD_MILLION + 1;
	bad[4].churn = 1;
	bad[4].prefixes = 0;
	bad[5].churn = 1;
	bad[5].changes = bad[5].duplicates = bad[5].withdraws = 0;
	bad[6].churn = LOAD_NO_END;
	bad[6].flaps = 1;
	assert_null(load_plan_fault(&good));
	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK(load_plan_fault(&bad[i]) != NULL, "plan %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes_are_distinct_and_ascend),
		cmocka_unit_test(test_prefixes_are_in_unicast_space),
		cmocka_unit_test(test_prefix_lengths_have_their_shares),
		cmocka_unit_test(test_more_prefixes_than_addresses_are_refused),
		cmocka_unit_test(test_sets_are_distinct_and_sound),
		cmocka_unit_test(test_shares_of_sets_follow_the_tables),
		cmocka_unit_test(test_each_set_is_used),
		cmocka_unit_test(test_a_plan_that_cannot_be_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
