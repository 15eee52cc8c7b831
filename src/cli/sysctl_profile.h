/*
 * cli/sysctl_profile.h - recommended kernel settings, and checks of a host
 *
 * One table has the profile: "doctor" checks it, --print-sysctl prints it, and
 * deploy/sysctl.d/90-arancini.conf is that output (a test compares them).
 */
#ifndef CLI_SYSCTL_PROFILE_H
#define CLI_SYSCTL_PROFILE_H

#include <stddef.h>
#include <stdio.h>

enum tuning_status {
	TUNING_OK,
	/* the value differs or cannot be read; the collector works */
	TUNING_WARN,
	TUNING_FAIL, /* connections or data suffer under load */
	TUNING_STATUSES
};

struct tuning_check {
	enum tuning_status status;
	char name[64];
	char value[96];
	char wanted[64];
	/* a command, or where to change the setting; empty = nothing to do */
	char fix[160];
};

/* Maximum number of checks of each kind. */
#define TUNING_SYSCTLS 10
#define TUNING_LIMITS  2
#define TUNING_URING   8

/*
 * Each function writes its checks to @out and returns their number. @root is
 * the folder above /proc: "" = that of this host.
 */
size_t tuning_sysctls(const char *root, struct tuning_check *out);
size_t tuning_limits(struct tuning_check *out);
size_t tuning_uring(const char *root, struct tuning_check *out);

/* The profile as a file for sysctl.d(5). */
void tuning_print(FILE *to);

#endif
