/*
 * kernel_version.h - which Linux a test runs on, or as on (kernel_profile.c)
 */
#ifndef TESTS_KERNEL_VERSION_H
#define TESTS_KERNEL_VERSION_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

/* "6.12.3" is 6012; 0 if it is not a version. */
static inline int version_of(const char *text)
{
	int major, minor;

	if (sscanf(text, "%d.%d", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

/* The kernel itself. */
static inline int kernel_version(void)
{
	struct utsname name;

	return uname(&name) < 0 ? 0 : version_of(name.release);
}

/* What the runtime sees of it. */
static inline int profile_version(void)
{
	const char *profile = getenv("KERNEL_PROFILE");
	int version = profile == NULL ? 0 : version_of(profile);

	return version == 0 ? kernel_version() : version;
}

#endif
