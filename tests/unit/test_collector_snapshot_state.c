#include "check.h"

#include "collector/router/snapshot_state.h"

static const struct log_position early = { .identity = 1, .position = 10 };
static const struct log_position late = { .identity = 1, .position = 20 };

static void test_a_file_that_was_written_counts(void **state)
{
	struct snapshot_state s = { .replayed = 3 };
	struct snapshot_attempt a = snapshot_attempt_begin(&s, &early, 7, 100);

	(void)state;
	assert_false(s.valid);
	/* The log is read on while the file is written. */
	s.replayed = 4;
	snapshot_attempt_commit(&s, &a);
	assert_true(s.valid);
	assert_int_equal(s.replay_from.position, early.position);
	assert_int_equal(s.changes_at_start, 7);
	assert_int_equal(s.started_ns, 100);
	assert_int_equal(s.replayed, 4);
}

/* A resync while the file is written: it holds what consumers forget. */
static void test_a_file_that_was_invalidated_meanwhile_does_not(void **state)
{
	struct snapshot_state s = { .valid = true };
	struct snapshot_attempt a = snapshot_attempt_begin(&s, &early, 7, 100);

	(void)state;
	snapshot_invalidate(&s, &late);
	snapshot_attempt_commit(&s, &a);
	assert_false(s.valid);
	assert_int_equal(s.replay_from.position, late.position);
	assert_int_equal(s.started_ns, 0);
	/* The next one counts. */
	a = snapshot_attempt_begin(&s, &late, 9, 200);
	snapshot_attempt_commit(&s, &a);
	assert_true(s.valid);
	assert_int_equal(s.changes_at_start, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_that_was_written_counts),
		cmocka_unit_test(
			test_a_file_that_was_invalidated_meanwhile_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
