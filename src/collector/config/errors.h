/*
 * collector/config/errors.h - what an operator got wrong, one line each
 *
 * All mistakes of a configuration are collected, so that they can be mended in
 * one go. Notes are not mistakes: they are said and nothing depends on them.
 */
#ifndef COLLECTOR_CONFIG_ERRORS_H
#define COLLECTOR_CONFIG_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/* Nobody mends more in one go; the rest is only counted. */
#define CONFIG_ERRORS_MAX 50

struct config_errors {
	char **lines; /* without a newline */
	size_t kept;
	size_t count; /* of all, also those not kept */
	char **notes;
	size_t note_count;
	bool out_of_memory; /* something could not be said */
};

#define CONFIG_ERRORS_INIT ((struct config_errors){ 0 })

void config_errors_release(struct config_errors *errors);

/* Control characters in what is quoted become "?". */
__attribute__((format(printf, 2, 3))) void config_errors_add(
	struct config_errors *errors, const char *format, ...);
__attribute__((format(printf, 2, 3))) void config_errors_note(
	struct config_errors *errors, const char *format, ...);

/*
 * The one of @names, NULL at the end, that @word is a misspelling of: at most
 * two letters missing, too many, wrong or swapped, fewer in short words. NULL
 * if none is.
 */
const char *config_errors_nearest(const char *word, const char *const *names);

#endif
