/*
 * waiting.h - know that a fiber waits, instead of hoping so after a while
 */
#ifndef TESTS_WAITING_H
#define TESTS_WAITING_H

#include "runtime.h"

#include <spargio/stats.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* How many fibers of @rt wait for @what, as sp_dump() calls it. */
static inline int count_waiting(struct sp_rt *rt, const char *what)
{
	static char text[1 << 16];
	int fd = memfd_create("dump", 0);
	char needle[64];
	ssize_t len;
	int n = 0;

	EXPECT_EQ(sp_dump(rt, fd), 0);
	len = pread(fd, text, sizeof(text) - 1, 0);
	text[len < 0 ? 0 : len] = '\0';
	close(fd);
	snprintf(needle, sizeof(needle), " waiting for %s 0x", what);
	for (char *p = text; (p = strstr(p, needle)) != NULL; p++)
		n++;
	return n;
}

/*
 * Wait until @n do, or for two seconds: what they wait for may have come in
 * the meantime. In a fiber or a thread, one of them at a time.
 */
static inline void until_waiting(struct sp_rt *rt, const char *what, int n)
{
	int64_t give_up = sp_in(2 * SP_S);

	while (count_waiting(rt, what) != n && sp_now() < give_up)
		if (sp_sleep(100 * SP_US) == -EPERM)
			usleep(100);
}

#endif
