#include "syscalls.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENT "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"

int syscalls_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.inherit = 1,
	};
	unsigned long long id = 0;
	FILE *f = fopen(EVENT, "r");

	if (f == NULL)
		return -1;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes a number */
	if (fscanf(f, "%llu", &id) != 1)
		id = 0;
	fclose(f);
	if (id == 0)
		return -1;
	attr.config = id;
	return (int)syscall(SYS_perf_event_open, &attr, /* pid= */ 0,
			    /* cpu= */ -1, /* group= */ -1,
			    PERF_FLAG_FD_CLOEXEC);
}

uint64_t syscalls_read(int fd)
{
	uint64_t count = 0;

	if (fd < 0 || read(fd, &count, sizeof(count)) != sizeof(count))
		return 0;
	return count;
}
