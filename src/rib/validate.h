/*
 * rib/validate.h - check the invariants of a rib, for tests
 */
#ifndef RIB_VALIDATE_H
#define RIB_VALIDATE_H

#include "rib/types.h"

/* True if all invariants hold. For tests only: it is slow. */
bool rib_validate(const struct rib *rib);

#endif
