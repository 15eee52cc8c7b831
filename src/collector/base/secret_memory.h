/*
 * collector/base/secret_memory.h - passwords, tokens and keys in memory
 *
 * Each has pages of its own that are left out of core dumps (MADV_DONTDUMP of
 * madvise(2)) and are cleared when they are given back.
 *
 * Threads	Any.
 */
#ifndef COLLECTOR_BASE_SECRET_MEMORY_H
#define COLLECTOR_BASE_SECRET_MEMORY_H

#include <stddef.h>

/*
 * The first @len bytes of @text and a NUL; to be given back by secret_free(),
 * not by free(). NULL: out of memory.
 */
char *secret_copy(const char *text, size_t len);

/* NULL is fine. */
void secret_free(char *secret);

#endif
