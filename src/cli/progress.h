/*
 * cli/progress.h - one line on a terminal that says how far a command is
 *
 * Nothing is written where standard error is no terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
	bool watched;
	bool shown;
};

void progress_init(struct progress *progress);

/* Put a line in place of the last one. */
void progress_show(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Take it away, before something else is written or at the end. */
void progress_clear(struct progress *progress);

#endif
