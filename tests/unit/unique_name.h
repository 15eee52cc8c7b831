/*
 * unique_name.h - an abstract Unix address of this process alone
 *
 * The same test runs on both back ends at the same time.
 */
#ifndef TESTS_OWN_NAME_H
#define TESTS_OWN_NAME_H

#include <stdio.h>
#include <unistd.h>

#define OWN_NAME_MAX 64

static inline const char *own_name(const char *what, char out[OWN_NAME_MAX])
{
	snprintf(out, OWN_NAME_MAX, "unix:@spargio-%s-%d", what, getpid());
	return out;
}

#endif
