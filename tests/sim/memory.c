/*
 * Allocations of the collector that fail. The linker puts these functions in
 * place of malloc() and so on; the world and the broker call the real ones
 * (meson.build), because they belong to no host.
 */
#include <spargio/sim.h>

#include <stddef.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *text);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_reallocarray(p, n, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return sp_sim_memory_fails() ? NULL : __real_aligned_alloc(align, size);
}

char *__wrap_strdup(const char *text)
{
	return sp_sim_memory_fails() ? NULL : __real_strdup(text);
}
/* NOLINTEND(bugprone-reserved-identifier) */
