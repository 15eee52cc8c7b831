/*
 * spargio/process.h - child processes
 *
 *	static const char *const argv[] = { "sort", "-n", NULL };
 *	struct sp_process *child;
 *
 *	sp_process_spawn(&(struct sp_process_opts){
 *		.argv = argv,
 *		.io = { { SP_IO_PIPE }, { SP_IO_PIPE }, { SP_IO_INHERIT } },
 *	}, &child);
 *	in = sp_process_take_fd(child, 0);	write to it, then close it
 *	out = sp_process_take_fd(child, 1);	read from it, then close it
 *	sp_process_wait(child, &how);
 *	sp_process_free(child);
 *
 * A child is identified by a descriptor, not by its process id, so a signal
 * never reaches another process that got the id later. There is no SIGCHLD
 * handler, and children started by other code are not touched.
 *
 * A child gets standard input, output and error as specified, and no other
 * descriptor. No signal is blocked in it and SIGPIPE has its default action,
 * whatever their state in this process.
 *
 * Threads	Any fiber of any shard. Several may wait for one child; each
 *		gets its exit status.
 * Ownership	A child does not outlive its sp_process: sp_process_free() kills
 *		the child if it still runs and collects its exit status, so
 *		that no zombie is left.
 * Pipes	This process's ends are blocking descriptors, closed on exec.
 *		Read and write them with sp_op_raw(); or, when sp_wait_fd() has
 *		reported them ready, with read(2), or with write(2) of at most
 *		PIPE_BUF bytes. Writing to a child that has closed its end
 *		raises SIGPIPE: ignore that signal.
 */
#ifndef SPARGIO_PROCESS_H
#define SPARGIO_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_process;

enum sp_io_kind {
	SP_IO_INHERIT, /* the same descriptor as in this process */
	SP_IO_NULL,    /* /dev/null */
	SP_IO_PIPE,    /* a pipe to this process; see sp_process_take_fd() */
	SP_IO_FD,      /* a duplicate of @fd, which the caller keeps */
	SP_IO_STDOUT,  /* for standard error only: same as standard output */
};

struct sp_io {
	enum sp_io_kind kind;
	int fd; /* for SP_IO_FD */
};

struct sp_process_opts {
	const char *const *argv; /* NULL-terminated */
	/* NULL-terminated; NULL = inherit the environment */
	const char *const *envp;
	const char *cwd;    /* NULL = inherit the working directory */
	struct sp_io io[3]; /* standard input, output, error */
};

/* How a child ended. */
struct sp_exit {
	int status; /* exit status; 0 if a signal ended it */
	int signal; /* signal that ended it, or 0 */
};

/*
 * Start a child. argv[0] is searched for in PATH unless it contains a slash; a
 * relative path starts from cwd. The caller yields while a thread of the
 * blocking pool waits for the result of execve(2). So the errors of execve(2)
 * are returned here: -ENOENT, -EACCES, ... A cancel during that time takes
 * effect at the caller's next wait.
 *
 * Also -EINVAL (no argv, or SP_IO_STDOUT not for standard error), -EBADF (the
 * fd of SP_IO_FD), -EMFILE, -ENOMEM, -EAGAIN (the pool is full), -ECANCELED,
 * and -ECHILD as for sp_process_wait(). After an error there is no child, no
 * descriptor is open, and *@out is unchanged.
 */
int sp_process_spawn(const struct sp_process_opts *opts,
		     struct sp_process **out);

/*
 * Kill the child if it runs, wait for its end, close pipe ends that were not
 * taken. No fiber may be waiting for the child. Yields; blocks the thread if
 * not called in a fiber. NULL is fine.
 */
void sp_process_free(struct sp_process *process);

/*
 * The process id, for display. After the child's end another process may have
 * the same id.
 */
pid_t sp_process_pid(const struct sp_process *process);

/*
 * This process's end of the pipe to standard input (0), output (1) or error (2)
 * of the child. The caller has to close the descriptor. -EBADF if @which is
 * not a pipe or was taken before.
 */
int sp_process_take_fd(struct sp_process *process, int which);

/*
 * Wait for the child's end. 0, -ECANCELED or -ETIMEDOUT; -ECHILD if its exit
 * status was collected elsewhere: by wait(2) for any child, or because SIGCHLD
 * is ignored. Yields.
 */
int sp_process_wait(struct sp_process *process, struct sp_exit *out);
int sp_process_wait_until(struct sp_process *process, int64_t deadline,
			  struct sp_exit *out);

/*
 * Send a signal. -ESRCH if the child has ended, -EINVAL for an invalid signal.
 */
int sp_process_kill(struct sp_process *process, int signal);

#ifdef __cplusplus
}
#endif

#endif
