/*
 * bench/allocations.h - how often this program has allocated memory
 */
#ifndef BENCH_ALLOCATIONS_H
#define BENCH_ALLOCATIONS_H

#include <stdint.h>
#include <stdlib.h>

/* Calls of malloc(), calloc() and realloc() so far. */
uint64_t allocations(void);

#endif
