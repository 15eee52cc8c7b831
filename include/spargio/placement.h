/*
 * spargio/placement.h - let the runtime choose the shard of an operation
 *
 * An operation of a fiber runs on the fiber's own shard, which is almost always
 * right and costs nothing. Placement is for callers without a suitable shard:
 * threads of a host program, which have no ring, and fibers that start more
 * operations than one shard should carry.
 *
 * The runtime chooses the shard with the fewest operations in flight, and
 * shards with equal numbers in turn. Earlier operations on the descriptor may
 * restrict the choice; the kind of lease says how much:
 *
 *	weak	 For files. Each operation may run on a different shard.
 *	strong	 For streams. While an operation on the descriptor is in flight
 *		 or ended a moment ago, the next operation runs on the same
 *		 shard: operations begin in the order in which they were
 *		 requested. If the stream is idle, any shard can be chosen.
 *	hard	 For something that must end on the shard where it began, such
 *		 as a receive stream: all operations run on one shard until the
 *		 lease is dropped.
 *
 * Threads	Any fiber and any thread. @rt may be NULL in a fiber.
 * Errors	A negative errno.
 */
#ifndef SPARGIO_PLACEMENT_H
#define SPARGIO_PLACEMENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_rt;
struct io_uring_sqe;

enum sp_lease {
	SP_LEASE_WEAK,
	SP_LEASE_STRONG,
	SP_LEASE_HARD,
};

struct sp_placement {
	int fd; /* the descriptor that has the lease */
	enum sp_lease lease;
	/*
	 * The preferred shard. Another is chosen only if it has clearly fewer
	 * operations in flight, because moving a fiber costs as much as a few
	 * operations. SP_NO_SHARD = no preference.
	 */
	uint32_t prefer;
};

/*
 * sp_op_raw_until() on the shard that placement chooses. A fiber yields; any
 * other thread blocks, and @deadline then bounds only the operation. Afterwards
 * a stealable fiber stays on that shard; a pinned fiber returns to its own.
 *
 * -EINVAL if the preferred shard does not exist, -EBUSY if the fiber may not
 * leave its shard, -EAGAIN and -ESHUTDOWN as for spawning. After these errors
 * the operation was not started.
 */
int sp_place_op(struct sp_rt *rt, const struct sp_placement *how,
		void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
		int64_t deadline, uint32_t *flags);

/*
 * Placement in steps, for more than one operation: take a lease, work on its
 * shard (sp_migrate(), sp_go_on()), then drop the lease. Returns the shard, or
 * -EINVAL, -EPERM, -ENOMEM. Does not wait.
 */
int sp_lease_take(struct sp_rt *rt, const struct sp_placement *how);
void sp_lease_drop(struct sp_rt *rt, const struct sp_placement *how);

/* The shard that has a strong or hard lease of @fd, or SP_NO_SHARD. */
uint32_t sp_lease_shard(struct sp_rt *rt, int fd);

#ifdef __cplusplus
}
#endif

#endif
