#include "rib/scratch.h"

#include "rib/rib_internal.h"

#include <stdlib.h>

static uint8_t *buffer_reserve(uint8_t **room, size_t *have, size_t len)
{
	uint8_t *p;

	if (len <= *have)
		return *room;
	p = realloc(*room, len + len / 2);
	if (p == NULL)
		return NULL;
	*room = p;
	*have = len + len / 2;
	return p;
}

uint8_t *rib_scratch(struct rib *rib, size_t len)
{
	return buffer_reserve(&rib->scratch, &rib->scratch_len, len);
}

uint8_t *rib_scratch_more(struct rib *rib, size_t len)
{
	return buffer_reserve(&rib->more, &rib->more_len, len);
}
