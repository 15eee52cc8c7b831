#include "egress/batch.h"

#include <errno.h>
#include <stdlib.h>

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
	bytes = realloc(batch->bytes, cap);
	if (bytes == NULL)
		return -ENOMEM;
	batch->bytes = bytes;
	batch->cap = cap;
	return 0;
}

void egress_batch_free(struct egress_batch *batch)
{
	if (batch == NULL)
		return;
	free(batch->bytes);
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
