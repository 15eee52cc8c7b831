#include "check.h"

#include "collector/ingest/identity_rule.h"

#include <stdio.h>
#include <string.h>

static void test_every_cell_of_the_rule(void **state)
{
	static const struct {
		enum identity_state state;
		enum identity_match match;
		bool contested;
		enum identity_verdict want;
	} cells[] = {
		{ IDENTITY_CLOSED, IDENTITY_UNSAID, false, IDENTITY_WAIT },
		{ IDENTITY_CLOSED, IDENTITY_NOTHING, false, IDENTITY_WAIT },
		{ IDENTITY_CLOSED, IDENTITY_SAME, false, IDENTITY_WAIT },
		{ IDENTITY_CLOSED, IDENTITY_DIFFERENT, false, IDENTITY_WAIT },
		{ IDENTITY_CLOSED, IDENTITY_UNSAID, true, IDENTITY_WAIT },
		{ IDENTITY_CLOSED, IDENTITY_NOTHING, true, IDENTITY_WAIT },
		{ IDENTITY_CLOSED, IDENTITY_SAME, true, IDENTITY_WAIT },
		{ IDENTITY_CLOSED, IDENTITY_DIFFERENT, true, IDENTITY_WAIT },
		{ IDENTITY_ASKED, IDENTITY_UNSAID, false, IDENTITY_ASK },
		{ IDENTITY_ASKED, IDENTITY_NOTHING, false, IDENTITY_ASK },
		{ IDENTITY_ASKED, IDENTITY_SAME, false, IDENTITY_ASK },
		{ IDENTITY_ASKED, IDENTITY_DIFFERENT, false, IDENTITY_ASK },
		{ IDENTITY_ASKED, IDENTITY_UNSAID, true, IDENTITY_ASK },
		{ IDENTITY_ASKED, IDENTITY_NOTHING, true, IDENTITY_ASK },
		{ IDENTITY_ASKED, IDENTITY_SAME, true, IDENTITY_ASK },
		{ IDENTITY_ASKED, IDENTITY_DIFFERENT, true, IDENTITY_ASK },
		{ IDENTITY_DEAD, IDENTITY_UNSAID, false, IDENTITY_TAKE_OVER },
		{ IDENTITY_DEAD, IDENTITY_NOTHING, false, IDENTITY_TAKE_OVER },
		{ IDENTITY_DEAD, IDENTITY_SAME, false, IDENTITY_TAKE_OVER },
		{ IDENTITY_DEAD, IDENTITY_DIFFERENT, false,
		  IDENTITY_TAKE_OVER },
		{ IDENTITY_DEAD, IDENTITY_UNSAID, true, IDENTITY_TAKE_OVER },
		{ IDENTITY_DEAD, IDENTITY_NOTHING, true, IDENTITY_TAKE_OVER },
		{ IDENTITY_DEAD, IDENTITY_SAME, true, IDENTITY_TAKE_OVER },
		{ IDENTITY_DEAD, IDENTITY_DIFFERENT, true, IDENTITY_TAKE_OVER },
		{ IDENTITY_ALIVE, IDENTITY_UNSAID, false, IDENTITY_ASK },
		{ IDENTITY_ALIVE, IDENTITY_NOTHING, false, IDENTITY_REFUSE },
		{ IDENTITY_ALIVE, IDENTITY_SAME, false, IDENTITY_TAKE_OVER },
		{ IDENTITY_ALIVE, IDENTITY_DIFFERENT, false, IDENTITY_REFUSE },
		{ IDENTITY_ALIVE, IDENTITY_UNSAID, true, IDENTITY_ASK },
		{ IDENTITY_ALIVE, IDENTITY_NOTHING, true, IDENTITY_REFUSE },
		{ IDENTITY_ALIVE, IDENTITY_SAME, true, IDENTITY_REFUSE },
		{ IDENTITY_ALIVE, IDENTITY_DIFFERENT, true, IDENTITY_REFUSE },
	};
	bool seen[IDENTITY_STATES][IDENTITY_MATCHES][2] = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cells); i++) {
		CHECK(identity_decide(cells[i].state, cells[i].match,
				      cells[i].contested) == cells[i].want,
		      "cell %zu", i);
		seen[cells[i].state][cells[i].match][cells[i].contested] = true;
	}
	for (int s = 0; s < IDENTITY_STATES; s++)
		for (int m = 0; m < IDENTITY_MATCHES; m++)
			assert_true(seen[s][m][0] && seen[s][m][1]);
}

static struct identity_facts facts(uint8_t address, const char *name,
				   uint32_t bgp_id, uint32_t known_peers)
{
	struct identity_facts f = { .known_peers = known_peers };

	f.address[15] = address;
	snprintf(f.sys_name, sizeof(f.sys_name), "%s", name);
	identity_facts_add_bgp_id(&f, bgp_id);
	return f;
}

