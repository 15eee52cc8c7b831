#include "check.h"

#include "collector/ingest/limits.h"

#include <spargio/time.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static void numbered(uint32_t n, uint8_t out[16])
{
	memset(out, 0, 16);
	memcpy(out, &n, sizeof(n));
}

static struct limits *limits(uint32_t sessions, uint32_t per_address)
{
	struct limits *l = NULL;

	assert_int_equal(limits_new(sessions, per_address, 42, &l), 0);
	return l;
}

static void test_all_together_have_a_limit(void **state)
{
	struct limits *l = limits(3, 2);
	uint8_t a[16], b[16], c[16];

	(void)state;
	numbered(1, a);
	numbered(2, b);
	numbered(3, c);
	assert_int_equal(limits_admit(l, a), LIMITS_ADMIT);
	assert_int_equal(limits_admit(l, a), LIMITS_ADMIT);
	assert_int_equal(limits_admit(l, a), LIMITS_ADDRESS_FULL);
	assert_int_equal(limits_admit(l, b), LIMITS_ADMIT);
	assert_int_equal(limits_admit(l, c), LIMITS_ALL_FULL);
	assert_int_equal(limits_sessions(l), 3);
	assert_int_equal(limits_sessions_of(l, a), 2);
	assert_int_equal(limits_sessions_of(l, c), 0);
	limits_leave(l, a);
	assert_int_equal(limits_admit(l, c), LIMITS_ADMIT);
	assert_int_equal(limits_sessions_of(l, a), 1);
	limits_free(l);
}

static void test_a_reload_keeps_who_is_in(void **state)
{
	struct limits *l = limits(100, 100);
	uint8_t a[16], other[16];

	(void)state;
	numbered(7, a);
	numbered(8, other);
	for (int i = 0; i < 40; i++)
		assert_int_equal(limits_admit(l, a), LIMITS_ADMIT);
	assert_int_equal(limits_set(l, 10, 5), 0);
	assert_int_equal(limits_sessions_of(l, a), 40);
	assert_int_equal(limits_admit(l, other), LIMITS_ALL_FULL);
	for (int i = 0; i < 31; i++)
		limits_leave(l, a);
	assert_int_equal(limits_admit(l, a), LIMITS_ADDRESS_FULL);
	assert_int_equal(limits_admit(l, other), LIMITS_ADMIT);
	assert_int_equal(limits_set(l, 5000, 5000), 0);
	assert_int_equal(limits_sessions(l), 10);
	assert_int_equal(limits_sessions_of(l, other), 1);
	limits_free(l);
}

/* Against an array: what a table with gaps closed may get wrong. */
static void test_counts_are_those_of_a_plain_array(void **state)
{
	enum {
		ADDRESSES = 300,
		MAX = 250,
		EACH = 3
	};
	uint32_t model[ADDRESSES] = { 0 };
	struct limits *l = limits(MAX, EACH);
	unsigned int seed = 20261116;
	uint32_t in = 0;

	(void)state;
	print_message("# seed %u\n", seed);
	for (int step = 0; step < 200000; step++) {
		uint32_t who = (uint32_t)rand_r(&seed) % ADDRESSES;
		uint8_t a[16];

		numbered(who * 0x01000193u, a);
		if (rand_r(&seed) % 2 == 0) {
			enum limits_verdict want = in == MAX ? LIMITS_ALL_FULL
						   : model[who] == EACH
							   ? LIMITS_ADDRESS_FULL
							   : LIMITS_ADMIT;

			CHECK(limits_admit(l, a) == want, "step %d", step);
			if (want == LIMITS_ADMIT) {
				model[who]++;
				in++;
			}
		} else if (model[who] > 0) {
			limits_leave(l, a);
			model[who]--;
			in--;
		}
		CHECK(limits_sessions_of(l, a) == model[who], "step %d", step);
		CHECK(limits_sessions(l) == in, "step %d", step);
	}
	limits_free(l);
}

struct crowd {
	struct limits *l;
	atomic_uint in;
	atomic_uint most;
};

static void *come_and_go(void *arg)
{
	struct crowd *c = arg;
	uint8_t a[16];

	numbered(5, a);
	for (int i = 0; i < FEWER_IF_SANITIZED(100000); i++) {
		unsigned int now, most;

		if (limits_admit(c->l, a) != LIMITS_ADMIT)
			continue;
		now = atomic_fetch_add(&c->in, 1) + 1;
		most = atomic_load(&c->most);
		while (now > most &&
		       !atomic_compare_exchange_weak(&c->most, &most, now))
			;
		atomic_fetch_sub(&c->in, 1);
		limits_leave(c->l, a);
	}
	return NULL;
}

static void test_threads_never_pass_the_limit(void **state)
{
	struct crowd c = { .l = limits(2, 2) };
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < COUNT(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go,
						&c),
				 0);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	assert_true(atomic_load(&c.most) >= 1);
	assert_true(atomic_load(&c.most) <= 2);
	assert_int_equal(limits_sessions(c.l), 0);
	limits_free(c.l);
}

static void test_deadlines(void **state)
{
	static const struct {
		struct limits_times times;
		int64_t opened, last, want;
	} cases[] = {
		{ { 60, SP_NEVER }, 1000, 0, 1060 },
		{ { 60, SP_NEVER }, 1000, 1030, SP_NEVER },
		{ { 60, 500 }, 1000, 1030, 1530 },
		{ { SP_NEVER, 500 }, 1000, 0, SP_NEVER },
		{ { SP_NEVER - 1, 500 }, 1000, 0, SP_NEVER },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK(limits_deadline(&cases[i].times, cases[i].opened,
				      cases[i].last) == cases[i].want,
		      "case %zu", i);
}

static void test_verdicts_have_names(void **state)
{
	(void)state;
	assert_string_equal(limits_verdict_name(LIMITS_ADDRESS_FULL),
			    "max-sessions-per-ip");
	for (int v = 0; v < LIMITS_VERDICTS; v++)
		assert_non_null(limits_verdict_name(v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_together_have_a_limit),
		cmocka_unit_test(test_a_reload_keeps_who_is_in),
		cmocka_unit_test(test_counts_are_those_of_a_plain_array),
		cmocka_unit_test(test_threads_never_pass_the_limit),
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_verdicts_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
