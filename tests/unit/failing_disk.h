/*
 * failing_disk.h - egress/journal/file_ops.h on a real folder, with a step that fails
 *
 * Links instead of src/egress/journal/file_ops.c. Every call counts as one step; the step
 * numbered fail_at fails with fail_with, and all after it, too, if
 * fail_for_good is set. A write that fails writes its first half before.
 */
#ifndef TESTS_FAILING_DISK_H
#define TESTS_FAILING_DISK_H

#include <stdbool.h>
#include <stdint.h>

struct failing_disk {
	int steps;     /* so far */
	int fail_at;   /* 0: never */
	int fail_with; /* an errno */
	bool for_good;
	int open_files;	      /* opened and not closed */
	uint64_t room;	      /* bytes writes may take; 0: no limit */
	bool crowded;	      /* the room of what is removed others take */
	void (*before)(void); /* each step, if set */
	void (*before_unlink)(void); /* each file_unlink(), if set */
};

extern struct failing_disk failing_disk;

#endif
