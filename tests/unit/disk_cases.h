/*
 * disk_cases.h - tests in a fiber, with a folder of their own on a failing disk
 *
 *	static void test_something(void)	without a state
 *
 *	DISK_CASE(test_something),		in the list of tests
 */
#ifndef TESTS_DISK_CASES_H
#define TESTS_DISK_CASES_H

#include "check.h"
#include "failing_disk.h"

#include <spargio/runtime.h>

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

static char folder[64];

static inline void empty_folder(void)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	char path[512];

	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	closedir(d);
	rmdir(folder);
}

static inline int disk_case_main(void *arg)
{
	void (*const *test)(void) = arg;

	(*test)();
	return 0;
}

/* cmocka's failure is a longjmp, which must not leave a fiber: abort then. */
static inline void disk_case(void **state)
{
	void (*test)(void) = (void (*)(void)) * state;
	struct sp_opts opts = SP_OPTS_INIT;

	opts.shards = 1;
	opts.stack_size = 256 << 10;
	snprintf(folder, sizeof(folder), "/tmp/test-disk-%d", (int)getpid());
	empty_folder();
	failing_disk = (struct failing_disk){ 0 };
	assert_int_equal(sp_run(&opts, disk_case_main, &test), 0);
	assert_int_equal(failing_disk.open_files, 0);
	empty_folder();
}

#define DISK_CASE(name)                                                 \
	{                                                               \
#name, disk_case, NULL, NULL, (void *)(uintptr_t)(name) \
	}

#endif
