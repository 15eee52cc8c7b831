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
		now += slept ? wake : HOP;
		sp__idle_spin_end(&to->spin, now - to->since, slept);
		sleeps += slept;
	}
	return sleeps;
}

static void test_two_that_wait_for_each_other_stop_sleeping(void **state)
{
	static const int64_t wakes[] = { 5, 20, 49, 60, 100, 150, 235, 350 };

	(void)state;
	for (size_t i = 0; i < COUNT(wakes); i++) {
		struct waiting w[2] = { 0 };

		forget_spinning(&w[0].spin);
		forget_spinning(&w[1].spin);
		w[0].since = w[1].since = -SP_S;
		assert_in_range(play_ping_pong(w, ROUND, wakes[i] * SP_US), 1,
				ROUND / 100);
		/* And again when one of them was held up for once. */
		w[0].since = w[1].since = -SP_S;
		assert_in_range(play_ping_pong(w, ROUND, wakes[i] * SP_US), 1,
				ROUND / 100);
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
		cmocka_unit_test(test_wakeups_without_an_answer_cost_little),
		cmocka_unit_test(test_rare_work_is_not_spun_for),
		cmocka_unit_test(test_too_few_cpus_for_spinning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
