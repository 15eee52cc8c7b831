/*
 * collector/config/errors.h - the errors of a configuration, one line each
 *
 * All errors are collected, so that an operator can fix them together. Notes
 * are not errors: they are printed and have no other effect.
 */
#ifndef COLLECTOR_CONFIG_ERRORS_H
#define COLLECTOR_CONFIG_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/* The number of errors that are kept; others are only counted. */
#define CONFIG_ERRORS_MAX 50

struct config_errors {
	char **lines; /* one error each, without a newline */
	size_t kept;
	size_t count; /* number of errors, also those not kept */
	char **notes;
	size_t note_count;
	bool out_of_memory; /* an error could not be stored */
};

#define CONFIG_ERRORS_INIT ((struct config_errors){ 0 })

void config_errors_release(struct config_errors *errors);

/* Add an error. Control characters in it become "?". */
__attribute__((format(printf, 2, 3))) void config_errors_add(
	struct config_errors *errors, const char *format, ...);
__attribute__((format(printf, 2, 3))) void config_errors_note(
	struct config_errors *errors, const char *format, ...);

/*
 * Find the element of @names (NULL-terminated) of which @word is probably a
 * misspelling: at most two letters are missing, extra, wrong or swapped, fewer
 * in short words. NULL if there is none.
 */
const char *config_errors_nearest(const char *word, const char *const *names);

#endif
