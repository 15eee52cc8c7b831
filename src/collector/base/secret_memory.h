/*
 * collector/base/secret_memory.h - passwords, tokens and keys in memory
 *
 * Each secret has its own pages, which are excluded from core dumps
 * (MADV_DONTDUMP of madvise(2)) and cleared when they are freed.
 *
 * Threads	Any.
 */
#ifndef COLLECTOR_BASE_SECRET_MEMORY_H
#define COLLECTOR_BASE_SECRET_MEMORY_H

#include <stddef.h>

/*
 * Copy the first @len bytes of @text and add a NUL; free it with secret_free(),
 * not free(). NULL if out of memory.
 */
char *secret_copy(const char *text, size_t len);

/* Clear and free a secret; @secret may be NULL. */
void secret_free(char *secret);

#endif
