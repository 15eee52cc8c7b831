/*
 * cli/xalloc.h - exit if out of memory
 *
 * Commands exit if memory runs out. Lower layers never do this: they return
 * -ENOMEM.
 */
#ifndef CLI_XALLOC_H
#define CLI_XALLOC_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Return @memory; exit if it is NULL. */
static inline void *memory_must(void *memory)
{
	if (memory == NULL) {
		fputs("arancini: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	return memory;
}

/*
 * Exit unless @enough memory was available, for functions that report the lack
 * of memory only at their end.
 */
static inline void memory_had(bool enough)
{
	if (!enough)
		memory_must(NULL);
}

#endif
