/*
 * small_files.h - a disk with room for 5000 bytes in a file
 */
#ifndef TESTS_SMALL_FILES_H
#define TESTS_SMALL_FILES_H

#include "runtime.h"

#include <signal.h>
#include <sys/resource.h>

/* Run @body as a fiber; what it writes beyond that is -EFBIG. */
static inline void run_with_small_files(int (*body)(void *))
{
	struct rlimit old, small;

	/* What the limit raises besides the error. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ 5000, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	run_on(1, body, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
}

#endif
