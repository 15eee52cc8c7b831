/* Every state of a table with every event: what follows, cell by cell. */
#include "rib/table_fsm.h"

#include "check.h"

#define I RIB_TABLE_IDLE
#define Y RIB_TABLE_SYNCING
#define P RIB_TABLE_SWEEPING

static void test_every_phase(void **state)
{
	/* clang-format off */
	static const uint8_t want[RIB_TABLE_PHASES][RIB_TABLE_EVENTS] = {
		/* dump     dump   dump  swept  with-  unread- drop- */
		/* started  ended  cut          drawn  able    ped */
		{ Y,        I,     I,    I,     I,     I,      I }, /* IDLE */
		{ Y,        P,     I,    Y,     I,     Y,      Y }, /* SYNCING */
		{ Y,        P,     P,    I,     I,     P,      P }, /* SWEEPING */
	};
	/* clang-format on */

	(void)state;
	for (int p = 0; p < RIB_TABLE_PHASES; p++)
		for (int e = 0; e < RIB_TABLE_EVENTS; e++)
			assert_int_equal(rib_table_step(p, e), want[p][e]);
}

#define W RIB_TABLE_WHOLE
#define S RIB_TABLE_SUSPECT
#define U RIB_TABLE_UNKNOWN
#define B RIB_TABLE_SUSPECT_UNKNOWN

static void test_every_quality(void **state)
{
	/* clang-format off */
	static const uint8_t want[RIB_TABLE_QUALITIES][RIB_TABLE_EVENTS] = {
		/* dump     dump   dump  swept  with-  unread- drop- */
		/* started  ended  cut          drawn  able    ped */
		{ W,        W,     W,    W,     W,     S,      U }, /* WHOLE */
		{ W,        S,     S,    S,     S,     S,      B }, /* SUSPECT */
		{ W,        U,     U,    U,     U,     B,      U }, /* UNKNOWN */
		{ W,        B,     B,    B,     B,     B,      B }, /* both */
	};
	/* clang-format on */

	(void)state;
	for (int q = 0; q < RIB_TABLE_QUALITIES; q++)
		for (int e = 0; e < RIB_TABLE_EVENTS; e++)
			assert_int_equal(rib_table_quality_step(q, e),
					 want[q][e]);
}

#define N RIB_FORM_UNKNOWN
#define D RIB_FORM_DOUBTED
#define G RIB_FORM_GIVEN
#define C RIB_FORM_CONFIRMED

static void test_every_form(void **state)
{
	/* clang-format off */
	static const uint8_t want[RIB_FORMS][RIB_FORM_EVENTS] = {
		/* dump     given  con-    contra-  out- */
		/* started         firmed  dicted   weighed */
		{ N,        G,     C,      C,       C }, /* UNKNOWN */
		{ N,        C,     C,      D,       C }, /* DOUBTED */
		{ N,        G,     C,      C,       C }, /* GIVEN */
		{ N,        C,     C,      D,       C }, /* CONFIRMED */
	};
	/* clang-format on */

	(void)state;
	for (int f = 0; f < RIB_FORMS; f++) {
		for (int e = 0; e < RIB_FORM_EVENTS; e++)
			assert_int_equal(rib_table_form_step(f, e), want[f][e]);
		assert_int_equal(rib_table_form_examined((uint8_t)f),
				 f == N || f == D);
	}
}

static void test_a_quality_can_be_both(void **state)
{
	(void)state;
	for (int q = 0; q < RIB_TABLE_QUALITIES; q++) {
		assert_int_equal(rib_table_quality_suspect((uint8_t)q),
				 q == S || q == B);
		assert_int_equal(rib_table_quality_unknown((uint8_t)q),
				 q == U || q == B);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_phase),
		cmocka_unit_test(test_every_quality),
		cmocka_unit_test(test_every_form),
		cmocka_unit_test(test_a_quality_can_be_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
