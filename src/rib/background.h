/*
 * rib/background.h - timers, and work that is done in slices
 */
#ifndef RIB_BACKGROUND_H
#define RIB_BACKGROUND_H

#include "rib/types.h"

struct rib_background {
	bool more;	 /* call again as soon as others had their turn */
	uint64_t due_ns; /* or else then; RIB_NEVER: no timer runs */
};

/*
 * Start what timers made due, and do some of the work that waits: about
 * @budget routes of it, at least one, or fewer that make 512 KiB of output. Every call above may bring the next
 * timer forward, so call it at the end of each turn in which there was one; it
 * costs a comparison if there is nothing to do.
 */
struct rib_background rib_background(struct rib *rib,
				     const struct rib_time *when,
				     size_t budget);

#endif
