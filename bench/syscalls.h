/*
 * bench/syscalls.h - how many system calls this process makes
 *
 * By the kernel's own tracepoint, which needs tracefs and the right to use it.
 * Counts the calling thread and those it starts from then on.
 */
#ifndef BENCH_SYSCALLS_H
#define BENCH_SYSCALLS_H

#include <stdint.h>

/* A descriptor, or -1 where they cannot be counted. */
int syscalls_open(void);

/* So far. 0 of -1. */
uint64_t syscalls_read(int fd);

#endif
