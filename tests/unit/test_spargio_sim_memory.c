/*
 * Allocations that fail. The linker puts the functions here in place of
 * malloc() and so on, as docs/simulation.md says.
 */
#include "check.h"

#include <spargio/channel.h>
#include <spargio/fiber.h>
#include <spargio/net.h>
#include <spargio/sim.h>
#include <spargio/socket.h>
#include <spargio/time.h>

#include <errno.h>
#include <stdlib.h>

#define SEEDS	 50
#define NTH_MAX	 1000
#define CHANNELS 5

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_realloc(p, size);
}
/* NOLINTEND(bugprone-reserved-identifier) */

struct run {
	int errors; /* calls that returned -ENOMEM */
	int sent, got;
};

static void take(struct run *run, int err)
{
	if (err == -ENOMEM)
		run->errors++;
	else if (err != 0)
		sp_sim_fail(sp_sim_self(), "errno %d", -err);
}

static int send_one(void *chan)
{
	int item = 1;

	return sp_chan_send(chan, &item);
}

/* A few calls that allocate. Each works, or returns -ENOMEM. */
static int allocate_main(void *arg)
{
	struct run *run = arg;

	for (int i = 0; i < CHANNELS; i++) {
		struct sp_chan *chan;
		struct sp_task task;
		int err = sp_chan_new(sizeof(int), 4, &chan);
		int item;

		take(run, err);
		if (err < 0)
			continue;
		err = sp_go(send_one, chan, &task);
		take(run, err);
		if (err == 0) {
			run->sent++;
			(void)sp_join(task, NULL);
			run->got += sp_chan_recv(chan, &item) == 0;
		}
		sp_chan_free(chan);
	}
	return 0;
}

static struct run run_once(uint64_t seed, uint64_t nth, uint32_t ppm,
			   uint64_t *hash)
{
	struct sp_sim_opts opts = { .seed = seed };
	struct sp_sim_host *host;
	struct sp_sim *sim;
	struct run run = { 0 };

	opts.plan.ppm[SP_SIM_NO_MEMORY] = ppm;
	assert_int_equal(sp_sim_new(&opts, &sim), 0);
	assert_int_equal(sp_sim_host_new(sim, "a", NULL, &host), 0);
	assert_int_equal(sp_sim_host_start(host, NULL, allocate_main, &run), 0);
	sp_sim_fail_allocation(sim, nth);
	assert_int_equal(sp_sim_run(sim, SP_S), SP_SIM_OVER);
	assert_int_equal(run.sent, run.got);
	if (hash != NULL)
		*hash = sp_sim_hash(sim);
	sp_sim_free(sim);
	return run;
}

static void test_the_nth_allocation_fails(void **state)
{
	uint64_t none, hash = 0;
	uint64_t nth = 0;
	int errors = 0;

	(void)state;
	(void)run_once(1, 0, 0, &none);
	while (hash != none && nth < NTH_MAX) {
		struct run run = run_once(1, ++nth, 0, &hash);

		assert_in_range(run.errors, 0, 1);
		errors += run.errors;
	}
	/* It ended with one that the program did not come to. */
	assert_int_equal(hash, none);
	assert_true(nth > CHANNELS);
	assert_true(errors >= CHANNELS);
}

static void test_allocations_fail_by_chance(void **state)
{
	int errors = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t first, second;

		errors += run_once(seed, 0, 300000, &first).errors;
		(void)run_once(seed, 0, 300000, &second);
		assert_int_equal(first, second);
	}
	assert_true(errors > 0);
}

static void test_nothing_fails_outside_of_fibers(void **state)
{
	(void)state;
	assert_false(sp_sim_memory_fails());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_nth_allocation_fails),
		cmocka_unit_test(test_allocations_fail_by_chance),
		cmocka_unit_test(test_nothing_fails_outside_of_fibers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
