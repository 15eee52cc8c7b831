/* Who moves, who does not, and who is said to. */
#include "runtime.h"

#include "collector/base/shard_watchdog.h"

#include <fcntl.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

struct fixture {
	struct log log;
	int fds[2];
	struct sp_rt *workers, *publisher;
	struct shard_watchdog *watch;
	char text[4096];
	sem_t holding, release; /* of a shard that stands still */
};

static struct sp_rt *runtime(struct fixture *f, uint32_t shards)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_rt *rt;

	opts.shards = shards;
	shard_watchdog_log_blocking(&f->log, &opts);
	assert_int_equal(sp_start(&opts, &rt), 0);
	return rt;
}

static void start(struct fixture *f)
{
	*f = (struct fixture){ .watch = NULL };
	sem_init(&f->holding, 0, 0);
	sem_init(&f->release, 0, 0);
	assert_int_equal(pipe2(f->fds, O_CLOEXEC), 0);
	assert_int_equal(fcntl(f->fds[0], F_SETFL, O_NONBLOCK), 0);
	log_init(&f->log, f->fds[1], LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
	f->workers = runtime(f, 2);
	f->publisher = runtime(f, 1);
	assert_int_equal(shard_watchdog_new(&f->log, f->workers, f->publisher,
					    &f->watch),
			 0);
}

static void stop(struct fixture *f)
{
	assert_int_equal(sp_stop(f->workers, sp_in(10 * SP_S)), 0);
	assert_int_equal(sp_stop(f->publisher, sp_in(10 * SP_S)), 0);
	shard_watchdog_free(f->watch);
	log_fini(&f->log);
	close(f->fds[0]);
	close(f->fds[1]);
	sem_destroy(&f->holding);
	sem_destroy(&f->release);
}

static const char *written(struct fixture *f)
{
	ssize_t n = read(f->fds[0], f->text, sizeof(f->text) - 1);

	f->text[n > 0 ? n : 0] = '\0';
	return f->text;
}

static int let_others(void *arg)
{
	(void)arg;
	sp_yield();
	return 0;
}

/*
 * What was left on the shard before this is done when it returns: it was there
 * when this began, if only behind it.
 */
static void until_moved(struct sp_rt *rt, uint32_t shard)
{
	assert_int_equal(sp_call_on(rt, shard, let_others, NULL, NULL), 0);
}

/* Keep the shard to oneself, as a fiber must not. */
static int hold(void *fixture)
{
	struct fixture *f = fixture;

	sem_post(&f->holding);
	sem_wait(&f->release);
	return 0;
}

static void test_shards_that_are_idle_are_alive(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	for (int i = 0; i < 5; i++) {
		assert_true(shard_watchdog_check(f.watch));
		until_moved(f.workers, 0);
		until_moved(f.workers, 1);
		until_moved(f.publisher, 0);
	}
	assert_string_equal(written(&f), "");
	stop(&f);
}

static void test_one_that_stands_still_is_enough(void **state)
{
	static const struct {
		bool publisher;
		uint32_t shard;
		const char *said;
	} cases[] = {
		{ false, 0, "event=shard_stalled worker=0 for=" },
		{ false, 1, "event=shard_stalled worker=1 for=" },
		{ true, 0, "event=shard_stalled publisher=true for=" },
	};
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sp_rt *rt = cases[i].publisher ? f.publisher : f.workers;

		assert_int_equal(sp_go_on(rt, cases[i].shard, hold, &f, NULL),
				 0);
		sem_wait(&f.holding);
		assert_true(shard_watchdog_check(f.watch));
		for (uint32_t n = 0; n < 3; n++) {
			struct sp_rt *other = n == 2 ? f.publisher : f.workers;

			if (other != rt || n % 2 != cases[i].shard)
				until_moved(other, n % 2);
		}
		assert_false(shard_watchdog_check(f.watch));
		assert_non_null(strstr(written(&f), cases[i].said));
		/* Said once. */
		assert_false(shard_watchdog_check(f.watch));
		assert_null(strstr(written(&f), "event=shard_stalled"));
		sem_post(&f.release);
		until_moved(rt, cases[i].shard);
		assert_true(shard_watchdog_check(f.watch));
		assert_non_null(strstr(written(&f), "event=shard_recovered "));
		for (uint32_t n = 0; n < 2; n++)
			until_moved(f.workers, n);
		until_moved(f.publisher, 0);
	}
	stop(&f);
}

/* One that works, and goes on until it is told on. */
static int block_shard(void *fixture)
{
	struct fixture *f = fixture;

	while (strstr(written(f), "event=fiber_blocked_shard") == NULL)
		;
	return 0;
}

static void test_a_fiber_that_keeps_its_shard_is_named(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	assert_int_equal(sp_call_on(f.workers, 1, block_shard, &f, NULL), 0);
	assert_non_null(
		strstr(f.text, "event=fiber_blocked_shard worker=1 fiber="));
	assert_non_null(strstr(f.text, " for="));
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shards_that_are_idle_are_alive),
		cmocka_unit_test(test_one_that_stands_still_is_enough),
		cmocka_unit_test(test_a_fiber_that_keeps_its_shard_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
