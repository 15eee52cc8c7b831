/*
 * To be loaded in front of libc (LD_PRELOAD): while the file STARVE_FILE is
 * there, realloc() gives nobody STARVE_FROM bytes or more.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int is_starved(size_t size)
{
	const char *file = getenv("STARVE_FILE");
	const char *from = getenv("STARVE_FROM");

	return file != NULL && from != NULL &&
	       size >= strtoul(from, NULL, 10) && access(file, F_OK) == 0;
}

void *realloc(void *p, size_t size)
{
	static void *(*next)(void *p, size_t size);

	if (is_starved(size)) {
		errno = ENOMEM;
		return NULL;
	}
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "realloc");
	return next(p, size);
}
