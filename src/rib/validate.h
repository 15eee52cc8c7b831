/*
 * rib/validate.h - check the invariants of a rib, for tests
 */
#ifndef RIB_VALIDATE_H
#define RIB_VALIDATE_H

#include "rib/types.h"

/* For tests: true if all invariants hold. Slow. */
bool rib_validate(const struct rib *rib);

#endif
