/*
 * cli/xalloc.h - memory that a command cannot go on without
 *
 * A command reads files and prints; where memory ends, so does it. The layers
 * below never do this: they return -ENOMEM.
 */
#ifndef CLI_XALLOC_H
#define CLI_XALLOC_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* What malloc() and its kin returned, or the end of the program. */
static inline void *memory_must(void *memory)
{
	if (memory == NULL) {
		fputs("arancini: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	return memory;
}

/* The same for a writer that says afterwards whether it had enough. */
static inline void memory_had(bool enough)
{
	if (!enough)
		memory_must(NULL);
}

#endif
