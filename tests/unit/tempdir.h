/*
 * tempdir.h - an empty directory for a test, gone when it ends
 *
 * It is the working directory meanwhile, so that tests can use short names.
 */
#ifndef TESTS_TEMPDIR_H
#define TESTS_TEMPDIR_H

#include "check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char tempdir[] = "/tmp/spargio-test-XXXXXX";

static inline int tempdir_remove(const char *path, const struct stat *st,
				 int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

/* For cmocka: the fixture of each test. */
static inline int tempdir_enter(void **state)
{
	(void)state;
	snprintf(tempdir, sizeof(tempdir), "/tmp/spargio-test-XXXXXX");
	return mkdtemp(tempdir) == NULL || chdir(tempdir) < 0 ? -1 : 0;
}

static inline int tempdir_leave(void **state)
{
	(void)state;
	if (chdir("/") < 0)
		return -1;
	return nftw(tempdir, tempdir_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#define IN_TEMPDIR(test) \
	cmocka_unit_test_setup_teardown(test, tempdir_enter, tempdir_leave)

#endif
