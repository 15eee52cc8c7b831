#include "check.h"

#include "bmp/bytes.h"
#include "collector/ingest/limits.h"

#include <spargio/time.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void numbered(uint32_t n, uint8_t out[16])
{
	static const uint8_t nothing[4];

	wire_put_mapped(out, nothing);
	memcpy(out + 12, &n, sizeof(n));
}

static struct limits *limits(uint32_t sessions, uint32_t per_address)
{
	struct limits_max max = { sessions, per_address, 0 };
	struct limits *l = NULL;

	assert_int_equal(limits_new(&max, 42, &l), 0);
	return l;
}

static int set(struct limits *l, uint32_t sessions, uint32_t per_address)
{
	struct limits_max max = { sessions, per_address, 0 };

	return limits_set(l, &max);
}

/* Sessions that are kept: nobody is evicted for others. */
static enum limits_verdict admit(struct limits *l, const uint8_t address[16],
				 struct limits_place *place)
{
	enum limits_verdict verdict =
		limits_admit(l, address, false, -1, place);

	if (verdict == LIMITS_ADMIT)
		limits_keep(l, place);
	return verdict;
}

static void test_all_together_have_a_limit(void **state)
{
	struct limits *l = limits(3, 2);
	struct limits_place p[4];
	uint8_t a[16], b[16], c[16];

	(void)state;
	numbered(1, a);
	numbered(2, b);
	numbered(3, c);
	assert_int_equal(admit(l, a, &p[0]), LIMITS_ADMIT);
	assert_int_equal(admit(l, a, &p[1]), LIMITS_ADMIT);
	assert_int_equal(admit(l, a, &p[2]), LIMITS_ADDRESS_FULL);
	assert_int_equal(admit(l, b, &p[2]), LIMITS_ADMIT);
	assert_int_equal(admit(l, c, &p[3]), LIMITS_ALL_FULL);
	assert_int_equal(limits_sessions(l), 3);
	assert_int_equal(limits_sessions_of(l, a), 2);
	assert_int_equal(limits_sessions_of(l, c), 0);
	limits_leave(l, &p[0]);
	limits_leave(l, &p[0]); /* no second time */
	assert_int_equal(admit(l, c, &p[3]), LIMITS_ADMIT);
	assert_int_equal(limits_sessions_of(l, a), 1);
	limits_free(l);
}

static void test_a_reload_keeps_who_is_in(void **state)
{
	struct limits *l = limits(100, 100);
	struct limits_place p[41], others;
	uint8_t a[16], other[16];

	(void)state;
	numbered(7, a);
	numbered(8, other);
	for (int i = 0; i < 40; i++)
		assert_int_equal(admit(l, a, &p[i]), LIMITS_ADMIT);
	assert_int_equal(set(l, 10, 5), 0);
	assert_int_equal(limits_sessions_of(l, a), 40);
	assert_int_equal(admit(l, other, &others), LIMITS_ALL_FULL);
	for (int i = 0; i < 32; i++)
		limits_leave(l, &p[i]);
	assert_int_equal(admit(l, a, &p[40]), LIMITS_ADDRESS_FULL);
	assert_int_equal(admit(l, other, &others), LIMITS_ADMIT);
	assert_int_equal(set(l, 5000, 5000), 0);
	assert_int_equal(limits_sessions(l), 9);
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
	static struct limits_place places[ADDRESSES][EACH + 1];
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
			enum limits_verdict want =
				in >= MAX - MAX / 10 ? LIMITS_ALL_FULL
				: model[who] == EACH ? LIMITS_ADDRESS_FULL
						     : LIMITS_ADMIT;

			CHECK(admit(l, a, &places[who][model[who]]) == want,
			      "step %d", step);
			if (want == LIMITS_ADMIT) {
				model[who]++;
				in++;
			}
		} else if (model[who] > 0) {
			model[who]--;
			limits_leave(l, &places[who][model[who]]);
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
	struct limits_place p;
	uint8_t a[16];

	numbered(5, a);
	for (int i = 0; i < FEWER_IF_SANITIZED(100000); i++) {
		unsigned int now, most;

		if (admit(c->l, a, &p) != LIMITS_ADMIT)
			continue;
		now = atomic_fetch_add(&c->in, 1) + 1;
		most = atomic_load(&c->most);
		while (now > most &&
		       !atomic_compare_exchange_weak(&c->most, &most, now))
			;
		atomic_fetch_sub(&c->in, 1);
		limits_leave(c->l, &p);
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
		{ { 60, SP_NEVER, 1 }, 1000, 0, 1060 },
		{ { 60, SP_NEVER, 1 }, 1000, 1030, SP_NEVER },
		{ { 60, 500, 1 }, 1000, 1030, 1530 },
		{ { SP_NEVER, 500, 1 }, 1000, 0, SP_NEVER },
		{ { SP_NEVER - 1, 500, 1 }, 1000, 0, SP_NEVER },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK(limits_deadline(&cases[i].times, cases[i].opened,
				      cases[i].last) == cases[i].want,
		      "case %zu", i);
}

static void test_a_message_that_began_has_a_deadline(void **state)
{
	struct limits_times times = { 1, 2, 120 };

	(void)state;
	assert_true(limits_frame_deadline(&times, 0) == SP_NEVER);
	assert_true(limits_frame_deadline(&times, 1000) == 1120);
	times.frame = SP_NEVER;
	assert_true(limits_frame_deadline(&times, 1000) == SP_NEVER);
}

/* Whether the other end of @pair sees the end. */
static bool is_shut(const int pair[2])
{
	char c;

	return recv(pair[1], &c, 1, MSG_DONTWAIT) == 0;
}

static void test_the_oldest_that_may_be_evicted_makes_room(void **state)
{
	struct limits *l = limits(3, 3);
	struct limits_place p[6];
	int pairs[6][2];
	uint8_t a[16];

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]),
				 0);
	for (uint32_t i = 0; i < 3; i++) {
		numbered(i, a);
		assert_int_equal(limits_admit(l, a, false, pairs[i][0], &p[i]),
				 LIMITS_ADMIT);
	}
	limits_keep(l, &p[0]); /* it named a peer */
	numbered(3, a);
	assert_int_equal(limits_admit(l, a, false, pairs[3][0], &p[3]),
			 LIMITS_ADMIT);
	assert_true(p[1].evicted && is_shut(pairs[1]));
	assert_false(p[0].evicted || p[2].evicted || is_shut(pairs[0]));
	assert_int_equal(limits_sessions(l), 3);
	limits_leave(l, &p[1]); /* it has given its place back already */
	assert_int_equal(limits_sessions(l), 3);
	limits_keep(l, &p[2]);
	limits_keep(l, &p[3]);
	numbered(4, a);
	assert_int_equal(limits_admit(l, a, true, pairs[4][0], &p[4]),
			 LIMITS_ALL_FULL);
	limits_leave(l, &p[0]);
	assert_int_equal(limits_admit(l, a, false, pairs[4][0], &p[4]),
			 LIMITS_ADMIT);
	/* One that left is evicted no more. */
	limits_leave(l, &p[4]);
	assert_int_equal(limits_admit(l, a, true, pairs[5][0], &p[5]),
			 LIMITS_ADMIT);
	assert_false(is_shut(pairs[4]));
	for (uint32_t i = 0; i < 6; i++) {
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
	limits_free(l);
}

