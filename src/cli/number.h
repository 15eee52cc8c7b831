/*
 * cli/number.h - parse numbers
 *
 * Each function returns false, and leaves *@out unchanged, if the text is not
 * valid.
 */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number from 0 to @max; the suffixes k, M and G are powers of 1000. */
bool number_count(const char *text, uint64_t max, uint64_t *out);

/* As number_count(), for 32 bits. */
bool number_count32(const char *text, uint32_t max, uint32_t *out);

/*
 * A number with up to six decimal places, from 0 to @max, in millionths: "0.18"
 * is 180000. Computed without floating point, so that the result is the same on
 * every machine.
 */
bool number_millionths(const char *text, uint64_t max, uint64_t *out);

#endif
