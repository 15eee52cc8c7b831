/*
 * runtime.h - run a test's body as a fiber
 *
 * A failed assertion inside a fiber would longjmp off its stack, so bodies
 * count what went wrong and the test asserts outside. EXPECT() says which line.
 */
#ifndef TESTS_RUNTIME_H
#define TESTS_RUNTIME_H

#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

#include <stdatomic.h>
#include <stdio.h>

#include "check.h"

static atomic_int expect_failures;

#define EXPECT(condition)                                                  \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				#condition);                               \
			atomic_fetch_add(&expect_failures, 1);             \
		}                                                          \
	} while (0)

#define EXPECT_EQ(got, want)                                             \
	do {                                                             \
		long long got_ = (long long)(got);                       \
		long long want_ = (long long)(want);                     \
		if (got_ != want_) {                                     \
			fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", \
				__FILE__, __LINE__, #got, got_, want_);  \
			atomic_fetch_add(&expect_failures, 1);           \
		}                                                        \
	} while (0)

/* Run @fn on a runtime of @shards shards; every EXPECT must have held. */
static inline void run_on(uint32_t shards, int (*fn)(void *), void *arg)
{
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = shards;
	assert_int_equal(sp_run(&opts, fn, arg), 0);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

static inline void run_with(const struct sp_opts *opts, int (*fn)(void *),
			    void *arg)
{
	assert_int_equal(sp_run(opts, fn, arg), 0);
	assert_int_equal(atomic_exchange(&expect_failures, 0), 0);
}

#endif
