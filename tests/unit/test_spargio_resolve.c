#include "runtime.h"

#include <spargio/pool.h>
#include <spargio/resolve.h>
#include <spargio/stats.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int names_body(void *arg)
{
	struct sp_addr out[8], literal;
	struct sp_stats stats;
	int n;

	(void)arg;
	/* A literal needs no thread. */
	EXPECT_EQ(sp_resolve("192.0.2.7", 179, out, 8), 1);
	EXPECT_EQ(sp_addr_parse("192.0.2.7:179", 0, &literal), 0);
	EXPECT(sp_addr_equal(&out[0], &literal));
	EXPECT_EQ(sp_resolve("2001:db8::1", 1, out, 8), 1);
	sp_stats_get(sp_runtime(), &stats);
	EXPECT_EQ(stats.pool_threads, 0);

	/* From the file of hosts, so without a server. */
	n = sp_resolve("localhost", 80, out, 8);
	EXPECT(n >= 1 && n <= 8);
	for (int i = 0; i < n; i++) {
		char text[SP_ADDR_TEXT];

		sp_addr_format(&out[i], text);
		EXPECT(strcmp(text, "127.0.0.1:80") == 0 ||
		       strcmp(text, "[::1]:80") == 0);
	}
	EXPECT_EQ(sp_resolve("localhost", 80, out, 1), 1);
	sp_stats_get(sp_runtime(), &stats);
	EXPECT(stats.pool_threads > 0);

	EXPECT_EQ(sp_resolve("", 80, out, 8), -EINVAL);
	EXPECT_EQ(sp_resolve("localhost", 80, out, 0), -EINVAL);
	/* No name server is asked for what cannot be a name. */
	n = sp_resolve_until("a..b", 80, sp_in(20 * SP_S), out, 8);
	EXPECT(n == -ENOENT || n == -EAGAIN);
	return 0;
}

static void test_names_and_literals(void **state)
{
	struct sp_addr out;

	(void)state;
	run_on(1, names_body, NULL);
	assert_int_equal(sp_resolve("localhost", 1, &out, 1), -EPERM);
}

/* A resolver that hangs costs the caller its deadline, and nobody else */

static atomic_bool release;

static int hang(void *arg)
{
	(void)arg;
	while (!atomic_load(&release))
		usleep(100);
	return 0;
}

static int hold_pool(void *arg)
{
	(void)arg;
	return sp_block(hang, NULL, NULL);
}

static int resolve_it(void *arg)
{
	struct sp_addr out;

	(void)arg;
	return sp_resolve("localhost", 1, &out, 1);
}

static int late_body(void *arg)
{
	struct sp_addr out;
	struct sp_task holder, task;
	struct sp_stats stats;
	int ret = 0;

	(void)arg;
	atomic_store(&release, false);
	EXPECT_EQ(sp_go(hold_pool, NULL, &holder), 0);
	do {
		sp_yield();
		sp_stats_get(sp_runtime(), &stats);
	} while (stats.pool_threads == 0 || stats.pool_queued > 0);
	EXPECT_EQ(sp_resolve_until("localhost", 1, sp_in(2 * SP_MS), &out, 1),
		  -ETIMEDOUT);
	EXPECT_EQ(sp_resolve_until("127.0.0.1", 1, sp_in(2 * SP_MS), &out, 1),
		  1);
	EXPECT_EQ(sp_go(resolve_it, NULL, &task), 0);
	do {
		sp_yield();
		sp_stats_get(sp_runtime(), &stats);
	} while (stats.pool_queued == 0);
	EXPECT_EQ(sp_cancel(task), 0);
	EXPECT_EQ(sp_join(task, &ret), 0);
	EXPECT_EQ(ret, -ECANCELED);
	atomic_store(&release, true);
	EXPECT_EQ(sp_join(holder, NULL), 0);
	EXPECT_EQ(sp_resolve("localhost", 1, &out, 1), 1);
	return 0;
}

static void test_a_hanging_resolver_costs_a_deadline(void **state)
{
	struct sp_opts opts = SP_OPTS_INIT;

	(void)state;
	opts.shards = 1;
	opts.pool_threads = 1;
	run_with(&opts, late_body, NULL);
}

/* Given up while it runs: what it holds is freed when it returns. */
static int abandon_body(void *arg)
{
	struct sp_addr out;

	(void)arg;
	for (int i = 0; i < 200; i++) {
		int n = sp_resolve_until("localhost", 1,
					 sp_in((i % 20) * 10 * SP_US), &out, 1);

		EXPECT(n == 1 || n == -ETIMEDOUT);
	}
	return 0;
}

static void test_an_abandoned_question_is_freed(void **state)
{
	(void)state;
	run_on(1, abandon_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_literals),
		cmocka_unit_test(test_a_hanging_resolver_costs_a_deadline),
		cmocka_unit_test(test_an_abandoned_question_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
