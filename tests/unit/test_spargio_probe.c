#include "check.h"

#include <spargio/probe.h>
#include <spargio/runtime.h>

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

static int is_uring(void *arg)
{
	*(int *)arg = strcmp(sp_backend_name(sp_runtime()), "io_uring") == 0;
	return 0;
}

static void test_it_says_what_the_runtime_finds(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_probe probe;
	int uring = 0;

	(void)state;
	unsetenv("SP_BACKEND");
	opts.shards = 1;
	assert_int_equal(sp_run(&opts, is_uring, &uring), 0);
	sp_probe_get(&probe);
	assert_int_equal(probe.error == 0, uring);
	if (!uring)
		assert_int_equal(probe.features, 0);
}

static void test_features_that_need_others_come_with_them(void **state)
{
	struct sp_probe probe;

	(void)state;
	sp_probe_get(&probe);
	if (sp_probe_has(&probe, SP_FEATURE_RECV_BUNDLE))
		assert_true(sp_probe_has(&probe, SP_FEATURE_RECV_MULTISHOT));
	if (sp_probe_has(&probe, SP_FEATURE_RECV_MULTISHOT))
		assert_true(sp_probe_has(&probe, SP_FEATURE_BUFFER_RING));
	/* Linux 6.6 has all that is older. */
	if (sp_probe_has(&probe, SP_FEATURE_NO_SQARRAY)) {
		assert_true(sp_probe_has(&probe, SP_FEATURE_DEFER_TASKRUN));
		assert_true(sp_probe_has(&probe, SP_FEATURE_RECV_MULTISHOT));
		assert_true(sp_probe_has(&probe, SP_FEATURE_MSG_RING));
	}
}

static void test_a_ring_that_cannot_be_is_an_error(void **state)
{
	struct rlimit before, none;
	struct sp_probe probe;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	sp_probe_get(&probe);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_true(probe.error < 0);
	assert_int_equal(probe.features, 0);
}

static void test_every_feature_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < SP_FEATURES; i++) {
		assert_non_null(sp_feature_name(i));
		assert_non_null(sp_feature_since(i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_says_what_the_runtime_finds),
		cmocka_unit_test(test_features_that_need_others_come_with_them),
		cmocka_unit_test(test_a_ring_that_cannot_be_is_an_error),
		cmocka_unit_test(test_every_feature_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
