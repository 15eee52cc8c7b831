/*
 * spargio/signal.h - fibers that wait for signals
 *
 *	int main(void)
 *	{
 *		sigaddset(&set, SIGTERM);
 *		sp_signals_new(&set, &signals);	before any other thread
 *		return sp_run(NULL, body, signals);
 *	}
 *
 *	in a fiber:  err = sp_signals_wait(signals, &signal);
 *
 * No handler runs: the signals are blocked and read from a descriptor, so
 * ordinary code handles them and may lock, allocate and yield.
 *
 * A signal to the process is delivered to any thread that does not block it. So
 * all threads must block it, and it has to be blocked before they are created:
 * threads inherit the mask of their creator. A signal to one thread
 * (pthread_kill) is not received here.
 *
 * Threads	Any fiber of any shard may wait, several at a time. A signal is
 *		taken by one of them, whichever comes first. The same holds
 *		between objects whose sets have a signal in common.
 * Merging	A signal that is sent again before it was taken is one signal;
 *		those from SIGRTMIN up are queued one by one.
 * Ownership	The signals stay blocked when the object is freed: an order to
 *		stop that comes a second time must not kill the clean-up.
 */
#ifndef SPARGIO_SIGNAL_H
#define SPARGIO_SIGNAL_H

#include <signal.h>
#include <stdint.h>
#include <sys/select.h> /* sigset_t, also with -std=c11 */
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_signals;

/* What came. Fields that do not belong to its code are zero. */
struct sp_signal {
	int number;
	int code;   /* SI_USER, SI_QUEUE, ...: see sigaction(2) */
	pid_t pid;  /* of the sender */
	uid_t uid;  /* the same */
	int value;  /* sent along by sigqueue(3) */
	int status; /* SIGCHLD: of the child */
};

/*
 * Block the signals of @set in the calling thread and those it starts from
 * now on. For a program that makes its sp_signals later, in a fiber.
 *
 * -EINVAL if @set holds a signal that cannot be waited for: SIGKILL, SIGSTOP,
 * or one that reports a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL).
 */
int sp_signals_block(const sigset_t *set);

/*
 * Make an object to wait for the signals of @set with. Outside a fiber it
 * blocks them, too. In a fiber that would be too late: -EBUSY if they are not
 * blocked. -EINVAL as above and for an empty set, -EMFILE, -ENOMEM.
 */
int sp_signals_new(const sigset_t *set, struct sp_signals **out);

/* Nobody may be waiting. NULL is fine. */
void sp_signals_free(struct sp_signals *signals);

/*
 * Wait for the next signal. 0, -ECANCELED, -ETIMEDOUT. Yields. A signal that
 * is not taken because of either stays for the next wait.
 */
int sp_signals_wait(struct sp_signals *signals, struct sp_signal *out);
int sp_signals_wait_until(struct sp_signals *signals, int64_t deadline,
			  struct sp_signal *out);

#ifdef __cplusplus
}
#endif

#endif
