/*
 * A child is identified by its pidfd, which becomes readable when the child
 * has ended. The fiber that collects the exit status stores it in struct
 * sp_process for other waiting fibers.
 *
 * posix_spawn() blocks its thread until the new program runs, so that it can
 * return an error of execve(2). So it is called in the blocking pool.
 */
#include "spargio/io/op.h"
#include "spargio/sched/current.h"

#include <spargio/pool.h>
#include <spargio/process.h>
#include <spargio/time.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define STREAMS 3

struct sp_process {
	pid_t pid;
	int pidfd;
	int pipes[STREAMS]; /* this process's ends of the pipes, or -1 */

	/* protects the fields below; never held across a yield */
	pthread_mutex_t lock;
	bool ended;
	int err; /* -ECHILD if the exit status is lost */
	struct sp_exit exit;
};

/* One call of posix_spawn() in the pool. */
struct start {
	const struct sp_process_opts *opts;
	/* the child's ends, in this process descriptors above 2; or -1 */
	int theirs[STREAMS];
	struct sp_process *process;
};

static void close_all(int *fds)
{
	for (int i = 0; i < STREAMS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

/*
 * Return @fd if it is above 2. Otherwise return a duplicate that is above 2,
 * and close @fd: the child calls dup2() to the descriptors 0 to 2, which must
 * not overwrite a descriptor that is still to be duplicated.
 */
static int above_streams(int fd)
{
	int copy;

	if (fd >= STREAMS)
		return fd;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, STREAMS);
	if (copy < 0)
		copy = -errno;
	close(fd);
	return copy;
}

static int open_pipe(struct start *start, int which)
{
	int ends[2];
	int ours, theirs;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	/*
	 * The child reads standard input and writes standard output and error.
	 */
	theirs = above_streams(ends[which == 0 ? 0 : 1]);
	ours = ends[which == 0 ? 1 : 0];
	if (theirs < 0) {
		close(ours);
		return theirs;
	}
	start->theirs[which] = theirs;
	start->process->pipes[which] = ours;
	return 0;
}

static int open_stream(struct start *start, int which)
{
	const struct sp_io *io = &start->opts->io[which];
	int fd;

	switch (io->kind) {
	case SP_IO_PIPE:
		return open_pipe(start, which);
	case SP_IO_FD:
		fd = fcntl(io->fd, F_DUPFD_CLOEXEC, STREAMS);
		if (fd < 0)
			return -errno;
		start->theirs[which] = fd;
		return 0;
	case SP_IO_STDOUT:
		return which == 2 ? 0 : -EINVAL;
	case SP_IO_INHERIT:
	case SP_IO_NULL:
		return 0;
	}
	return -EINVAL;
}

/* Add the actions that set up one descriptor of the child before execve(2). */
static int add_stream(const struct start *start, int which,
		      posix_spawn_file_actions_t *actions)
{
	switch (start->opts->io[which].kind) {
	case SP_IO_PIPE:
	case SP_IO_FD:
		return posix_spawn_file_actions_adddup2(actions,
							start->theirs[which],
							which);
	case SP_IO_NULL:
		return posix_spawn_file_actions_addopen(actions, which,
							"/dev/null",
							which == 0 ? O_RDONLY
								   : O_WRONLY,
							0);
	case SP_IO_STDOUT:
		return posix_spawn_file_actions_adddup2(actions, 1, which);
	case SP_IO_INHERIT:
		break;
	}
	return 0;
}

static int fill_actions(const struct start *start,
			posix_spawn_file_actions_t *actions)
{
	int err = 0;

	for (int i = 0; i < STREAMS && err == 0; i++)
		err = add_stream(start, i, actions);
	if (err == 0)
		err = posix_spawn_file_actions_addclosefrom_np(actions,
							       STREAMS);
	if (err == 0 && start->opts->cwd != NULL)
		err = posix_spawn_file_actions_addchdir_np(actions,
							   start->opts->cwd);
	return err;
}

static void fill_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, pipe;

	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &pipe);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
						     POSIX_SPAWN_SETSIGDEF);
}

