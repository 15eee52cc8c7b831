/*
 * cli/progress.h - a progress line on a terminal
 *
 * Nothing is written if standard error is not a terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
	bool watched;
	bool shown;
};

void progress_init(struct progress *progress);

/* Replace the previous line. */
void progress_show(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Remove the line, before other output and at the end. */
void progress_clear(struct progress *progress);

#endif
