/*
 * rib/snapshot.h - write one router as bytes, in slices while it changes
 *
 *	rib_snapshot_new(router, when, start_mark, &s)
 *	do
 *		more = rib_snapshot_step(s, &bytes)	append bytes to a file
 *	while (more > 0)
 *	rib_snapshot_finish(s, end_mark, &bytes)	append these bytes, too
 *	rib_snapshot_free(s)
 *
 * The snapshot is not the state at one instant: a route that changes while the
 * snapshot is written may be in it with its old value, with its new value, or
 * not at all. The log corrects this: every such change is published after the
 * start mark. So a restore that replays the log from the start mark on
 * (rib/restore.h) has the state that consumers have. The marks are opaque bytes
 * that the caller chooses.
 *
 * Blocking	A step visits at most a few hundred routes and compresses at
 *		most one usual block: bench/rib.c, rib_slice_max.
 * Memory	One block, and a table of recently used attribute sets: about a
 *		megabyte, whatever the size of the router.
 * Ownership	The router must outlive the snapshot. Between steps the router
 *		may change, and the rib may be used.
 * Errors	-ENOMEM, after which only rib_snapshot_free() is allowed.
 */
#ifndef RIB_SNAPSHOT_H
#define RIB_SNAPSHOT_H

#include "rib/snapshot_block.h"
#include "rib/types.h"

struct rib_snapshot;

/*
 * Begin a snapshot. -EINVAL if the mark has more than 4096 bytes or the
 * router's name more than 1024.
 */
int rib_snapshot_new(const struct rib_router *router,
		     const struct rib_time *when, struct wire_view start_mark,
		     struct rib_snapshot **out);
void rib_snapshot_free(struct rib_snapshot *s);

/*
 * Do one slice. Returns 1 if there is more to do, 0 if all routes were visited,
 * or -ENOMEM. *@out has the output of the slice, which is often empty; valid
 * until the next call.
 */
int rib_snapshot_step(struct rib_snapshot *s, struct wire_view *out);

/*
 * Call it after the last step: *@out has the bytes that complete the snapshot.
 */
int rib_snapshot_finish(struct rib_snapshot *s, struct wire_view end_mark,
			struct wire_view *out);

/* The number of routes written so far. */
uint64_t rib_snapshot_routes(const struct rib_snapshot *s);

#endif
