/*
 * rib/background.h - timers and work in slices
 */
#ifndef RIB_BACKGROUND_H
#define RIB_BACKGROUND_H

#include "rib/types.h"

struct rib_background {
	/* true = more work: call again after other fibers had a turn */
	bool more;
	/* if !more: call again at this time; RIB_NEVER = no timer */
	uint64_t due_ns;
};

/*
 * Handle expired timers and do some of the pending work: about @budget routes,
 * at least one, but less if they cause 512 KiB of output. Any function that
 * changes the rib may set an earlier timer, so call this at the end of each
 * turn in which the rib was used. If there is nothing to do, the call costs one
 * comparison.
 */
struct rib_background rib_background(struct rib *rib,
				     const struct rib_time *when,
				     size_t budget);

#endif
