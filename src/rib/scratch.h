/*
 * rib/scratch.h - two buffers of the rib that grow on demand
 */
#ifndef RIB_SCRATCH_H
#define RIB_SCRATCH_H

#include "rib/types.h"

/*
 * A buffer of @len bytes, valid until the next call, or NULL. There are two
 * buffers.
 */
uint8_t *rib_scratch(struct rib *rib, size_t len);
uint8_t *rib_scratch_more(struct rib *rib, size_t len);

#endif
