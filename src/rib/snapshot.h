/*
 * rib/snapshot.h - one router to bytes, in slices while it changes
 *
 *	rib_snapshot_new(router, when, start_mark, &s)
 *	do
 *		more = rib_snapshot_step(s, &bytes)	append bytes to a file
 *	while (more > 0)
 *	rib_snapshot_finish(s, end_mark, &bytes)	and these
 *	rib_snapshot_free(s)
 *
 * What is written is not the table of one instant: a route that changes while
 * the walk goes on may be in it as before, as after, or not at all. That is
 * made good by the stream: every such change was published after the start
 * mark, so whoever restores reads the stream from there (rib/restore.h) and
 * has what consumers have. The marks are bytes of the caller's; here they are
 * only kept.
 *
 * Blocking	A step visits at most a few hundred routes and compresses at
 *		most one usual block: bench/rib.c, rib_slice_max.
 * Memory	One block, and a table of the attribute sets that were last
 *		met: about a megabyte, however large the router.
 * Ownership	The router must outlive the snapshot. Between steps everything
 *		about it may change, and anybody may use the rib.
 * Errors	-ENOMEM, after which only rib_snapshot_free() is allowed.
 */
#ifndef RIB_SNAPSHOT_H
#define RIB_SNAPSHOT_H

#include "rib/snapshot_block.h"
#include "rib/types.h"

struct rib_snapshot;

/* Begin. -EINVAL if the mark has more than 4096 bytes, the name than 1024. */
int rib_snapshot_new(const struct rib_router *router,
		     const struct rib_time *when, struct wire_view start_mark,
		     struct rib_snapshot **out);
void rib_snapshot_free(struct rib_snapshot *s);

/*
 * Do one slice. 1: there is more to do, 0: all was visited, or -ENOMEM. @out
 * is what the slice made, often nothing, good until the next call.
 */
int rib_snapshot_step(struct rib_snapshot *s, struct wire_view *out);

/* After the last step: the bytes that make it whole. */
int rib_snapshot_finish(struct rib_snapshot *s, struct wire_view end_mark,
			struct wire_view *out);

/* How many routes were written so far. */
uint64_t rib_snapshot_routes(const struct rib_snapshot *s);

#endif
