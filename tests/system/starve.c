/*
 * To be loaded in front of libc (LD_PRELOAD): while the file STARVE_FILE is
 * there, realloc() gives nobody STARVE_FROM bytes or more, nor does mmap() of
 * memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
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

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	static void *(*next)(void *at, size_t size, int prot, int flags, int fd,
			     off_t offset);

	/* Batches; not stacks of fibers, tables, nor buffers of a shard. */
	if (flags == (MAP_PRIVATE | MAP_ANONYMOUS) && size < (1 << 20) &&
	    is_starved(size)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "mmap");
	return next(at, size, prot, flags, fd, offset);
}
