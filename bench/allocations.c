/*
 * Counts every allocation of the program by standing in front of the C
 * library's. Calls by other threads count, too, so measure while they sleep.
 */
#include "allocations.h"

#include <stdatomic.h>

/* glibc's own names for what we hide. NOLINTBEGIN(bugprone-reserved-identifier) */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
/* NOLINTEND(bugprone-reserved-identifier) */

static _Atomic uint64_t count;

uint64_t allocations(void)
{
	return atomic_load(&count);
}

void *malloc(size_t size)
{
	atomic_fetch_add(&count, 1);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	atomic_fetch_add(&count, 1);
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	atomic_fetch_add(&count, 1);
	return __libc_realloc(p, size);
}