static int spawn_child(const struct start *start, pid_t *pid)
{
	const struct sp_process_opts *o = start->opts;
	char *const *envp = o->envp == NULL ? environ : (char *const *)o->envp;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	fill_attributes(&attributes);
	err = fill_actions(start, &actions);
	if (err == 0)
		err = posix_spawnp(pid, o->argv[0], &actions, &attributes,
				   (char *const *)o->argv, envp);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* Open the pidfd of the new child, or kill the child. */
static int open_child(struct sp_process *p)
{
	int err;

	p->pidfd = pidfd_open(p->pid, 0);
	if (p->pidfd >= 0)
		return 0;
	err = -errno;
	if (err == -ESRCH)
		return -ECHILD; /* other code has reaped the child */
	/* The child was not reaped, so its process id is still valid. */
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return err;
}

/* Start the child; runs on a thread of the pool. */
static int start_main(void *arg)
{
	struct start *start = arg;
	struct sp_process *p = start->process;
	int err = 0;

	for (int i = 0; i < STREAMS && err == 0; i++)
		err = open_stream(start, i);
	if (err == 0)
		err = spawn_child(start, &p->pid);
	if (err == 0)
		err = open_child(p);
	close_all(start->theirs);
	return err;
}

static void release_process(struct sp_process *p)
{
	close_all(p->pipes);
	if (p->pidfd >= 0)
		close(p->pidfd);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

int sp_process_spawn(const struct sp_process_opts *opts,
		     struct sp_process **out)
{
	struct start start = { .opts = opts, .theirs = { -1, -1, -1 } };
	struct sp_process *p;
	int err, ret = 0;

	if (sp__fiber_self() == NULL)
		return -EPERM;
	if (sp_cancelled())
		return -ECANCELED;
	if (opts->argv == NULL || opts->argv[0] == NULL)
		return -EINVAL;
	p = malloc(sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	*p = (struct sp_process){ .pidfd = -1, .pipes = { -1, -1, -1 } };
	pthread_mutex_init(&p->lock, NULL);
	start.process = p;
	/*
	 * The pool uses data on our stack, so do not return before it has
	 * finished.
	 */
	sp_shield_begin();
	err = sp_block(start_main, &start, &ret);
	sp_shield_end();
	if (err == 0)
		err = ret;
	if (err < 0) {
		release_process(p);
		return err;
	}
	*out = p;
	return 0;
}

pid_t sp_process_pid(const struct sp_process *process)
{
	return process->pid;
}

int sp_process_take_fd(struct sp_process *process, int which)
{
	int fd;

	if (which < 0 || which >= STREAMS || process->pipes[which] < 0)
		return -EBADF;
	fd = process->pipes[which];
	process->pipes[which] = -1;
	return fd;
}

static void note_exit(struct sp_process *p, const siginfo_t *info)
{
	p->ended = true;
	if (info->si_code == CLD_EXITED)
		p->exit.status = info->si_status;
	else
		p->exit.signal = info->si_status;
}

/*
 * Collect the exit status. Waits for the child's end unless @options has
 * WNOHANG. The lock is held.
 */
static void collect_exit(struct sp_process *p, int options)
{
	siginfo_t info = { 0 };
	int ret;

	if (p->ended)
		return;
	do {
		ret = waitid(P_PIDFD, (id_t)p->pidfd, &info, WEXITED | options);
	} while (ret < 0 && sp_errno() == EINTR);
	if (ret < 0) {
		p->err = -sp_errno();
		p->ended = true;
	} else if (info.si_pid != 0) {
		note_exit(p, &info);
	}
}

/*
 * Collect the exit status if the child has ended, and copy it to *@out. Returns
 * -EAGAIN if the child has not ended, -ECHILD if the status is lost.
 */
static int try_collect(struct sp_process *p, struct sp_exit *out)
{
	int err = -EAGAIN;

	pthread_mutex_lock(&p->lock);
	collect_exit(p, WNOHANG);
	if (p->ended)
		err = p->err;
	if (err == 0)
		*out = p->exit;
	pthread_mutex_unlock(&p->lock);
	return err;
}

int sp_process_wait(struct sp_process *process, struct sp_exit *out)
{
	return sp_process_wait_until(process, SP_NEVER, out);
}

int sp_process_wait_until(struct sp_process *process, int64_t deadline,
			  struct sp_exit *out)
{
	int err;

	if (sp__fiber_self() == NULL)
		return -EPERM;
	while ((err = try_collect(process, out)) == -EAGAIN) {
		err = sp__wait_fd(process->pidfd, POLLIN, deadline,
				  "child process");
		if (err < 0)
			break;
	}
	return err;
}

int sp_process_kill(struct sp_process *process, int signal)
{
	if (pidfd_send_signal(process->pidfd, signal, NULL, 0) < 0)
		return -sp_errno();
	return 0;
}

void sp_process_free(struct sp_process *process)
{
	struct sp_exit how;
	int err = -EPERM;

	if (process == NULL)
		return;
	(void)sp_process_kill(process, SIGKILL);
	if (sp__fiber_self() != NULL) {
		sp_shield_begin();
		err = sp_process_wait(process, &how);
		sp_shield_end();
	}
	/* The caller is not a fiber, or there was no memory for the wait. */
	if (err < 0)
		collect_exit(process, 0);
	release_process(process);
}
