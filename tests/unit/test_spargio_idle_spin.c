/*
 * How long idle shards spin, with a clock that this test moves: what a machine
 * takes to wake a thread is a parameter here.
 */
#include "spargio/sched/idle_spin.h"

#include <spargio/time.h>

#include "check.h"

#define HOP   (SP_US / 10) /* a word that changes is seen */
#define WORK  (SP_US / 5)
#define ROUND 1000

/* A shard that waits, since when and how long it spins. */
struct waiting {
	struct sp__idle_spin spin;
	int64_t since, limit;
};

/* Both have learned that spinning is in vain, as after a quiet time. */
static void forget_spinning(struct sp__idle_spin *spin)
{
	sp__idle_spin_init(spin, true);
	for (int i = 0; i < 100; i++) {
		(void)sp__idle_spin_begin(spin, false);
		sp__idle_spin_end(spin, 10 * SP_MS, true);
	}
}

/* The limit of a spin that waits for a thread that runs after @wake ns. */
static int64_t limit_while_waking(struct sp__idle_spin *spin, int64_t limit,
				  int64_t wake)
{
	for (int64_t spun = 0; spun < limit; spun += SP_US)
		if (sp__idle_spin_is_vain(spin, spun, spun >= wake))
			return spun;
	return limit;
}

/*
 * @legs messages to and fro between two shards; waking one takes @wake ns.
 * Returns how often one had to be woken.
 */
static int play_ping_pong(struct waiting *w, int legs, int64_t wake)
{
	int64_t now = 0;
	int sleeps = 0;

	for (int i = 0; i < legs; i++) {
		struct waiting *from = &w[i % 2], *to = &w[(i + 1) % 2];
		bool slept;

		now += WORK; /* @from has something to say */
		slept = now + HOP - to->since > to->limit;
		from->since = now;
		from->limit = sp__idle_spin_begin(&from->spin, slept);
		if (slept)
			from->limit = limit_while_waking(&from->spin,
							 from->limit, wake);
		now += slept ? wake : HOP;
		sp__idle_spin_end(&to->spin, now - to->since, slept);
		sleeps += slept;
	}
	return sleeps;
}

static void test_two_that_wait_for_each_other_stop_sleeping(void **state)
{
	static const struct {
		int64_t wake;
		int most; /* a slow machine is found out by the way */
	} cases[] = {
		{ 5, 10 },    { 20, 10 },   { 49, 10 },	  { 60, 10 },
		{ 100, 150 }, { 150, 150 }, { 235, 150 }, { 350, 150 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct waiting w[2] = { 0 };
		int64_t wake = cases[i].wake * SP_US;

		forget_spinning(&w[0].spin);
		forget_spinning(&w[1].spin);
		w[0].since = w[1].since = -SP_S;
		assert_in_range(play_ping_pong(w, ROUND, wake), 1,
				cases[i].most);
		/* And again when one of them was held up for once. */
		w[0].since = w[1].since = -SP_S;
		assert_in_range(play_ping_pong(w, ROUND, wake), 1, 10);
	}
}

/* All CPUs are busy: the woken shard runs when the other one sleeps. */
static void test_a_spin_that_keeps_the_other_from_running_ends(void **state)
{
	static const struct {
		int wakeups;
		int64_t most; /* us that are spun in all */
	} cases[] = { { 1, 60 }, { 32, 60 + 32 * 20 }, { 10000, 10000 * 10 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sp__idle_spin spin;
		int64_t spun = 0;

		sp__idle_spin_init(&spin, true);
		for (int k = 0; k < cases[i].wakeups; k++) {
			int64_t limit = sp__idle_spin_begin(&spin, true);

			limit = limit_while_waking(&spin, limit, SP_NEVER);
			spun += limit;
			sp__idle_spin_end(&spin, limit + SP_MS, true);
		}
		CHECK(spun <= cases[i].most * SP_US,
		      "%d wake-ups: spun for %lld us", cases[i].wakeups,
		      (long long)(spun / SP_US));
	}
}

/* Time spun while work comes every @gap ns, and each piece wakes another. */
static int64_t spin_in_vain(int64_t gap, bool sends, int times)
{
	struct sp__idle_spin spin;
	int64_t spun = 0;

	forget_spinning(&spin);
	for (int i = 0; i < times; i++) {
		int64_t limit = sp__idle_spin_begin(&spin, sends);

		spun += limit < gap ? limit : gap;
		sp__idle_spin_end(&spin, gap, limit < gap);
	}
	return spun;
}

static void test_wakeups_without_an_answer_cost_little(void **state)
{
	(void)state;
	assert_true(spin_in_vain(10 * SP_MS, true, 10000) <
		    10000 * (5 * SP_US));
	assert_true(spin_in_vain(SP_MS, true, 10000) < 10000 * (5 * SP_US));
}

static void test_rare_work_is_not_spun_for(void **state)
{
	(void)state;
	/* 2 us each: what it takes to see that the other one does answer. */
	assert_true(spin_in_vain(10 * SP_MS, false, 1000) <= 1000 * 2 * SP_US);
}

static void test_too_few_cpus_for_spinning(void **state)
{
	struct sp__idle_spin spin;

	(void)state;
	sp__idle_spin_init(&spin, false);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(sp__idle_spin_begin(&spin, i % 2 == 0), 0);
		sp__idle_spin_end(&spin, SP_US, i % 3 != 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_two_that_wait_for_each_other_stop_sleeping),
		cmocka_unit_test(
			test_a_spin_that_keeps_the_other_from_running_ends),
		cmocka_unit_test(test_wakeups_without_an_answer_cost_little),
		cmocka_unit_test(test_rare_work_is_not_spun_for),
		cmocka_unit_test(test_too_few_cpus_for_spinning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
