/*
 * Every row of the table of path attributes is complete, and says what the
 * code that does not read the table says.
 */
#include "check.h"

#include "bmp/attr.h"
#include "bmp/attr_row.h"
#include "bmp/names.h"

#include <string.h>

#define OPT_TRANS (BGP_ATTR_OPTIONAL | BGP_ATTR_TRANSITIVE)

static bool is_word(const char *s)
{
	return s[0] != '\0' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(s);
}

static void check_verdict(unsigned code, const char *member, unsigned verdict)
{
	CHECK(verdict != BGP_ACCEPT && verdict < BGP_VERDICTS,
	      "%u: .%s is no verdict", code, member);
}

static void check_judged(unsigned code, const struct bgp_attr_row *row)
{
	CHECK(row->reference != NULL, "%u: no reference", code);
	CHECK(row->min <= row->max, "%u: lengths", code);
	CHECK((row->flags & OPT_TRANS) == row->flags && row->flags != 0,
	      "%u: flags %x", code, row->flags);
	check_verdict(code, "bad_value", row->bad_value);
	check_verdict(code, "bad_flags", row->bad_flags);
	check_verdict(code, "twice", row->twice);
	CHECK((row->layout != NULL) == (row->member == BGP_MEMBER_NONE),
	      "%u: neither member nor layout, or both", code);
	CHECK((row->spelling == BGP_SPELL_SET) == (row->element != 0),
	      "%u: elements", code);
	/* Elements are whole before they are sorted. */
	CHECK(row->element == 0 || row->min == row->element,
	      "%u: shorter than an element", code);
}

static void test_every_row_is_complete(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 256; code++) {
		const struct bgp_attr_row *row = &bgp_attr_rows[code];

		if (row->decode != NULL)
			check_judged(code, row);
		else
			CHECK(row->layout == NULL && row->max == 0,
			      "%u: .decode is missing", code);
		if (row->name == NULL)
			CHECK(row->decode == NULL && row->layout == NULL &&
				      row->reference == NULL && row->max == 0,
			      "%u: a row without a name", code);
		else
			CHECK(is_word(row->name), "%u: name", code);
		CHECK((row->member != BGP_MEMBER_NONE) ==
			      bgp_attr_has_member((uint8_t)code),
		      "%u: member", code);
	}
}

static void test_names_differ(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 256; i++)
		for (unsigned k = 0; k < i; k++)
			CHECK(bgp_attr_rows[i].name == NULL ||
				      strcmp(bgp_attr_name(i),
					     bgp_attr_name(k)) != 0,
			      "%u and %u", i, k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_is_complete),
		cmocka_unit_test(test_names_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
