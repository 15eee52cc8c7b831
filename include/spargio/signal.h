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
 * No signal handler is used: the signals are blocked and read from a
 * descriptor. So ordinary code handles them and may lock, allocate and yield.
 *
 * The kernel delivers a signal to the process to any thread that does not
 * block the signal. So all threads must block it. Block it before they are
 * created: threads inherit the mask of their creator. A signal to one thread
 * (pthread_kill) is not received here.
 *
 * Threads	Several fibers of any shards may wait at the same time. One of
 *		them gets the signal. This is also true for two sp_signals whose
 *		sets have a signal in common.
 * Merging	If a signal is sent several times before it is received, it is
 *		received once. Signals from SIGRTMIN on are queued one by one.
 * Ownership	The signals stay blocked after sp_signals_free(), so that a
 *		second SIGTERM does not kill a program that is cleaning up.
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

/* A received signal. Fields that do not apply to its code are zero. */
struct sp_signal {
	int number;
	int code;   /* SI_USER, SI_QUEUE, ...: see sigaction(2) */
	pid_t pid;  /* of the sender */
	uid_t uid;  /* of the sender */
	int value;  /* from sigqueue(3) */
	int status; /* SIGCHLD: exit status or signal of the child */
};

/*
 * Block the signals of @set in the calling thread and in the threads that it
 * creates from now on. For a program that calls sp_signals_new() later, in a
 * fiber.
 *
 * -EINVAL if @set has a signal for which no fiber can wait: SIGKILL, SIGSTOP,
 * or a signal that reports a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL).
 */
int sp_signals_block(const sigset_t *set);

/*
 * Make an object that waits for the signals of @set. Outside a fiber the call
 * also blocks the signals. In a fiber it is too late to block them, because
 * other threads exist: -EBUSY if they are not blocked. -EINVAL as above and
 * for an empty set, -EMFILE, -ENOMEM.
 */
int sp_signals_new(const sigset_t *set, struct sp_signals **out);

/* Free @signals; no fiber may be waiting. NULL is fine. */
void sp_signals_free(struct sp_signals *signals);

/*
 * Wait for the next signal. 0, -ECANCELED or -ETIMEDOUT. After an error a
 * signal that arrives is kept for the next wait. Yields.
 */
int sp_signals_wait(struct sp_signals *signals, struct sp_signal *out);
int sp_signals_wait_until(struct sp_signals *signals, int64_t deadline,
			  struct sp_signal *out);

#ifdef __cplusplus
}
#endif

#endif
