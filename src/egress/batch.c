#include "egress/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * A batch larger than any by default is made for one large update and freed
 * soon. Its buffer is mapped, because the heap would not return the memory to
 * the system.
 */
#define MAPPED (64u << 10)

static uint8_t *bytes_new(uint32_t cap)
{
	void *p;

	if (cap <= MAPPED)
		return malloc(cap);
	p = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void bytes_free(uint8_t *bytes, uint32_t cap)
{
	if (cap > MAPPED)
		(void)munmap(bytes, cap);
	else
		free(bytes);
}

struct egress_batch *egress_batch_new(uint32_t cap)
{
	struct egress_batch *batch = calloc(1, sizeof(*batch));

	if (batch != NULL && egress_batch_grow(batch, cap) < 0) {
		free(batch);
		return NULL;
	}
	return batch;
}

int egress_batch_grow(struct egress_batch *batch, uint32_t cap)
{
	uint8_t *bytes;

	if (cap <= batch->cap)
		return 0;
	bytes = bytes_new(cap);
	if (bytes == NULL)
		return -ENOMEM;
	if (batch->len != 0)
		memcpy(bytes, batch->bytes, batch->len);
	bytes_free(batch->bytes, batch->cap);
	batch->bytes = bytes;
	batch->cap = cap;
	return 0;
}

void egress_batch_free(struct egress_batch *batch)
{
	if (batch == NULL)
		return;
	bytes_free(batch->bytes, batch->cap);
	free(batch);
}

void egress_batch_free_all(struct egress_batch *list)
{
	while (list != NULL) {
		struct egress_batch *next = list->next;

		egress_batch_free(list);
		list = next;
	}
}
