/*
 * collector/checkpoint/snapshotter_internal.h - functions to write snapshots,
 * while the worker runs and at its end
 *
 * Threads	The worker's shard only.
 */
#ifndef COLLECTOR_CHECKPOINT_SNAPSHOTTER_INTERNAL_H
#define COLLECTOR_CHECKPOINT_SNAPSHOTTER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct rib_router_info;
struct router;
struct snapshotter;

/*
 * True if no file of the router may be written now, for one of these reasons:
 * consumers do not have its tables yet, so a file would be wrong; the router
 * never had a table (a stranger must not make us write files); or the router is
 * to be removed.
 */
bool snapshot_router_unsettled(const struct router *router);

/*
 * Wait until all output of @router (NULL = of all routers) is safe. If the
 * state store is remote, safe in the spool of this host is not enough: the
 * output must be in the stream. Yields.
 */
int snapshot_make_safe(struct snapshotter *snapshotter,
		       const struct rib_router_info *router, int64_t deadline);

/*
 * Write the file of @router. With @hurry the caller has made all output safe
 * before, and -ETIMEDOUT ends the writing at @deadline. Returns 0 without a
 * file if the log position is not known. Yields.
 */
int snapshot_take(struct snapshotter *snapshotter, struct router *router,
		  bool hurry, int64_t deadline);

/*
 * True if the next file would probably fail as well: the fiber was cancelled,
 * or the disk, the broker or this process has a problem.
 */
bool snapshot_error_is_global(int err);

#endif
