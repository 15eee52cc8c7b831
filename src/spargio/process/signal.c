#include "spargio/io/op.h"
#include "spargio/sched/current.h"

#include <spargio/signal.h>
#include <spargio/time.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct sp_signals {
	int fd;
};

/*
 * -EINVAL if @set has a signal that cannot be waited for. A fault signal is
 * one of them: if it is blocked when the fault happens, the kernel kills the
 * process.
 */
static int check_set(const sigset_t *set)
{
	static const int never[] = { SIGKILL, SIGSTOP, SIGSEGV,
				     SIGBUS,  SIGFPE,  SIGILL };

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (sigismember(set, never[i]) != 0)
			return -EINVAL;
	return 0;
}

int sp_signals_block(const sigset_t *set)
{
	int err = check_set(set);

	return err < 0 ? err : -pthread_sigmask(SIG_BLOCK, set, NULL);
}

/* Not sigisemptyset(): in glibc 2.36 it ignores signals from 33 up. */
static bool is_empty(const sigset_t *set)
{
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(set, i) == 1)
			return false;
	return true;
}

static int check_blocked(const sigset_t *set)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(set, i) == 1 && sigismember(&mask, i) != 1)
			return -EBUSY;
	return 0;
}

int sp_signals_new(const sigset_t *set, struct sp_signals **out)
{
	struct sp_signals *signals;
	int err = check_set(set);

	if (err < 0)
		return err;
	if (is_empty(set))
		return -EINVAL;
	if (sp__fiber_self() != NULL)
		err = check_blocked(set);
	if (err < 0)
		return err;

	signals = malloc(sizeof(*signals));
	if (signals == NULL)
		return -ENOMEM;
	signals->fd = signalfd(-1, set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals->fd < 0) {
		err = -errno;
		free(signals);
		return err;
	}
	/*
	 * Block the signals last, so that a failure leaves the mask unchanged.
	 */
	if (sp__fiber_self() == NULL)
		(void)sp_signals_block(set);
	*out = signals;
	return 0;
}

void sp_signals_free(struct sp_signals *signals)
{
	if (signals == NULL)
		return;
	close(signals->fd);
	free(signals);
}

static int read_signal(struct sp_signals *signals, struct sp_signal *out)
{
	struct signalfd_siginfo info;

	/* Not errno: see sp_errno(). */
	if (read(signals->fd, &info, sizeof(info)) < 0)
		return -sp_errno();
	*out = (struct sp_signal){
		.number = (int)info.ssi_signo,
		.code = info.ssi_code,
		.pid = (pid_t)info.ssi_pid,
		.uid = info.ssi_uid,
		.value = info.ssi_int,
		.status = info.ssi_status,
	};
	return 0;
}

int sp_signals_wait(struct sp_signals *signals, struct sp_signal *out)
{
	return sp_signals_wait_until(signals, SP_NEVER, out);
}

/*
 * A signal wakes all waiters, and one of them reads it; the read of the others
 * fails with -EAGAIN, and they wait again.
 */
int sp_signals_wait_until(struct sp_signals *signals, int64_t deadline,
			  struct sp_signal *out)
{
	int err;

	if (sp__fiber_self() == NULL)
		return -EPERM;
	while ((err = read_signal(signals, out)) == -EAGAIN) {
		err = sp__wait_fd(signals->fd, POLLIN, deadline, "signal");
		if (err < 0)
			break;
	}
	return err;
}
