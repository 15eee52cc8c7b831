/*
 * cli/human_units.h - format numbers for display
 *
 * Each function writes into the caller's buffer, so that several fit into one
 * line, and returns it.
 */
#ifndef CLI_HUMAN_UNITS_H
#define CLI_HUMAN_UNITS_H

#include <stdint.h>

#define AMOUNT_MAX 32

/* A number with separators: "1,234,567". */
const char *amount_count(int64_t value, char out[AMOUNT_MAX]);

/* Bytes with a unit that is a power of 1000: "12.3 MB". */
const char *amount_bytes(double value, char out[AMOUNT_MAX]);

/*
 * A duration with at most two units: "850 us", "1.2 ms", "4.0 s", "3m 20s", "2d
 * 3h".
 */
const char *amount_seconds(double value, char out[AMOUNT_MAX]);

/*
 * The time since @time, a time of RFC 3339, by this host's clock; "-" if @time
 * is NULL.
 */
const char *amount_age(const char *time, char out[AMOUNT_MAX]);

#endif
