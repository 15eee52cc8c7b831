/*
 * kernel_version.h - which Linux a test runs on, or as on (kernel_profile.c)
 */
#ifndef TESTS_KERNEL_VERSION_H
#define TESTS_KERNEL_VERSION_H

#include <stdlib.h>
#include <sys/utsname.h>

/* "6.12.3" is 6012; 0 if it is not a version. */
static inline int version_of(const char *text)
{
	char *end;
	long major = strtol(text, &end, 10);
	long minor;

	if (end == text || *end != '.')
		return 0;
	text = end + 1;
	minor = strtol(text, &end, 10);
	return end == text ? 0 : (int)(major * 1000 + minor);
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
