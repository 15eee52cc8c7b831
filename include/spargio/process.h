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
 * A child is known by a descriptor and not by its number, so a signal never
 * hits a stranger who got the number later. There is no handler for SIGCHLD,
 * and children that others have started are left alone.
 *
 * What a child gets: standard input, output and error as told, and no other
 * descriptor. No signal is blocked in it and SIGPIPE has its default action,
 * whatever this process does with them.
 *
 * Threads	Any fiber of any shard. Several may wait for one child; each is
 *		told how it ended.
 * Ownership	A child does not outlive its sp_process: sp_process_free() kills
 *		it if it still runs, and takes its remains, so that no zombie is
 *		left. So does a fiber that frees what it has on -ECANCELED.
 * Pipes	Plain blocking descriptors of ours, closed on exec. Read and
 *		write them by sp_op_raw(), or, after sp_wait_fd() has said so,
 *		by read(2), and by write(2) up to PIPE_BUF bytes. Writing to a
 *		child that has closed its end raises SIGPIPE: ignore it.
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
	SP_IO_INHERIT, /* the same as ours */
	SP_IO_NULL,    /* /dev/null */
	SP_IO_PIPE,    /* a pipe to us: see sp_process_take_fd() */
	SP_IO_FD,      /* a copy of @fd, which stays the caller's */
	SP_IO_STDOUT,  /* for standard error: where standard output goes */
};

struct sp_io {
	enum sp_io_kind kind;
	int fd; /* of SP_IO_FD */
};

struct sp_process_opts {
	const char *const *argv; /* ends with NULL */
	const char *const *envp; /* ends with NULL; NULL: the same as ours */
	const char *cwd;	 /* NULL: the same as ours */
	struct sp_io io[3];	 /* standard input, output, error */
};

/* How a child ended. */
struct sp_exit {
	int status; /* what it returned; 0 if a signal ended it */
	int signal; /* that ended it, or 0 */
};

/*
 * Start a child. argv[0] is looked for in PATH unless there is a slash in it;
 * a relative path counts from @cwd. Yields while a thread of the blocking pool
 * waits for the new program to begin, so a failure to begin is told here:
 * -ENOENT, -EACCES, ... of execve(2). A cancel meanwhile is noticed only by
 * the caller's next wait.
 *
 * Also -EINVAL (no argv, SP_IO_STDOUT elsewhere), -EBADF (of SP_IO_FD),
 * -EMFILE, -ENOMEM, -EAGAIN (the pool is full), -ECANCELED, and -ECHILD as for
 * sp_process_wait(). On failure there is no child and no descriptor left, and
 * *@out is untouched.
 */
int sp_process_spawn(const struct sp_process_opts *opts,
		     struct sp_process **out);

/*
 * Kill it if it runs, wait for its end, close what was not taken. Nobody may
 * be waiting. Yields; outside a fiber it blocks the thread. NULL is fine.
 */
void sp_process_free(struct sp_process *process);

/* Its number, for people to read. After its end it may be somebody else's. */
pid_t sp_process_pid(const struct sp_process *process);

/*
 * Our end of the pipe that is its standard input (0), output (1) or error (2).
 * Yours to close from now on. -EBADF if it is no pipe or was taken before.
 */
int sp_process_take_fd(struct sp_process *process, int which);

/*
 * Wait for its end. 0, -ECANCELED, -ETIMEDOUT; and -ECHILD if somebody else
 * took its remains: a wait(2) for any child, or SIGCHLD being ignored. Yields.
 */
int sp_process_wait(struct sp_process *process, struct sp_exit *out);
int sp_process_wait_until(struct sp_process *process, int64_t deadline,
			  struct sp_exit *out);

/* Send it a signal. -ESRCH once it has ended, -EINVAL for no such signal. */
int sp_process_kill(struct sp_process *process, int signal);

#ifdef __cplusplus
}
#endif

#endif