/* Of 20 places: 2 for routers that are known, 3 for configured ones. */
static void test_places_are_kept_for_known_and_configured(void **state)
{
	struct limits_max max = { 20, 20, 3 };
	struct limits_place p[32];
	struct limits *l;
	uint8_t a[16];
	int in = 0;

	(void)state;
	assert_int_equal(limits_new(&max, 42, &l), 0);
	numbered(1, a);
	while (admit(l, a, &p[in]) == LIMITS_ADMIT)
		in++;
	assert_int_equal(in, 15);
	numbered(2, a);
	limits_remember(l, a);
	while (admit(l, a, &p[in]) == LIMITS_ADMIT)
		in++;
	assert_int_equal(in, 17);
	numbered(3, a);
	assert_int_equal(admit(l, a, &p[in]), LIMITS_ALL_FULL);
	while (limits_admit(l, a, true, -1, &p[in]) == LIMITS_ADMIT)
		in++;
	assert_int_equal(in, 20);
	limits_free(l);
}

static void test_known_addresses_are_bounded(void **state)
{
	struct limits *l = limits(10, 10);
	struct limits_place p;
	uint8_t a[16];

	(void)state;
	for (uint32_t i = 1; i < 200000; i++) {
		numbered(i, a);
		limits_remember(l, a);
		assert_int_equal(limits_admit(l, a, false, -1, &p),
				 LIMITS_ADMIT);
		CHECK(p.kind == LIMITS_KNOWN, "address %u", i);
		limits_leave(l, &p);
	}
	limits_free(l);
}

static void test_ipv6_is_counted_by_network(void **state)
{
	uint8_t a[16] = { 0x20, 1, 0xd, 0xb8 }, b[16] = { 0x20, 1, 0xd, 0xb8 };
	struct limits *l = limits(10, 2);
	struct limits_place p[6];

	(void)state;
	a[15] = 1;
	b[15] = 2;
	assert_int_equal(admit(l, a, &p[0]), LIMITS_ADMIT);
	assert_int_equal(admit(l, b, &p[1]), LIMITS_ADMIT);
	assert_int_equal(limits_sessions_of(l, a), 2);
	a[14] = 7;
	assert_int_equal(admit(l, a, &p[2]), LIMITS_ADDRESS_FULL);
	/* A router with a section is counted by its address. */
	assert_int_equal(limits_admit(l, a, true, -1, &p[2]), LIMITS_ADMIT);
	assert_int_equal(limits_admit(l, a, true, -1, &p[3]), LIMITS_ADMIT);
	assert_int_equal(limits_admit(l, a, true, -1, &p[4]),
			 LIMITS_ADDRESS_FULL);
	b[7] = 1; /* another /64 */
	assert_int_equal(admit(l, b, &p[4]), LIMITS_ADMIT);
	limits_free(l);
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
		cmocka_unit_test(test_a_message_that_began_has_a_deadline),
		cmocka_unit_test(
			test_the_oldest_that_may_be_evicted_makes_room),
		cmocka_unit_test(test_places_are_kept_for_known_and_configured),
		cmocka_unit_test(test_known_addresses_are_bounded),
		cmocka_unit_test(test_ipv6_is_counted_by_network),
		cmocka_unit_test(test_verdicts_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
