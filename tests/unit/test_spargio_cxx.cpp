/*
 * The runtime in a C++ program: exceptions of fibers that yield, nested ones,
 * and those of fibers that go on in another thread, do not mix.
 */
#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/sim.h>
#include <spargio/sync.h>
#include <spargio/time.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

std::atomic<int> failures(0);

#define CHECK(condition)                                                \
	do {                                                            \
		if (!(condition)) {                                     \
			std::fprintf(stderr, "%s:%d: %s\n", __FILE__,   \
				     __LINE__, #condition);             \
			failures++;                                     \
		}                                                       \
	} while (0)

enum {
	FIBERS = 64,
	ROUNDS = 100
};

/* The number in the exception that is being handled, or -1. */
int handled()
{
	std::exception_ptr current = std::current_exception();

	if (!current)
		return -1;
	try {
		std::rethrow_exception(current);
	} catch (int number) {
		return number;
	} catch (const std::exception &error) {
		return std::stoi(error.what());
	}
}

bool is_unwinding()
{
#if __cplusplus >= 201703L
	return std::uncaught_exceptions() > 0;
#else
	return std::uncaught_exception();
#endif
}

/* Yields while the stack is unwound. */
struct unwound {
	bool expected;

	explicit unwound(bool unwinding) : expected(unwinding)
	{
	}
	~unwound()
	{
		CHECK(is_unwinding() == expected);
		sp_yield();
		CHECK(is_unwinding() == expected);
	}
};

void handle_nested(int number)
{
	try {
		unwound object(true);

		throw std::runtime_error(std::to_string(number));
	} catch (const std::exception &) {
		CHECK(handled() == number);
		sp_yield();
		CHECK(handled() == number);
		CHECK(!is_unwinding());
	}
}

/* Yields in each of the places, more often the higher its number. */
int throw_and_yield(void *arg)
{
	int number = *static_cast<const int *>(arg);

	CHECK(handled() == -1);
	CHECK(!is_unwinding());
	for (int round = 0; round < ROUNDS; round++) {
		try {
			unwound object(true);

			throw number;
		} catch (int caught) {
			CHECK(caught == number);
			for (int i = 0; i < number % 3 + 1; i++)
				sp_yield();
			CHECK(handled() == number);
			handle_nested(number + 1000);
			CHECK(handled() == number);
		}
		CHECK(handled() == -1);
		unwound object(false);
	}
	return 0;
}

void run_many(int (*fn)(void *), sp_place place)
{
	static int numbers[FIBERS];
	sp_task tasks[FIBERS];
	sp_attr attr = sp_attr();

	attr.place = place;
	for (int i = 0; i < FIBERS; i++) {
		numbers[i] = i;
		CHECK(sp_go_attr(nullptr, &attr, fn, &numbers[i], &tasks[i]) ==
		      0);
	}
	for (int i = 0; i < FIBERS; i++)
		CHECK(sp_join(tasks[i], nullptr) == 0);
}

/* Goes on in another thread in the middle of a catch block. */
int throw_and_migrate(void *arg)
{
	int number = *static_cast<const int *>(arg);

	for (int round = 0; round < ROUNDS; round++) {
		try {
			throw number;
		} catch (int) {
			uint32_t other = 1 - sp_shard();

			CHECK(sp_migrate(other) == 0);
			CHECK(sp_shard() == other);
			CHECK(handled() == number);
			handle_nested(number + 1000);
		}
		CHECK(handled() == -1);
	}
	return 0;
}

/* Rethrown from where it was caught, through a frame that waits. */
int throw_out_of_a_lock(void *arg)
{
	static sp_mutex mutex = SP_MUTEX_INIT;
	int number = *static_cast<const int *>(arg);

	for (int round = 0; round < ROUNDS; round++) {
		try {
			CHECK(sp_mutex_lock(&mutex) == 0);
			try {
				throw number;
			} catch (...) {
				sp_yield();
				CHECK(sp_mutex_unlock(&mutex) == 0);
				throw;
			}
		} catch (int caught) {
			CHECK(caught == number);
		}
	}
	return 0;
}

int body(void *)
{
	CHECK(handled() == -1);
	run_many(throw_and_yield, SP_PINNED);
	run_many(throw_and_yield, SP_STEALABLE);
	run_many(throw_out_of_a_lock, SP_STEALABLE);
	if (sp_shard_count(sp_runtime()) > 1)
		run_many(throw_and_migrate, SP_PINNED);
	return 0;
}

/* Simulated: fibers that are cut off in a catch block leave nothing behind. */

sp_sim *sim;
sp_sim_host *victim;
void (*cut)(sp_sim_host *);

void fail(sp_sim_host *)
{
	sp_sim_fail(sim, "on purpose");
}

int cut_in_a_catch_block(void *)
{
	try {
		throw 1;
	} catch (int) {
		cut(victim);
	}
	return 0;
}

int look_on(void *)
{
	for (int i = 0; i < 10; i++) {
		CHECK(sp_sleep(SP_MS) == 0);
		CHECK(handled() == -1);
	}
	return 0;
}

void simulate(void (*how)(sp_sim_host *), sp_sim_end want)
{
	sp_sim_host *other;

	cut = how;
	CHECK(sp_sim_new(nullptr, &sim) == 0);
	CHECK(sp_sim_host_new(sim, "a", nullptr, &victim) == 0);
	CHECK(sp_sim_host_new(sim, "b", nullptr, &other) == 0);
	CHECK(sp_sim_host_start(victim, nullptr, cut_in_a_catch_block,
				nullptr) == 0);
	CHECK(sp_sim_host_start(other, nullptr, look_on, nullptr) == 0);
	try {
		throw 5000;
	} catch (int) {
		/* What the caller handles is no fiber's. */
		CHECK(sp_sim_run(sim, SP_S) == want);
		CHECK(handled() == 5000);
		CHECK(!is_unwinding());
		sp_sim_free(sim);
	}
	CHECK(handled() == -1);
}

/* The exception that the caller of sp_run() handles is still there after. */
void run_in_a_catch_block(uint32_t shards)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = shards;
	try {
		throw 5000;
	} catch (int) {
		CHECK(sp_run(&opts, body, nullptr) == 0);
		CHECK(handled() == 5000);
	}
	CHECK(handled() == -1);
}

}

int main()
{
	run_in_a_catch_block(1);
	run_in_a_catch_block(2);
	simulate(sp_sim_host_crash, SP_SIM_OVER);
	simulate(sp_sim_host_kill, SP_SIM_OVER);
	simulate(fail, SP_SIM_FAILED);
	return failures == 0 ? 0 : 1;
}
