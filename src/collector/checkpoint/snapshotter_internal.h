/*
 * collector/checkpoint/snapshotter_internal.h - what writes snapshots while the
 * worker runs and at its end
 *
 * Threads	The worker's shard.
 */
#ifndef COLLECTOR_CHECKPOINT_SNAPSHOTTER_INTERNAL_H
#define COLLECTOR_CHECKPOINT_SNAPSHOTTER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct rib_router_info;
struct router;
struct snapshotter;

/*
 * True if consumers do not have the router's table yet, so a file would be
 * wrong; or if the router never had a table, so that a stranger cannot make us
 * write files; or if it is to be forgotten.
 */
bool snapshot_router_unsettled(const struct router *router);

/*
 * Wait until everything published of @router, or of all routers if NULL, is
 * safe. If the state store is remote, the spool of this host is not enough: it
 * must be in the stream. Yields.
 */
int snapshot_make_safe(struct snapshotter *snapshotter,
		       const struct rib_router_info *router, int64_t deadline);

/*
 * Write the file of @router. With @hurry everything was made safe before, and
 * -ETIMEDOUT ends the file at @deadline. 0 without a file if the position of the
 * log is not known. Yields.
 */
int snapshot_take(struct snapshotter *snapshotter, struct router *router,
		  bool hurry, int64_t deadline);

/*
 * True if the next file would probably fail as well: the fiber is cancelled, or
 * the disk, the broker or this process has a problem.
 */
bool snapshot_error_is_global(int err);

#endif
