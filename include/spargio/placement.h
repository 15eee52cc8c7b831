/*
 * spargio/placement.h - let the runtime choose the shard of an operation
 *
 * An operation of a fiber runs on the fiber's own shard, which is right almost
 * always and costs nothing. This is for who has no shard that matters: a thread
 * of a host program, which has no ring; and fibers that start more operations
 * than their shard should carry alone.
 *
 * The shard with the fewest operations in flight is chosen, in turn where
 * several have as few. What came before may stand against that; the lease says
 * how much:
 *
 *	weak	 files. Each operation goes where there is least to do.
 *	strong	 streams. As long as one is in flight, or was a moment ago, the
 *		 next follows it, so that they begin in the order in which they
 *		 were asked for; an idle stream is free to go elsewhere.
 *	hard	 what must end where it began, such as a receive stream: until
 *		 it is dropped.
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
	int fd; /* whose lease it is */
	enum sp_lease lease;
	/*
	 * A shard that is taken unless it has clearly more to do than another,
	 * because going elsewhere has a price, too; SP_NO_SHARD: none.
	 */
	uint32_t prefer;
};

/*
 * sp_op_raw_until() on a shard that is chosen so. Yields; outside a fiber it
 * blocks the thread, and @deadline bounds the operation alone. A stealable
 * fiber stays on the shard it was taken to, a pinned one comes back.
 *
 * -EINVAL for a preferred shard that there is not, -EBUSY if the fiber may not
 * leave its shard, -EAGAIN and -ESHUTDOWN as for spawning: then it was refused
 * and has not begun.
 */
int sp_place_op(struct sp_rt *rt, const struct sp_placement *how,
		void (*fill)(struct io_uring_sqe *sqe, void *arg), void *arg,
		int64_t deadline, uint32_t *flags);

/*
 * The same in steps, for more than one operation: take a lease, do what is to
 * be done on its shard (sp_migrate(), sp_go_on()), drop it. The shard, or
 * -EINVAL, -EPERM, -ENOMEM. Does not wait.
 */
int sp_lease_take(struct sp_rt *rt, const struct sp_placement *how);
void sp_lease_drop(struct sp_rt *rt, const struct sp_placement *how);

/* The shard that has a lease of @fd, not counting weak ones; SP_NO_SHARD. */
uint32_t sp_lease_shard(struct sp_rt *rt, int fd);

#ifdef __cplusplus
}
#endif

#endif
