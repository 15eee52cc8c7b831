/*
 * cli/number.h - parse numbers
 *
 * Each returns false, without writing, for invalid text.
 */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number from 0 to @max; the suffixes k, M and G are powers of 1000. */
bool number_count(const char *text, uint64_t max, uint64_t *out);

/* The same for 32 bits. */
bool number_count32(const char *text, uint32_t max, uint32_t *out);

/*
 * A decimal of up to six places, from 0 to @max, in millionths: "0.18" is
 * 180000. No floating point, so that it is the same everywhere.
 */
bool number_millionths(const char *text, uint64_t max, uint64_t *out);

#endif
