/*
 * spargio/sim/file.h - open files of a simulated host and their numbers
 *
 * An open file is a socket, a regular file or a folder. It has the operations
 * that wait until it is ready; whoever changes its state calls
 * sp__sim_file_changed(), which tries them again.
 */
#ifndef SPARGIO_SIM_FILE_H
#define SPARGIO_SIM_FILE_H

#include "spargio/sim/world.h"

struct io_uring_sqe;

struct sp__sim_kind {
	const char *name;
	mode_t mode; /* for fstat() */
	/* A result, or -EAGAIN: try again after a change. */
	int (*attempt)(struct sp__sim_file *file,
		       const struct io_uring_sqe *sqe);
	/* Events of poll(2) that hold now. */
	uint32_t (*events)(const struct sp__sim_file *file);
	/*
	 * The descriptor is closed, or (@abrupt) its host lost power. Frees the
	 * file, or does so later.
	 */
	void (*close)(struct sp__sim_file *file, bool abrupt);
};

struct sp__sim_file {
	const struct sp__sim_kind *kind;
	struct sp_sim_host *host;
	struct sp__op *waiting; /* oldest first */
	int flags;		/* of open(2) */
};

/*
 * The lowest free descriptor for @file, or -EMFILE or -ENOMEM. With a fault of
 * the plan -EMFILE, too.
 */
int sp__sim_fd_new(struct sp_sim_host *host, struct sp__sim_file *file);
/* NULL if there is no such descriptor. */
struct sp__sim_file *sp__sim_fd_get(const struct sp_sim_host *host, int fd);
/* Its waiting operations end with -ECANCELED. 0 or -EBADF. */
int sp__sim_fd_close(struct sp_sim_host *host, int fd);
/* Close all. */
void sp__sim_fds_drop(struct sp_sim_host *host, bool abrupt);

/* Try @op; it completes now, or waits for a change of the file. */
void sp__sim_file_try(struct sp__sim_file *file, struct sp__op *op);
void sp__sim_file_changed(struct sp__sim_file *file);
/* End the operations that wait; of @shard only, unless it is NULL. */
void sp__sim_file_cancel(struct sp__sim_file *file,
			 const struct sp_shard *shard);

#endif
