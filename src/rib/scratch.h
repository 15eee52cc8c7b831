/*
 * rib/scratch.h - two buffers of the rib that grow on demand
 */
#ifndef RIB_SCRATCH_H
#define RIB_SCRATCH_H

#include "rib/types.h"

/*
 * Get a buffer of @len bytes, valid until the next call for the same buffer.
 * NULL if out of memory. rib_scratch_more() is the other buffer.
 */
uint8_t *rib_scratch(struct rib *rib, size_t len);
uint8_t *rib_scratch_more(struct rib *rib, size_t len);

#endif
