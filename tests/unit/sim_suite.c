/*
 * A suite of the runtime on the simulation, over many seeds: SUITE is its file.
 *
 *	SIM_SEEDS=1000	seeds, from 1 on; default 20
 *	SIM_FIRST=7	the first seed
 *	SIM_LEFT_OUT	names of cases, separated by blanks, that need threads or
 *			descriptors of the kernel
 *	SIM_HEAVY	names of cases that run with one seed in a hundred
 *	SIM_ONLY	the name of the only case
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_suite(const struct CMUnitTest *tests, size_t count);

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown) \
	run_suite(tests, COUNT(tests))

#include SUITE /* NOLINT(bugprone-suspicious-include): it is a suite */

static const struct CMUnitTest *suite;
static size_t suite_size;
static long seed_now;
static const char *case_now;

static long number_of(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text == NULL ? otherwise : strtol(text, NULL, 10);
}

/* True if the variable has @name among its words. */
static bool is_listed(const char *variable, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = getenv(variable); at != NULL && *at != '\0';
	     at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == len && strncmp(at, name, len) == 0)
			return true;
	return false;
}

static bool is_left_out(const char *name)
{
	if (getenv("SIM_ONLY") != NULL)
		return !is_listed("SIM_ONLY", name);
	return is_listed("SIM_LEFT_OUT", name) ||
	       (seed_now % 100 != 1 && is_listed("SIM_HEAVY", name));
}

static void run_case(const struct CMUnitTest *test)
{
	void *state = test->initial_state;

	case_now = test->name;
	if (test->setup_func != NULL)
		assert_int_equal(test->setup_func(&state), 0);
	test->test_func(&state);
	if (test->teardown_func != NULL)
		assert_int_equal(test->teardown_func(&state), 0);
}

static void test_suite_on_the_simulation(void **state)
{
	long first = number_of("SIM_FIRST", 1);
	long seeds = number_of("SIM_SEEDS", 20);
	char text[32];

	(void)state;
	for (seed_now = first; seed_now < first + seeds; seed_now++) {
		snprintf(text, sizeof(text), "%ld", seed_now);
		setenv("SP_SIM_SEED", text, 1);
		for (size_t i = 0; i < suite_size; i++)
			if (!is_left_out(suite[i].name))
				run_case(&suite[i]);
	}
	case_now = NULL;
}

/* Whoever fails, also by abort() in a fiber: say where it was. */
static void say_where(void)
{
	if (case_now != NULL)
		fprintf(stderr, "SIM_FIRST=%ld SIM_SEEDS=1 SIM_ONLY=%s\n",
			seed_now, case_now);
}

static int run_suite(const struct CMUnitTest *tests, size_t count)
{
	const struct CMUnitTest whole[] = {
		cmocka_unit_test(test_suite_on_the_simulation),
	};
	int failed;

	suite = tests;
	suite_size = count;
	setenv("SP_BACKEND", "sim", 1);
	atexit(say_where);
	failed = _cmocka_run_group_tests("simulation", whole, COUNT(whole),
					 NULL, NULL);
	return failed;
}