static void test_comparing(void **state)
{
	static const struct {
		struct {
			uint8_t address;
			const char *name;
			uint32_t bgp_id;
			uint32_t known_peers;
		} older, newer;
		enum identity_fact key;
		enum identity_match more, done; /* may it say more? */
		enum identity_fact which;
	} cases[] = {
		/* (a): another router dials from the same address. */
		{ { 1, "a", 7, 0 },
		  { 1, "b", 0, 0 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_DIFFERENT,
		  IDENTITY_DIFFERENT,
		  IDENTITY_FACT_SYSNAME },
		{ { 1, "a", 7, 0 },
		  { 1, "a", 8, 0 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_DIFFERENT,
		  IDENTITY_DIFFERENT,
		  IDENTITY_FACT_BGP_ID },
		/* The same again; where there are peers a name is not enough. */
		{ { 1, "a", 7, 0 },
		  { 1, "a", 7, 0 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_SAME,
		  IDENTITY_SAME,
		  IDENTITY_FACT_BGP_ID },
		{ { 1, "a", 7, 0 },
		  { 1, "a", 0, 1 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_SAME,
		  IDENTITY_SAME,
		  IDENTITY_FACT_PEER },
		{ { 1, "a", 7, 0 },
		  { 1, "a", 0, 0 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_UNSAID,
		  IDENTITY_NOTHING,
		  IDENTITY_FACT_SYSNAME },
		{ { 1, "a", 0, 0 },
		  { 1, "a", 0, 0 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_SAME,
		  IDENTITY_SAME,
		  IDENTITY_FACT_SYSNAME },
		/* Nothing to compare. */
		{ { 1, "", 0, 0 },
		  { 1, "", 0, 0 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_UNSAID,
		  IDENTITY_NOTHING,
		  IDENTITY_FACTS },
		{ { 1, "", 7, 0 },
		  { 1, "a", 0, 0 },
		  IDENTITY_FACT_ADDRESS,
		  IDENTITY_UNSAID,
		  IDENTITY_NOTHING,
		  IDENTITY_FACTS },
		/* (b): anybody may say a name. */
		{ { 1, "core1", 7, 0 },
		  { 2, "core1", 7, 1 },
		  IDENTITY_FACT_SYSNAME,
		  IDENTITY_DIFFERENT,
		  IDENTITY_DIFFERENT,
		  IDENTITY_FACT_ADDRESS },
		{ { 1, "core1", 7, 0 },
		  { 1, "core1", 8, 0 },
		  IDENTITY_FACT_SYSNAME,
		  IDENTITY_DIFFERENT,
		  IDENTITY_DIFFERENT,
		  IDENTITY_FACT_BGP_ID },
		{ { 1, "core1", 7, 0 },
		  { 1, "core1", 7, 0 },
		  IDENTITY_FACT_SYSNAME,
		  IDENTITY_SAME,
		  IDENTITY_SAME,
		  IDENTITY_FACT_BGP_ID },
		/* A BGP identifier that is the identity says nothing more. */
		{ { 1, "a", 7, 0 },
		  { 1, "b", 7, 0 },
		  IDENTITY_FACT_BGP_ID,
		  IDENTITY_DIFFERENT,
		  IDENTITY_DIFFERENT,
		  IDENTITY_FACT_SYSNAME },
		{ { 1, "a", 7, 0 },
		  { 1, "", 7, 0 },
		  IDENTITY_FACT_BGP_ID,
		  IDENTITY_UNSAID,
		  IDENTITY_NOTHING,
		  IDENTITY_FACT_ADDRESS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct identity_facts older =
			facts(cases[i].older.address, cases[i].older.name,
			      cases[i].older.bgp_id, 0);
		struct identity_facts newer =
			facts(cases[i].newer.address, cases[i].newer.name,
			      cases[i].newer.bgp_id,
			      cases[i].newer.known_peers);
		enum identity_fact which;

		CHECK(identity_compare(&older, &newer, cases[i].key, true,
				       &which) == cases[i].more,
		      "case %zu, more to come", i);
		CHECK(identity_compare(&older, &newer, cases[i].key, false,
				       &which) == cases[i].done,
		      "case %zu", i);
		CHECK(which == cases[i].which, "case %zu: %s", i,
		      identity_fact_name(which));
	}
}

/* A router has one for each VRF, and its peers come in any order. */
static void test_more_bgp_identifiers_than_are_kept(void **state)
{
	struct identity_facts older = facts(1, "", 1, 0);
	struct identity_facts newer = facts(1, "", 9, 0);
	enum identity_fact which;

	(void)state;
	identity_facts_add_bgp_id(&older, 1);
	assert_int_equal(older.bgp_id_count, 1);
	identity_facts_add_bgp_id(&older, 2);
	identity_facts_add_bgp_id(&older, 3);
	assert_int_equal(identity_compare(&older, &newer, IDENTITY_FACT_ADDRESS,
					  false, &which),
			 IDENTITY_DIFFERENT);
	identity_facts_add_bgp_id(&older, 4);
	identity_facts_add_bgp_id(&older, 5);
	assert_int_equal(older.bgp_id_count, IDENTITY_BGP_IDS);
	assert_int_equal(identity_compare(&older, &newer, IDENTITY_FACT_ADDRESS,
					  false, &which),
			 IDENTITY_NOTHING);
	identity_facts_add_bgp_id(&newer, 3);
	assert_int_equal(identity_compare(&older, &newer, IDENTITY_FACT_ADDRESS,
					  false, &which),
			 IDENTITY_SAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell_of_the_rule),
		cmocka_unit_test(test_comparing),
		cmocka_unit_test(test_more_bgp_identifiers_than_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
