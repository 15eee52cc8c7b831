#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progress_init(struct progress *progress)
{
	*progress = (struct progress){ .watched = isatty(STDERR_FILENO) };
}

void progress_show(struct progress *progress, const char *format, ...)
{
	va_list args;

	if (!progress->watched)
		return;
	fputs("\r\033[K", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
	progress->shown = true;
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
