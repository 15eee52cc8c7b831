#include "collector/base/secret_memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Header of a secret, in the same pages. */
struct secret_head {
	size_t size; /* size of the mapping */
};

char *secret_copy(const char *text, size_t len)
{
	size_t size = sizeof(struct secret_head) + len + 1;
	struct secret_head *head;
	char *out;

	head = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (head == MAP_FAILED)
		return NULL;
	/* madvise() fails only for mappings of devices. */
	(void)madvise(head, size, MADV_DONTDUMP);
	head->size = size;
	out = (char *)(head + 1);
	memcpy(out, text, len);
	out[len] = '\0';
	return out;
}

void secret_free(char *secret)
{
	struct secret_head *head;
	size_t size;

	if (secret == NULL)
		return;
	head = (struct secret_head *)(void *)secret - 1;
	size = head->size;
	explicit_bzero(head, size);
	munmap(head, size);
}
