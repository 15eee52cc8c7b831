/*
 * spargio/sim/file.h - open files of a simulated host and their numbers
 *
 * An open file is a socket, a regular file or a directory. It has a list of
 * operations that wait until the file is ready. Code that changes the state of
 * the file calls sp__sim_file_changed(), which tries these operations again.
 */
#ifndef SPARGIO_SIM_FILE_H
#define SPARGIO_SIM_FILE_H

#include "spargio/sim/world.h"

struct io_uring_sqe;

struct sp__sim_kind {
	const char *name;
	mode_t mode; /* for fstat() */
	/* Execute the SQE. Returns a result, or -EAGAIN if it has to wait. */
	int (*attempt)(struct sp__sim_file *file,
		       const struct io_uring_sqe *sqe);
	/* Returns the events of poll(2) that are set now. */
	uint32_t (*events)(const struct sp__sim_file *file);
	/*
	 * Called when the descriptor is closed or, with @abrupt, when the host
	 * has lost power. Frees the file when the last reference is gone.
	 */
	void (*close)(struct sp__sim_file *file, bool abrupt);
};

struct sp__sim_file {
	const struct sp__sim_kind *kind;
	struct sp_sim_host *host;
	struct sp__op *waiting; /* oldest first */
	int flags;		/* flags of open(2) */
};

/*
 * Return the lowest free descriptor for @file, or -EMFILE or -ENOMEM. The
 * fault SP_SIM_NO_FDS also causes -EMFILE.
 */
int sp__sim_fd_new(struct sp_sim_host *host, struct sp__sim_file *file);
/* The open file of @fd, or NULL. */
struct sp__sim_file *sp__sim_fd_get(const struct sp_sim_host *host, int fd);
/* Close @fd. Its waiting operations end with -ECANCELED. 0 or -EBADF. */
int sp__sim_fd_close(struct sp_sim_host *host, int fd);
/* Close all descriptors of a host whose fibers have ended. */
void sp__sim_fds_drop(struct sp_sim_host *host, bool abrupt);

/* Try @op. It completes now, or is added to the list of waiting operations. */
void sp__sim_file_try(struct sp__sim_file *file, struct sp__op *op);
void sp__sim_file_changed(struct sp__sim_file *file);
/* Cancel the waiting operations of @shard, or of all shards if it is NULL. */
void sp__sim_file_cancel(struct sp__sim_file *file,
			 const struct sp_shard *shard);

#endif
